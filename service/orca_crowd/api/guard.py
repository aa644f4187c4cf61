"""Around every answer of a process of a cluster: which life of its world it is of, and that this is still the newest.

What changes a world is fenced by its journal, to the last record. What is only read has no record: before an answer the
journal is asked whose it is, unless it was a moment ago. A process that is frozen and wakes up when its worlds have
long been elsewhere asks first, and says nothing more.

Front ends name the world and its life, also of one that is to be made. A world that is not here, or lives anew, is
refused as one that has moved: they look for it again, and nothing has happened.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from orca_crowd.clock import Clock
from orca_crowd.cluster.upstream import EPOCH_HEADER, WORLD_HEADER
from orca_crowd.errors import ApiError, document
from orca_crowd.protocol.bodies import encode
from orca_crowd.worlds.hosted import ASKED

__all__ = ["TRUSTED_SECONDS", "Guard"]

# so long an answer of the journal is believed; a new life of the world says nothing before that
TRUSTED_SECONDS: Final = 0.25
OPEN: Final = frozenset({"/healthz"})


class Guard:
    """Plain middleware, the outermost."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        clock: Clock,
        epoch: Callable[[str], int | None],
        superseded: Callable[[str], bool],
        end: Callable[[str], None],
    ) -> None:
        """`epoch` of a world, None where it is not here; `superseded` asks its journal, in a thread; `end` is called
        with a world that another process has.
        """
        self._app = app
        self._clock = clock
        self._epoch = epoch
        self._superseded = superseded
        self._end = end
        # by world, the life whose journal was asked last, and when
        self._asked: dict[str, tuple[int, float]] = {}
        self._asking: dict[str, asyncio.Task[bool]] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass everything on, each answer with the epoch."""
        if scope["type"] == "lifespan" or scope["path"] in OPEN:
            await self._app(scope, receive, send)
            return
        world, epoch = (_header(scope, name) for name in (WORLD_HEADER, EPOCH_HEADER))
        if epoch != str(self._epoch(world)) or not await self.current(world):
            await self._refuse(scope, send, world)
            return
        ASKED.set(world)
        told = (EPOCH_HEADER.encode(), epoch.encode())

        async def answer(message: Message) -> None:
            if message["type"] in ("http.response.start", "websocket.accept", "websocket.http.response.start"):
                # it may have computed for long, or deleted the world
                if message["type"] == "http.response.start" and not await self.current(world, gone=True):
                    raise ConnectionAbortedError("another process has taken this world over")
                message = {**message, "headers": [*message.get("headers", ()), told]}
            await send(message)

        await self._app(scope, receive, answer)

    async def current(self, world: str, *, gone: bool = False) -> bool:
        """Whether this is the newest life of a world; of one that is not here what `gone` says."""
        epoch = self._epoch(world)
        if epoch is None:
            return gone
        known = self._asked.get(world)
        if known is not None and known[0] == epoch and self._clock.now() - known[1] < TRUSTED_SECONDS:
            return True
        asking = self._asking.get(world)
        if asking is None:
            asking = self._asking[world] = asyncio.create_task(self._ask(world, epoch))
        return not await asyncio.shield(asking)

    def forget(self, world: str) -> None:
        """A world is not here any more."""
        self._asked.pop(world, None)

    async def _ask(self, world: str, epoch: int) -> bool:
        before = self._clock.now()
        try:
            elsewhere = await asyncio.to_thread(self._superseded, world)
        finally:
            del self._asking[world]
        if elsewhere and self._epoch(world) == epoch:
            self._end(world)
        else:
            self._asked[world] = epoch, before
        return elsewhere

    async def _refuse(self, scope: Scope, send: Send, world: str) -> None:
        refusal = ApiError("draining", f"world {world[:64]!r} is not in this process, or not any more")
        data = encode(document(refusal), "json")
        head = [(b"content-type", b"application/problem+json"), (b"content-length", str(len(data)).encode())]
        kind = "http.response" if scope["type"] == "http" else "websocket.http.response"
        await send({"type": f"{kind}.start", "status": 503, "headers": head})
        await send({"type": f"{kind}.body", "body": data})


def _header(scope: Scope, name: str) -> str:
    wanted = name.encode()
    return next((value.decode("latin-1") for name, value in scope["headers"] if name == wanted), "")
