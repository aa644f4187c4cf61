"""What one socket sends, and when: one message at a time, the next when the client has room.

In this order: replies and events, then the `full` of a new subscription, then its frames, then, when nothing was sent
for a while, a heartbeat. What waits is bounded (outbox.py, subscription.py), and so is what has been handed over: the
connection takes a message only while less than its high-water mark is unsent.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from orca_crowd.clock import Clock
from orca_crowd.protocol.frames import encode_message
from orca_crowd.streaming.outbox import Outbox, Wire
from orca_crowd.streaming.shared import SharedFrame, StreamStatistics
from orca_crowd.streaming.subscription import Subscription

__all__ = ["Full", "Writer"]


class Full:
    """A `full` that is ready to be sent, with what led to it."""

    __slots__ = ("ids", "messages", "step", "subscription")

    def __init__(
        self, subscription: Subscription[SharedFrame], messages: list[Wire], ids: NDArray[np.int64], step: int
    ) -> None:
        """`messages` are sent one after another; frames of `subscription` newer than `step` follow."""
        self.subscription = subscription
        self.messages = messages
        self.ids = ids
        self.step = step


class Writer:
    """The one task that sends on a socket."""

    def __init__(
        self,
        send: Callable[[Wire], Awaitable[None]],
        *,
        outbox: Outbox,
        subprotocol: str,
        clock: Clock,
        heartbeat_seconds: float,
        step: Callable[[], int],
        ping: Callable[[int], None] | None,
        statistics: StreamStatistics,
        progressed: Callable[[], None],
    ) -> None:
        """`send` returns when the connection has taken the message; `ping` follows a frame, None: there is none."""
        self.subscription: Subscription[SharedFrame] | None = None
        self.last_sent = clock.now()
        self._send = send
        self._outbox = outbox
        self._subprotocol = subprotocol
        self._clock = clock
        self._heartbeat_seconds = heartbeat_seconds
        self._step = step
        self._ping = ping
        self._statistics = statistics
        self._progressed = progressed
        self._wake = asyncio.Event()
        self._full: Full | None = None
        self._known: NDArray[np.int64] = np.empty(0, np.int64)
        self._last = False

    def wake(self) -> None:
        """Something waits, or there is credit again."""
        self._wake.set()

    def give_full(self, full: Full) -> None:
        """Send a `full`, unless another subscription takes the place of its own before."""
        self._full = full
        self._wake.set()

    def finish(self) -> None:
        """Send what the outbox holds, no frame more, and return from `run`."""
        self._last = True
        self._wake.set()

    async def run(self) -> None:
        """Send until `finish`."""
        while True:
            wire = self._outbox.take()
            if wire is not None:
                await self._put(wire)
            elif self._last:
                return
            elif not await self._show():
                await self._idle()

    async def _put(self, wire: Wire) -> None:
        await self._send(wire)
        self.last_sent = self._clock.now()
        self._progressed()

    async def _show(self) -> bool:
        """Send one `full` or frame; False when there is none to send."""
        full, self._full = self._full, None
        if full is not None and full.subscription is self.subscription:
            # from here on frames that are not newer are dropped
            full.subscription.start(full.step)
            self._known = full.ids
            for wire in full.messages:
                await self._put(wire)
            return True
        subscription = self.subscription
        taken = subscription.take() if subscription is not None else None
        if subscription is None or taken is None:
            return False
        frame, since = taken
        try:
            message = await frame.message(since, self._known)
            # while it was encoded, another subscription may have come
            if subscription is not self.subscription:
                return True
            self._known = frame.ids
            await self._put(message)
        finally:
            frame.release()
        self._statistics.frames_sent += 1
        self._ask_for_credit(subscription, frame.step)
        return True

    def _ask_for_credit(self, subscription: Subscription[SharedFrame], step: int) -> None:
        """Learn when the client has the frame, if the client does not tell of itself."""
        if subscription.delivery != "latest" or subscription.explicit_credit:
            return
        if self._ping is not None:
            self._ping(step)
        else:
            # nothing can be asked: the connection's own buffer is all that holds frames back
            subscription.answered(step)

    async def _idle(self) -> None:
        """Wait until something is to be sent; a heartbeat when that takes long."""
        self._wake.clear()
        deadline = self.last_sent + self._heartbeat_seconds
        await self._clock.wait(self._wake, deadline)
        if not self._wake.is_set() and self._clock.now() >= deadline:
            message: dict[str, Any] = {"type": "heartbeat", "step": self._step()}
            await self._put(encode_message(message, self._subprotocol))
