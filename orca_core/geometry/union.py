"""Union of areas for one radius: shrunk, joined with what is shrunk already, and cut into attributed edges."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import shapely
from numpy.typing import NDArray

from orca_core.geometry.overlay import united
from orca_core.geometry.rings import polygonal, polygons_of
from orca_core.geometry.shrink import shrunk, wall_lines

__all__ = ["RadiusClass", "Shrinker", "SourceArea"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Lines = NDArray[np.object_]

# an edge came from a line on which its middle lies: but for this, and for this part of the largest coordinate
ON_LINE = 1e-9
ROUNDING = 16.0 * 2.0**-52


@dataclass(frozen=True)
class SourceArea:
    """One area as shapely polygons, and what its edges inherit."""

    id: int
    polygons: list[Any]
    shrunk: bool
    clearance: float
    horizon: float


@dataclass(frozen=True)
class RadiusClass:
    """Edges of one radius, as in `Boundaries`."""

    edges: Floats
    following: Integers
    preceding: Integers
    edge_clearance: Floats
    edge_horizon: Floats
    edge_area: Integers


class Shrinker:
    """The union of some areas, ready to be shrunk by any radius."""

    def __init__(self, sources: Sequence[SourceArea], merge_collinear: bool) -> None:
        """Join the areas that are true walls, and apart from them those that are shrunk already."""
        self._sources = list(sources)
        self._merge = merge_collinear
        self._walls = _union([shape for area in sources if not area.shrunk for shape in area.polygons], merge_collinear)
        self._given = _union([shape for area in sources if area.shrunk for shape in area.polygons], merge_collinear)
        self._wall_lines = wall_lines(self._walls)
        self._wall_owner = _owners(_middles(self._wall_lines), *self._lines_of(False))

    def _lines_of(self, of_shrunk: bool) -> tuple[Lines, Integers]:
        """The boundaries of the areas of one kind as lines, with the position of each one's area."""
        lines: list[Lines] = [np.empty(0, object)]
        owner: list[Integers] = [np.empty(0, np.int64)]
        for k, area in enumerate(self._sources):
            if area.shrunk == of_shrunk:
                lines.append(wall_lines(shapely.MultiPolygon(area.polygons)))
                owner.append(np.full(len(lines[-1]), k, np.int64))
        return np.concatenate(lines), np.concatenate(owner)

    def compile(self, radius: float) -> RadiusClass:
        """The edges of all that a centre of `radius` may take, each with what it has from the area it came from.

        An edge belongs to the area on whose boundary, shrunk by the radius, its middle lies; the first of several.
        """
        inner = shrunk(self._walls, radius)
        if radius > 0.0:
            # where strips and fans were joined is no vertex, whatever becomes of those that the client gave
            inner = _rebuilt(inner, drop_collinear=True)
        whole = inner
        if not self._given.is_empty:
            whole = self._given if inner.is_empty else polygonal(united([inner, self._given]))
        rings = [ring for polygon in polygons_of(whole, self._merge) for ring in polygon]
        edges = [np.hstack([ring, np.roll(ring, -1, axis=0)]) for ring in rings]
        if not edges:
            none, no_index = np.empty(0), np.empty(0, np.int64)
            return RadiusClass(np.empty((0, 4)), no_index, no_index, none, none, no_index)
        starts = np.cumsum([0, *(len(ring) for ring in rings)])[:-1]
        places = [np.arange(len(ring)) for ring in rings]
        owner = self._owners_of(np.concatenate(edges), inner)
        return RadiusClass(
            edges=np.concatenate(edges),
            following=np.concatenate([s + np.roll(p, -1) for s, p in zip(starts, places, strict=True)]),
            preceding=np.concatenate([s + np.roll(p, 1) for s, p in zip(starts, places, strict=True)]),
            edge_clearance=np.array([area.clearance for area in self._sources])[owner],
            edge_horizon=np.array([area.horizon for area in self._sources])[owner],
            edge_area=np.array([area.id for area in self._sources], np.int64)[owner],
        )

    def _owners_of(self, edges: Floats, inner: Any) -> Integers:
        """Positions of the areas from which the edges (e, 4) of the joined boundary came."""
        lines, owner = self._lines_of(True)
        inner_lines = wall_lines(inner)
        if len(inner_lines):
            # a shrunk edge has the area of the wall nearest to its middle
            nearest = _nearest(_middles(inner_lines), self._wall_lines, self._wall_owner)
            lines, owner = np.concatenate([inner_lines, lines]), np.concatenate([nearest, owner])
        middles: Lines = shapely.points(edges[:, :2] * 0.5 + edges[:, 2:] * 0.5)
        return _owners(middles, lines, owner)


def _union(polygons: list[Any], merge_collinear: bool) -> Any:
    """MultiPolygon of all polygons together, in canonical form."""
    if len(polygons) <= 1:
        return shapely.MultiPolygon(polygons)
    return _rebuilt(united(polygons), merge_collinear)


def _rebuilt(shape: Any, drop_collinear: bool) -> Any:
    """The MultiPolygon without the noise of computing."""
    return shapely.MultiPolygon([(rings[0], rings[1:]) for rings in polygons_of(shape, drop_collinear)])


def _middles(lines: Lines) -> Lines:
    """The middles of lines of two points each."""
    points = shapely.get_coordinates(lines).reshape(-1, 2, 2)
    middles: Lines = shapely.points(points[:, 0] * 0.5 + points[:, 1] * 0.5)
    return middles


def _first(pairs: Any, owner: Integers, count: int) -> Integers:
    """For each of `count` points the smallest owner among the lines paired with it; -1 where there is none."""
    best = np.full(count, np.iinfo(np.int64).max)
    np.minimum.at(best, pairs[0], owner[pairs[1]])
    return np.where(best == np.iinfo(np.int64).max, -1, best)


def _nearest(points: Lines, lines: Lines, owner: Integers) -> Integers:
    """The owner of the nearest line for each point; of several equally near the first."""
    return _first(shapely.STRtree(lines).query_nearest(points, all_matches=True), owner, len(points))


def _owners(points: Lines, lines: Lines, owner: Integers) -> Integers:
    """The first owner of a line on which a point lies, else the owner of the nearest line."""
    if not len(points):
        return np.empty(0, np.int64)
    tolerance = ON_LINE + ROUNDING * float(np.abs(shapely.get_coordinates(points)).max())
    tree = shapely.STRtree(lines)
    found = _first(tree.query(points, predicate="dwithin", distance=tolerance), owner, len(points))
    missing = np.flatnonzero(found < 0)
    if len(missing):
        found[missing] = _nearest(points[missing], lines, owner)
    return found
