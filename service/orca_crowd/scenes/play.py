"""Play: a scene in a world of our own, from its start until all have arrived or the time is up."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from orca_core.options import Options
from orca_core.world import World
from orca_crowd.scenes.measure import Figures, Measure
from orca_crowd.scenes.scene import SceneData
from orca_crowd.scenes.waypoints import Waypoints

__all__ = ["play", "scene_world"]


def scene_world(scene: SceneData, options: Mapping[str, bool] | None = None) -> World:
    """The world of a scene, before its first step."""
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


def play(scene: SceneData, options: Mapping[str, bool] | None = None) -> Figures:
    """How the crowd of a scene fares, with options beside its own."""
    world, ways = scene_world(scene, options), Waypoints(scene)
    measure = Measure(scene, ways.lengths)
    speed = float(scene.defaults["preferred_speed"])
    while not measure.over:
        wanted = ways.preferred(np.asarray(world.column("position")), scene.time_step, speed)
        world.set_agents(world.ids, {"preferred_velocity": wanted})
        world.step()
        measure.see(np.asarray(world.column("position")), world.time)
    return measure.figures()
