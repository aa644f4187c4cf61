"""The routes of a front end, which holds no world: what is asked of one is passed on to its process as it came.

A request that had no effect is sent again, to the process that has the world then: nobody took it, or whoever did was
just handing the world over. One that may have had an effect is not: its caller is told `interrupted`.
"""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from typing import Any, Final

import msgspec
from fastapi import Request, Response
from fastapi.responses import StreamingResponse

from orca_crowd.api.access import check_new, grant_of, needed
from orca_crowd.api.support import answer, read_body, read_bytes, services
from orca_crowd.cluster.front import Front
from orca_crowd.cluster.listing import metrics_of_all, shown_worlds
from orca_crowd.cluster.upstream import Answer, Lost, NotSent, Outdated, Upstream
from orca_crowd.errors import ApiError
from orca_crowd.keys.scopes import Scope
from orca_crowd.protocol.bodies import MSGPACK, decode, encoding_of, media_type
from orca_crowd.protocol.models import validate
from orca_crowd.protocol.worlds import ForkBody, check_name, parse_world

__all__ = ["Relay"]

# bodies up to this many bytes are held, so that they can be sent again; longer ones pass piece by piece
HELD_BYTES: Final = 1_048_576
# answers up to this many bytes are passed on in one piece
WHOLE_BYTES: Final = 4_194_304
# what a process says that has let go of its world, or is about to end
LET_GO: Final = "draining"
ATTEMPTS: Final = 20

Route = Callable[[Request, Scope], Awaitable[Response]]


class Moved(Exception):
    """The process has let go of the world and has done nothing."""


class Relay:
    """The routes that are answered elsewhere."""

    def __init__(self, front: Front) -> None:
        """Take the front end."""
        self._front = front
        self._directory = front.directory
        self._routes: dict[tuple[str, str], Route] = {
            ("POST", "/v1/worlds"): self._create,
            ("GET", "/v1/worlds"): self._list,
            ("POST", "/v1/worlds/restore"): self._restore,
            ("POST", "/v1/worlds/{world}/fork"): self._fork,
            ("DELETE", "/v1/worlds/{world}"): self._delete,
            ("POST", "/v1/demos/{name}"): self._demo,
            ("GET", "/metrics"): self._metrics,
        }

    async def answer(self, request: Request, method: str, path: str) -> Response | None:
        """The answer to a request whose key was let in, by its route; None for one that is answered here."""
        route = self._routes.get((method, path))
        if route is None:
            route = self._pass_on if "{world}" in path else None
        scope = needed(method, path) if route is not None else None
        if route is None or scope is None:
            return None
        if "{world}" in path:
            # worlds that are known are there also while the cluster is not, and need nothing of this process
            services(request).check_open()
        elif path != "/metrics":
            services(request).check_ready()
        return await route(request, scope)

    # one world

    async def _pass_on(self, request: Request, scope: Scope) -> Response:
        return await self._send(request, request.path_params["world"], scope, await _body(request))

    async def _delete(self, request: Request, scope: Scope) -> Response:
        world = request.path_params["world"]
        response = await self._send(request, world, scope, b"")
        if response.status_code == 204:
            await self._directory.remove(world, deleted=True)
        return response

    async def _send(self, request: Request, world: str, scope: Scope, body: bytes | AsyncIterator[bytes]) -> Response:
        """Pass a request on, again where it had no effect."""
        again = isinstance(body, bytes)
        for _ in range(ATTEMPTS):
            upstream = await self._directory.find(world)
            try:
                return await _once(upstream, request, scope, body, _target(request))
            except (NotSent, Moved) as error:
                self._directory.lose(upstream, str(error))
                if not again:
                    raise _interrupted(world, "its process has changed while the body came in") from None
            except (Lost, Outdated) as error:
                self._directory.lose(upstream, str(error))
                if request.method != "GET":
                    raise _interrupted(world, str(error)) from None
        raise ApiError("not-ready", f"world {world!r} is handed from process to process; try again in a second")

    # new ones

    async def _create(self, request: Request, scope: Scope) -> Response:
        here = services(request)
        encoding, data = encoding_of(request.headers.get("content-type")), await read_bytes(request)
        new = parse_world(decode(data, encoding), here.settings)
        check_new(request, here.door, new.id)
        durability = new.durability or here.settings.durabilities[0]
        # what is passed on is what came: the process checks it again
        return await self._make(request, new.id, scope, data, lasting=durability != "none")

    async def _restore(self, request: Request, scope: Scope) -> Response:
        here = services(request)
        name = request.query_params.get("id")
        if name is not None:
            name = check_name(name)
        check_new(request, here.door, name)
        lasting = here.settings.durabilities[0] != "none"
        return await self._make(request, name, scope, await read_bytes(request), lasting=lasting)

    async def _demo(self, request: Request, scope: Scope) -> Response:
        here = services(request)
        check_new(request, here.door, None)
        if request.path_params["name"] not in {scene.name for scene in here.demos.scenes()}:
            # refused as it is without a cluster
            await here.demos.start(request.path_params["name"])
        return await self._make(request, None, scope, b"", lasting=False)

    async def _fork(self, request: Request, scope: Scope) -> Response:
        here, source = services(request), request.path_params["world"]
        body = await read_body(request)
        fork = validate(ForkBody, body.value)
        check_new(request, here.door, fork.id)
        upstream = await self._directory.find(source)
        past = f"/v1/worlds/{source}/snapshot?step={fork.step}".encode()
        response = await _once(upstream, request, "read", b"", past, method="GET", headers=[])
        if response.status_code != 200:
            return response
        data, target = await _whole(response), b"/v1/worlds/restore"
        head = [
            (b"content-type", b"application/octet-stream"),
            (b"accept", request.headers.get("accept", "*/*").encode()),
        ]
        made = await self._make(request, fork.id, scope, data, lasting=True, target=target, headers=head)
        if made.status_code == 201 and fork.name is not None:
            shown = decode(bytes(made.body), "msgpack" if media_type(made.media_type)[0] == MSGPACK else "json")
            named = msgspec.json.encode({"name": fork.name})
            head[0] = (b"content-type", b"application/json")
            renamed = await self._directory.find(shown["id"])
            target = f"/v1/worlds/{shown['id']}".encode()
            changed = await _once(renamed, request, "admin", named, target, method="PATCH", headers=head)
            changed.status_code = 201
            return changed
        return made

    async def _make(
        self,
        request: Request,
        name: str | None,
        scope: Scope,
        body: bytes,
        *,
        lasting: bool,
        target: bytes | None = None,
        headers: list[tuple[bytes, bytes]] | None = None,
    ) -> Response:
        """A new process, and in it the world that is asked for; no process where the world is refused."""
        there = len(await self._front.worlds())
        if there >= self._front.settings.worlds:
            raise ApiError("limit", f"there are {there} worlds, which is the limit; delete one first")
        if name is not None and await self._front.kept(name):
            raise ApiError("exists", f"there is a world {name!r} already; delete it first, or choose another id")
        name = name or secrets.token_hex(8)
        upstream = await self._directory.create(name, lasting=lasting)
        made = False
        try:
            response = await _once(
                upstream, request, scope, body, target or _target(request), method="POST", headers=headers
            )
            made = response.status_code == 201
        except (NotSent, Lost, Outdated, Moved) as error:
            raise _interrupted(name, str(error)) from None
        finally:
            if not made:
                await self._directory.remove(name)
        return response

    # all of them

    async def _list(self, request: Request, scope: Scope) -> Response:
        seen = grant_of(request)
        names = [name for name in await self._front.worlds() if seen.sees(name)]
        return await answer(request, {"worlds": await shown_worlds(self._directory, names)})

    async def _metrics(self, request: Request, scope: Scope) -> Response:
        here = services(request)
        own = await here.engine.serve(here.metrics.text)
        text = await metrics_of_all(self._front, own, here.engine.serve)
        return Response(text, media_type="text/plain; version=0.0.4")


def _target(request: Request) -> bytes:
    """Path and query as they came."""
    path: bytes = request.scope.get("raw_path") or request.scope["path"].encode()
    query: bytes = request.scope["query_string"]
    return path.partition(b"?")[0] + (b"?" + query if query else b"")


async def _body(request: Request) -> bytes | AsyncIterator[bytes]:
    """The body, held where it is short."""
    declared = request.headers.get("content-length")
    if declared is None and "transfer-encoding" not in request.headers:
        return b""
    if declared is not None and declared.isdigit() and len(declared) < 18 and int(declared) <= HELD_BYTES:
        return await read_bytes(request)
    return _limited(request)


async def _limited(request: Request) -> AsyncIterator[bytes]:
    """The body as it comes in; 413 as soon as it is over the limit."""
    limit = services(request).settings.body_bytes
    size, declared = 0, request.headers.get("content-length", "0")
    if declared.isdigit() and int(declared[:18]) > limit:
        raise ApiError("too-large", f"the body is larger than the limit body_bytes of {limit} bytes")
    async for piece in request.stream():
        size += len(piece)
        if size > limit:
            raise ApiError("too-large", f"the body is larger than the limit body_bytes of {limit} bytes")
        yield piece


async def _once(
    upstream: Upstream,
    request: Request,
    scope: Scope,
    body: bytes | AsyncIterator[bytes],
    target: bytes,
    *,
    method: str | None = None,
    headers: list[tuple[bytes, bytes]] | None = None,
) -> Response:
    """Pass one request on; the errors of upstream.py, and Moved."""
    async with AsyncExitStack() as stack:
        passed = request.headers.raw if headers is None else headers
        call = upstream.call(method or request.method, target, scope=scope, headers=passed, body=body)
        told = await stack.enter_async_context(call)
        length = _length(told)
        if told.status == 503 or length is None or length <= WHOLE_BYTES:
            data = b"".join([piece async for piece in told.body])
            if told.status == 503 and _code(data) == LET_GO:
                raise Moved(f"world {upstream.world!r} has moved")
            response = Response(data, told.status)
            response.raw_headers = told.headers
            response.media_type = next(
                (value.decode() for name, value in told.headers if name == b"content-type"), None
            )
            return response
        held = stack.pop_all()

        async def pieces() -> AsyncIterator[bytes]:
            async with held:
                with upstream.waiting():
                    async for piece in told.body:
                        yield piece

        streamed = StreamingResponse(pieces(), told.status)
        streamed.raw_headers = told.headers
        return streamed


def _length(told: Answer) -> int | None:
    found = next((value for name, value in told.headers if name == b"content-length"), None)
    return int(found) if found is not None else None


async def _whole(response: Response) -> bytes:
    if isinstance(response, StreamingResponse):
        return b"".join([piece async for piece in response.body_iterator])  # type: ignore[misc]
    return bytes(response.body)


def _code(data: bytes) -> Any:
    try:
        return msgspec.json.decode(data).get("code")
    except (msgspec.DecodeError, AttributeError):
        return None


def _interrupted(world: str, why: str) -> ApiError:
    return ApiError("interrupted", f"world {world!r} was interrupted: {why}", headers={"Retry-After": "1"})
