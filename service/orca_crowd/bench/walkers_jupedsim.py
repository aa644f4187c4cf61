"""JuPedSim as walkers: its collision-free speed model with its own parameters, and its own ways through the floor.

It takes two steps of 0.05 s for one of 0.1 s. Its people are told their goals and are given no velocity.
"""

from __future__ import annotations

import importlib
import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from orca_crowd.bench.floors import floor_of
from orca_crowd.bench.peer_jupedsim import TIME_STEP, JuPedSimPeer
from orca_crowd.scenes.scene import SceneData

__all__ = ["JuPedSim", "JuPedSimWalkers"]

Floats = NDArray[np.float64]


class JuPedSim:
    """The library, if it is there."""

    name = JuPedSimPeer.name
    plans = True

    def missing(self) -> str | None:
        """Why it cannot be measured here, None where it can."""
        return JuPedSimPeer().missing()

    def refuses(self, scene: SceneData) -> str | None:
        """A floor in pieces."""
        return None if len(floor_of(scene).polygons) == 1 else "its floor is one polygon, and this one has pieces"

    def walkers(self, scene: SceneData) -> JuPedSimWalkers:
        """A fresh simulation."""
        return JuPedSimWalkers(scene)


class JuPedSimWalkers:
    """A simulation whose people are steered at their goals, along the ways that it finds."""

    def __init__(self, scene: SceneData) -> None:
        """Make the simulation of a scene; raises RuntimeError where the library refuses it."""
        library: Any = importlib.import_module(JuPedSimPeer.name)
        (rings,) = floor_of(scene).polygons
        outer, *holes = [list(map(tuple, ring.tolist())) for ring in rings]
        self._steps = max(1, round(scene.time_step / TIME_STEP))
        self.simulation = library.Simulation(
            model=library.CollisionFreeSpeedModel(),
            geometry=outer,
            excluded_areas=holes or None,
            dt=scene.time_step / self._steps,
        )
        stage = self.simulation.add_direct_steering_stage()
        journey = self.simulation.add_journey(library.JourneyDescription([stage]))
        self.agents = [
            self.simulation.add_agent(
                library.CollisionFreeSpeedModelAgentParameters(
                    position=place,
                    journey_id=journey,
                    stage_id=stage,
                    desired_speed=scene.shared("preferred_speed"),
                    radius=scene.shared("radius"),
                )
            )
            for place in map(tuple, scene.columns["position"].tolist())
        ]
        for identifier, goal in zip(self.agents, scene.columns["goal"].tolist(), strict=True):
            self.simulation.agent(identifier).target = tuple(goal)

    def step(self) -> float:
        """Take as many of its steps as one of the scene lasts."""
        begin = time.process_time()
        self.simulation.iterate(self._steps)
        return time.process_time() - begin

    def positions(self) -> Floats:
        """Where everybody is (n, 2)."""
        get = self.simulation.agent
        return np.array([get(identifier).position for identifier in self.agents], dtype=np.float64)

    def close(self) -> None:
        """Nothing to give back."""
