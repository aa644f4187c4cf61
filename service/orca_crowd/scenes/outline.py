"""Outline: what several walkable areas come to together, as polygons that neither overlap nor touch along an edge."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from orca_core.geometry.clear_area import clear_area
from orca_core.geometry.obstacles import ObstacleSet
from orca_core.geometry.walkable import WalkableArea, WalkableSet

__all__ = ["outline", "rings_of"]

Ring = NDArray[np.float64]


def outline(areas: Sequence[WalkableArea]) -> list[list[Ring]]:
    """Polygons, each a list of rings (k, 2) as `rings_of` gives them."""
    walkable = WalkableSet()
    walkable.add(areas)
    return [rings_of(polygon) for polygon in clear_area(walkable, ObstacleSet(), 0.0, True, 0.0).geoms]


def rings_of(polygon: Any) -> list[Ring]:
    """The rings of a polygon of shapely, not closed by a copy: the outer one first and counter-clockwise, holes
    clockwise, so that the walkable side is on the left everywhere.
    """
    found = []
    for number, ring in enumerate((polygon.exterior, *polygon.interiors)):
        points = np.asarray(ring.coords, np.float64)[:-1]
        x, y = points[:, 0], points[:, 1]
        left = float((x * np.roll(y, -1) - np.roll(x, -1) * y).sum()) > 0.0
        found.append(points if left == (number == 0) else points[::-1])
    return found
