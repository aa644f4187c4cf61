"""Simulation: a world of a scene, and whoever gives its agents new goals; what happened on the way is counted."""

from __future__ import annotations

from collections import Counter

import numpy as np

from orca_core import simulation as guided
from orca_core.report import Event
from orca_core.state import STATUS_NAMES
from orca_core.world import World
from orca_crowd.running.scene import RunScene

__all__ = ["Simulation"]

# events of agents that want a new goal, where the scene has any
WANTING = ("arrived", "stalled")
ARRIVED = STATUS_NAMES.index("arrived")


class Simulation:
    """One step at a time. The same scene gives the same bits on every run: goals are given before the next step."""

    def __init__(self, scene: RunScene) -> None:
        """Make the world; raises InvalidInput as the library does."""
        self.scene = scene
        self.world: World = guided.Simulation(scene.make_world()).world
        # how many agents each kind of event has named since the beginning, and the deepest overlap (m)
        self.counts: Counter[str] = Counter()
        self.deepest = 0.0

    def step(self) -> None:
        """Take a step, and send whoever wants it somewhere else."""
        events = self.world.step().events
        if not events:
            return
        for event in events:
            self.counts[event.kind] += len(event.ids)
            self.deepest = max([self.deepest, *event.data.get("depth", [])])
        if self.scene.next_goals is not None:
            self._redirect(events)

    @property
    def goals(self) -> int:
        """How many agents have a goal."""
        return int(np.count_nonzero(self.world.column("has_goal")))

    @property
    def arrived(self) -> int:
        """How many agents are at their goal."""
        return int(np.count_nonzero(self.world.column("status") == ARRIVED))

    @property
    def everybody_arrived(self) -> bool:
        """Whether nobody is on the way any more."""
        return self.arrived == self.goals

    def _redirect(self, events: list[Event]) -> None:
        wanting = {identifier for event in events if event.kind in WANTING for identifier in event.ids}
        if not wanting or self.scene.next_goals is None:
            return
        rows = np.flatnonzero(np.isin(self.world.ids, np.fromiter(wanting, np.int64, len(wanting))))
        ids = self.world.ids[rows].copy()
        positions = self.world.column("position")[rows].copy()
        self.world.set_agents(ids, self.scene.next_goals(ids, positions, self.world.step_count))
