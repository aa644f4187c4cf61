"""Shrinking: the part of an area that the centre of a disc of some radius may take.

The library's mitred offset is right to rounding on most polygons, but its simplification of fine ones comes nearer than
the radius by some 1e-6 now and then. What it returns is therefore measured against the walls, and along walls to which
it has come too close a strip as wide as the radius is cut off as well.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import shapely
from numpy.typing import NDArray

from orca_core.geometry.rings import polygonal

__all__ = ["MITRE_LIMIT", "shrunk", "wall_lines"]

# how far from a corner that juts into the area the mitre may reach, in radii: right angles keep their corner, sharper
# ones are bevelled, and nothing comes nearer than the radius
MITRE_LIMIT = 2.0
# how much nearer than the radius is left as rounding: this, and this part of the largest coordinate
SLACK = 1e-9
ROUNDING = 8.0 * 2.0**-52
# passes of measuring and cutting before the offset itself is taken larger
PASSES = 4


def wall_lines(shape: Any) -> NDArray[np.object_]:
    """The boundary of a shapely area as lines of two points each."""
    rings = shapely.get_rings(shapely.get_parts(shape))
    points, ring = shapely.get_coordinates(rings, return_index=True)
    inner = np.flatnonzero(ring[1:] == ring[:-1])
    lines: NDArray[np.object_] = shapely.linestrings(np.stack([points[inner], points[inner + 1]], axis=1))
    return lines


def shrunk(area: Any, radius: float) -> Any:
    """The points of `area` (MultiPolygon) at least `radius` from its boundary, mitred at corners that jut into it.

    Never nearer than the radius but for rounding; farther by at most MITRE_LIMIT at sharp corners.
    """
    if radius <= 0.0 or area.is_empty:
        return area
    inner = polygonal(area.buffer(-radius, join_style="mitre", mitre_limit=MITRE_LIMIT))
    lines = wall_lines(area)
    largest = float(np.abs(shapely.bounds(area)).max())
    nearest = radius - SLACK - ROUNDING * largest
    for _ in range(PASSES):
        if inner.is_empty:
            return inner
        close = _closer(lines, inner, nearest)
        if not close.size:
            return inner
        strips = shapely.buffer(close, radius, cap_style="square", join_style="mitre")
        inner = polygonal(inner.difference(shapely.union_all(strips)))
    return polygonal(area.buffer(-radius - SLACK * 1e3, join_style="mitre", mitre_limit=MITRE_LIMIT))


def _closer(lines: NDArray[np.object_], inner: Any, distance: float) -> NDArray[np.object_]:
    """The lines that come nearer to `inner` than `distance`."""
    if distance <= 0.0:
        return np.empty(0, object)
    parts = shapely.get_parts(inner)
    found = shapely.STRtree(lines).query(parts, predicate="dwithin", distance=distance)
    close: NDArray[np.object_] = lines[np.unique(found[1])]
    return close
