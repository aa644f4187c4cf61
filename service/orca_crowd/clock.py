"""The one clock of the server: time-outs, leases, rates and deadlines read it, and no bit of a world ever does.

It is injected, so that a test moves time by hand and nothing has to be waited for.
"""

from __future__ import annotations

import asyncio
import math
import time
from typing import Protocol

__all__ = ["Clock", "ManualClock", "SystemClock", "day_time"]


def day_time(seconds: float) -> str:
    """Seconds since 1970 as date and time of day in UTC, to the millisecond."""
    whole = int(seconds)
    return f"{time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(whole))}.{int((seconds - whole) * 1000):03d}Z"


# the finest division of a second that a timer of the loop may have
TICKS = 1000


class Clock(Protocol):
    """Seconds that only go forward, the time of day to show to people, and a way to wait."""

    def now(self) -> float:
        """Seconds since an arbitrary moment; never goes back."""
        ...

    def wall(self) -> float:
        """Seconds since 1970-01-01 UTC, for answers only; nothing is decided by it."""
        ...

    async def wait(self, event: asyncio.Event, until: float | None) -> None:
        """Return when the event is set or when `now()` has reached `until`, whichever is first.

        The event is for one task to wait for. Nothing is said about the moment: whoever returns looks again.
        """
        ...


class SystemClock:
    """The machine's monotonic clock."""

    def now(self) -> float:
        """Seconds of the monotonic clock."""
        return time.monotonic()

    def wall(self) -> float:
        """Seconds since 1970-01-01 UTC."""
        return time.time()

    async def wait(self, event: asyncio.Event, until: float | None) -> None:
        """Wait for the event, at most until the deadline."""
        if until is None:
            await event.wait()
            return
        if self.now() >= until or event.is_set():
            # hand the loop on all the same: a world that is always late must not keep it for itself
            await asyncio.sleep(0)
            return
        # The timers of uvloop count whole milliseconds of this very clock and round to the nearest: a wait that is told
        # to the microsecond ends early half of the time, and who looks again would go round and round until the moment
        # has come. So it ends with the first millisecond that is not before it, and all who wait for the same one are
        # woken together.
        now = self.now()
        whole = math.ceil(until * TICKS) - math.floor(now * TICKS)
        # asyncio.timeout would cancel the task and catch that again, for ten times as much of the loop's time
        alarm = asyncio.get_running_loop().call_later(whole / TICKS, _nudge, event)
        try:
            await event.wait()
        finally:
            alarm.cancel()


def _nudge(event: asyncio.Event) -> None:
    """Wake who waits for an event without leaving it set."""
    if not event.is_set():
        event.set()
        event.clear()


class ManualClock:
    """A clock that stands still until `advance` is called; everybody whose deadline has come is woken."""

    def __init__(self, start: float = 0.0) -> None:
        """Start at the given reading, in seconds."""
        self._now = start
        self._moved = asyncio.Event()

    def now(self) -> float:
        """The reading, in seconds."""
        return self._now

    def wall(self) -> float:
        """The same reading, as if it had begun in 1970."""
        return self._now

    def advance(self, seconds: float) -> None:
        """Move the reading forward and wake whoever waits for it."""
        if not seconds >= 0:
            raise ValueError(f"a clock cannot be moved by {seconds} seconds: it only goes forward")
        self._now += seconds
        moved, self._moved = self._moved, asyncio.Event()
        moved.set()

    async def wait(self, event: asyncio.Event, until: float | None) -> None:
        """Wait for the event, at most until `advance` has brought the reading to the deadline."""
        while not event.is_set() and (until is None or self._now < until):
            waits = [asyncio.ensure_future(event.wait()), asyncio.ensure_future(self._moved.wait())]
            try:
                await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
            finally:
                for wait in waits:
                    wait.cancel()
                await asyncio.gather(*waits, return_exceptions=True)
        await asyncio.sleep(0)
