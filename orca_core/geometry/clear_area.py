"""Clear area: where the centre of a disc may be, for whoever looks for a way.

One rule with the solver: the walkable areas shrunk by the radius are the very boundaries of a step, `clearance` on top;
obstacles take off a strip as wide as the radius on both sides, with facets at their ends and corners as fine as those
of shrinking: never nearer than the radius, and farther by at most 2 %. What a closed obstacle surrounds is not
walkable, and a gap that is wide enough and yet no passage is cut across (see orca_core.geometry.passages). Where there
is no walkable area the plane is, as a square around the origin.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import shapely
from numpy.typing import NDArray

from orca_core.geometry.boundaries import Boundaries
from orca_core.geometry.obstacles import Obstacle, ObstacleSet
from orca_core.geometry.overlay import faces_within, less, united
from orca_core.geometry.passages import narrow_gaps
from orca_core.geometry.rings import polygonal, polygons_of, without_slivers
from orca_core.geometry.shrink import FACET_COSINE
from orca_core.geometry.walkable import WalkableSet
from orca_core.kernels.clearance import kept_clear, narrowest_passage

__all__ = ["Surface", "boundaries_of", "clear_area", "clear_of", "plane_extent", "shrunk_area"]

Floats = NDArray[np.float64]
Shapes = NDArray[np.object_]

# walls have no width, but nobody walks through them: what a disc of radius 0 keeps from them
LEAST_CLEARANCE = 1e-6
# what is thinner than this on average, and than rounding, is no place for a centre
THINNEST = 1e-9
ROUNDING = 16.0 * 2.0**-52
# half the width of a cut across a gap, at least, in multiples of rounding
CUT = 100.0


@dataclass(frozen=True, eq=False)
class Surface:
    """What walkable areas leave to the centre of a disc of `radius`: the boundaries of a step, the area within them
    (None: a plane without areas), `edges` (m, 4) with the `clearance` (m,) that is kept on top, and `cut`, what that
    takes off around edges `wide` int64 (w,).
    """

    radius: float
    area: Any
    edges: Floats
    clearance: Floats
    wide: NDArray[np.int64]
    cut: Shapes

    @classmethod
    def of(cls, walkable: WalkableSet, radius: float, merge_collinear: bool) -> Surface:
        """The surface for discs of one radius."""
        if not len(walkable):
            none = np.empty(0, object)
            return cls(radius, None, np.empty((0, 4)), np.empty(0), np.empty(0, np.int64), none)
        boundaries = boundaries_of(walkable, radius, merge_collinear)
        area, cut = shrunk_area(boundaries)
        wide = np.flatnonzero(boundaries.edge_clearance > 0.0)
        return cls(
            radius, area, boundaries.edges, boundaries.edge_clearance, wide, cut[0] if cut else np.empty(0, object)
        )

    @property
    def reach(self) -> float:
        """From how far what stands has a part in what is clear at a place: farther than that is left out of account."""
        kept = float(kept_clear(self.radius)) + float(self.clearance.max(initial=0.0))
        return 2.0 * (kept + float(narrowest_passage(kept, kept)))

    def clear(
        self,
        area: Any,
        acting: Sequence[Obstacle],
        near: NDArray[np.bool_] | None = None,
        taken_by: Sequence[Any] | None = None,
    ) -> Any:
        """MultiPolygon of what obstacles that act leave of a part of the surface; `near` (m,) are the edges that have
        a part in it, left out: all. `taken_by` is what each obstacle takes off, as `taken` says, where that is known.
        """
        walls = np.concatenate([np.empty((0, 4)), *(one.segments() for one in acting)])
        kept, taken = np.full(len(walls), kept_clear(self.radius)), np.zeros(len(walls))
        edges, clearance, cut = self.edges, self.clearance, [self.cut] if len(self.cut) else []
        if near is not None:
            edges, clearance = edges[near], clearance[near]
            cut = [self.cut[near[self.wide]]] if near[self.wide].any() else []
        if len(edges):
            walls = np.concatenate([walls, edges])
            kept = np.concatenate([kept, kept_clear(self.radius) + clearance])
            taken = np.concatenate([taken, np.full(len(edges), kept_clear(self.radius))])
        if len(walls):
            noise = THINNEST + ROUNDING * float(np.abs(walls).max())
            across = narrow_gaps(walls, kept, taken, noise)
            if len(across):
                cut = [*cut, _capsules(across, max(LEAST_CLEARANCE, CUT * noise))]
        if taken_by is None:
            return clear_of(area, acting, self.radius, cut)
        return clear_of(area, (), self.radius, [*cut, np.array(taken_by, object)] if len(taken_by) else cut)

    def taken(self, obstacle: Obstacle) -> Any:
        """What one obstacle that acts takes off the surface."""
        return united(np.concatenate(_around([obstacle], self.radius)))


def clear_area(
    walkable: WalkableSet, obstacles: ObstacleSet, radius: float, merge_collinear: bool, extent: float
) -> Any:
    """MultiPolygon of the points that the centre of a disc of `radius` may take; `extent` is half the side of the
    plane where there are no walkable areas.
    """
    surface = Surface.of(walkable, radius, merge_collinear)
    area = shapely.MultiPolygon([shapely.box(-extent, -extent, extent, extent)])
    return surface.clear(area if surface.area is None else surface.area, obstacles.acting())


def clear_of(area: Any, items: Sequence[Obstacle], radius: float, cut: list[Shapes]) -> Any:
    """MultiPolygon of what of an area the shapes of `cut` leave, and a disc around obstacles that act."""
    cut = list(cut)
    if items:
        cut += _around(items, radius)
    if not cut or area.is_empty:
        return area
    rest = polygonal(less(area, united(np.concatenate(cut))))
    noise = THINNEST + ROUNDING * float(np.abs(shapely.bounds(area)).max())
    tidy = polygons_of(without_slivers(rest, noise), True)
    return shapely.MultiPolygon([(rings[0], rings[1:]) for rings in tidy])


def _around(items: Sequence[Obstacle], radius: float) -> list[Shapes]:
    """What obstacles take off for discs of one radius: what is near to their walls, and what they surround."""
    walls = np.concatenate([one.segments() for one in items])
    return [
        _capsules(walls, max(kept_clear(radius), LEAST_CLEARANCE)),
        np.array([shapely.Polygon(one.points) for one in items if one.closed], object),
    ]


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
    area = polygonal(faces_within(rings))
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
