"""Clear area: where the centre of a disc may be, for whoever looks for a way.

One rule with the solver: the walkable areas shrunk by the radius are the very boundaries of a step, `clearance` on top;
obstacles take off a strip as wide as the radius on both sides, with facets at their ends and corners as fine as those
of shrinking: never nearer than the radius, and farther by at most 2 %. What a closed obstacle surrounds is not
walkable, and a gap that is wide enough and yet no passage is cut across (see orca_core.geometry.passages). Where there
is no walkable area the plane is, as a square around the origin.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import shapely
from numpy.typing import NDArray

from orca_core.geometry.boundaries import Boundaries
from orca_core.geometry.obstacles import Obstacle, ObstacleSet
from orca_core.geometry.passages import narrow_gaps
from orca_core.geometry.rings import polygonal, polygons_of, without_slivers
from orca_core.geometry.shrink import FACET_COSINE
from orca_core.geometry.walkable import WalkableSet
from orca_core.kernels.clearance import kept_clear

__all__ = ["boundaries_of", "clear_area", "clear_of", "plane_extent", "shrunk_area"]

Floats = NDArray[np.float64]
Shapes = NDArray[np.object_]

# walls have no width, but nobody walks through them: what a disc of radius 0 keeps from them
LEAST_CLEARANCE = 1e-6
# what is thinner than this on average, and than rounding, is no place for a centre
THINNEST = 1e-9
ROUNDING = 16.0 * 2.0**-52
# half the width of a cut across a gap, at least, in multiples of rounding
CUT = 100.0


def clear_area(
    walkable: WalkableSet, obstacles: ObstacleSet, radius: float, merge_collinear: bool, extent: float
) -> Any:
    """MultiPolygon of the points that the centre of a disc of `radius` may take; `extent` is half the side of the
    plane where there are no walkable areas.
    """
    acting = obstacles.acting()
    walls = np.concatenate([np.empty((0, 4)), *(one.segments() for one in acting)])
    kept, taken = np.full(len(walls), kept_clear(radius)), np.zeros(len(walls))
    if len(walkable):
        boundaries = boundaries_of(walkable, radius, merge_collinear)
        area, cut = shrunk_area(boundaries)
        walls = np.concatenate([walls, boundaries.edges])
        kept = np.concatenate([kept, kept_clear(radius) + boundaries.edge_clearance])
        taken = np.concatenate([taken, np.full(len(boundaries.edges), kept_clear(radius))])
    else:
        area, cut = shapely.MultiPolygon([shapely.box(-extent, -extent, extent, extent)]), []
    if len(walls):
        noise = THINNEST + ROUNDING * float(np.abs(walls).max())
        across = narrow_gaps(walls, kept, taken, noise)
        if len(across):
            cut = [*cut, _capsules(across, max(LEAST_CLEARANCE, CUT * noise))]
    return clear_of(area, acting, radius, cut)


def clear_of(area: Any, items: Sequence[Obstacle], radius: float, cut: list[Shapes]) -> Any:
    """MultiPolygon of what of an area the shapes of `cut` leave, and a disc around obstacles that act."""
    cut = list(cut)
    if items:
        cut.append(
            _capsules(np.concatenate([one.segments() for one in items]), max(kept_clear(radius), LEAST_CLEARANCE))
        )
        cut.append(np.array([shapely.Polygon(one.points) for one in items if one.closed], object))
    if not cut or area.is_empty:
        return area
    rest = polygonal(area.difference(shapely.union_all(np.concatenate(cut))))
    noise = THINNEST + ROUNDING * float(np.abs(shapely.bounds(area)).max())
    tidy = polygons_of(without_slivers(rest, noise), True)
    return shapely.MultiPolygon([(rings[0], rings[1:]) for rings in tidy])


def plane_extent(obstacles: ObstacleSet, *points: tuple[float, float], radius: float) -> float:
    """Half the side of a plane that holds obstacles and points with room to pass on every side: a power of two, so that
    most questions have the same.
    """
    largest = max([1.0, *(abs(value) for point in points for value in point)])
    for one in obstacles.items():
        largest = max(largest, float(np.abs(one.points).max()))
    extent = 1.0
    while extent < 2.0 * largest + 4.0 * radius:
        extent *= 2.0
    return extent


def boundaries_of(walkable: WalkableSet, radius: float, merge_collinear: bool) -> Boundaries:
    """The boundaries of a step for one radius."""
    # a copy keeps what was shrunk before, and the set of the world is not touched
    return walkable.copy().compile(np.array([radius]), merge_collinear)


def shrunk_area(boundaries: Boundaries) -> tuple[Any, list[Shapes]]:
    """The area within the boundaries of a step for one radius, and what their clearance takes off it."""
    edges = boundaries.edges
    if not len(edges):
        return shapely.MultiPolygon(), []
    # rings lie one after the other; each ends where the next edge is not the following one
    last = np.flatnonzero(boundaries.following != np.arange(len(edges)) + 1)
    rings = [shapely.linearrings(part[:, :2]) for part in np.split(edges, last + 1) if len(part)]
    area = polygonal(shapely.build_area(shapely.geometrycollections(rings)))
    wide = boundaries.edge_clearance > 0.0
    return area, [_capsules(edges[wide], boundaries.edge_clearance[wide])] if wide.any() else []


def _capsules(segments: Floats, radius: float | Floats) -> Shapes:
    """Polygons around segments (m, 4): every side is a tangent of the disc of `radius` (one, or (m,)) around an end,
    the long ones at exactly the radius.
    """
    start, end = segments[:, :2], segments[:, 2:]
    ahead = end - start
    ahead /= np.sqrt((ahead**2).sum(axis=1))[:, None]
    reach = np.broadcast_to(np.asarray(radius, np.float64), len(segments))[:, None]
    # the corners of the half disc ahead, from right to left, by turning half a facet and then whole ones
    cosine, sine = FACET_COSINE, np.sqrt(1.0 - FACET_COSINE * FACET_COSINE)
    half = sine / (1.0 + cosine)
    side = np.stack([ahead[:, 1], -ahead[:, 0]], axis=1)
    corners = []
    for _ in range(8):
        left = np.stack([-side[:, 1], side[:, 0]], axis=1)
        corners.append(side + half * left)
        side = cosine * side + sine * left
    ring = [end + reach * corner for corner in corners] + [start - reach * corner for corner in corners]
    capsules: Shapes = shapely.polygons(np.stack(ring, axis=1))
    return capsules
