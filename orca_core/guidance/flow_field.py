"""Flow field: from every place of a surface the way to the nearest of some goals, for many agents at once.

    grid = FlowGrid.over(Standing.of(world.statics(), 0.5))
    field = FlowField.towards(grid, [(9.0, 4.0)])
    field.distance_from((0.0, 0.0))

A field is a function of what stands and of the goals alone: equal questions have answers of equal bits.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from orca_core.guidance.flow_grid import FlowChange, FlowGrid
from orca_core.kernels.flow_field import LOOKS, RINGS, direct_cells, nearest_points, seed_goals, seed_points, spread
from orca_core.kernels.flow_repair import crossed_boxes, repair
from orca_core.kernels.flow_sight import column_of, sees

__all__ = ["FlowField"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Seeds:
    """Where ways begin: labels of points that have one without any neighbour, `distance` and `onward` as those of a
    field, with the `count` of these in a `heap` and their places in it, `arriving` and `ends` as the field has them.
    """

    distance: Floats
    onward: NDArray[np.int32]
    heap: NDArray[np.int32]
    spots: NDArray[np.int32]
    count: int
    arriving: NDArray[np.uint8]
    ends: NDArray[np.int32]

    @classmethod
    def of(cls, grid: FlowGrid, goals: Floats) -> Seeds:
        """Those near goals (g, 2), and of each part of the surface from which none is reached the point that is nearest
        to one.
        """
        distance, onward = np.full(grid.points, math.inf), np.full(grid.points, -1, np.int32)
        heap, spots = np.empty(grid.points, np.int32), np.full(grid.points, -1, np.int32)
        search, places = (distance, onward, heap, spots), (*grid.sight(), grid.point)
        # exactly as near as may be is near enough, and a little more for rounding
        count = seed_goals(goals, grid.margin + grid.slack, 0, *places, grid.usable, grid.narrow, *search)
        arriving = np.zeros(grid.components, np.uint8)
        arriving[grid.component[heap[:count]]] = 1
        nearest, ends = np.full(grid.components, math.inf), np.full(grid.components, -1, np.int32)
        nearest_points(goals, grid.point, grid.component, nearest, ends)
        ends[arriving == 1] = -1
        return cls(distance, onward, heap, spots, seed_points(ends, count, *search), arriving, ends)


@dataclass(frozen=True, eq=False)
class FlowField:
    """Ways over a grid to the nearest of the `goals` (g, 2).

    `distance` (points,) is the length of the way from a point of the grid (m), infinite where there is none; `onward`
    int32 (points,) what one heads for from there: the number of the point that comes next, or points + the number of a
    goal; `direct` int32 (cells,) what everybody in a cell may head for, -1 where one must look; `arriving` uint8
    (components,) whether a way leads from there to a goal. Where none does, ways end at the point that is nearest to a
    goal, that of the cell `ends` int32 (components,), and their lengths are those to it.
    """

    grid: FlowGrid
    goals: Floats
    distance: Floats
    onward: NDArray[np.int32]
    direct: NDArray[np.int32]
    arriving: NDArray[np.uint8]
    ends: NDArray[np.int32]

    @classmethod
    def towards(cls, grid: FlowGrid, goals: Sequence[Sequence[float]] | Floats) -> FlowField:
        """Search from the goals outward over the whole grid. A goal where no centre may be has no way to it."""
        targets = np.ascontiguousarray(goals, np.float64).reshape(-1, 2)
        seeds = Seeds.of(grid, targets)
        # the heap as the seeds have left it is that of the search
        distance, onward = seeds.distance, seeds.onward
        places = (*grid.sight(), grid.point)
        search = (distance, onward, seeds.heap, seeds.spots)
        spread(targets, seeds.count, *places, grid.links, grid.joined_start, grid.joined, *search)
        direct, everywhere = np.empty(grid.cells, np.int32), np.ones(grid.cells, np.uint8)
        direct_cells(targets, *places, distance, onward, np.empty(LOOKS, np.int32), everywhere, direct)
        return cls(grid, targets, distance, onward, direct, seeds.arriving, seeds.ends)

    def over(self, change: FlowChange) -> FlowField:
        """The field to the same goals over the grid that this one's has become, of the same bits as `towards` makes.

        It takes the less the less of it is other than here. Raises ValueError where the change is one of another grid.
        """
        grid, before, goals = change.grid, self.grid, self.goals
        if change.before is not before:
            raise ValueError("the change is one of another grid")
        seeds = Seeds.of(grid, goals)
        distance, onward = self.distance.copy(), self.onward.copy()
        rest = np.where((onward >= 0) & (onward < grid.points), distance[np.clip(onward, 0, grid.points - 1)], 0.0)
        doubtful = np.zeros(grid.points, np.uint8)
        crossed_boxes(change.boxes, goals, before.point, onward, doubtful)
        near = np.zeros(grid.cells, np.uint8)
        near[:] = doubtful[: grid.cells]
        # where ways begin may be elsewhere
        for ends in (self.ends, seeds.ends):
            doubtful[ends[ends >= 0]] = 1
        doubtful[np.isfinite(seeds.distance)] = 1
        for gx, gy in goals.tolist():
            row, column = column_of(gy, grid.y, grid.size, grid.rows), column_of(gx, grid.x, grid.size, grid.columns)
            for number in grid.points_round(column, row, RINGS):
                doubtful[number] = 1
        changed, scratch = np.zeros(grid.points, np.uint8), np.empty((3, grid.points))
        places = (*grid.sight(), grid.point)
        repair(
            change.gone, doubtful, goals, *places, grid.links, grid.joined_start, grid.joined, seeds.distance,
            seeds.onward, distance, onward, rest, scratch[0], np.empty(grid.points, np.int32), scratch[1], scratch[2],
            np.empty(grid.points, np.int32), np.full(grid.points, -1, np.int32), changed,
        )  # fmt: skip
        direct = self.direct.copy()
        near |= changed[: grid.cells] | change.touched
        direct_cells(
            goals, *places, distance, onward, np.empty(LOOKS, np.int32), grid.widened(near, 1), direct
        )  # fmt: skip
        return FlowField(grid, goals, distance, onward, direct, seeds.arriving, seeds.ends)

    def distance_from(self, place: Sequence[float]) -> float:
        """Length (m) of the way from a place to the nearest goal, as seen from the points round it; infinite where no
        way leads to one.
        """
        grid, (px, py) = self.grid, (float(place[0]), float(place[1]))
        middle, level = column_of(px, grid.x, grid.size, grid.columns), column_of(py, grid.y, grid.size, grid.rows)
        best = math.inf
        for row in range(max(level - 1, 0), min(level + 2, grid.rows)):
            for column in range(max(middle - 1, 0), min(middle + 2, grid.columns)):
                for number in grid.points_of(row * grid.columns + column):
                    if not math.isfinite(self.distance[number]) or not self.arriving[grid.component[number]]:
                        continue
                    for target in (int(self.onward[number]), number):
                        tx, ty = self.place_of(target)
                        if sees(px, py, tx, ty, *grid.sight()):
                            rest = 0.0 if target >= grid.points else float(self.distance[target])
                            best = min(best, rest + math.sqrt((px - tx) * (px - tx) + (py - ty) * (py - ty)))
        return best

    def place_of(self, number: int) -> tuple[float, float]:
        """Where that lies which one heads for: a goal, or a point of the grid."""
        points = self.grid.points
        x, y = self.goals[number - points] if number >= points else self.grid.point[number]
        return float(x), float(y)
