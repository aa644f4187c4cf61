"""Which points lie inside closed obstacles: for warnings at insertion."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import shapely
from numpy.typing import NDArray

from orca_core.geometry.obstacles import Obstacle, stands_at

__all__ = ["bounds_of", "near_obstacles", "obstacles_around"]


# pairs of a point and an obstacle that are looked at in one go
PAIRS = 4_000_000


def bounds_of(obstacles: Sequence[Obstacle]) -> NDArray[np.float64]:
    """The box (m, 4) around each obstacle: min x, min y, max x, max y."""
    if not obstacles:
        return np.empty((0, 4))
    points = np.concatenate([one.points for one in obstacles])
    starts = np.cumsum([0, *(len(one.points) for one in obstacles)])[:-1]
    return np.hstack([np.minimum.reduceat(points, starts), np.maximum.reduceat(points, starts)])


def near_obstacles(
    obstacles: Sequence[Obstacle], points: NDArray[np.float64]
) -> tuple[list[Obstacle], NDArray[np.int64]]:
    """The obstacles whose boxes hold any of the points (n, 2), and the points (k,) that any of these boxes hold."""
    bounds, held = bounds_of(obstacles), np.zeros(len(points), np.bool_)
    chosen: list[Obstacle] = []
    size = max(1, PAIRS // max(1, len(points)))
    for first in range(0, len(bounds), size):
        low, high = bounds[first : first + size, None, :2], bounds[first : first + size, None, 2:]
        between = (points > low) & (points < high)
        within = between[..., 0] & between[..., 1]
        held |= within.any(axis=0)
        chosen += [obstacles[first + k] for k in np.flatnonzero(within.any(axis=1)).tolist()]
    return chosen, np.flatnonzero(held)


def obstacles_around(
    obstacles: Sequence[Obstacle], points: NDArray[np.float64], heights: NDArray[np.float64]
) -> list[tuple[int, int]]:
    """Pairs (index of the point, id of the first closed obstacle that it is strictly inside of) in order of the
    points (n, 2), which are at `heights` (n, 2) from lower to upper end.
    """
    closed = [obstacle for obstacle in obstacles if obstacle.closed]
    if not closed or not len(points):
        return []
    tree = shapely.STRtree([shapely.Polygon(obstacle.points) for obstacle in closed])
    items, rings = tree.query(shapely.points(points), predicate="within")
    first: dict[int, int] = {}
    for item, ring in sorted(zip(items.tolist(), rings.tolist(), strict=True)):
        if stands_at(closed[ring], *heights[item].tolist()):
            first.setdefault(item, closed[ring].id or 0)
    return list(first.items())
