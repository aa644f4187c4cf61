"""What all routers share: services of the application, bodies in, answers out, refusals as problem documents."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from fastapi import Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.routing import Match
from starlette.types import Receive, Scope, Send

from orca_crowd.api.access import authorize, needed
from orca_crowd.api.origins import check_origin
from orca_crowd.clock import Clock
from orca_crowd.cluster.front import Front
from orca_crowd.engine.interface import Engine
from orca_crowd.engine.warmup import Warmup
from orca_crowd.errors import ApiError, Fault, InvalidRequest, document, problem_of
from orca_crowd.keys.doorkeeper import Doorkeeper
from orca_crowd.logs import world_id
from orca_crowd.metrics import Metrics
from orca_crowd.protocol.bodies import MEDIA_TYPES, Encoding, accepted, decode, encode, encoding_of, size_of
from orca_crowd.protocol.compatibility import CLIENT_HEADER, check_client
from orca_crowd.protocol.controllers import CONTROLLER_HEADER, check_controller
from orca_crowd.settings import Settings
from orca_crowd.tracing import Tracing
from orca_crowd.worlds.controllers import Controller
from orca_crowd.worlds.demos import Demos
from orca_crowd.worlds.paths import Paths
from orca_crowd.worlds.planning import PlannerPool
from orca_crowd.worlds.registry import Registry
from orca_crowd.worlds.runner import NOBODY, Runner
from orca_crowd.worlds.session import Accepted

__all__ = [
    "CALLER_HEADERS",
    "Body",
    "ProblemRoute",
    "Services",
    "answer",
    "caller",
    "identifier",
    "no_content",
    "problem",
    "read_body",
    "read_bytes",
    "services",
    "the_world",
]

log = logging.getLogger("orca_crowd.requests")

# values above about this many bytes are decoded, checked and encoded in a helper thread
LARGE = 65_536
# those that a resource may have
METHODS = ("DELETE", "GET", "HEAD", "PATCH", "POST", "PUT")
# columns in MessagePack are copied and not written digit by digit: so much of it takes as long as that of JSON
LARGE_ANSWERS = {"json": LARGE, "msgpack": 1_000_000}
# what tells a client that is too old which one is not
INFO_PATH = "/v1/info"
# what a 204 tells of the change
STEP_HEADER = "Orca-Crowd-Step"
SEQUENCE_HEADER = "Orca-Crowd-Sequence"
# what calls that order agents about take beside their body
CALLER_HEADERS = {CONTROLLER_HEADER: "The controller whose orders these are; agents of others are refused with 403."}


@dataclass
class Services:
    """What the application is made of; one object, so that a handler needs nothing global."""

    settings: Settings
    clock: Clock
    metrics: Metrics
    engine: Engine
    registry: Registry
    demos: Demos
    paths: Paths
    planners: PlannerPool
    warmup: Warmup
    door: Doorkeeper
    tracing: Tracing
    # where the worlds are elsewhere, in processes of a cluster
    front: Front | None = None
    relay: Callable[[Request, str, str], Awaitable[Response | None]] | None = None
    draining: bool = False
    drained: bool = False

    def check_open(self) -> None:
        """Refuse with 503 once the server stops."""
        if self.draining:
            raise ApiError("draining", "the server is stopping and takes no more work")

    def check_ready(self) -> None:
        """Refuse with 503 before the kernels are compiled, while there is no cluster, and once the server stops."""
        self.check_open()
        self.warmup.check()
        if self.front is not None:
            self.front.check_ready()
        self.registry.check_ready()


@dataclass(frozen=True)
class Body:
    """A decoded body, how many bytes it had, and its encoding; None where it was empty and may be."""

    value: Any
    size: int
    encoding: Encoding | None


def services(request: Request) -> Services:
    """The services of the application that a request came to."""
    found: Services = request.app.state.services
    return found


def the_world(request: Request) -> Runner:
    """The world that the path names, once the server is ready; 404 where there is none."""
    here = services(request)
    here.check_ready()
    return here.registry.get(request.path_params["world"])


def identifier(request: Request) -> int:
    """The id that the path names; 422 where it is no number."""
    text = request.path_params["id"]
    if not (text.isascii() and text.isdigit() and len(text) <= 16 and int(text) < 2**53):
        raise InvalidRequest([Fault(None, "id", f"must be a whole number from 0 to 2^53 - 1, not {text[:32]!r}")])
    return int(text)


async def read_bytes(request: Request) -> bytes:
    """The raw body; 413 as soon as it is known to be over the limit, before the rest is taken in."""
    limit = services(request).settings.body_bytes
    refusal = ApiError("too-large", f"the body is larger than the limit body_bytes of {limit} bytes")
    declared = request.headers.get("content-length", "0")
    if declared.isascii() and declared.isdigit() and (len(declared) > 18 or int(declared) > limit):
        raise refusal
    pieces, size = [], 0
    try:
        async for piece in request.stream():
            size += len(piece)
            if size > limit:
                raise refusal
            pieces.append(piece)
    except ClientDisconnect:
        raise ApiError("malformed", "the client went away before the body had ended") from None
    return b"".join(pieces)


async def read_body(request: Request, *, optional: bool = False) -> Body:
    """The decoded body; 415, 413 or 400 where it cannot be had. An optional one may be empty and of no type."""
    header = request.headers.get("content-type")
    encoding = None if optional and header is None else encoding_of(header)
    data = await read_bytes(request)
    if optional and not data:
        return Body({}, 0, encoding)
    encoding = encoding or encoding_of(header)
    value = await offload(request, len(data), lambda: decode(data, encoding))
    return Body(value, len(data), encoding)


async def offload(request: Request, size: int, call: Callable[[], Any]) -> Any:
    """Run a call here where it is small, in a helper thread where it is not."""
    return await services(request).engine.serve(call) if size > LARGE else call()


async def answer(request: Request, value: Mapping[str, Any], status: int = 200, body: Body | None = None) -> Response:
    """An answer in the encoding that the client wants."""
    encoding = accepted(request.headers.get("accept"), body.encoding if body is not None else None)
    large = size_of(value) > LARGE_ANSWERS[encoding]
    data = await services(request).engine.serve(lambda: encode(value, encoding)) if large else encode(value, encoding)
    return Response(data, status, media_type=MEDIA_TYPES[encoding], headers={"Vary": "Accept"})


def caller(request: Request) -> Controller:
    """Whose orders a call brings: the controller that its header names, or nobody."""
    name = request.headers.get(CONTROLLER_HEADER)
    return NOBODY if name is None else Controller(check_controller(name))


def no_content(accepted: Accepted | None = None) -> Response:
    """204; where something was changed the headers say at which step, and its place in the order of all changes."""
    if accepted is None:
        return Response(status_code=204)
    headers = {STEP_HEADER: str(accepted.step), SEQUENCE_HEADER: str(accepted.sequence)}
    return Response(status_code=204, headers=headers)


def problem(request: Request, error: ApiError) -> Response:
    """A refusal as a problem document; always JSON."""
    here = services(request)
    here.metrics.problems.labels(error.code).inc()
    level = logging.WARNING if error.status in (500, 507) else logging.INFO if error.status < 404 else logging.DEBUG
    log.log(level, "%s %s refused: %d %s", request.method, request.url.path, error.status, error.code)
    data = encode(document(error, here.settings.errors_per_answer), "json")
    return Response(data, error.status, media_type="application/problem+json", headers=error.headers)


def refusal_of(error: Exception) -> ApiError:
    """Any exception of a handler, the web framework's own included, as what the client is told."""
    if isinstance(error, RequestValidationError):
        faults = [
            Fault(None, ".".join(str(part) for part in entry["loc"][1:]) or None, entry["msg"])
            for entry in error.errors()
        ]
        return InvalidRequest(faults or "the request is not valid")
    if isinstance(error, HTTPException):
        if error.status_code == 405:
            return ApiError("method", "the resource is there but not for this method", headers=error.headers)
        return ApiError("no-route", "there is nothing at this path; /openapi.json lists what there is")
    return problem_of(error)


def methods_at(scope: Scope) -> list[str]:
    """The methods of everything that is at this path."""
    routes = scope["app"].routes
    return [
        method
        for method in METHODS
        if any(route.matches({**scope, "method": method})[0] is Match.FULL for route in routes)
    ]


class ProblemRoute(APIRoute):
    """A route that wants the key it needs, and whose every failure becomes a problem document.

    HEAD is answered wherever GET is, as by GET without the body, which the server leaves out.
    """

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """As the framework's, with HEAD for GET."""
        return super().matches(self._read(scope))

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        """As the framework's, which of several routes of a path would name the methods of the first."""
        scope = self._read(scope)
        if scope["method"] not in (self.methods or ()):
            raise HTTPException(405, headers={"Allow": ", ".join(methods_at(scope))})
        await super().handle(scope, receive, send)

    def _read(self, scope: Scope) -> Scope:
        if scope["type"] == "http" and scope["method"] == "HEAD" and "GET" in (self.methods or ()):
            return {**scope, "method": "GET"}
        return scope

    def get_route_handler(self) -> Callable[[Request], Any]:
        """Wrap the framework's handler."""
        handler = super().get_route_handler()
        # files of the page are in no document and for everybody
        (method,) = self.methods or ("",)
        scope = needed(method, self.path) if self.include_in_schema else None

        async def guarded(request: Request) -> Response:
            try:
                if scope is not None:
                    here = services(request)
                    # who is too old may still ask what would be new enough
                    if self.path != INFO_PATH:
                        check_client(request.headers.get(CLIENT_HEADER))
                    if method != "GET":
                        check_origin(request.headers, here.settings)
                    authorize(request, here.door, scope, here.clock.now(), here.clock.wall())
                    if "world" in request.path_params:
                        world_id.set(request.path_params["world"])
                    if here.relay is not None:
                        # worlds are elsewhere; what is not about one of them is answered here
                        relayed = await here.relay(request, method, self.path)
                        if relayed is not None:
                            return relayed
                    elif "world" in request.path_params:
                        await here.registry.wake(request.path_params["world"])
                response: Response = await handler(request)
            except Exception as error:
                return problem(request, refusal_of(error))
            return response

        return guarded
