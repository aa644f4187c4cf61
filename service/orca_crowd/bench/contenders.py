"""Contenders: who is measured. Each holds one crowd of a scene, prepares a block of steps untimed, takes it timed."""

from __future__ import annotations

import importlib
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from orca_core.geometry.obstacles import Obstacle
from orca_core.options import PROFILES
from orca_core.world import World
from orca_crowd.bench.scenes import Scene, preferred

__all__ = ["PEER", "Contender", "Ours", "OursDirected", "Peer", "peer_available"]

Floats = NDArray[np.float64]

PEER = "pyrvo"


class Contender(Protocol):
    """One crowd under measurement."""

    name: str

    def prepare(self) -> None:
        """Do what a step needs and the measure leaves out."""

    def run(self, steps: int) -> None:
        """Take the steps; this alone is timed."""

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
        self.world = _world(scene, profile, {"goal": scene.goals})

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
        self.world = _world(scene, profile, {"preferred_velocity": preferred(scene, scene.positions)})

    def prepare(self) -> None:
        """Point every agent at its goal."""
        self.world.set_agents(self.world.ids, {"preferred_velocity": preferred(self.scene, self.positions())})


def _world(scene: Scene, profile: str, extra: dict[str, Floats]) -> World:
    """A world with the scene's agents and walls; `extra` says what the agents want."""
    world = World(time_step=scene.time_step, options=PROFILES[profile])
    numbers: dict[str, float | int] = {
        "radius": scene.radius,
        "max_speed": scene.max_speed,
        "preferred_speed": scene.preferred_speed,
        "time_horizon": scene.horizon,
        "obstacle_horizon": scene.horizon,
        "neighbor_distance": scene.neighbor_distance,
        "max_neighbors": scene.max_neighbors,
    }
    columns = {name: np.full(scene.agents, value) for name, value in numbers.items()}
    world.add_agents({"position": scene.positions, **columns, **extra})
    if len(scene.segments):
        world.add_obstacles([Obstacle(points) for points in scene.segments])
    return world


class Peer:
    """RVO2 through pyrvo: float32 in C++, the library that most ORCA crowds run on. `do_step` alone is timed.

    It has no calls for many agents, so preferred velocities go in one by one; that is not counted.
    """

    def __init__(self, scene: Scene) -> None:
        """Make the simulator of a scene; raises ImportError where pyrvo is not installed."""
        library: Any = importlib.import_module(PEER)
        self.name = PEER
        self.scene = scene
        self.simulator = library.RVOSimulator(
            scene.time_step,
            scene.neighbor_distance,
            scene.max_neighbors,
            scene.horizon,
            scene.horizon,
            scene.radius,
            scene.max_speed,
        )
        for x, y in scene.positions.tolist():
            self.simulator.add_agent((x, y))
        for first, second in scene.segments.tolist():
            self.simulator.add_obstacle([tuple(first), tuple(second)])
        if len(scene.segments):
            self.simulator.process_obstacles()

    def prepare(self) -> None:
        """Point every agent at its goal."""
        put = self.simulator.set_agent_pref_velocity
        for i, (x, y) in enumerate(preferred(self.scene, self.positions()).tolist()):
            put(i, (x, y))

    def run(self, steps: int) -> None:
        """Take the steps."""
        step = self.simulator.do_step
        for _ in range(steps):
            step()

    def positions(self) -> Floats:
        """Where the agents are (n, 2)."""
        get = self.simulator.get_agent_position
        return np.array([get(i).to_tuple() for i in range(self.scene.agents)], dtype=np.float64)

    def velocities(self) -> Floats:
        """How they move (n, 2)."""
        get = self.simulator.get_agent_velocity
        return np.array([get(i).to_tuple() for i in range(self.scene.agents)], dtype=np.float64)

    def neighbours(self) -> float:
        """Mean number of neighbours that the peer itself used in its last step."""
        count = self.simulator.get_agent_num_agent_neighbors
        return float(np.mean([count(i) for i in range(self.scene.agents)]))


def peer_available() -> bool:
    """Whether pyrvo can be imported."""
    try:
        importlib.import_module(PEER)
    except ImportError:
        return False
    return True
