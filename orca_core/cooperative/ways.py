"""Ways: what an agent has still to go on its path, from wherever it was driven to."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from orca_core.kernels.breadth_first import distances_from
from orca_core.mapf.grid_graph import neighbours_of

if TYPE_CHECKING:
    from orca_core.formats.movingai import GridMap

__all__ = ["Ways"]

Integers = NDArray[np.int64]


class Ways:
    """Finds ways of single agents over a map."""

    def __init__(self, grid: GridMap) -> None:
        """Ready to look."""
        self._neighbours = neighbours_of(grid)
        self._distance = np.empty(len(self._neighbours), np.int32)
        self._queue = np.empty(len(self._neighbours), np.int32)

    def rest(self, cell: int, path: Integers, begin: int) -> Integers:
        """The cells from `cell` back to a path and along it to its end, int64 (t,).

        Of the places of the path from `begin` on it is the one that is fewest steps away, the latest of several.
        """
        place, between = self.joint(cell, path, begin)
        return np.concatenate([between, path[place + 1 :]])

    def joint(self, cell: int, path: Integers, begin: int) -> tuple[int, Integers]:
        """Where on a path that is, and the cells from `cell` up to it, both included."""
        distances_from(self._neighbours, cell, self._distance, self._queue)
        steps = self._distance[path[begin:]]
        place = begin + len(steps) - 1 - int(np.argmin(steps[::-1]))
        between = [int(path[place])]
        while between[-1] != cell:
            beside = self._neighbours[between[-1]]
            beside = beside[beside >= 0]
            between.append(int(beside[np.argmin(self._distance[beside])]))
        return place, np.array(between[::-1], np.int64)
