"""Around every answer of the process of a world: which life of the world it is of, and that this is still the newest.

What changes a world is fenced by its journal, to the last record. What is only read has no record: before an answer the
journal is asked whose it is, unless it was a moment ago. A process that is frozen and wakes up when its world has long
been elsewhere asks first, and says nothing more.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from orca_crowd.clock import Clock
from orca_crowd.cluster.upstream import EPOCH_HEADER
from orca_crowd.errors import ApiError, document
from orca_crowd.protocol.bodies import encode

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
        epoch: Callable[[], int],
        superseded: Callable[[], bool],
        end: Callable[[], None],
    ) -> None:
        """`superseded` asks the journal, in a thread; `end` ends this process."""
        self._app = app
        self._clock = clock
        self._epoch = epoch
        self._superseded = superseded
        self._end = end
        self._asked = float("-inf")
        self._asking: asyncio.Task[bool] | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass everything on, each answer with the epoch."""
        if scope["type"] == "lifespan" or scope["path"] in OPEN:
            await self._app(scope, receive, send)
            return
        if not await self.current():
            await self._refuse(scope, send)
            return
        told = (EPOCH_HEADER.encode(), str(self._epoch()).encode())

        async def answer(message: Message) -> None:
            if message["type"] in ("http.response.start", "websocket.accept", "websocket.http.response.start"):
                # it may have computed for long
                if message["type"] == "http.response.start" and not await self.current():
                    raise ConnectionAbortedError("another process has taken this world over")
                message = {**message, "headers": [*message.get("headers", ()), told]}
            await send(message)

        await self._app(scope, receive, answer)

    async def current(self) -> bool:
        """Whether this is the newest life of the world."""
        if self._clock.now() - self._asked < TRUSTED_SECONDS:
            return True
        if self._asking is None:
            self._asking = asyncio.create_task(self._ask())
        return not await asyncio.shield(self._asking)

    async def _ask(self) -> bool:
        before = self._clock.now()
        try:
            gone = await asyncio.to_thread(self._superseded)
        finally:
            self._asking = None
        if gone:
            self._end()
        else:
            self._asked = before
        return gone

    async def _refuse(self, scope: Scope, send: Send) -> None:
        data = encode(document(ApiError("draining", "another process has taken this world over")), "json")
        head = [(b"content-type", b"application/problem+json"), (b"content-length", str(len(data)).encode())]
        kind = "http.response" if scope["type"] == "http" else "websocket.http.response"
        await send({"type": f"{kind}.start", "status": 503, "headers": head})
        await send({"type": f"{kind}.body", "body": data})
