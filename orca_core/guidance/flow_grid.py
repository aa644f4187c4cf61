"""Flow grid: the cells over a surface for discs of one radius, from which flow fields to any goals are made.

It stands on the walls and boundaries of a step themselves, to the bit, and on plain arithmetic alone: equal statics
have equal grids, on any machine and whatever library shrank the areas.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from orca_core.guidance.storeys import EVERY_HEIGHT, Heights
from orca_core.kernels.clearance import MARGIN, kept_clear
from orca_core.kernels.flow_grid import label_cells, link_cells, list_items, mark_outside, place_points
from orca_core.kernels.flow_sight import BLOCKED
from orca_core.kernels.orientation import WORK
from orca_core.kernels.tree import STACK
from orca_core.statics import Statics
from orca_core.tree import BoxTree

__all__ = ["FlowGrid", "Standing"]

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
# cells beyond the walls in an open plane, where ways lead round
AROUND = 3


@dataclass(frozen=True, eq=False)
class Standing:
    """What stands for discs of one radius: `walls` (m, 4), and the directed edges (e, 4) within which centres are, with
    what they keep from each; `edges` is None in an open plane.
    """

    radius: float
    walls: Floats
    edges: Floats | None
    clearance: Floats

    @classmethod
    def of(cls, statics: Statics, radius: float, heights: Heights = EVERY_HEIGHT) -> Standing:
        """What stands in a world at some heights; the radius must be one of those that the statics were made for."""
        bounds, walls = statics.boundaries, statics.walls
        if len(statics.wall_range):
            low, high = heights
            met = (statics.wall_range[:, 0] <= high) & (low <= statics.wall_range[:, 1])
            walls = np.ascontiguousarray(walls[met])
        if not len(bounds.class_radius):
            return cls(radius, walls, None, np.empty(0))
        group = int(np.searchsorted(bounds.class_radius, radius))
        first, last = bounds.class_start[group : group + 2].tolist()
        return cls(radius, walls, np.ascontiguousarray(statics.edges[first:last]), bounds.edge_clearance[first:last])

    @property
    def anything(self) -> bool:
        """Whether anything stands at all; else every way is straight."""
        return bool(len(self.walls)) or self.edges is not None

    def fingerprint(self) -> tuple[bytes, ...]:
        """Equal for what stands in the same places, in whatever order."""
        edges = np.empty((0, 5)) if self.edges is None else np.column_stack([self.edges, self.clearance])
        return (*(_sorted(part).tobytes() for part in (self.walls, edges)), bytes([self.edges is None]))


def _sorted(rows: Floats) -> Floats:
    """Rows in the order of their numbers."""
    return np.ascontiguousarray(rows[np.lexsort(rows.T)])


@dataclass(frozen=True, eq=False)
class FlowGrid:
    """Cells row by row from the corner (x, y), each `size` wide; ways keep at most `margin` beyond what centres must.

    `kind` uint8 (cells,) as the kernels name them; `items` int32, those from start[c] to start[c + 1] the numbers of
    the `segments` (m, 4) that are near cell c, each with the `reach` (m,) that centres keep from it; `point` (cells, 2)
    where a centre may be, if `usable`; `links` uint8 the neighbours that it sees; `component` int32 equal where there
    is a way, -1 where none begins.
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
    point: Floats
    usable: NDArray[np.uint8]
    links: NDArray[np.uint8]
    component: NDArray[np.int32]
    components: int

    @classmethod
    def over(cls, standing: Standing, *, size: float | None = None, cells: int = 262_144) -> FlowGrid | None:
        """The grid over what stands; None where nothing does, or no disc of that radius has a place.

        `size` is the side of a cell (m); left out, the power of two at or below the radius, or less where the surface
        is small. In either case it is doubled until there are at most `cells`.
        """
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
        return cls._made(standing, x, y, size, columns, rows)

    @classmethod
    def _made(cls, standing: Standing, x: float, y: float, size: float, columns: int, rows: int) -> FlowGrid:
        """List what is near each cell, place its point, and link those that see each other."""
        edges = np.empty((0, 4)) if standing.edges is None else standing.edges
        open_plane = standing.edges is None
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
        if not open_plane:
            mark_outside(edges, *whole, np.zeros(rows * (columns + 1), np.uint8), kind)
        # a point for each, and who sees whom
        point, usable, links = np.empty((total, 2)), np.zeros(total, np.uint8), np.zeros(total, np.uint8)
        tree = BoxTree.over_segments(edges)
        place_points(
            *whole, open_plane, kind, start, items, segments, reach, edges, tree.nodes, tree.leaves, tree.order,
            tree.boxes, np.empty(STACK, np.int64), np.empty(WORK), point, usable,
        )  # fmt: skip
        link_cells(*whole, open_plane, kind, start, items, segments, reach, slack, point, usable, links)
        component = np.empty(total, np.int32)
        components = label_cells(columns, rows, usable, links, component, np.empty(total, np.int32))
        most = float(margin.max(initial=0.0))
        return cls(
            *whole, open_plane, most, kind, start, items, segments, reach, point, usable, links, component, components
        )

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> FlowGrid:
        """A grid of its fields as arrays; raises KeyError or ValueError where they do not agree."""
        plain = {"float": float, "int": int, "bool": bool}
        whole: dict[str, Any] = {
            one.name: plain[str(one.type)](arrays[one.name])
            if one.type in plain
            else np.ascontiguousarray(arrays[one.name])
            for one in fields(cls)
        }
        grid = cls(**whole)
        cells, count = grid.cells, len(grid.segments)
        if grid.columns < 1 or grid.rows < 1 or not grid.size > 0.0:
            raise ValueError("a grid has no cells")
        shapes = {
            "kind": (cells,), "start": (cells + 1,), "items": (len(grid.items),), "segments": (count, 4),
            "reach": (count,), "point": (cells, 2), "usable": (cells,), "links": (cells,), "component": (cells,),
        }  # fmt: skip
        kinds = {"kind": "u1", "start": "i8", "items": "i4", "usable": "u1", "links": "u1", "component": "i4"}
        for name, shape in shapes.items():
            array = getattr(grid, name)
            if array.shape != shape or array.dtype != np.dtype(kinds.get(name, "f8")):
                raise ValueError(f"{name} of a grid is {array.dtype} {array.shape}")
        start, items, component = grid.start, grid.items, grid.component
        if start[0] != 0 or start[-1] != len(items) or (np.diff(start) < 0).any():
            raise ValueError("the lists of a grid do not follow each other")
        if ((items < 0) | (items >= count)).any() or ((component < -1) | (component >= grid.components)).any():
            raise ValueError("a grid names what is not there")
        return grid

    @property
    def slack(self) -> float:
        """What rounding may take off a reach (m)."""
        return SLACK * self.size

    @property
    def cells(self) -> int:
        """How many cells there are."""
        return self.columns * self.rows

    def sight(self) -> tuple[Any, ...]:
        """What the kernels take for a look from point to point, in their order."""
        return (
            self.x, self.y, self.size, self.columns, self.rows, self.open_plane, self.kind, self.start, self.items,
            self.segments, self.reach, self.slack,
        )  # fmt: skip


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
