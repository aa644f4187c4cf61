"""Interval search over a mesh: the arrays that a search needs, which grow with it, and its answer as points.

The search itself is a kernel, so that planning holds up no other thread; see orca_core.kernels.interval_search.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from orca_core.guidance.mesh import Mesh
from orca_core.guidance.planner import Point
from orca_core.kernels.interval_search import BEYOND, NO_ROOM, OUT_OF_BUDGET, run, see_around

__all__ = ["Beyond", "IntervalSearch", "OutOfBudget"]

# nodes for which there is room at first; four times as many each time that it is too little
FIRST_ROOM = 1024
# part by which the sums of a length may differ, and far more
ROUNDING = 1e-9


class OutOfBudget(Exception):
    """More expansions than allowed."""


class Beyond(Exception):
    """No path is as short as it is to be."""


class IntervalSearch:
    """Finds shortest paths, one after the other, in the same memory."""

    def __init__(self) -> None:
        """Room for a small search."""
        self._make(FIRST_ROOM)
        # expansions of the last search
        self.spent = 0

    def _make(self, room: int) -> None:
        self._real, self._whole = np.empty((room, 6)), np.empty((room, 6), np.int64)
        self._chain, self._before = np.empty((3 * room + 4, 2)), np.empty(3 * room + 4, np.int64)
        self._heap, self._counts = np.empty(room, np.int64), np.zeros(4, np.int64)

    def shortest(
        self,
        mesh: Mesh,
        start: Point,
        begin: Sequence[int],
        goal: Point,
        end: Sequence[int],
        expansions: int,
        longer: float = 0.0,
        within: float = math.inf,
    ) -> list[Point]:
        """The points of a shortest path between a start in the triangles `begin` and a goal in those of `end`, both
        included, which must hang together; raises OutOfBudget. It may be longer by the part `longer`. Raises Beyond as
        soon as it is known that none of a length up to `within` is to be found.
        """
        # estimates and lengths are summed up differently
        greed, largest = 1.0 + longer, (1.0 + longer) * within * (1.0 + ROUNDING)
        first, last = np.array(begin, np.int64), np.array(end, np.int64)
        surface = (mesh.triangles, mesh.across)
        while True:
            memory = (mesh.walked_to, self._real, self._whole, self._chain, self._before, self._heap, self._counts)
            found = NO_ROOM
            if see_around(*start, first, *goal, greed, mesh.vertices, *surface, *memory):
                found = run(expansions, largest, *goal, greed, last, mesh.vertices, mesh.corner, *surface, *memory)
            if found != NO_ROOM:
                break
            self._make(4 * len(self._heap))
        self.spent = int(self._counts[3])
        if found == OUT_OF_BUDGET:
            raise OutOfBudget
        if found == BEYOND:
            raise Beyond
        points: list[Point] = []
        while found >= 0:
            x, y = self._chain[found].tolist()
            points.append((x, y))
            found = int(self._before[found])
        return points[::-1]
