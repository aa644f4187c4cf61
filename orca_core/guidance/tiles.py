"""Tiles: the clear area of one radius, cut into triangles square by square, so that a change costs what it touches.

Where the lines between tiles are depends on the geometry alone, doors counted whether they stand open or not, and what
is in a tile on what stands near it: the mesh of a world is the same however the world came about. A tile is cut again
only where something near it has changed, and what was there before is known for a while: a door that opens and closes
costs the joining of its neighbours alone.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from operator import is_
from typing import Any

import numpy as np
from numpy.typing import NDArray

from orca_core.geometry.clear_area import Surface
from orca_core.geometry.obstacles import Obstacle
from orca_core.geometry.tile_areas import on_the_lines, parts_within
from orca_core.geometry.triangulation import Triangulation, triangulated
from orca_core.kernels.mesh_tiles import border_edges, split_at

__all__ = ["ROOM", "Box", "Cuts", "Piece", "Tiling"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Box = tuple[float, float, float, float]
# the obstacles near a tile, its triangles, and its vertices on each side as ascending places along it
Cut = tuple[tuple[Obstacle, ...], Triangulation, list[Floats]]

# segments of what stands in one tile, about; and below how many there is one tile alone
SEGMENTS = 16.0
FEW = 96
# tiles in a row or a column, at most
MOST = 64
# the part of a tile's side by which its lines are beside whole multiples of it, where walls like to stand
ASIDE = 0.3819660112501051
# what is known of a tile: so many states for each storey; and of obstacles that stood once, so many beyond as many as
# stand
KEPT = 4
ROOM = 1024
# computed twice, a point on a line between tiles differs by less than this and than rounding
TOUCH = 8e-9
ROUNDING = 64.0 * 2.0**-52
NOTHING = np.empty(0)


@dataclass(frozen=True)
class Tiling:
    """Where the tiles are: `columns` (c + 1,) and `rows` (r + 1,), the ascending lines between which they lie."""

    columns: Floats
    rows: Floats

    @classmethod
    def over(cls, bounds: Box, segments: int, busy: Box) -> Tiling:
        """Tiles over `bounds`, for so many segments that stand within the box `busy`; around that they are as large as
        they can be.
        """
        left, bottom, right, top = bounds
        if segments < FEW:
            return cls(np.array([left, right]), np.array([bottom, top]))
        wide, high = max(busy[2] - busy[0], 1e-9), max(busy[3] - busy[1], 1e-9)
        wanted = math.sqrt(wide * high * SEGMENTS / segments)
        least = max(wide, high) / (MOST - 4)
        # a power of two or the middle between two, so that what is added seldom changes it
        side = 2.0 ** math.floor(math.log2(max(wanted, least)))
        while side < max(wanted, least):
            side *= 1.5 if math.frexp(side)[0] == 0.5 else 4.0 / 3.0
        return cls(_lines(left, right, side, busy[0], busy[2]), _lines(bottom, top, side, busy[1], busy[3]))

    def __len__(self) -> int:
        """Number of tiles."""
        return (len(self.columns) - 1) * (len(self.rows) - 1)

    def same(self, other: Tiling) -> bool:
        """Whether another one has the very same lines."""
        return np.array_equal(self.columns, other.columns) and np.array_equal(self.rows, other.rows)

    def box(self, tile: int) -> Box:
        """Left, bottom, right and top of a tile."""
        row, column = divmod(tile, len(self.columns) - 1)
        return (
            float(self.columns[column]), float(self.rows[row]), float(self.columns[column + 1]),
            float(self.rows[row + 1]),
        )  # fmt: skip

    def near(self, boxes: Floats, reach: float) -> list[list[int]]:
        """For each tile the numbers of the boxes (m, 4) that come within `reach` of it, ascending."""
        found: list[list[int]] = [[] for _ in range(len(self))]
        if not len(boxes):
            return found
        wide = len(self.columns) - 1
        # the far line of the first tile is not before the box, the near line of the last one not behind it
        first_column = np.searchsorted(self.columns[1:-1], boxes[:, 0] - reach, side="left")
        last_column = np.searchsorted(self.columns[1:-1], boxes[:, 2] + reach, side="right")
        first_row = np.searchsorted(self.rows[1:-1], boxes[:, 1] - reach, side="left")
        last_row = np.searchsorted(self.rows[1:-1], boxes[:, 3] + reach, side="right")
        spans = np.stack([first_column, last_column, first_row, last_row], axis=1).tolist()
        for number, (left, right, bottom, top) in enumerate(spans):
            for row in range(bottom, top + 1):
                for column in range(left, right + 1):
                    found[row * wide + column].append(number)
        return found


def _lines(low: float, high: float, side: float, first: float, last: float) -> Floats:
    """From low to high, and between them a line every `side` from `first` to `last`, but for those right beside the
    ends.
    """
    between = [(k + ASIDE) * side for k in range(math.floor(first / side) - 1, math.ceil(last / side) + 1)]
    return np.array([low, *(line for line in between if low + 0.25 * side < line < high - 0.25 * side), high])


@dataclass(frozen=True, eq=False)
class Piece:
    """The triangles of one tile: `vertices` (v, 2), `triangles` and `across` int64 (t, 3), numbered within the tile,
    and its edges on each side, ascending: `place` int64 (e, 3) of side, triangle and edge, `span` (e, 2) along it.
    """

    vertices: Floats
    triangles: Integers
    across: Integers
    place: Integers
    span: Floats

    @classmethod
    def of(cls, cut: Triangulation, box: Box, beside: Sequence[Floats], touch: float) -> Piece:
        """A cut joined to its neighbours: `beside` are the vertices of each of the four on its side of the border."""
        room = sum(len(points) for points in beside)
        vertices, triangles, across = cut.vertices, cut.triangles, cut.across
        count = len(triangles)
        if room and count:
            vertices = np.concatenate([vertices, np.empty((room, 2))])
            triangles = np.concatenate([triangles, np.empty((room, 3), np.int64)])
            across = np.concatenate([across, np.empty((room, 3), np.int64)])
            for side, (points, line) in enumerate(zip(beside, (box[0], box[2], box[1], box[3]), strict=True)):
                if len(points):
                    more = split_at(
                        vertices, len(cut.vertices) + count - len(cut.triangles), triangles, across, count, side, *box,
                        touch, points, line,
                    )  # fmt: skip
                    count += more
            vertices = np.ascontiguousarray(vertices[: len(cut.vertices) + count - len(cut.triangles)])
            triangles, across = np.ascontiguousarray(triangles[:count]), np.ascontiguousarray(across[:count])
        place, span = np.empty((3 * count, 3), np.int64), np.empty((3 * count, 2))
        edges = border_edges(vertices, triangles, across, *box, place, span) if count else 0
        order = np.lexsort((span[:edges, 0], place[:edges, 0]))
        return cls(vertices, triangles, across, place[order], span[order])


class Cuts:
    """What was cut so far of one radius, for whoever plans for it now; not safe for two threads at once."""

    def __init__(self, surface: Surface, tiling: Tiling) -> None:
        """Nothing is cut yet."""
        self.surface, self.tiling = surface, tiling
        largest = max(float(np.abs(tiling.columns).max()), float(np.abs(tiling.rows).max()))
        self.touch = TOUCH + ROUNDING * largest
        self._cuts: list[list[Cut]] = [[] for _ in range(len(tiling))]

        self._pieces: dict[int, list[tuple[tuple[Any, ...], Piece]]] = {}
        self._taken: dict[int, tuple[Obstacle, Any]] = {}
        self._parts = parts_within(surface.area, [tiling.box(tile) for tile in range(len(tiling))])
        self._edges = tiling.near(_boxes(surface.edges), surface.reach)

    def pieces(self, acting: Sequence[Obstacle], boxes: Floats, storeys: int = 1) -> list[Piece]:
        """The pieces of all tiles, row by row, with what acts now, whose boxes are (m, 4); what is known of a tile is
        remembered for so many storeys.
        """
        near = self.tiling.near(boxes, self.surface.reach)
        if len(self._taken) > 2 * len(acting) + ROOM:
            # most of them are gone
            self._taken.clear()
        whole = [self._cut(tile, tuple(acting[k] for k in numbers), storeys) for tile, numbers in enumerate(near)]
        wide, count = len(self.tiling.columns) - 1, len(self.tiling)
        found = []
        for tile, (_, cut, _) in enumerate(whole):
            column = tile % wide
            left = whole[tile - 1][2][1] if column > 0 else NOTHING
            right = whole[tile + 1][2][0] if column < wide - 1 else NOTHING
            bottom = whole[tile - wide][2][3] if tile >= wide else NOTHING
            top = whole[tile + wide][2][2] if tile + wide < count else NOTHING
            made_of = (cut, left, right, bottom, top)
            known = self._pieces.setdefault(tile, [])
            piece = next((piece for parts, piece in known if all(map(is_, parts, made_of))), None)
            if piece is None:
                piece = Piece.of(cut, self.tiling.box(tile), (left, right, bottom, top), self.touch)
                known.insert(0, (made_of, piece))
                del known[storeys:]
            found.append(piece)
        return found

    def _cut(self, tile: int, standing: tuple[Obstacle, ...], storeys: int) -> Cut:
        """The triangles of a tile with these obstacles near it, and its vertices on each side, ascending."""
        known = self._cuts[tile]
        for number, entry in enumerate(known):
            if len(entry[0]) == len(standing) and all(map(_same, entry[0], standing)):
                if number:
                    known.insert(0, known.pop(number))
                return entry
        box = self.tiling.box(tile)
        area = self._parts[tile]
        if len(self.tiling) > 1 and not area.is_empty:
            near = np.zeros(len(self.surface.edges), np.bool_)
            near[self._edges[tile]] = True
            taken = [self._taken_by(one) for one in standing]
            area = on_the_lines(self.surface.clear(area, standing, near, taken), box, self.touch)
        elif not area.is_empty:
            area = self.surface.clear(area, standing)
        cut = triangulated(area)
        sides = _sides(cut.vertices, box) if len(self.tiling) > 1 else [NOTHING] * 4
        known.insert(0, (standing, cut, sides))
        del known[KEPT * storeys :]
        return known[0]

    def _taken_by(self, obstacle: Obstacle) -> Any:
        """What an obstacle takes off, found out once."""
        known = self._taken.get(id(obstacle.points))
        if known is None or not _same(known[0], obstacle):
            known = self._taken[id(obstacle.points)] = (obstacle, self.surface.taken(obstacle))
        return known[1]


def _same(one: Obstacle, other: Obstacle) -> bool:
    """Whether two obstacles stand in the same place: a door that was opened and closed has its points as they were."""
    return one.points is other.points and one.closed == other.closed


def _boxes(segments: Floats) -> Floats:
    """The boxes (m, 4) of segments."""
    return np.concatenate(
        [np.minimum(segments[:, :2], segments[:, 2:]), np.maximum(segments[:, :2], segments[:, 2:])], axis=1
    )


def _sides(vertices: Floats, box: Box) -> list[Floats]:
    """The vertices on each side of a tile, left, right, bottom, top, as ascending places along it."""
    found = []
    for axis, line in ((0, box[0]), (0, box[2]), (1, box[1]), (1, box[3])):
        found.append(np.sort(vertices[vertices[:, axis] == line, 1 - axis]))
    return found
