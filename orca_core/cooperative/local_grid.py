"""Local grid: the part of the map in which a group undoes its knot, with a cell to begin and one to end for each.

The part is the box of the members and as far as they see around it. Whoever takes no part and stands at its goal blocks
its cell. Each member begins at a cell of its own beside it; it ends at its goal where that is inside, and otherwise
where its way leaves the box, or beside that where somebody else ends there already.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from orca_core.cooperative.assignment import FORBIDDEN, assign
from orca_core.formats.movingai import GridMap
from orca_core.mapf.grid_graph import UNREACHABLE, distances, neighbours_of

__all__ = ["LocalGrid", "beginnings", "cells_of", "endings", "local_grid"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

# cells from its own, walked, at which a member may begin
NEAR = 6


@dataclass(frozen=True, eq=False)
class LocalGrid:
    """A part of a map whose upper left cell is (`left`, `top`) of it."""

    grid: GridMap
    left: int
    top: int
    whole: GridMap

    def inside(self, cell: int) -> int:
        """The cell here that is `cell` of the whole map, -1 where it is outside or blocked here."""
        column, row = cell % self.whole.width - self.left, cell // self.whole.width - self.top
        if not (0 <= column < self.grid.width and 0 <= row < self.grid.height and self.grid.free[row, column]):
            return -1
        return row * self.grid.width + column

    def outside(self, cells: Integers) -> Integers:
        """The cells of the whole map that these of here are."""
        column, row = cells % self.grid.width + self.left, cells // self.grid.width + self.top
        return row * self.whole.width + column

    @property
    def is_whole(self) -> bool:
        """Whether it is no smaller than the map."""
        return (self.grid.width, self.grid.height) == (self.whole.width, self.whole.height)


def cells_of(grid: GridMap, places: Floats) -> Integers:
    """The cell of each place (n, 2), in cells with y downward from the top; beside the map the nearest one."""
    columns = np.clip(np.floor(places[:, 0]).astype(np.int64), 0, grid.width - 1)
    rows = np.clip(np.floor(places[:, 1]).astype(np.int64), 0, grid.height - 1)
    return rows * grid.width + columns


def local_grid(grid: GridMap, cells: Integers, margin: int, blocked: Sequence[int] = ()) -> LocalGrid:
    """The box of these cells and `margin` more on each side; the cells `blocked` of the map are not free in it."""
    columns, rows = cells % grid.width, cells // grid.width
    left, top = max(0, int(columns.min()) - margin), max(0, int(rows.min()) - margin)
    right = min(grid.width, int(columns.max()) + margin + 1)
    bottom = min(grid.height, int(rows.max()) + margin + 1)
    free = grid.free[top:bottom, left:right].copy()
    for cell in blocked:
        column, row = cell % grid.width - left, cell // grid.width - top
        if 0 <= column < right - left and 0 <= row < bottom - top:
            free[row, column] = False
    return LocalGrid(GridMap(right - left, bottom - top, free), left, top, grid)


def beginnings(local: LocalGrid, places: Floats) -> Integers | None:
    """A cell for each member to begin at, int64 (m,), the squares of the distances to them being the least.

    `places` (m, 2) as of the whole map. None where there are not enough free cells near.
    """
    width = local.grid.width
    free = np.flatnonzero(local.grid.free.reshape(-1))
    here = places - np.array([local.left, local.top], np.float64)
    nearest = _nearest_free(local.grid, here, free)
    steps = distances(neighbours_of(local.grid), nearest)[:, free]
    dx = free % width + 0.5 - here[:, 0:1]
    dy = free // width + 0.5 - here[:, 1:2]
    costs = np.where(steps <= NEAR, dx * dx + dy * dy, FORBIDDEN)
    chosen = assign(costs)
    return None if chosen is None else free[chosen]


def endings(local: LocalGrid, starts: Integers, ways: Sequence[Integers]) -> Integers | None:
    """A cell for each member to end at, int64 (m,); None where not all can have one that they can reach.

    `ways[k]` are the cells of the whole map that member k would go, from where it is to its goal.
    """
    wanted, final = [], []
    for start, way in zip(starts.tolist(), ways, strict=True):
        inside = [local.inside(cell) for cell in way.tolist()]
        # the last cell before the way leaves the box for the first time; somebody who stands on it does not end it
        out = next((place for place, cell in enumerate(way.tolist()) if not _in_box(local, cell)), len(inside))
        last = next((cell for cell in reversed(inside[:out]) if cell >= 0), start)
        wanted.append(last)
        final.append(out == len(inside) and len(inside) > 0 and inside[-1] == last)
    neighbours = neighbours_of(local.grid)
    free = np.flatnonzero(local.grid.free.reshape(-1))
    targets = np.array(wanted, np.int64)
    steps = distances(neighbours, targets)
    # to whom a goal belongs it belongs alone; the others end as near as they can to where they leave
    reachable = distances(neighbours, starts)[:, free] < UNREACHABLE
    costs = np.where(reachable, steps[:, free].astype(np.float64), FORBIDDEN)
    for member, (goal, end) in enumerate(zip(targets.tolist(), final, strict=True)):
        if end:
            costs[np.arange(len(costs)) != member, np.flatnonzero(free == goal)] = FORBIDDEN
            costs[member, free != goal] = FORBIDDEN
    # beyond what any way costs there is none
    costs[costs >= UNREACHABLE] = FORBIDDEN
    chosen = assign(costs)
    return None if chosen is None else free[chosen]


def _in_box(local: LocalGrid, cell: int) -> bool:
    column, row = cell % local.whole.width - local.left, cell // local.whole.width - local.top
    return 0 <= column < local.grid.width and 0 <= row < local.grid.height


def _nearest_free(grid: GridMap, places: Floats, free: Integers) -> Integers:
    """The free cell in whose square each place is, or the one with the nearest centre."""
    cells = cells_of(grid, places)
    flat = grid.free.reshape(-1)
    for place in np.flatnonzero(~flat[cells]).tolist():
        dx, dy = free % grid.width + 0.5 - places[place, 0], free // grid.width + 0.5 - places[place, 1]
        cells[place] = free[int(np.argmin(dx * dx + dy * dy))]
    return cells
