"""The one clock of the server: time-outs, leases, rates and deadlines read it, and no bit of a world ever does.

It is injected, so that a test moves time by hand and nothing has to be waited for.
"""

from __future__ import annotations

import asyncio
import time
from typing import Protocol

__all__ = ["Clock", "ManualClock", "SystemClock", "day_time"]


def day_time(seconds: float) -> str:
    """Seconds since 1970 as date and time of day in UTC, to the millisecond."""
    whole = int(seconds)
    return f"{time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(whole))}.{int((seconds - whole) * 1000):03d}Z"


class Clock(Protocol):
    """Seconds that only go forward, the time of day to show to people, and a way to wait."""

    def now(self) -> float:
        """Seconds since an arbitrary moment; never goes back."""
        ...

    def wall(self) -> float:
        """Seconds since 1970-01-01 UTC, for answers only; nothing is decided by it."""
        ...

    async def wait(self, event: asyncio.Event, until: float | None) -> None:
        """Return when the event is set or when `now()` has reached `until`, whichever is first."""
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
        remaining = until - self.now()
        if remaining <= 0 or event.is_set():
            # hand the loop on all the same: a world that is always late must not keep it for itself
            await asyncio.sleep(0)
            return
        try:
            async with asyncio.timeout(remaining):
                await event.wait()
        except TimeoutError:
            return


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
