"""Narrows: the parts of walkable ground through which a disc fits and in which two do not get past each other.

Two discs side by side are as wide as one disc of the sum of their radii. Where that one can be, they pass (in the terms
of the medial axis: where the ground is at least 2 (r + r') wide); what a centre of the lesser disc reaches beside that
is narrow. A narrow part that the wide ground meets at one place alone is a corner or a dead end, and nobody goes
through it; one that it meets at several places is a corridor.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import shapely
from numpy.typing import NDArray

from orca_core.geometry.obstacles import Obstacle
from orca_core.geometry.walkable import WalkableArea

__all__ = ["Narrow", "narrows"]

Floats = NDArray[np.float64]

# what is thinner than this part of the radius is what rounding and the corners of round shapes have left
THIN = 0.05
# halvings of the interval in which the width of a corridor is looked for
HALVINGS = 14


@dataclass(frozen=True, eq=False)
class Narrow:
    """One corridor: `edges` (m, 4) of the part in which centres of its users are, each from one point to the next.

    `mouths` (k, 4), k at least 2, are the segments across which it is entered, and `inward` (k, 2) unit vectors across
    them into it. `width` is how wide it is where it is narrowest on the widest way through.
    """

    edges: Floats
    mouths: Floats
    inward: Floats
    width: float


def narrows(
    areas: Sequence[WalkableArea], obstacles: Sequence[Obstacle], radius: float, pair: float, margin: float = 0.0
) -> list[Narrow]:
    """The corridors for discs of `radius` in which two whose radii are `pair` together do not pass each other.

    `margin` is what they need beside that to pass. Ascending by their lowest x and y. Without areas there are none:
    an open plane with walls in it has its narrow places between walls that a walkable area has to bound.
    """
    if not areas:
        return []
    ground = shapely.union_all([shapely.Polygon(rings[0], rings[1:]) for area in areas for rings in area.polygons])
    walls = [shapely.Polygon(one.points) if one.closed else shapely.LineString(one.points) for one in obstacles]
    both = pair + 0.5 * margin
    reach = _clear(ground, walls, radius)
    wide = _clear(ground, walls, both).buffer(both - radius, quad_segs=32)
    thin = THIN * radius
    pieces = reach.difference(wide).buffer(-thin, join_style="mitre").buffer(thin, join_style="mitre")
    shore = wide.buffer(2.0 * thin)
    found = []
    for piece in shapely.get_parts(pieces):
        if piece.geom_type != "Polygon" or piece.is_empty:
            continue
        mouths = [line for line in _lines(piece.intersection(shore.boundary)) if line.length > thin]
        if len(mouths) < 2:
            continue
        mouths.sort(key=lambda line: line.coords[0])
        found.append(_narrow(piece, mouths, shore, _width(ground, walls, piece, mouths, radius, both)))
    return sorted(found, key=lambda one: one.edges[:, :2].min(axis=0).tolist())


def _clear(ground: Any, walls: Sequence[Any], radius: float) -> Any:
    """Where the centre of a disc may be."""
    inner = ground.buffer(-radius, quad_segs=32)
    if walls:
        inner = inner.difference(shapely.union_all([wall.buffer(radius, quad_segs=32) for wall in walls]))
    return inner


def _lines(shape: Any) -> list[Any]:
    """The connected lines of a shape."""
    parts = [part for part in shapely.get_parts(shape) if part.geom_type in ("LineString", "LinearRing")]
    return list(shapely.get_parts(shapely.line_merge(shapely.union_all(parts)))) if parts else []


def _narrow(piece: Any, mouths: Sequence[Any], shore: Any, width: float) -> Narrow:
    rings = [piece.exterior, *piece.interiors]
    edges = np.concatenate([np.hstack([points[:-1], points[1:]]) for points in map(shapely.get_coordinates, rings)])
    ends, inward = [], []
    inner = piece.difference(shore)
    for line in mouths:
        points = shapely.get_coordinates(line)
        a, b = points[0], points[-1]
        along = b - a
        across = np.array([-along[1], along[0]])
        across /= max(float(np.sqrt((across * across).sum())), 1e-12)
        middle = 0.5 * (a + b)
        # whichever side of the mouth the corridor is on
        far = np.array([shapely.distance(inner, shapely.Point(middle + side * across)) for side in (0.05, -0.05)])
        ends.append([*a, *b])
        inward.append(across if far[0] <= far[1] else -across)
    return Narrow(edges, np.array(ends), np.array(inward), width)


def _width(ground: Any, walls: Sequence[Any], piece: Any, mouths: Sequence[Any], low: float, high: float) -> float:
    """Twice the radius of the largest disc that gets from one mouth to another, halving the interval it is in."""
    radius = low
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        # its centre keeps farther from the walls than the part for smaller ones is wide: the ends are where it is near
        passable = _clear(ground, walls, middle)
        shape = piece.buffer(1e-6).intersection(passable)
        joined = any(
            sum(part.distance(mouth) <= middle for mouth in mouths) >= 2 for part in shapely.get_parts(shape)
        )  # fmt: skip
        if joined and not shape.is_empty:
            low = radius = middle
        else:
            high = middle
    return 2.0 * radius
