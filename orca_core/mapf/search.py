"""Search: an instance made ready for planning: who is beside whom, how far the goals are, and room to search in."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from orca_core._jit import compile_all
from orca_core.errors import InvalidInput, Problem
from orca_core.kernels.safe_intervals import NO_ROOM, NO_WAY, OVER_BUDGET, find_path
from orca_core.mapf.grid_graph import UNREACHABLE, distances, neighbours_of
from orca_core.mapf.instance import Instance
from orca_core.mapf.reservations import Reservations

__all__ = ["Found", "Search"]

Table = NDArray[np.int32]
# a path with how many it meets; None in place of it where there is no path
Found = tuple[Table, int] | None

# time steps beside the longest way, for waiting and for ways round
SLACK = 256
MOST_STEPS = 16_384
# nodes that a search begins with room for
ROOM = 1 << 14


class Search:
    """Finds paths of single agents among reserved ones; counts the nodes it expands."""

    def __init__(self, instance: Instance) -> None:
        """Raises InvalidInput naming every agent whose goal cannot be reached, before anything is searched."""
        compile_all()
        self.instance = instance
        self.neighbours = neighbours_of(instance.grid)
        self.distance = distances(self.neighbours, instance.goals)
        ways = self.distance[np.arange(instance.count), instance.starts]
        unreachable = np.flatnonzero(ways >= UNREACHABLE)
        if len(unreachable):
            raise InvalidInput([Problem(int(agent), "goal", "cannot be reached: unreachable") for agent in unreachable])
        longest = int(ways.max(initial=0))
        # whoever goes last may have to wait for all others
        self.horizon = min(2 * longest + SLACK + instance.count, MOST_STEPS)
        self.reservations = Reservations(instance.count, len(self.neighbours), self.horizon)
        self.expanded = 0
        self._path = np.empty(self.horizon, np.int32)
        self._of_cell = np.empty((len(self.neighbours), 2), np.int32)
        self._sizes = np.zeros(1, np.int64)
        self._make_room(ROOM)

    def _make_room(self, size: int) -> None:
        """Scratch for so many nodes."""
        self._nodes = np.empty((size, 9), np.int32)
        self._stretches = np.empty((size, 4), np.int32)
        self._keys, self._heap = np.empty(size, np.int64), np.empty(size, np.int64)

    def find(self, agent: int, *, hard: bool, budget: int) -> Found:
        """The best path of an agent that has none among those reserved; None where there is none, or `budget` ran out.

        With `hard` it meets nobody; else as few as can be.
        """
        reserved = self.reservations
        start, goal = int(self.instance.starts[agent]), int(self.instance.goals[agent])
        while True:
            length, met, expanded = find_path(
                self.neighbours, self.distance[agent], start, goal, hard, budget, reserved.first, reserved.link,
                reserved.paths, self._nodes, self._stretches, self._of_cell, self._keys, self._heap, self._sizes,
                self._path,
            )  # fmt: skip
            if length != NO_ROOM:
                break
            # begun anew with more room: what comes out does not depend on how much there was
            self._make_room(2 * len(self._heap))
        self.expanded += expanded
        if length in (NO_WAY, OVER_BUDGET):
            return None
        return self._path[:length].copy(), met
