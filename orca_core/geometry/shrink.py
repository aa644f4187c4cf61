"""Shrinking: the part of an area that the centre of a disc of some radius may take.

From the area are cut off a strip along every edge, as wide as the radius, and at every corner that juts into the area
a fan mitred in steps of FACET_COSINE: tangents of the disc around the corner, never chords of it, so that nothing
comes nearer than the radius, and no step of a wall, however low, turns into a step that stops a disc which would roll
over it.

Two offsets of the geometry library were tried. With round joins its chords come nearer than the radius. With one mitre
a corner it is near by some 1e-6 where it simplifies fine outlines, and a corner of 90 degrees reaches 1.41 radii into
the area.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import shapely
from numpy.typing import NDArray

from orca_core.geometry.overlay import less, united
from orca_core.geometry.rings import polygonal, without_slivers

__all__ = ["FACET_COSINE", "shrunk", "wall_lines"]

Floats = NDArray[np.float64]
Shapes = NDArray[np.object_]

# a fan has tangents at most this far apart: 22.5 degrees; its corners lie at most 1.02 radii from the corner of the
# wall
FACET_COSINE = 0.9238795325112867
# halvings of a fan: 180 degrees take three
HALVINGS = 3
# strips reach over their ends and the wall by this part of the radius, and of the largest coordinate, so that
# rounding leaves no
# slit
OVERLAP = 1e-7
ROUNDING = 16.0 * 2.0**-52
# what is thinner than this on average, and than rounding, is no place for a centre
THINNEST = 1e-9
# how what is too near after all is cut, round by round
CUTS = ("flat", "square", "square")


def shrunk(area: Any, radius: float) -> Any:
    """The points of `area` (MultiPolygon) at least `radius` from its boundary, with facets round corners that jut in.

    Nearer than the radius by no more than rounding; farther by at most 2 %, and that only round such corners.
    """
    if radius <= 0.0 or area.is_empty:
        return area
    largest = float(np.abs(shapely.bounds(area)).max())
    cut: list[Shapes] = []
    for ring in shapely.get_rings(shapely.get_parts(shapely.orient_polygons(area))):
        points = shapely.get_coordinates(ring)[:-1]
        ahead = np.roll(points, -1, axis=0) - points
        ahead /= np.sqrt((ahead**2).sum(axis=1))[:, None]
        cut.append(_strips(points, ahead, radius, OVERLAP * radius + ROUNDING * largest))
        cut += _fans(points, _left(np.roll(ahead, 1, axis=0)), _left(ahead), radius)
    inner = polygonal(less(area, united(np.concatenate(cut))))
    noise = THINNEST + ROUNDING * largest
    return _checked(without_slivers(inner, noise), wall_lines(area), radius, noise)


def wall_lines(area: Any) -> Shapes:
    """The boundary of a shapely area as lines of two points each."""
    rings = shapely.get_rings(shapely.get_parts(area))
    points, ring = shapely.get_coordinates(rings, return_index=True)
    inner = np.flatnonzero(ring[1:] == ring[:-1])
    lines: Shapes = shapely.linestrings(np.stack([points[inner], points[inner + 1]], axis=1))
    return lines


def _checked(inner: Any, lines: Shapes, radius: float, noise: float) -> Any:
    """What of `inner` keeps the radius from all walls.

    Where passages are exactly as wide as a disc, strips coincide but for rounding, and the library's union of them has
    been seen to leave slivers along a wall. What is too near is cut once more, wall by wall, in the end with square
    ends that take a little more than they must round corners; slivers go.
    """
    if inner.is_empty or radius <= 4.0 * noise:
        return inner
    parts = shapely.get_parts(inner)
    tree = shapely.STRtree(lines)
    for cap in CUTS:
        which, close = tree.query(parts, predicate="dwithin", distance=radius - 4.0 * noise)
        if not len(which):
            break
        kept = list(np.delete(parts, np.unique(which)))
        for part in np.unique(which):
            strips = shapely.buffer(lines[close[which == part]], radius, cap_style=cap)
            cut = polygonal(less(parts[part], united(strips)))
            kept += list(shapely.get_parts(without_slivers(cut, noise)))
        parts = np.array(kept, dtype=object)
        if not len(parts):
            break
    return shapely.MultiPolygon(list(parts))


def _left(vectors: Floats) -> Floats:
    """Vectors (k, 2) turned by 90 degrees to the left."""
    return np.stack([-vectors[:, 1], vectors[:, 0]], axis=1)


def _strips(points: Floats, ahead: Floats, radius: float, overlap: float) -> Shapes:
    """Rectangles on the inner side of each edge, a little longer than the edge and a little over to its other side.

    Strips that ended on the wall itself would leave the difference with boundaries that coincide but for rounding, and
    it has been seen to return a ring inside a hole for them.
    """
    first = points - overlap * ahead
    last = np.roll(points, -1, axis=0) + overlap * ahead
    inward = _left(ahead)
    far, near = radius * inward, overlap * inward
    strips: Shapes = shapely.polygons(np.stack([first - near, last - near, last + far, first + far], axis=1))
    return strips


def _fans(points: Floats, before: Floats, after: Floats, radius: float) -> list[Shapes]:
    """Fans at the corners that jut in: between the inner normals of the edges before and after the corner."""
    turn = before[:, 0] * after[:, 1] - before[:, 1] * after[:, 0]
    juts = np.flatnonzero(turn < 0.0)
    # tangents by halving, with nothing but square roots, until neighbours are near enough
    tangents = [before[juts], after[juts]]
    pending = juts
    fans: list[Shapes] = []
    for _ in range(HALVINGS + 1):
        near = (tangents[0] * tangents[1]).sum(axis=1) >= FACET_COSINE
        near |= len(tangents) > 2**HALVINGS
        if near.any():
            chosen = [tangent[near] for tangent in tangents]
            fans.append(_fan(points[pending[near]], chosen, radius))
        pending = pending[~near]
        if not len(pending):
            break
        rest = [tangent[~near] for tangent in tangents]
        halved = [rest[0]]
        for a, b in pairwise(rest):
            halved += [_halfway(a, b), b]
        tangents = halved
    return fans


def _halfway(a: Floats, b: Floats) -> Floats:
    """Unit vectors halfway from a to b, which is up to 180 degrees to the right of it."""
    wide = (a * b).sum(axis=1) < 0.0
    between = np.where(wide[:, None], _left(b) - _left(a), a + b)
    middle: Floats = between / np.sqrt((between**2).sum(axis=1))[:, None]
    return middle


def _fan(corners: Floats, tangents: list[Floats], radius: float) -> Shapes:
    """Polygons from corners (k, 2) over the points where neighbouring tangents of the disc meet."""
    ring = [corners, corners + radius * tangents[0]]
    for a, b in pairwise(tangents):
        ring.append(corners + radius * (a + b) / (1.0 + (a * b).sum(axis=1))[:, None])
    ring.append(corners + radius * tangents[-1])
    fans: Shapes = shapely.polygons(np.stack(ring, axis=1))
    return fans
