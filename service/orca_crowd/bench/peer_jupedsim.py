"""JuPedSim: pedestrians in C++, its collision-free speed model. `iterate` alone is timed.

Another model, not another ORCA: a ratio to it says what a step costs, not what it is worth. It takes its own time step
of 0.05 s, the largest that is usual for it, and sees neighbours as far as its model does.
"""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from orca_crowd.bench.scenes import Scene

__all__ = ["JuPedSimCrowd", "JuPedSimPeer"]

Floats = NDArray[np.float64]

TIME_STEP = 0.05
# free ground around the square, m, so that nobody stands at a wall
MARGIN = 10.0
# agents that touch are refused when they are added, not when they have grown: all come as points
POINT = 1e-6


class JuPedSimPeer:
    """The library, if it is there."""

    name = "jupedsim"

    def missing(self) -> str | None:
        """Why it cannot be measured here, None where it can."""
        try:
            importlib.import_module(self.name)
        except ImportError:
            return (
                "jupedsim is not installed and left out. `make bench` installs it; by hand: pip install --no-deps "
                "jupedsim==1.4.2 deprecated==1.2.18 wrapt (its other dependencies are half a gigabyte of graphics)."
            )
        return None

    def refuses(self, scene: Scene) -> str | None:
        """Why it cannot take a scene, None where it can."""
        if scene.walls:
            return "its walls are areas and no segments"
        if scene.arrangement == "coincident":
            return "it refuses agents on one spot"
        return None

    def crowd(self, scene: Scene) -> JuPedSimCrowd:
        """A fresh crowd."""
        return JuPedSimCrowd(scene)


class JuPedSimCrowd:
    """A simulation whose agents are steered straight at their goals, which are given once."""

    def __init__(self, scene: Scene) -> None:
        """Make the simulation of a scene; raises ImportError where jupedsim is not installed."""
        library: Any = importlib.import_module(JuPedSimPeer.name)
        self.name = JuPedSimPeer.name
        self.scene = scene
        low = np.minimum(scene.positions, scene.goals).min(axis=0) - MARGIN
        high = np.maximum(scene.positions, scene.goals).max(axis=0) + MARGIN
        ground = [(low[0], low[1]), (high[0], low[1]), (high[0], high[1]), (low[0], high[1])]
        self.simulation = library.Simulation(
            model=library.CollisionFreeSpeedModel(), geometry=ground, dt=min(TIME_STEP, scene.time_step)
        )
        stage = self.simulation.add_direct_steering_stage()
        journey = self.simulation.add_journey(library.JourneyDescription([stage]))
        self.agents = [
            self.simulation.add_agent(
                library.CollisionFreeSpeedModelAgentParameters(
                    position=place,
                    journey_id=journey,
                    stage_id=stage,
                    desired_speed=scene.preferred_speed,
                    radius=POINT,
                )
            )
            for place in map(tuple, scene.positions.tolist())
        ]
        for identifier, goal in zip(self.agents, scene.goals.tolist(), strict=True):
            agent = self.simulation.agent(identifier)
            agent.model.radius = scene.radius
            agent.target = tuple(goal)
        self._before = scene.positions

    def prepare(self) -> None:
        """Remember where everybody is: the model has no velocity to ask for."""
        self._before = self.positions()

    def run(self, steps: int) -> None:
        """Take the steps."""
        self.simulation.iterate(steps)
        self._steps = steps

    def positions(self) -> Floats:
        """Where the agents are (n, 2)."""
        get = self.simulation.agent
        return np.array([get(identifier).position for identifier in self.agents], dtype=np.float64)

    def velocities(self) -> Floats:
        """How they have moved (n, 2), on average over the last block of steps."""
        seconds = self._steps * min(TIME_STEP, self.scene.time_step)
        return (self.positions() - self._before) / seconds
