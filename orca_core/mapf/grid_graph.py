"""Grid graph: who is beside whom on a grid, and how far everything is from a goal."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from orca_core.formats.movingai import GridMap
from orca_core.kernels.breadth_first import distances_from

__all__ = ["UNREACHABLE", "distances", "neighbours_of"]

Table = NDArray[np.int32]

# farther than any way
UNREACHABLE = np.int32(2**30)


def neighbours_of(grid: GridMap) -> Table:
    """The free cells beside each cell, int32 (cells, 4): right, below, left, above; -1 where there is none."""
    free = np.zeros((grid.height + 2, grid.width + 2), np.bool_)
    free[1:-1, 1:-1] = grid.free
    numbers = np.arange(grid.width * grid.height, dtype=np.int32).reshape(grid.height, grid.width)
    table = np.full((grid.height, grid.width, 4), -1, np.int32)
    for side, (dy, dx) in enumerate(((0, 1), (1, 0), (0, -1), (-1, 0))):
        beside = free[1 + dy : 1 + dy + grid.height, 1 + dx : 1 + dx + grid.width] & grid.free
        table[..., side] = np.where(beside, numbers + dy * grid.width + dx, -1)
    return table.reshape(-1, 4)


def distances(neighbours: Table, sources: NDArray[np.int64]) -> Table:
    """Steps to each of the cells `sources` from every cell, int32 (n, cells); UNREACHABLE where there is no way."""
    table = np.empty((len(sources), len(neighbours)), np.int32)
    queue = np.empty(len(neighbours), np.int32)
    for row, source in zip(table, sources.tolist(), strict=True):
        distances_from(neighbours, source, row, queue)
    return table
