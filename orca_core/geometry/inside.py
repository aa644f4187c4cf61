"""Which points lie inside closed obstacles: for warnings at insertion."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import shapely
from numpy.typing import NDArray

from orca_core.geometry.obstacles import Obstacle, stands_at

__all__ = ["obstacles_around"]


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
