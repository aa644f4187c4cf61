"""Limit: the one thing of a run that a clock may end, and where it did, so that the run can be made again without one.

Planning asks before each iteration and moving before each step. By the clock the limit strikes at the first asking
after its time; `iteration 37` or `step 812`, as a run reports it, strikes there again on any machine.
"""

from __future__ import annotations

import re

from orca_crowd.clock import Clock
from orca_crowd.running.refusal import Unusable
from orca_crowd.solving.outcome import ITERATION, STEP, Struck

__all__ = ["Limit", "parse_struck"]


def parse_struck(text: str) -> Struck:
    """`step 812` as it is reported; Unusable for anything else."""
    found = re.fullmatch(rf"({ITERATION}|{STEP}) ([0-9]{{1,15}})", text.strip())
    if found is None:
        raise Unusable(f"use --struck 'iteration N' or 'step N', as the run that is to be repeated said, not {text!r}")
    return Struck(found[1], int(found[2]))


class Limit:
    """Counts what was asked, and says when it is over."""

    def __init__(self, clock: Clock, seconds: float, again: Struck | None = None) -> None:
        """Over after so many seconds from now, or where it struck before, and then not by the clock."""
        self._clock = clock
        self._end = clock.now() + seconds
        self._again = again
        self._asked = {ITERATION: 0, STEP: 0}
        self.struck: Struck | None = None

    def planning_over(self) -> bool:
        """Whether planning must end before its next iteration."""
        return self._over(ITERATION)

    def moving_over(self) -> bool:
        """Whether moving must end before its next step."""
        return self._over(STEP)

    def _over(self, where: str) -> bool:
        if self.struck is None:
            if self._again is not None:
                over = self._again == Struck(where, self._asked[where])
            else:
                over = self._clock.now() >= self._end
            if over:
                self.struck = Struck(where, self._asked[where])
            self._asked[where] += 1
        return self.struck is not None
