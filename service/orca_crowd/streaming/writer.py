"""What one socket sends, and when: one message at a time, the next when the connection takes it.

In this order: replies and events, then the `full` of a new subscription, then its frames. What waits is bounded
(outbox.py, subscription.py), and so is what has been handed over: the connection takes a message only while less than
its high-water mark is unsent.

There is no task: `push` sends what can be sent, and is called when something is put in, when the connection has room
again, when there is credit, and when an encoding is done. So a frame for a hundred readers who keep up is a hundred
writes of the same bytes in a row, and nobody has to be woken.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from orca_crowd.clock import Clock
from orca_crowd.streaming.frame import Update
from orca_crowd.streaming.hub import Watching
from orca_crowd.streaming.outbox import Outbox, Wire
from orca_crowd.streaming.packed import Packed
from orca_crowd.streaming.statistics import StreamStatistics

__all__ = ["Connection", "Writer"]


class Connection(Protocol):
    """Where messages go. It calls `push` of the writer when it takes messages again."""

    def takes(self) -> bool:
        """Whether it takes one more message now."""
        ...

    def write(self, message: Wire | Packed) -> None:
        """Take a message."""
        ...

    def ping(self, step: int) -> bool:
        """Ask for a sign that what was sent before has arrived; False where that cannot be asked."""
        ...


class Writer:
    """Sends on one socket."""

    def __init__(
        self,
        connection: Connection,
        *,
        outbox: Outbox,
        clock: Clock,
        statistics: StreamStatistics,
        progressed: Callable[[], None],
        announce: Callable[[Update], Wire | None],
        failed: Callable[[BaseException], None],
    ) -> None:
        """`announce` gives what is to be sent before an update, if anything; `failed` is told of a fault of ours."""
        self.subscription: Watching | None = None
        self.last_sent = clock.now()
        self._connection = connection
        self._outbox = outbox
        self._clock = clock
        self._statistics = statistics
        self._progressed = progressed
        self._announce = announce
        self._failed = failed
        # an update that was taken and is still being encoded, with the subscription it was taken from
        self._held: tuple[Update, Watching] | None = None
        self._finished: Callable[[], None] | None = None
        self._pushing = False

    def push(self) -> None:
        """Send what waits, as far as the connection takes it."""
        if self._pushing:
            return
        self._pushing = True
        try:
            while self._connection.takes():
                wire = self._outbox.take()
                if wire is not None:
                    self._write(wire)
                elif self._finished is not None:
                    finished, self._finished = self._finished, None
                    finished()
                    return
                elif not self._show():
                    return
        finally:
            self._pushing = False

    def finish(self, call: Callable[[], None]) -> None:
        """Send what the outbox holds and nothing that comes later, then call; without a subscription, see its owner."""
        self._finished = call
        self.push()

    def drop(self) -> None:
        """Forget the update that is being encoded."""
        held, self._held = self._held, None
        if held is not None:
            held[0].release()

    def _write(self, message: Wire | Packed) -> None:
        self._connection.write(message)
        self.last_sent = self._clock.now()
        self._progressed()

    def _show(self) -> bool:
        """Send one full or frame; False when there is none that can be sent."""
        if self._held is not None:
            update, subscription = self._held
        else:
            if self.subscription is None:
                return False
            subscription = self.subscription
            taken = subscription.take()
            if taken is None:
                return False
            update = taken
        if update.packed is None:
            error = update.failure()
            if error is not None:
                self._held = None
                self._failed(error)
            elif self._held is None:
                self._held = (update, subscription)
                update.when_ready(self.push)
            return False
        self._held = None
        announcement = self._announce(update)
        if announcement is not None:
            self._write(announcement)
        self._write(update.packed)
        subscription.sent(update)
        if not update.full:
            self._statistics.frames_sent += 1
            if subscription.wants_ping() and not self._connection.ping(update.step):
                # nothing can be asked: the connection's own buffer is all that holds frames back
                subscription.answered(update.step)
        return True
