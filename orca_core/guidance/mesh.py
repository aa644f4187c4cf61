"""Mesh: triangles that are asked where points lie, and what of them is nearest to a point."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from orca_core.guidance.planner import Point
from orca_core.guidance.tiles import Piece, Tiling
from orca_core.kernels.mesh_tiles import assemble, components_at, find_components, locate_on_tiles, nearest_edge
from orca_core.kernels.tree import STACK
from orca_core.tree import BoxTree

__all__ = ["Mesh", "Place"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

# a point beside the surface by rounding is on it: nearer than this, and than this part of the largest coordinate
TOUCH = 1e-9
ROUNDING = 16.0 * 2.0**-52

# a point of the surface and the triangles that have it
Place = tuple[Point, tuple[int, ...]]


class Mesh:
    """The clear area of one radius, cut into triangles. Not safe for two threads at once."""

    def __init__(self, tiling: Tiling, pieces: Sequence[Piece], touch: float) -> None:
        """Join the pieces of all tiles, row by row, whose borders agree but for `touch`."""
        self.vertices = np.concatenate([piece.vertices for piece in pieces])
        self.triangles = np.concatenate([piece.triangles for piece in pieces])
        self.across = np.concatenate([piece.across for piece in pieces])
        self._tiling = tiling
        self._start = _starts([len(piece.triangles) for piece in pieces])
        place = np.concatenate([piece.place for piece in pieces])
        numbers = np.repeat(np.arange(len(pieces)), [len(piece.place) for piece in pieces])
        # of each side of each tile
        counts = np.bincount(4 * numbers + place[:, 0], minlength=4 * len(pieces))
        self.corner = np.empty(len(self.vertices), np.uint8)
        assemble(
            self._start, _starts([len(piece.vertices) for piece in pieces]), len(tiling.columns) - 1,
            len(tiling.rows) - 1, self.triangles, self.across, _starts(counts.tolist()), place,
            np.concatenate([piece.span for piece in pieces]), touch, self.corner,
        )  # fmt: skip
        self.component = np.empty(len(self.triangles), np.int64)
        find_components(self.across, self.component, np.empty(len(self.triangles), np.int64))
        # memory of one number a vertex for whoever walks over it
        self.walked_to = np.empty(len(self.vertices))
        self._found = np.empty(16, np.int64)
        # the edges at the boundary, and the component that each belongs to
        triangle, edge = np.nonzero(self.across < 0)
        ends = self.vertices[self.triangles[triangle, edge]], self.vertices[self.triangles[triangle, (edge + 1) % 3]]
        self._edges = np.concatenate(ends, axis=1)
        self._edge_component = self.component[triangle]
        # trees over those of one component, or of all, made when first asked for
        self._trees: dict[int | None, tuple[Any, ...]] = {}
        largest = float(np.abs(self.vertices).max()) if len(self.vertices) else 0.0
        self.touch = TOUCH + ROUNDING * largest

    def __len__(self) -> int:
        """Number of triangles."""
        return len(self.triangles)

    def place(self, point: Point) -> Place | None:
        """Where on the surface a point lies, moved onto it where only rounding has put it beside; None off it."""
        if not len(self):
            return None
        count = self._locate(point)
        if count > len(self._found):
            self._found = np.empty(count, np.int64)
            self._locate(point)
        if count:
            return point, tuple(self._found[:count].tolist())
        nearest = self.nearest(point)
        if nearest is None or not _near(point, nearest, self.touch):
            return None
        # what was moved lies on an edge but for rounding, so that no triangle need have it: the nearest one does
        a, b, c = (self.vertices[self.triangles[:, k]] for k in range(3))
        away = [_apart(a, b, nearest), _apart(b, c, nearest), _apart(c, a, nearest)]
        return nearest, (int(np.argmin(np.min(away, axis=0))),)

    def components_at(self, points: Floats) -> Integers:
        """The component in which each of some points (m, 2) lies, one of them where it lies in several; -1 off all."""
        found = np.empty(len(points), np.int64)
        tiling = self._tiling
        components_at(
            np.ascontiguousarray(points), tiling.columns, tiling.rows, self._start, self.vertices, self.triangles,
            self.component, np.empty(1, np.int64), found,
        )  # fmt: skip
        return found

    def _locate(self, point: Point) -> int:
        """Find the triangles that have a point; how many there are."""
        tiling = self._tiling
        return int(
            locate_on_tiles(
                *point, tiling.columns, tiling.rows, self._start, self.vertices, self.triangles, self._found
            )
        )

    def nearest(self, point: Point, component: int | None = None) -> Point | None:
        """The point of the surface, or of one component of it, on its boundary that is nearest to one off it."""
        found = self._trees.get(component)
        if found is None:
            edges = self._edges if component is None else self._edges[self._edge_component == component]
            tree = BoxTree.over_segments(edges)
            found = (edges, tree.nodes, tree.leaves, tree.order, tree.boxes, np.empty(STACK, np.int64))
            self._trees[component] = found
        number, x, y = nearest_edge(*point, *found)
        return None if number < 0 else (x, y)


def _starts(counts: Sequence[int]) -> Integers:
    """Where each of several parts begins, and the end of the last."""
    return np.array([0, *accumulate(counts)], np.int64)


def _feet(a: Floats, b: Floats, point: Point) -> Floats:
    """The points of segments a-b (m, 2) nearest to a point."""
    along = b - a
    part = ((np.asarray(point) - a) * along).sum(axis=1) / (along**2).sum(axis=1)
    part = np.clip(part, 0.0, 1.0)[:, None]
    # from the nearer end, so that an end is met exactly
    feet: Floats = np.where(part <= 0.5, a + part * along, b - (1.0 - part) * along)
    return feet


def _apart(a: Floats, b: Floats, point: Point) -> Floats:
    """Squared distances of a point from segments a-b (m, 2)."""
    squares: Floats = ((_feet(a, b, point) - point) ** 2).sum(axis=1)
    return squares


def _near(a: Point, b: Point, distance: float) -> bool:
    return (a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2 <= distance * distance
