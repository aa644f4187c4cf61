"""Navigation mesh: shortest paths over walkable areas and round obstacles, for discs of any radius.

For each radius the clear area, in which the centre of such a disc may be by the very rule of the solver, is cut into
triangles once and kept; over it a path is planned for a point. So every waypoint and every stretch between two keeps
the radius from whatever stands, and which gap is a passage is the rule of orca_core.kernels.clearance.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from orca_core._jit import compile_all
from orca_core.errors import InvalidInput
from orca_core.geometry.clear_area import clear_area, plane_extent
from orca_core.geometry.obstacles import Obstacle, ObstacleSet
from orca_core.geometry.triangulation import triangulated
from orca_core.geometry.walkable import WalkableSet
from orca_core.guidance.interval_search import IntervalSearch, OutOfBudget
from orca_core.guidance.mesh import Mesh
from orca_core.guidance.planner import Answer, Disc, Path, Point, Unfinished, Unreachable, checked_query, path_through
from orca_core.kernels.orientation import WORK
from orca_core.kernels.walls import walls_block

__all__ = ["NavmeshPlanner"]

# meshes kept at once, the one made first forgotten first; made again it has the same bits
KEPT_MESHES = 32


class NavmeshPlanner:
    """A planner over the geometry of a world as it is now; later changes of the world do not show in it.

    Not safe for two threads at once.
    """

    def __init__(
        self, walkable: WalkableSet, obstacles: ObstacleSet, *, merge_collinear: bool = False, expansions: int = 100_000
    ) -> None:
        """Copy the geometry, at no cost; `expansions` is the budget of one path.

        Raises InvalidInput for a budget below 1.
        """
        if expansions < 1:
            raise InvalidInput(f"the budget must be at least 1 expansion, not {expansions}")
        self._walkable, self._obstacles = walkable.copy(), obstacles.copy()
        self._merge = merge_collinear
        # looked up once, for a plane that holds them all
        self._farthest = max([0.0, *(float(np.abs(each.points).max()) for each in self._obstacles.items())])
        compile_all()
        self._search_over = IntervalSearch()
        self._expansions = expansions
        self._meshes: dict[tuple[float, float, Disc | None], Mesh] = {}
        self._walls: NDArray[np.float64] | None = None
        # expansions of all paths so far, for who shares a budget between several
        self.spent = 0

    def path(
        self,
        start: Sequence[float],
        goal: Sequence[float],
        radius: float,
        *,
        expansions: int | None = None,
        avoid: Disc | None = None,
    ) -> Answer:
        """A shortest path for a disc over the surface; raises InvalidInput as Planner says.

        `expansions` is the budget of this path, where it is not that of every one; it may be 0. `avoid`, a centre and a
        radius, is taken off the surface.
        """
        budget = self._expansions if expansions is None else expansions
        first, last, radius = checked_query(start, goal, radius)
        mesh = self._mesh(first, last, radius, avoid)
        # reachable or not is known before anything is searched
        begin = mesh.place(first)
        if begin is None:
            return Unreachable(mesh.nearest(first), "start-off-surface")
        component = int(mesh.component[begin[1][0]])
        end = mesh.place(last)
        if end is None:
            return Unreachable(mesh.nearest(last, component), "goal-off-surface")
        # a point where two components touch belongs to both
        ours = {int(mesh.component[triangle]) for triangle in begin[1]}
        shared = [triangle for triangle in end[1] if int(mesh.component[triangle]) in ours]
        if not shared:
            return Unreachable(mesh.nearest(last, component), "disconnected")
        return self._search(mesh, first, last, begin, (end[0], tuple(shared)), budget)

    def path_from_beside(
        self,
        start: Sequence[float],
        goal: Sequence[float],
        radius: float,
        *,
        expansions: int | None = None,
        avoid: Disc | None = None,
    ) -> Answer:
        """As `path`, for somebody whom others may have pushed off the surface: from nearer than its radius to a wall
        its way begins with the nearest point of the surface, if no wall is between.
        """
        found = self.path(start, goal, radius, expansions=expansions, avoid=avoid)
        if not (isinstance(found, Unreachable) and found.reason == "start-off-surface" and found.nearest is not None):
            return found
        x, y = found.nearest
        if (x - start[0]) ** 2 + (y - start[1]) ** 2 > radius * radius or self._walled(start, found.nearest):
            return found
        rest = self.path(found.nearest, goal, radius, expansions=expansions, avoid=avoid)
        return path_through([(start[0], start[1]), *rest.waypoints]) if isinstance(rest, Path) else rest

    def _walled(self, start: Sequence[float], end: Point) -> bool:
        """Whether an obstacle stands between two points."""
        if self._walls is None:
            self._walls = self._obstacles.segments(False)[0]
        none, work = np.empty(0, np.int64), np.empty(WORK)
        return bool(walls_block(float(start[0]), float(start[1]), end[0], end[1], self._walls, none, -1, work))

    def _search(
        self,
        mesh: Mesh,
        first: Point,
        last: Point,
        begin: tuple[Point, tuple[int, ...]],
        end: tuple[Point, tuple[int, ...]],
        budget: int,
    ) -> Answer:
        """The path between two places of one component."""
        if set(begin[1]) & set(end[1]):
            return path_through([first, last])
        try:
            points = self._search_over.shortest(mesh, begin[0], begin[1], end[0], end[1], budget)
        except OutOfBudget:
            return Unfinished(budget)
        finally:
            self.spent += self._search_over.spent
        # what rounding had put beside the surface is where the caller said
        return path_through([first, *points[1:-1], last])

    def _mesh(self, first: Point, last: Point, radius: float, avoid: Disc | None) -> Mesh:
        """The triangles for one radius; on a plane without areas as large as the question needs."""
        extent = 0.0
        if not len(self._walkable):
            extent = plane_extent(ObstacleSet(), first, last, (self._farthest, 0.0), radius=radius)
        found = self._meshes.get((radius, extent, avoid))
        if found is None:
            obstacles = self._obstacles
            if avoid is not None:
                obstacles = obstacles.copy()
                obstacles.add([Obstacle(_octagon(avoid), closed=True)])
            area = clear_area(self._walkable, obstacles, radius, self._merge, extent)
            found = Mesh(triangulated(area))
            while len(self._meshes) >= KEPT_MESHES:
                del self._meshes[next(iter(self._meshes))]
            self._meshes[radius, extent, avoid] = found
        return found


def _octagon(disc: Disc) -> NDArray[np.float64]:
    """Eight corners around a disc, its sides tangents."""
    x, y, radius = disc
    # the tangent of an eighth of a turn is one, that of a sixteenth this
    half = radius * 0.4142135623730951
    near, far = [half, radius, radius, half, -half, -radius, -radius, -half], radius
    ups = [-far, -half, half, far, far, half, -half, -far]
    return np.array([(x + right, y + up) for right, up in zip(near, ups, strict=True)])
