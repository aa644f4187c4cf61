"""Flow grid: the cells over a surface for discs of one radius, from which flow fields to any goals are made.

It stands on the walls and boundaries of a step themselves, to the bit, and on plain arithmetic alone: equal statics
have equal grids, on any machine and whatever library shrank the areas.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from orca_core.guidance.flow_narrow import narrow_places
from orca_core.guidance.flow_standing import Standing
from orca_core.kernels.clearance import MARGIN, kept_clear
from orca_core.kernels.flow_grid import label_cells, link_cells, list_items, mark_outside, place_points
from orca_core.kernels.flow_narrow import RINGS
from orca_core.kernels.flow_sight import BLOCKED, column_of
from orca_core.kernels.orientation import WORK
from orca_core.kernels.tree import STACK
from orca_core.tree import BoxTree

__all__ = ["FlowGrid"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

# what ways keep beyond what centres must, of that: a little less than makes a gap a passage for all who ask
SHARE = 0.9
# and the least of it, in cells
LEAST = 1e-4
# and by how much rounding may have them nearer
SLACK = 1e-6
# cells along the longer side where neither the radius nor the client says how large a cell is
FINEST = 256
# a surface has at least so many cells along its longer side, small as it may be beside the discs
COARSEST = 32
# of so many segments that have come or gone a grid is repaired, of more it is made from nothing
FEW = 64
# the diagonal of a cell, and a little more
ROOT = 1.42
# cells beyond the walls in an open plane, where ways lead round
AROUND = 3


@dataclass(frozen=True, eq=False)
class FlowGrid:
    """Cells row by row from the corner (x, y), each `size` wide; ways keep at most `margin` beyond what centres must.

    `kind` uint8 (cells,) as the kernels name them; `items` int32, those from start[c] to start[c + 1] the numbers of
    the `segments` (m, 4) that are near cell c, each with the `reach` (m,) that centres keep from it: first `walls`,
    which have two sides, then edges of the area, which lies to their left; `links` uint8 (cells,) the neighbours that
    its point sees.

    `point` (points, 2) where a centre may be: one for each cell, if `usable` uint8 (cells,), and behind them those in
    narrow places, of cell c numbers cells + narrow[c] to narrow[c + 1]. If there are such, `joined` int32, from
    joined_start[p] to joined_start[p + 1], are the points that are seen from p of which one is in a narrow place.
    `component` int32 (points,) is equal where there is a way, -1 where none begins.
    """

    x: float
    y: float
    size: float
    columns: int
    rows: int
    open_plane: bool
    margin: float
    kind: NDArray[np.uint8]
    start: Integers
    items: NDArray[np.int32]
    segments: Floats
    reach: Floats
    walls: int
    point: Floats
    usable: NDArray[np.uint8]
    links: NDArray[np.uint8]
    narrow: NDArray[np.int32]
    joined_start: NDArray[np.int32]
    joined: NDArray[np.int32]
    component: NDArray[np.int32]
    components: int

    @classmethod
    def over(cls, standing: Standing, *, size: float | None = None, cells: int = 262_144) -> FlowGrid | None:
        """The grid over what stands; None where nothing does, or no disc of that radius has a place.

        `size` is the side of a cell (m); left out, the power of two at or below the radius, or less where the surface
        is small. In either case it is doubled until there are at most `cells`.
        """
        laid = cls.laid_over(standing, size=size, cells=cells)
        return None if laid is None else cls._made(standing, *laid)

    @staticmethod
    def laid_over(
        standing: Standing, *, size: float | None = None, cells: int = 262_144
    ) -> tuple[float, float, float, int, int] | None:
        """Corner, size, columns and rows of the grid over what stands; as `over`."""
        edges = standing.edges
        corners = (standing.walls if edges is None else edges).reshape(-1, 2)
        if not len(corners):
            return None
        low, high = corners.min(axis=0), corners.max(axis=0)
        size = _size(standing.radius, float((high - low).max())) if size is None else size
        while True:
            margin = size if edges is not None else standing.radius + AROUND * size
            x, y = (float(np.floor((value - margin) / size) * size) for value in low)
            columns, rows = (
                int(np.ceil((value + margin - first) / size)) for value, first in zip(high, (x, y), strict=True)
            )
            if columns * rows <= cells:
                break
            size *= 2.0
        return x, y, size, columns, rows

    @classmethod
    def _made(cls, standing: Standing, x: float, y: float, size: float, columns: int, rows: int) -> FlowGrid:
        """List what is near each cell, place its point, and link those that see each other."""
        grid = cls._listed(standing, x, y, size, columns, rows)
        return grid._pointed(standing, np.ones(grid.cells, np.uint8))

    @classmethod
    def _listed(cls, standing: Standing, x: float, y: float, size: float, columns: int, rows: int) -> FlowGrid:
        """With what is near each cell, and no points yet."""
        edges = np.empty((0, 4)) if standing.edges is None else standing.edges
        segments = np.ascontiguousarray(np.concatenate([standing.walls, edges]))
        slack = SLACK * size
        kept = np.full(len(segments), kept_clear(standing.radius))
        kept[len(standing.walls) :] += standing.clearance
        margin = np.maximum(SHARE * MARGIN * kept, LEAST * size)
        # areas are shrunk already by what centres keep from their boundary
        kept[len(standing.walls) :] = standing.clearance
        reach = kept + margin
        total = columns * rows
        kind = np.zeros(total, np.uint8)
        # what is near: counted, then listed
        count = np.zeros(total, np.int64)
        whole = (x, y, size, columns, rows)
        list_items(segments, reach, slack, *whole, False, kind, count, np.empty(0, np.int32))
        count[kind == BLOCKED] = 0
        start = np.zeros(total + 1, np.int64)
        np.cumsum(count, out=start[1:])
        items = np.empty(int(start[-1]), np.int32)
        list_items(segments, reach, slack, *whole, True, kind, start[:-1].copy(), items)
        if standing.edges is not None:
            mark_outside(edges, *whole, np.zeros(rows * (columns + 1), np.uint8), kind)
        none = np.zeros(1, np.int32)
        return cls(
            *whole, standing.edges is None, float(margin.max(initial=0.0)), kind, start, items, segments, reach,
            len(standing.walls), np.empty((total, 2)), np.zeros(total, np.uint8), np.zeros(total, np.uint8), none,
            none, none[:0], none[:0], 0,
        )  # fmt: skip

    def _pointed(self, standing: Standing, touched: NDArray[np.uint8]) -> FlowGrid:
        """With points, where they are not there yet those of the cells that are `touched`, and what they see."""
        edges = np.empty((0, 4)) if standing.edges is None else standing.edges
        tree = BoxTree.over_segments(edges)
        near, slack = self.sight()[:-1], self.slack
        area = (edges, tree.nodes, tree.leaves, tree.order, tree.boxes, np.empty(STACK, np.int64), np.empty(WORK))
        place_points(*near, *area, touched, self.point, self.usable)
        link_cells(*near, slack, self.point, self.usable, self.widened(touched, 1), self.links)
        # and those in narrow places
        point, narrow, joined_start, joined = narrow_places(near, area, slack, self.point, self.usable)
        component = np.empty(len(point), np.int32)
        components = label_cells(
            self.columns, self.rows, self.usable, self.links, joined_start, joined, component,
            np.empty(len(point), np.int32),
        )  # fmt: skip
        return replace(
            self, point=point, narrow=narrow, joined_start=joined_start, joined=joined, component=component,
            components=components,
        )  # fmt: skip

    def changed(self, standing: Standing, **more: Any) -> FlowChange | None:
        """The grid for what stands after a few walls have gone or come, with what is other than in this one; None where
        it has to be made from nothing. `more` is as for `over`, and equal to what this one was made with.
        """
        laid = FlowGrid.laid_over(standing, **more)
        if laid is None or laid != (self.x, self.y, self.size, self.columns, self.rows):
            return None
        if (standing.edges is None) != self.open_plane:
            return None
        grid = FlowGrid._listed(standing, *laid)
        moved = _other_rows(*(np.column_stack([each.segments, each.reach]) for each in (self, grid)))
        if len(moved) > FEW:
            return None
        corners = moved[:, :4].reshape(-1, 2, 2)
        least, most = corners.min(axis=1) - moved[:, 4:], corners.max(axis=1) + moved[:, 4:]
        touched = grid._within(np.column_stack([least, most]), 2.0 * self.slack)
        free = touched == 0
        if (self.kind != grid.kind)[free].any():
            # an area is another one
            return None
        grid.point[free], grid.usable[free] = self.point[: self.cells][free], self.usable[free]
        grid.links[:] = self.links
        grid = grid._pointed(standing, touched)
        # narrow places that have come or gone have other numbers
        if not np.array_equal(grid.point[self.cells :], self.point[self.cells :]):
            return None
        if not (np.array_equal(grid.joined_start, self.joined_start) and np.array_equal(grid.joined, self.joined)):
            return None
        gone = np.zeros(grid.points, np.uint8)
        own = self.point[: self.cells] != grid.point[: self.cells]
        gone[: self.cells] = own.any(axis=1) | (self.usable != grid.usable) | (self.links != grid.links)
        wide = (RINGS + 2) * ROOT * self.size
        boxes = np.column_stack([least - wide, most + wide])
        return FlowChange(self, grid, boxes, touched, gone)

    def _within(self, boxes: Floats, more: float) -> NDArray[np.uint8]:
        """1 for the cells that boxes (b, 4) reach, `more` beyond their sides."""
        found = np.zeros((self.rows, self.columns), np.uint8)
        for left, low, right, high in boxes.tolist():
            columns = [column_of(value, self.x, self.size, self.columns) for value in (left - more, right + more)]
            rows = [column_of(value, self.y, self.size, self.rows) for value in (low - more, high + more)]
            found[rows[0] : rows[1] + 1, columns[0] : columns[1] + 1] = 1
        return found.reshape(-1)

    def widened(self, cells: NDArray[np.uint8], rings: int) -> NDArray[np.uint8]:
        """1 for the cells that are marked, and for those round them."""
        found = cells.reshape(self.rows, self.columns).copy()
        for _ in range(rings):
            found[1:] |= found[:-1].copy()
            found[:-1] |= found[1:].copy()
            found[:, 1:] |= found[:, :-1].copy()
            found[:, :-1] |= found[:, 1:].copy()
        return found.reshape(-1)

    @property
    def slack(self) -> float:
        """What rounding may take off a reach (m)."""
        return SLACK * self.size

    @property
    def cells(self) -> int:
        """How many cells there are."""
        return self.columns * self.rows

    @property
    def points(self) -> int:
        """How many points there are, those of cells where no centre may be counted."""
        return len(self.point)

    def points_of(self, cell: int) -> list[int]:
        """The numbers of the points in a cell."""
        if self.points == self.cells:
            return [cell]
        return [cell, *range(self.cells + int(self.narrow[cell]), self.cells + int(self.narrow[cell + 1]))]

    def points_round(self, column: int, row: int, rings: int) -> list[int]:
        """The numbers of the points in the cells round one."""
        return [
            number
            for other in range(max(row - rings, 0), min(row + rings, self.rows - 1) + 1)
            for across in range(max(column - rings, 0), min(column + rings, self.columns - 1) + 1)
            for number in self.points_of(other * self.columns + across)
        ]

    def sight(self) -> tuple[Any, ...]:
        """What the kernels take for a look from point to point, in their order."""
        return (
            self.x, self.y, self.size, self.columns, self.rows, self.open_plane, self.kind, self.start, self.items,
            self.segments, self.reach, self.slack,
        )  # fmt: skip


@dataclass(frozen=True, eq=False)
class FlowChange:
    """What a grid has become: `boxes` (b, 4) outside which everything is seen that was; `touched` uint8 (cells,) near
    what has come or gone; `gone` uint8 (points,) that are elsewhere, or are linked with others than before.
    """

    before: FlowGrid
    grid: FlowGrid
    boxes: Floats
    touched: NDArray[np.uint8]
    gone: NDArray[np.uint8]


def _other_rows(one: Floats, other: Floats) -> Floats:
    """Rows that only one of both has, in the order of their numbers."""
    shared = min(len(one), len(other))
    # mostly they begin and end alike
    first = int(np.append((one[:shared] != other[:shared]).any(axis=1), True).argmax())
    rest = shared - first
    same = (one[len(one) - rest :] == other[len(other) - rest :]).all(axis=1)
    last = int(np.append(~same[::-1], True).argmax())
    parts = [{tuple(row) for row in rows[first : len(rows) - last].tolist()} for rows in (one, other)]
    return np.array(sorted(parts[0] ^ parts[1])).reshape(-1, one.shape[1])


def _size(radius: float, extent: float) -> float:
    """The side of a cell that suits a surface of some extent and discs of some radius: a power of two (m)."""
    fitting = extent / COARSEST if extent > 0.0 else 1.0
    wanted = min(radius, fitting) if radius > 0.0 else extent / FINEST
    size = 1.0
    while size > wanted and size > 1e-6:
        size *= 0.5
    while 2.0 * size <= wanted:
        size *= 2.0
    return size
