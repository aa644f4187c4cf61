"""Which planner a world plans with: over triangles of its surface, or over the cells of its grid map."""

from __future__ import annotations

from orca_core.geometry.obstacles import ObstacleSet
from orca_core.geometry.placed_grid import PlacedGrid
from orca_core.geometry.walkable import WalkableSet
from orca_core.guidance.grid_map import GridMapPlanner
from orca_core.guidance.navmesh import NavmeshPlanner
from orca_core.guidance.planner import Planner
from orca_core.options import Options

__all__ = ["planned_on", "planner_for"]


def planned_on(options: Options, grid_map: PlacedGrid | None) -> PlacedGrid | None:
    """The grid map on which a world with these options plans; None where it plans over its surface."""
    return grid_map if options.planner == "grid" else None


def planner_for(
    options: Options,
    walkable: WalkableSet,
    obstacles: ObstacleSet,
    grid_map: PlacedGrid | None,
    before: Planner | None = None,
) -> Planner:
    """A planner over what stands now; later changes do not show in it. What has not changed it takes from the one
    `before`, which is asked no more.
    """
    cells = planned_on(options, grid_map)
    if cells is not None:
        return GridMapPlanner(cells, obstacles=obstacles)
    known = before if isinstance(before, NavmeshPlanner) else None
    return NavmeshPlanner(walkable, obstacles, merge_collinear=options.merge_collinear, before=known)
