"""Stalling: who has hardly moved for a while although nothing keeps it, and whether that is a knot.

Two triggers, by the names of the predecessor (S. Dergachev, K. Yakovlev, 2021):

`speed-buffer`: the mean speed of an agent over its last 80 steps is under 0.1, and so is that of an agent that it
sees. Two that swing to and fro before a parked one are not slow by that and get nowhere: who has come no farther in
those steps than half of that speed would bring it counts as slow as well. Neither is at its goal, drifting, yielding or
in a sub-plan: those have a reason to stand, and parked pairs that trigger again and again are where thousands of
needless calls come from. One that has stood twice as long in sight of anybody is in a knot as well: whoever parks has
had the time to yield by then.

`common-point`: an agent stands and at least `mapf_num` others in its sight are bound for the same point as it; only
this trigger reads `mapf_num`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from orca_core.kernels.stalling import NOWHERE, UNIT, tally_speeds

__all__ = ["COMMON_POINT", "SLOW", "SPEED_BUFFER", "TRIGGERS", "WINDOW", "Stalling"]

Floats = NDArray[np.float64]
Flags = NDArray[np.uint8]
Integers = NDArray[np.int64]

SPEED_BUFFER, COMMON_POINT = "speed-buffer", "common-point"
TRIGGERS = (SPEED_BUFFER, COMMON_POINT)
# steps over which the mean speed is taken, and metres per second under which it is slow. The predecessor takes 250, of
# 0.1 s each; with steps of 0.25 s 100 are as long. With 80 fewer agents stand in vain, with 40 and less sub-plans come
# in so often that they undo each other
WINDOW = 80
SLOW = 0.1
# metres per second of getting anywhere under which it is slow too, at whatever speed it goes to and fro
CIRCLING = 0.05


class Stalling:
    """The speed buffers of all agents. A new one has everybody at its maximum speed, so that nobody begins slow."""

    NAMES = ("speeds", "trail", "total", "stood")

    def __init__(self, max_speed: Floats, time_step: float, window: int = WINDOW) -> None:
        """`max_speed` (n,) in metres per second, `time_step` in seconds; `window` in steps."""
        entered = np.floor(max_speed * UNIT).astype(np.int64)
        self.speeds: Integers = np.repeat(entered[:, None], window, axis=1)
        self.trail: Floats = np.full((len(max_speed), 2 * window), NOWHERE)
        self.total: Integers = entered * window
        # for how many steps each has been slow, (n,)
        self.stood: Integers = np.zeros(len(max_speed), np.int64)
        self.window = window
        self._least = int(SLOW * UNIT) * window
        self._near = CIRCLING * window * time_step

    def tally(self, step: int, position: Floats, velocity: Floats, excused: Flags, max_speed: Floats) -> int:
        """Enter a step; returns how many are slow, `stood` says who."""
        found = tally_speeds(
            step % self.window, position, velocity, excused, max_speed, self._least, self._near, self.speeds,
            self.trail, self.total, self.stood,
        )  # fmt: skip
        return int(found)

    def begin_anew(self, rows: Integers, max_speed: Floats) -> None:
        """Forget how slow these have been."""
        entered = np.floor(max_speed[rows] * UNIT).astype(np.int64)
        self.speeds[rows] = entered[:, None]
        self.trail[rows] = NOWHERE
        self.total[rows] = entered * self.window
        self.stood[rows] = 0

    def kept(self) -> dict[str, NDArray[Any]]:
        """What a snapshot holds of it."""
        return {name: getattr(self, name) for name in self.NAMES}

    def restore(self, kept: Mapping[str, NDArray[Any]]) -> None:
        """Go on from what a snapshot held."""
        for name in self.NAMES:
            setattr(self, name, kept[name].copy())
