"""Navigation mesh: shortest paths over walkable areas and round obstacles, for discs of any radius.

For each radius the clear area, in which the centre of such a disc may be by the very rule of the solver, is cut into
triangles once and kept; over it a path is planned for a point. So every waypoint and every stretch between two keeps
the radius from whatever stands, and which gap is a passage is the rule of orca_core.kernels.clearance.
"""

from __future__ import annotations

from collections.abc import Sequence

from orca_core.errors import InvalidInput
from orca_core.geometry.clear_area import clear_area, plane_extent
from orca_core.geometry.obstacles import ObstacleSet
from orca_core.geometry.triangulation import triangulated
from orca_core.geometry.walkable import WalkableSet
from orca_core.guidance.interval_search import OutOfBudget, Search, shortest
from orca_core.guidance.mesh import Mesh
from orca_core.guidance.planner import Answer, Point, Unfinished, Unreachable, checked_query, path_through

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
        self._expansions = expansions
        self._meshes: dict[tuple[float, float], Mesh] = {}
        # expansions of all paths so far, for who shares a budget between several
        self.spent = 0

    def path(
        self, start: Sequence[float], goal: Sequence[float], radius: float, *, expansions: int | None = None
    ) -> Answer:
        """A shortest path for a disc over the surface; raises InvalidInput as Planner says.

        `expansions` is the budget of this path, where it is not that of every one; it may be 0.
        """
        budget = self._expansions if expansions is None else expansions
        first, last, radius = checked_query(start, goal, radius)
        mesh = self._mesh(first, last, radius)
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
        search = Search(mesh.vertices, mesh.triangles, mesh.across, end[0], frozenset(end[1]))
        try:
            points = shortest(search, begin[0], begin[1], budget)
        except OutOfBudget:
            return Unfinished(budget)
        finally:
            self.spent += search.spent
        # what rounding had put beside the surface is where the caller said
        return path_through([first, *points[1:-1], last])

    def _mesh(self, first: Point, last: Point, radius: float) -> Mesh:
        """The triangles for one radius; on a plane without areas as large as the question needs."""
        extent = 0.0 if len(self._walkable) else plane_extent(self._obstacles, first, last, radius=radius)
        found = self._meshes.get((radius, extent))
        if found is None:
            area = clear_area(self._walkable, self._obstacles, radius, self._merge, extent)
            found = Mesh(triangulated(area))
            while len(self._meshes) >= KEPT_MESHES:
                del self._meshes[next(iter(self._meshes))]
            self._meshes[radius, extent] = found
        return found
