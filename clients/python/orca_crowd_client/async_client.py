"""The client of a server, for asyncio; `orca_crowd_client.client` has the same names for threads."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Any, Self, TypeVar

import httpx

from orca_crowd_client.async_world import AsyncWorld
from orca_crowd_client.columns import Numbers
from orca_crowd_client.commands import AreaLike, ObstacleLike, Rows
from orca_crowd_client.encoding import EncodingName, encoding_named
from orca_crowd_client.protocol import worlds
from orca_crowd_client.protocol.call import Call, build_request, read_answer
from orca_crowd_client.protocol.worlds import LEASE_HEADER
from orca_crowd_client.retry import REQUESTING, Attempts, Backoff
from orca_crowd_client.transport import (
    CLIENT,
    CLIENT_HEADER,
    CONNECT_TIMEOUT,
    KEEPALIVE,
    http_failure,
    may_repeat,
    stream_url,
)

__all__ = ["AsyncClient"]

Result = TypeVar("Result")


class AsyncClient:
    """A server; use it as a context manager, which closes its connections."""

    def __init__(
        self,
        url: str = "http://127.0.0.1:8000",
        *,
        encoding: EncodingName = "msgpack",
        timeout: float | None = 60.0,
        key: str | None = None,
        headers: Mapping[str, str] | None = None,
        retry: Backoff = REQUESTING,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        """Prepare; nothing is sent.

        `encoding` is `msgpack` or `json`. `timeout` bounds the wait for one answer in seconds, a long run of steps
        included. `key` is the API key of a server that wants one. `headers` go with every request and every stream.
        `retry` says how often a request that only reads, or carries a key of its own, is repeated when the connection
        breaks. `transport` is httpx's own, for tests and proxies.
        """
        self.url = url.rstrip("/")
        self.encoding = encoding_named(encoding)
        credentials = {} if key is None else {"Authorization": f"Bearer {key}"}
        self._headers = {CLIENT_HEADER: CLIENT, **(headers or {}), **credentials}
        self.retry = retry
        self._http = httpx.AsyncClient(
            headers=self._headers,
            timeout=httpx.Timeout(timeout, connect=CONNECT_TIMEOUT),
            limits=KEEPALIVE,
            transport=transport,
        )

    async def __aenter__(self) -> Self:
        """Open."""
        await self._http.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close."""
        await self._http.__aexit__(kind, error, trace)

    async def close(self) -> None:
        """Close the connections; a stream is closed by itself."""
        await self._http.aclose()

    async def info(self) -> dict[str, Any]:
        """Ask for version, kernels digest, limits, and options with both profiles' values."""
        return await self.call(worlds.info())

    async def create_world(
        self,
        *,
        time_step: float,
        id: str | None = None,  # noqa: A002
        name: str | None = None,
        clock: Mapping[str, Any] | None = None,
        defaults: Mapping[str, Any] | None = None,
        options: Mapping[str, Any] | None = None,
        seed: int | None = None,
        durability: str | None = None,
        ttl: float | None = None,
    ) -> AsyncWorld:
        """Create a world; what is left out takes the server's default, and `description` tells all values.

        Not repeated when the connection breaks. With an `id` a second call is told by a `Conflict` that the first one
        had its effect.
        """
        call = worlds.create_world(
            time_step=time_step,
            id=id,
            name=name,
            clock=clock,
            defaults=defaults,
            options=options,
            seed=seed,
            durability=durability,
            ttl=ttl,
        )
        return self._described(await self.call(call))

    async def worlds(self) -> list[AsyncWorld]:
        """List the worlds of the server, each with its description."""
        return [self._described(description) for description in await self.call(worlds.list_worlds())]

    def world(self, id: str) -> AsyncWorld:  # noqa: A002
        """Take a handle on a world that exists; nothing is sent."""
        return AsyncWorld(self, id)

    async def restore(self, data: bytes, *, id: str | None = None) -> AsyncWorld:  # noqa: A002
        """Make a world from a snapshot, with the same bits; raises `Conflict` where the id is taken."""
        return self._described(await self.call(worlds.restore(data, id)))

    async def steer(
        self,
        *,
        time_step: float,
        agents: Rows | Mapping[str, Any],
        obstacles: Sequence[ObstacleLike] | None = None,
        walkable: Sequence[AreaLike] | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> Numbers:
        """Take one step for a world that the caller keeps: the new velocities, shape (n, 2), in the order of `agents`.

        `agents` are rows, or a mapping of columns as for `add_agents`.
        """
        return await self.call(worlds.steer(time_step, agents, obstacles, walkable, options))

    # ---- for worlds

    async def call(self, call: Call[Result]) -> Result:
        """Send a call and read its answer, again where the connection breaks and that is safe."""
        request = build_request(call, self.encoding)
        attempts = Attempts(self.retry)
        while True:
            try:
                response = await self._http.request(
                    request.method,
                    self.url + request.path,
                    params=request.query,
                    headers=request.headers,
                    content=request.content,
                )
            except httpx.TransportError as error:
                delay = attempts.next_delay() if may_repeat(call, error) else None
                if delay is None:
                    raise http_failure(self.url, call, error) from error
                await asyncio.sleep(delay)
            else:
                media_type = response.headers.get("content-type", "")
                return read_answer(call, response.status_code, media_type, response.content)

    def stream_url(self, world: str) -> str:
        """Give the address of a world's stream."""
        return stream_url(self.url, world)

    def stream_headers(self, holder: str | None) -> dict[str, str]:
        """Give the headers of a stream's handshake."""
        return self._headers if holder is None else {**self._headers, LEASE_HEADER: holder}

    def _described(self, description: dict[str, Any]) -> AsyncWorld:
        """Take a handle on a world that the server described."""
        return AsyncWorld(self, description["id"], description)
