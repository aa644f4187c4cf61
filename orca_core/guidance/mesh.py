"""Mesh: a triangulation that is asked where points lie, and what of it is nearest to them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from orca_core.geometry.triangulation import Triangulation
from orca_core.guidance.planner import Point
from orca_core.kernels.interval_search import locate

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

    def __init__(self, cut: Triangulation) -> None:
        """Keep what the search walks over, and memory of one number a vertex for it."""
        self.vertices = np.ascontiguousarray(cut.vertices)
        self.triangles = np.ascontiguousarray(cut.triangles)
        self.across = np.ascontiguousarray(cut.across)
        self.walked_to = np.empty(len(cut.vertices))
        self._found = np.empty(16, np.int64)
        self.component = cut.component
        self._corners = cut.vertices[cut.triangles]
        # the edges at the boundary, and the component that each belongs to
        triangle, edge = np.nonzero(cut.across < 0)
        self._edges = np.stack([self._corners[triangle, edge], self._corners[triangle, (edge + 1) % 3]], axis=1)
        self._edge_component = cut.component[triangle]
        largest = float(np.abs(cut.vertices).max()) if len(cut.vertices) else 0.0
        self.touch = TOUCH + ROUNDING * largest

    def __len__(self) -> int:
        """Number of triangles."""
        return len(self.triangles)

    def place(self, point: Point) -> Place | None:
        """Where on the surface a point lies, moved onto it where only rounding has put it beside; None off it."""
        if not len(self):
            return None
        count = locate(*point, self.vertices, self.triangles, self._found)
        if count > len(self._found):
            self._found = np.empty(count, np.int64)
            locate(*point, self.vertices, self.triangles, self._found)
        if count:
            return point, tuple(self._found[:count].tolist())
        a, b, c = (self._corners[:, k] for k in range(3))
        nearest = self.nearest(point)
        if nearest is None or not _near(point, nearest, self.touch):
            return None
        # what was moved lies on an edge but for rounding, so that no triangle need have it: the nearest one does
        away = [_apart(a, b, nearest), _apart(b, c, nearest), _apart(c, a, nearest)]
        return nearest, (int(np.argmin(np.min(away, axis=0))),)

    def nearest(self, point: Point, component: int | None = None) -> Point | None:
        """The point of the surface, or of one component of it, on its boundary that is nearest to one off it."""
        edges = self._edges if component is None else self._edges[self._edge_component == component]
        if not len(edges):
            return None
        feet = _feet(edges[:, 0], edges[:, 1], point)
        k = int(np.argmin(((feet - point) ** 2).sum(axis=1)))
        return float(feet[k, 0]), float(feet[k, 1])


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
