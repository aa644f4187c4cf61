"""Scene: plain data from which a world can be made in one go, the same on every run and every machine.

A scene knows nothing of sockets. Who starts one makes a world with `time_step`, `seed`, `options` and `defaults`, adds
the walls, the walkable areas and the agents, and lets it run at `rate` steps a second; where `next_goals` is not None,
agents that have arrived or stalled are given what it returns for them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal, cast

import numpy as np
from numpy.typing import NDArray

from orca_core.geometry.obstacles import Obstacle
from orca_core.geometry.walkable import WalkableArea

__all__ = ["SEED", "Gate", "Guidance", "NextGoals", "Scene", "SceneData"]

Column = NDArray[np.float64] | NDArray[np.int64]
NextGoals = Callable[[NDArray[np.int64], NDArray[np.float64], int], Mapping[str, NDArray[np.float64]]]
Gate = tuple[tuple[float, float], tuple[float, float]]
Guidance = Literal["straight", "path", "flow"]

SEED = 2


@dataclass(frozen=True, eq=False)
class SceneData:
    """Everything a world needs: seconds, metres and metres a second.

    `columns` holds `id` (n,) int64, and `position` and `goal` (n, 2) float64; `defaults` what all agents share;
    `options` those of the world that differ from the profile `service`. `view` is the box (min x, min y, max x, max y)
    to show. `next_goals(ids, positions, step)` is pure.

    A scene that comes to an end has a `time_limit` in seconds, after which who has not arrived has failed to; `gate` is
    a line between two points across which its flow is counted. Whoever is within `arrival` metres of its goal has
    arrived, within the tolerance of the goal where that is None. With `turning` it is to be seen how much everybody
    turns on its way.
    """

    time_step: float
    rate: float
    defaults: Mapping[str, float | int | str]
    columns: Mapping[str, Column]
    view: tuple[float, float, float, float]
    obstacles: tuple[Obstacle, ...] = ()
    walkable: tuple[WalkableArea, ...] = ()
    next_goals: NextGoals | None = None
    attribution: str | None = None
    seed: int = SEED
    options: Mapping[str, bool | str] = field(default_factory=dict)
    time_limit: float | None = None
    gate: Gate | None = None
    arrival: float | None = None
    turning: bool = False

    @property
    def agents(self) -> int:
        """How many there are."""
        return len(self.columns["id"])

    @property
    def guidance(self) -> Guidance:
        """Whether the way to a goal is straight, or has to be found."""
        return cast(Guidance, self.defaults.get("guidance", "straight"))

    @property
    def near_enough(self) -> float:
        """m from its goal within which somebody has arrived."""
        return self.shared("goal_tolerance") if self.arrival is None else self.arrival

    def shared(self, name: str) -> float:
        """A number that all agents share."""
        return float(self.defaults[name])


@dataclass(frozen=True)
class Scene:
    """A scene that can be started; nothing is computed before `build`, and every call gives the same."""

    name: str
    title: str
    description: str
    build: Callable[[], SceneData]
