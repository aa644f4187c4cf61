"""When a realtime world steps: absolute deadlines, a bounded make-up, the rest given up and said so.

Pure; told the time.
"""

from __future__ import annotations

import math

__all__ = ["Pace"]


class Pace:
    """Deadlines at start + k / rate: counted from the start and not from the last step, so that it does not drift."""

    def __init__(self, rate: float, catch_up: int, now: float) -> None:
        """`rate` in steps a second, the first a period after `now`; at most `catch_up` steps are made up in a row."""
        self.rate = rate
        self.catch_up = catch_up
        self._start = now
        self._passed = 0

    def next_deadline(self) -> float:
        """The moment at which the next step is due."""
        return self._start + (self._passed + 1) / self.rate

    def due(self, now: float) -> tuple[int, int]:
        """How many steps to take now, and how many of the missed ones are given up; both are then behind us."""
        # the comparison is with the deadline itself, so that waking exactly then is never too early by a rounding
        reached = max(self._passed, math.floor((now - self._start) * self.rate) - 1)
        while self._start + (reached + 1) / self.rate <= now:
            reached += 1
        missed = reached - self._passed
        self._passed = reached
        taken = min(missed, self.catch_up)
        return taken, missed - taken
