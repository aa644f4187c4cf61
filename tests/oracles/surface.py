"""Slow and obvious answers about walkable areas and walls: rational numbers for signs, shapely for distances."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import shapely
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def side(a: Sequence[float], b: Sequence[float], c: Sequence[float]) -> int:
    """1 where c lies left of the line a -> b, -1 right of it, 0 on it; without rounding."""
    ax, ay, bx, by, cx, cy = (Fraction(float(value)) for value in (*a, *b, *c))
    cross = (ax - cx) * (by - cy) - (ay - cy) * (bx - cx)
    return (cross > 0) - (cross < 0)


def inside(point: Sequence[float], edges: Floats) -> bool:
    """Whether the point lies in the closed area of the edges (e, 4), looking at every edge, without rounding."""
    px, py = float(point[0]), float(point[1])
    odd = False
    for ax, ay, bx, by in edges.tolist():
        where = side((ax, ay), (bx, by), (px, py))
        if where == 0 and min(ax, bx) <= px <= max(ax, bx) and min(ay, by) <= py <= max(ay, by):
            return True
        if (ay > py) != (by > py) and (where > 0) == (by > ay):
            odd = not odd
    return odd


def area_of(polygons: Sequence[Sequence[Any]]) -> Any:
    """The union of polygons, each an outer ring and its holes, as shapely has it."""
    return shapely.union_all([shapely.Polygon(rings[0], list(rings[1:])) for rings in polygons])


def clearance(area: Any, start: Floats, end: Floats) -> Floats:
    """How near the straight moves start -> end (k, 2) come to the boundary of the area; negative outside."""
    moves = shapely.linestrings(np.stack([start, end], axis=1))
    near = shapely.distance(moves, area.boundary)
    # by how much of its length a move lies outside
    out = shapely.length(shapely.difference(moves, area)) + ~shapely.covers(area.buffer(1e-9), shapely.points(end))
    return np.where(out > 1e-9, -out, near)


def crosses_wall(start: Floats, end: Floats, walls: Floats) -> bool:
    """Whether one of the moves (k, 2) reaches a wall (m, 4) on which it does not start, without rounding."""
    return any(
        _meets(p, q, wall[:2], wall[2:])
        for p, q in zip(start.tolist(), end.tolist(), strict=True)
        for wall in walls.tolist()
        if p != q
    )


def _meets(p: Sequence[float], q: Sequence[float], a: Sequence[float], b: Sequence[float]) -> bool:
    """Whether the closed segments p-q and a-b have a point in common, p not being on a-b."""

    def on(point: Sequence[float], first: Sequence[float], second: Sequence[float]) -> bool:
        return side(first, second, point) == 0 and all(
            min(first[k], second[k]) <= point[k] <= max(first[k], second[k]) for k in range(2)
        )

    if on(p, a, b):
        return False
    if side(a, b, p) * side(a, b, q) < 0 and side(p, q, a) * side(p, q, b) < 0:
        return True
    return on(q, a, b) or on(a, p, q) or on(b, p, q)
