"""RVO2 through pyrvo: float32 in C++, the library that most ORCA crowds run on. `do_step` alone is timed."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from orca_crowd.bench.scenes import Scene, preferred

__all__ = ["PyrvoCrowd", "PyrvoPeer"]

Floats = NDArray[np.float64]


class PyrvoPeer:
    """The library, if it is there."""

    name = "pyrvo"

    def missing(self) -> str | None:
        """Why it cannot be measured here, None where it can."""
        try:
            importlib.import_module(self.name)
        except ImportError:
            return (
                "pyrvo (RVO2) is not installed and left out. `make bench` installs it; by hand: pip install --no-deps "
                "pyrvo==0.4.3 (its dependencies are a gigabyte of graphics that nothing here uses)."
            )
        return None

    def refuses(self, scene: Scene) -> str | None:
        """Why it cannot take a scene, None where it can."""
        if scene.arrangement == "coincident":
            return "it divides zero by zero for agents on one spot"
        return None

    def crowd(self, scene: Scene) -> PyrvoCrowd:
        """A fresh crowd."""
        return PyrvoCrowd(scene)


class PyrvoCrowd:
    """A simulator. It has no calls for many agents, so preferred velocities go in one by one, which is not counted."""

    def __init__(self, scene: Scene) -> None:
        """Make the simulator of a scene; raises ImportError where pyrvo is not installed."""
        library: Any = importlib.import_module(PyrvoPeer.name)
        self.name = PyrvoPeer.name
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
        """Mean number of neighbours that it used in its last step."""
        count = self.simulator.get_agent_num_agent_neighbors
        return float(np.mean([count(i) for i in range(self.scene.agents)]))
