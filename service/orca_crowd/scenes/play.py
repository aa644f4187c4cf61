"""Play: a scene in a world of our own, from its start until all have arrived or the time is up."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from orca_core.options import Options
from orca_core.world import World
from orca_crowd.scenes.measure import Figures, Measure
from orca_crowd.scenes.scene import SceneData
from orca_crowd.scenes.waypoints import Waypoints

__all__ = ["Play", "play", "scene_world"]

Floats = NDArray[np.float64]


def scene_world(scene: SceneData, options: Mapping[str, bool] | None = None) -> World:
    """The world of a scene, before its first step; `options` are those beside its own."""
    world = World(
        time_step=scene.time_step,
        options=Options.from_mapping({**scene.options, **(options or {})}),
        seed=scene.seed,
    )
    world.set_defaults(scene.defaults)
    world.add_obstacles(scene.obstacles)
    world.add_walkable(scene.walkable)
    # the way is told by preferred velocities
    world.add_agents({name: column for name, column in scene.columns.items() if name != "goal"})
    return world


class Play:
    """One run of a scene, step by step."""

    def __init__(
        self,
        scene: SceneData,
        options: Mapping[str, bool] | None = None,
        wanted: Callable[[Floats], Floats] | None = None,
    ) -> None:
        """Make its world; `wanted` gives preferred velocities (n, 2) for positions (n, 2), left out ways are found."""
        self.world = scene_world(scene, options)
        self._wanted = wanted if wanted is not None else Waypoints(scene).wanted(scene)

    @property
    def positions(self) -> Floats:
        """Where everybody is (n, 2)."""
        return np.asarray(self.world.column("position"))

    def step(self) -> None:
        """Take a step."""
        self.world.set_agents(self.world.ids, {"preferred_velocity": self._wanted(self.positions)})
        self.world.step()


def play(scene: SceneData, options: Mapping[str, bool] | None = None) -> Figures:
    """How the crowd of a scene fares, with options beside its own."""
    ways = Waypoints(scene)
    run = Play(scene, options, ways.wanted(scene))
    measure = Measure(scene, ways.lengths)
    while not measure.over:
        run.step()
        measure.see(run.positions, run.world.time)
    return measure.figures()
