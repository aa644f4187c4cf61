"""Play: a scene in a world of our own, from its start until all have arrived or the time is up."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

import numpy as np
from numpy.typing import NDArray

from orca_core.options import Options
from orca_core.simulation import Simulation
from orca_core.world import World
from orca_crowd.scenes.measure import Figures, Measure
from orca_crowd.scenes.scene import SceneData
from orca_crowd.scenes.waypoints import Waypoints

__all__ = ["Play", "play", "scene_world"]

Floats = NDArray[np.float64]


def scene_world(
    scene: SceneData, options: Mapping[str, bool | str] | None = None, left_out: Collection[str] = ()
) -> World:
    """The world of a scene, before its first step: `options` beside its own, some columns `left_out`."""
    world = World(
        time_step=scene.time_step,
        options=Options.from_mapping({**scene.options, **(options or {})}),
        seed=scene.seed,
    )
    world.set_defaults(scene.defaults)
    world.add_obstacles(scene.obstacles)
    world.add_walkable(scene.walkable)
    world.add_agents({name: column for name, column in scene.columns.items() if name not in left_out})
    return world


class Play:
    """One run of a scene, step by step."""

    def __init__(
        self,
        scene: SceneData,
        options: Mapping[str, bool | str] | None = None,
        wanted: Callable[[Floats], Floats] | None = None,
    ) -> None:
        """Make its world, whose agents find their ways; or are told by `wanted`, which gives preferred velocities
        (n, 2) for positions (n, 2).
        """
        self.world = scene_world(scene, options, () if wanted is None else ("goal",))
        self._wanted = wanted
        # whoever guides them is part of the steps from now on
        self.simulation = Simulation(self.world)

    @property
    def positions(self) -> Floats:
        """Where everybody is (n, 2)."""
        return np.asarray(self.world.column("position"))

    def step(self) -> None:
        """Take a step."""
        if self._wanted is not None:
            self.world.set_agents(self.world.ids, {"preferred_velocity": self._wanted(self.positions)})
        self.world.step()


def play(scene: SceneData, options: Mapping[str, bool | str] | None = None) -> Figures:
    """How the crowd of a scene fares, with options beside its own."""
    run, measure = Play(scene, options), Measure(scene, Waypoints(scene).lengths)
    while not measure.over:
        run.step()
        measure.see(run.positions, run.world.time)
    return measure.figures()
