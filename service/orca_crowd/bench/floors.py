"""Floors: the ground of a scene as the libraries of others take it: outlines, triangles."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from orca_core.geometry.clear_area import clear_area
from orca_core.geometry.obstacles import ObstacleSet
from orca_core.geometry.triangulation import triangulated
from orca_core.geometry.walkable import WalkableSet
from orca_crowd.scenes.outline import rings_of
from orca_crowd.scenes.scene import SceneData

__all__ = ["Floor", "floor_of"]

Floats = NDArray[np.float64]

# free ground around a scene without walls, m
MARGIN = 10.0


@dataclass(frozen=True, eq=False)
class Floor:
    """Polygons, each a list of rings (k, 2) with the outer one first, not closed; the walkable side is on the left."""

    polygons: list[list[Floats]]
    open: bool
    area: Any

    def triangles(self) -> tuple[Floats, NDArray[np.int64]]:
        """Vertices (v, 2) and corners (t, 3), counter-clockwise."""
        made = triangulated(self.area)
        return made.vertices, made.triangles


def floor_of(scene: SceneData) -> Floor:
    """The walkable ground of a scene; in the open a rectangle with room around everybody."""
    if scene.walkable:
        walkable = WalkableSet()
        walkable.add(scene.walkable)
        area = clear_area(walkable, ObstacleSet(), 0.0, True, 0.0)
    else:
        both = np.concatenate([scene.columns["position"], scene.columns["goal"]])
        extent = float(np.abs(both).max()) + MARGIN
        area = clear_area(WalkableSet(), ObstacleSet(), 0.0, True, extent)
    return Floor([rings_of(part) for part in area.geoms], not scene.walkable, area)
