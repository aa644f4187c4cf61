"""Corridors: where a map is so narrow that nobody passes anybody, found by one look at each cell.

A free cell is narrow where no square of two by two free cells contains it: two discs do not get past each other there.
Of the narrow cells those with at most two free neighbours (right, below, left, above) are corridor cells, and
connected ones are one corridor, numbered by their first cell, row by row. So a corner of an open area, which has two
free neighbours as well but a free cell between them, is no corridor: nothing is narrow there, and whoever waited in
front of it would wait for nothing. For the same reason a dead end, with one way in alone, is no corridor: nobody goes
through it, and whoever has its goal there is alone in it. Narrow cells that are no corridor (crossings of corridors
and dead ends) are places of their own, numbered after the corridors, because agents have to take turns there too.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from orca_core._jit import compile_all
from orca_core.formats.movingai import GridMap
from orca_core.kernels.narrow import number_groups
from orca_core.mapf.grid_graph import neighbours_of

__all__ = ["Corridors", "identify"]

Table = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Corridors:
    """`place` int32 (cells,): the number of the narrow place that a cell belongs to, -1 where nothing is narrow.

    The first `count` places are corridors, with `entrances` int64 (count, 2), the cells at their two ends, the one that
    comes first row by row first; of a corridor of one cell both are that cell.
    """

    place: Table
    count: int
    places: int
    entrances: NDArray[np.int64]

    def cells(self, corridor: int) -> NDArray[np.int64]:
        """The cells (m,) of a corridor or other narrow place, ascending."""
        return np.flatnonzero(self.place == corridor)


def identify(grid: GridMap) -> Corridors:
    """All narrow places of a map."""
    compile_all()
    neighbours = neighbours_of(grid)
    degree = (neighbours >= 0).sum(axis=1)
    narrow = _narrow(grid)
    slim = narrow & (degree <= 2)
    place = np.full(len(neighbours), -1, np.int32)
    queue = np.empty(len(neighbours), np.int32)
    groups = int(number_groups(neighbours, slim.astype(np.uint8), 0, place, queue))

    # an end is a cell with a way out of the group; a group with less than two ways out is a dead end
    beside = np.where(neighbours >= 0, place[neighbours], -1)
    ways = np.where(slim, ((neighbours >= 0) & (beside != place[:, None])).sum(axis=1), 0)
    out = np.bincount(place[slim], weights=ways[slim], minlength=groups)
    through = np.flatnonzero(out >= 2)
    number = np.full(groups, -1, np.int32)
    number[through] = np.arange(len(through), dtype=np.int32)
    entrances = np.empty((len(through), 2), np.int64)
    for corridor, group in enumerate(through.tolist()):
        ends = np.flatnonzero((place == group) & (ways > 0))
        entrances[corridor] = ends[0], ends[-1]

    # what is left of the narrow cells is numbered after them: each crossing by itself, each dead end as a whole
    place = np.where(place >= 0, number[place], -1).astype(np.int32)
    rest = slim & (place < 0)
    places = int(number_groups(neighbours, rest.astype(np.uint8), len(through), place, queue))
    crossings = np.flatnonzero(narrow & ~slim)
    place[crossings] = places + np.arange(len(crossings), dtype=np.int32)
    return Corridors(place, len(through), places + len(crossings), entrances)


def _narrow(grid: GridMap) -> NDArray[np.bool_]:
    """Free cells that no free square of two by two contains, (cells,)."""
    free = np.pad(grid.free, 1)
    square = free[:-1, :-1] & free[1:, :-1] & free[:-1, 1:] & free[1:, 1:]
    wide = square[:-1, :-1] | square[1:, :-1] | square[:-1, 1:] | square[1:, 1:]
    return (grid.free & ~wide).reshape(-1)
