"""Free places: where the centre of a disc that cannot stay where it is may go, as near as there is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import shapely
from numpy.typing import NDArray

from orca_core.geometry.clear_area import boundaries_of, clear_of, shrunk_area
from orca_core.geometry.inside import bounds_of
from orca_core.geometry.obstacles import Obstacle
from orca_core.geometry.overlay import common
from orca_core.geometry.rings import polygonal
from orca_core.geometry.walkable import WalkableSet

__all__ = ["nearest_free"]

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

# how far is looked at first, in radii, and how much farther each time that this was not enough
FIRST_LOOK = 8.0
FARTHER = 4.0
# what a point without a radius looks at first, as a part of the largest coordinate
LEAST_LOOK = 1e-6


def nearest_free(
    walkable: WalkableSet, obstacles: Sequence[Obstacle], radius: float, merge_collinear: bool, points: Floats
) -> tuple[Floats, Flags]:
    """For each of the points (k, 2) the nearest one that the centre of a disc of `radius` may take, and whether there
    is any.

    Free is what is walkable for the radius, keeps it from every wall and lies in no closed obstacle. Only what stands
    around the points is looked at, and more where that is not enough, so that it costs little in a large world.
    """
    bounds = bounds_of(obstacles)
    surface, cut = shrunk_area(boundaries_of(walkable, radius, merge_collinear)) if len(walkable) else (None, [])
    if surface is not None and surface.is_empty:
        return points.copy(), np.zeros(len(points), np.bool_)
    low, high = points.min(axis=0), points.max(axis=0)
    # what obstacles take off reaches no farther than this, facets included; around all of it the plane is free
    taken = 2.0 * radius + LEAST_LOOK * max(1.0, float(np.abs(bounds).max(initial=0.0)))
    whole = shapely.box(*_around(bounds, points, taken)) if surface is None else shapely.envelope(surface)
    reach = FIRST_LOOK * radius + LEAST_LOOK * max(1.0, float(np.abs(points).max()))
    while True:
        near = ((bounds[:, :2] <= high + reach + taken) & (bounds[:, 2:] >= low - reach - taken)).all(axis=1)
        window = shapely.box(*(low - reach), *(high + reach))
        room = polygonal(window if surface is None else common(surface, window))
        seen = [one for one, close in zip(obstacles, near, strict=True) if close]
        places, found = _nearest(clear_of(room, seen, radius, list(cut)), points)
        # what lies beyond the window is farther than `reach`, unless there is nothing beyond it
        apart = np.sqrt(((places - points) ** 2).sum(axis=1))
        if (found & (apart <= reach)).all() or (near.all() and shapely.covers(window, whole)):
            return places, found
        reach *= FARTHER


def _around(bounds: Floats, points: Floats, margin: float) -> Floats:
    """Low and high x and y of what lies within `margin` of some boxes (m, 4) and points (k, 2)."""
    low = np.concatenate([bounds[:, :2], points]).min(axis=0)
    high = np.concatenate([bounds[:, 2:], points]).max(axis=0)
    return np.concatenate([low - margin, high + margin])


def _nearest(area: Any, points: Floats) -> tuple[Floats, Flags]:
    """The point of an area nearest to each of some points (k, 2), and whether there is one."""
    if area.is_empty:
        return points.copy(), np.zeros(len(points), np.bool_)
    shapely.prepare(area)
    lines = shapely.shortest_line(area, shapely.points(points))
    ends: Floats = shapely.get_coordinates(lines).reshape(-1, 2, 2)[:, 0]
    return ends, np.ones(len(points), np.bool_)
