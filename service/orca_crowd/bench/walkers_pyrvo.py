"""RVO2 through pyrvo as walkers: `do_step` alone is timed, and the way is told from outside as for any ORCA library."""

from __future__ import annotations

import importlib
import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from orca_crowd.bench.floors import floor_of
from orca_crowd.bench.peer_pyrvo import PyrvoPeer
from orca_crowd.bench.walkers import Wanted
from orca_crowd.scenes.scene import SceneData
from orca_crowd.scenes.waypoints import Waypoints

__all__ = ["Pyrvo", "PyrvoWalkers"]

Floats = NDArray[np.float64]


class Pyrvo:
    """The library, if it is there."""

    name = PyrvoPeer.name
    plans = False

    def missing(self) -> str | None:
        """Why it cannot be measured here, None where it can."""
        return PyrvoPeer().missing()

    def refuses(self, scene: SceneData) -> str | None:
        """No scene: every floor is a set of outlines."""
        return None

    def walkers(self, scene: SceneData, wanted: Wanted | None = None) -> PyrvoWalkers:
        """A fresh simulator; `wanted` gives preferred velocities for positions, in place of waypoints."""
        return PyrvoWalkers(scene, wanted)


class PyrvoWalkers:
    """A simulator with the numbers of the scene, its walls as obstacles."""

    def __init__(self, scene: SceneData, wanted: Wanted | None = None) -> None:
        """Make the simulator of a scene."""
        library: Any = importlib.import_module(PyrvoPeer.name)
        values = scene.defaults
        self._scene = scene
        self._wanted = wanted if wanted is not None else Waypoints(scene).wanted(scene)
        self.simulator = library.RVOSimulator(
            scene.time_step,
            values["neighbor_distance"],
            values["max_neighbors"],
            values["time_horizon"],
            values["obstacle_horizon"],
            values["radius"],
            values["max_speed"],
        )
        for x, y in scene.columns["position"].tolist():
            self.simulator.add_agent((x, y))
        floor = floor_of(scene)
        if not floor.open:
            for rings in floor.polygons:
                for ring in rings:
                    # solid is what lies on the left there
                    self.simulator.add_obstacle([tuple(point) for point in ring[::-1].tolist()])
            self.simulator.process_obstacles()

    def step(self) -> float:
        """Point everybody at its waypoint, and take a step."""
        put = self.simulator.set_agent_pref_velocity
        for i, (x, y) in enumerate(self._wanted(self.positions()).tolist()):
            put(i, (x, y))
        begin = time.process_time()
        self.simulator.do_step()
        return time.process_time() - begin

    def positions(self) -> Floats:
        """Where everybody is (n, 2)."""
        get = self.simulator.get_agent_position
        return np.array([get(i).to_tuple() for i in range(self._scene.agents)], dtype=np.float64)

    def close(self) -> None:
        """Nothing to give back."""
