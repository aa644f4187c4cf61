"""Scene: everything that a world is made of, wherever it was written; and the worlds that are made of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import numpy as np

from orca_core.errors import OrcaError
from orca_core.geometry.obstacles import Obstacle
from orca_core.geometry.walkable import WalkableArea
from orca_core.options import Options
from orca_core.world import World
from orca_crowd.errors import problem_of
from orca_crowd.protocol.agents import Agents
from orca_crowd.running.refusal import faults_shown
from orca_crowd.scenes.scene import NextGoals
from orca_crowd.worlds.scenes import SCENES

__all__ = ["RunScene", "built_in"]

Result = TypeVar("Result")


@dataclass(frozen=True, eq=False)
class RunScene:
    """What a world begins with. `options` as on the wire: `{profile, option: value, …}`.

    `next_goals(ids, positions, step)` gives new goals to agents that have arrived or stalled; None where they stay.
    """

    name: str
    # where it was written, and what its agents are called there
    source: str
    rows: str
    time_step: float
    agents: Agents
    options: Mapping[str, Any] = field(default_factory=dict)
    defaults: Mapping[str, float | int | str] = field(default_factory=dict)
    seed: int = 0
    obstacles: list[Obstacle] = field(default_factory=list)
    walkable: list[WalkableArea] = field(default_factory=list)
    next_goals: NextGoals | None = None
    attribution: str | None = None

    def changed(self, profile: str | None, seed: int | None) -> RunScene:
        """The same scene with another profile, its single options kept, or another seed; None leaves them."""
        options = self.options if profile is None else {**self.options, "profile": profile}
        return replace(self, options=options, seed=self.seed if seed is None else seed)

    def make_world(self) -> World:
        """A world at step 0; Unusable with every value that the library refuses, by where it stands."""
        world = self._checked(
            "",
            lambda: World(time_step=self.time_step, options=Options.from_mapping(self.options), seed=self.seed),
        )
        self._checked("defaults", lambda: world.set_defaults(self.defaults))
        # obstacles and areas of a map come first, and have no place in the lists of the file
        if self.obstacles:
            self._checked("obstacles", lambda: world.add_obstacles(self.obstacles))
        if self.walkable:
            self._checked("walkable", lambda: world.add_walkable(self.walkable))
        columns, given = dict(self.agents.columns), dict(self.agents.given)
        if self.agents.ids is not None:
            columns["id"] = self.agents.ids
            if self.agents.chosen is not None:
                given["id"] = self.agents.chosen
        self._checked(self.rows, lambda: world.add_agents(columns, given, self.agents.count))
        return world

    def _checked(self, part: str, call: Callable[[], Result]) -> Result:
        try:
            return call()
        except OrcaError as error:
            raise faults_shown(self.source, problem_of(error), part) from None


def built_in(name: str) -> RunScene:
    """One of SCENES by its name."""
    data = SCENES[name].build()
    columns = {column: np.asarray(values, np.float64) for column, values in data.columns.items() if column != "id"}
    count = len(columns["position"])
    given = {column: np.ones(count, np.bool_) for column in columns}
    return RunScene(
        name=name,
        source=name,
        rows="agents",
        time_step=data.time_step,
        agents=Agents(count, np.asarray(data.columns["id"], np.int64), None, columns, given),
        options=data.options,
        defaults=data.defaults,
        seed=data.seed,
        obstacles=list(data.obstacles),
        walkable=list(data.walkable),
        next_goals=data.next_goals,
        attribution=data.attribution,
    )
