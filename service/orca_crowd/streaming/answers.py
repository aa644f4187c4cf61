"""Answers in the order of the messages that they answer, however long each takes.

An order (a command, a step) is a task of its own, so that the reader goes on waiting for the client. Orders reach the
queue of their world in the order of the messages: a small one gets there before its task first waits, a large one is
checked in a helper thread first, and those behind it wait until it is through. What a client may leave unanswered is
bounded in number by that queue (one more is refused with `busy`) and in bytes here.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Coroutine
from typing import Any

from orca_crowd.streaming.outbox import Wire

__all__ = ["Answers"]

# bytes of messages of one client that are not answered yet; beyond, the client is not read until there is room
PENDING_BYTES = 64 * 2**20


class Answers:
    """Tasks and ready answers of one socket, given to `send` in order."""

    def __init__(self, send: Callable[[Wire], None], keep: set[asyncio.Task[Any]]) -> None:
        """`send` must not raise. `keep` holds the tasks: an order is carried out though its client has gone."""
        self._send = send
        self._keep = keep
        # an empty deque takes 700 bytes, so there is one only while something waits
        self._waiting: deque[asyncio.Future[Wire]] | None = None
        self._bytes = 0
        # set when somebody waits for room and there is
        self._room: asyncio.Future[None] | None = None
        self._passed: asyncio.Future[None] | None = None

    def ready(self, wire: Wire) -> None:
        """An answer that is there already; it waits for those before it."""
        answer: asyncio.Future[Wire] = asyncio.get_running_loop().create_future()
        answer.set_result(wire)
        self._append(answer)
        self._flush()

    def order(
        self, work: Callable[[Callable[[], None]], Coroutine[Any, Any, Wire]], size: int, *, large: bool
    ) -> asyncio.Task[Wire]:
        """Carry out an order that came in `size` bytes, after those before it; `work` must not raise.

        Those behind a large one wait until it is through, or until `work` calls what it is given: that it is in the
        queue of its world, and what it still waits for is no concern of theirs.
        """
        loop = asyncio.get_running_loop()
        before, passed = self._passed, loop.create_future()
        self._passed = passed

        def queued() -> None:
            if not passed.done():
                passed.set_result(None)

        async def carry_out() -> Wire:
            if before is not None and not before.done():
                await asyncio.wait([before])
            if large:
                try:
                    return await work(queued)
                finally:
                    queued()
            # called when `work` first waits, and then it is in the queue
            loop.call_soon(queued)
            return await work(queued)

        def done(_: asyncio.Task[Wire]) -> None:
            self._bytes -= size
            self._keep.discard(task)
            if self._room is not None and not self._room.done():
                self._room.set_result(None)
            self._flush()

        task = asyncio.create_task(carry_out(), name="socket order")
        self._keep.add(task)
        self._append(task)
        self._bytes += size
        task.add_done_callback(done)
        return task

    async def room(self) -> None:
        """Wait while too many bytes are unanswered."""
        while self._bytes > PENDING_BYTES:
            self._room = asyncio.get_running_loop().create_future()
            await self._room
        self._room = None

    def _append(self, answer: asyncio.Future[Wire]) -> None:
        if self._waiting is None:
            self._waiting = deque()
        self._waiting.append(answer)

    def _flush(self) -> None:
        while self._waiting and self._waiting[0].done():
            answer = self._waiting.popleft()
            if not answer.cancelled():
                self._send(answer.result())
        if not self._waiting:
            self._waiting = None
