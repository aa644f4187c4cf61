"""Contenders: who is measured. Each holds one crowd of a scene, prepares a block of steps untimed, takes it timed.

Ours are here, the libraries of others in peers.py.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from orca_core.geometry.obstacles import Obstacle
from orca_core.options import PROFILES
from orca_core.world import World
from orca_crowd.bench.scenes import Scene, preferred

__all__ = ["Contender", "Ours", "OursDirected", "Took", "fill", "scene_columns", "scene_world"]

Floats = NDArray[np.float64]
# seconds of the processor and on the wall
Took = tuple[float, float]


class Contender(Protocol):
    """One crowd under measurement."""

    name: str

    def prepare(self) -> None:
        """Do what a step needs and the measure leaves out."""

    def run(self, steps: int) -> Took | None:
        """Take the steps; this alone is timed. Who works in another process returns what it took there."""

    def positions(self) -> Floats:
        """Where the agents are (n, 2)."""

    def velocities(self) -> Floats:
        """How they move (n, 2)."""


class Ours:
    """A World whose agents have goals: the preferred velocities are worked out inside the step, at our expense."""

    def __init__(self, scene: Scene, profile: str) -> None:
        """Make the world of a scene with the options of a profile."""
        self.name = f"ours, {profile}"
        self.scene = scene
        self.world = scene_world(scene, profile)

    def prepare(self) -> None:
        """Nothing: goals were given once."""

    def run(self, steps: int) -> None:
        """Take the steps."""
        self.world.step(steps)

    def positions(self) -> Floats:
        """Where the agents are (n, 2)."""
        return np.asarray(self.world.column("position"), dtype=np.float64)

    def velocities(self) -> Floats:
        """How they move (n, 2)."""
        return np.asarray(self.world.column("velocity"), dtype=np.float64)


class OursDirected(Ours):
    """A World whose agents are given preferred velocities before each block, outside the timed part, as the peer is."""

    def __init__(self, scene: Scene, profile: str) -> None:
        """Make the world of a scene with the options of a profile, without goals."""
        self.name = f"ours, {profile}, directed"
        self.scene = scene
        self.world = scene_world(scene, profile, {"preferred_velocity": preferred(scene, scene.positions)})

    def prepare(self) -> None:
        """Point every agent at its goal."""
        self.world.set_agents(self.world.ids, {"preferred_velocity": preferred(self.scene, self.positions())})


def scene_columns(scene: Scene) -> dict[str, NDArray[np.float64]]:
    """Every agent of a scene but what it wants: positions (n, 2) and numbers (n,)."""
    numbers: dict[str, float | int] = {
        "radius": scene.radius,
        "max_speed": scene.max_speed,
        "preferred_speed": scene.preferred_speed,
        "time_horizon": scene.horizon,
        "obstacle_horizon": scene.horizon,
        "neighbor_distance": scene.neighbor_distance,
        "max_neighbors": scene.max_neighbors,
    }
    return {"position": scene.positions, **{name: np.full(scene.agents, value) for name, value in numbers.items()}}


def scene_world(scene: Scene, profile: str, wanted: dict[str, Floats] | None = None) -> World:
    """A world with the scene's agents and walls; without `wanted` those who move have goals."""
    world = World(time_step=scene.time_step, options=PROFILES[profile])
    fill(world, scene, wanted)
    return world


def fill(world: World, scene: Scene, wanted: dict[str, Floats] | None = None) -> None:
    """Put the scene's agents and walls into an empty world, by columns."""
    columns = scene_columns(scene)
    if wanted is None:
        world.add_agents({**columns, "goal": scene.goals}, {"goal": ~scene.resting})
    else:
        world.add_agents({**columns, **wanted})
    if len(scene.segments):
        world.add_obstacles([Obstacle(points) for points in scene.segments])
