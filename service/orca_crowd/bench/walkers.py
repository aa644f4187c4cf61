"""Walkers: whoever can move the crowd of a scene, ours and the libraries of others, each behind the same few calls.

Who has no planner of its own is pointed at its next waypoint (`orca_crowd.scenes.waypoints`), which is not timed; who
has one is told the goal, and plans at its own expense.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from orca_crowd.scenes.play import Play
from orca_crowd.scenes.scene import SceneData

__all__ = ["OurWalkers", "Ours", "System", "Walkers", "Wanted"]

Floats = NDArray[np.float64]
Wanted = Callable[[Floats], Floats]


class Walkers(Protocol):
    """One crowd on its way."""

    def step(self) -> float:
        """Let a time step of the scene pass; returns the seconds that it took of the processor."""

    def positions(self) -> Floats:
        """Where everybody is (n, 2)."""

    def close(self) -> None:
        """Give back what it holds."""


class System(Protocol):
    """Who can move a crowd."""

    name: str
    # whether ways are found by itself, or told
    plans: bool

    def missing(self) -> str | None:
        """Why it cannot be measured here and what would bring it, None where it can."""

    def refuses(self, scene: SceneData) -> str | None:
        """Why it cannot take a scene, None where it can."""

    def walkers(self, scene: SceneData) -> Walkers:
        """A fresh crowd of a scene."""


class Ours:
    """A world with the options of the service and those of the scene."""

    name = "ours"
    plans = True

    def missing(self) -> str | None:
        """Nothing is."""
        return None

    def refuses(self, scene: SceneData) -> str | None:
        """No scene."""
        return None

    def walkers(self, scene: SceneData, wanted: Wanted | None = None) -> OurWalkers:
        """A fresh world; `wanted` gives preferred velocities for positions, where ways are not to be found."""
        return OurWalkers(scene, wanted)


class OurWalkers:
    """A world, on this thread; planning is part of its steps."""

    def __init__(self, scene: SceneData, wanted: Wanted | None = None) -> None:
        """Make the world of a scene."""
        self.play = Play(scene, wanted=wanted)

    def step(self) -> float:
        """Take a step."""
        begin = time.process_time()
        self.play.step()
        return time.process_time() - begin

    def positions(self) -> Floats:
        """Where everybody is (n, 2)."""
        return self.play.positions

    def close(self) -> None:
        """Nothing to give back."""
