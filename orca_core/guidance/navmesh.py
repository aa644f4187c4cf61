"""Navigation mesh: shortest paths over walkable areas and round obstacles, for discs of any radius.

For each radius the clear area, in which the centre of such a disc may be by the very rule of the solver, is cut into
triangles once and kept; over it a path is planned for a point. So every waypoint and every stretch between two keeps
the radius from whatever stands, and which gap is a passage is the rule of orca_core.kernels.clearance.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from orca_core._jit import compile_all
from orca_core.errors import InvalidInput
from orca_core.geometry.clear_area import Surface, plane_extent
from orca_core.geometry.obstacles import Obstacle, ObstacleSet
from orca_core.geometry.walkable import WalkableSet
from orca_core.guidance.interval_search import Beyond, IntervalSearch, OutOfBudget
from orca_core.guidance.mesh import Mesh
from orca_core.guidance.planner import Answer, Disc, Path, Point, Unfinished, Unreachable, checked_query, path_through
from orca_core.guidance.storeys import EVERY_HEIGHT, Heights, Storeys
from orca_core.guidance.tiles import ROOM, Box, Cuts, Tiling
from orca_core.kernels.orientation import WORK
from orca_core.kernels.walls import walls_block

__all__ = ["NavmeshPlanner"]

Floats = NDArray[np.float64]

# meshes kept at once for each storey, of so many, the one made first forgotten first; made again it has the same bits
KEPT_MESHES, KEPT_STOREYS = 32, 8
# expansions that are spent on a shortest path before one that is a little longer will do
EXACT = 1000


@dataclass(frozen=True, eq=False)
class Ground:
    """What stands: the obstacles that act with their `boxes` (m, 4) and `ranges` (m, 2) of heights, the `storeys` that
    these make, the largest coordinate of any, and how many segments there are within which box, open doors counted:
    what opens and closes changes no line between tiles.
    """

    acting: list[Obstacle]
    boxes: Floats
    ranges: Floats
    storeys: Storeys
    farthest: float
    segments: int
    busy: Box


@dataclass(frozen=True, eq=False)
class Storey:
    """What is met on one storey: its `number`, the obstacles that act with their `boxes` (m, 4), and their segments."""

    number: int
    acting: list[Obstacle]
    boxes: Floats

    @cached_property
    def walls(self) -> Floats:
        """All segments (k, 4)."""
        return np.concatenate([np.empty((0, 4)), *(each.segments() for each in self.acting)])


class NavmeshPlanner:
    """A planner over the geometry of a world as it is now; later changes of the world do not show in it.

    Not safe for two threads at once.
    """

    def __init__(
        self,
        walkable: WalkableSet,
        obstacles: ObstacleSet,
        *,
        merge_collinear: bool = False,
        expansions: int = 100_000,
        before: NavmeshPlanner | None = None,
    ) -> None:
        """Copy the geometry, at no cost; `expansions` is the budget of one path.

        `before` is who planned until now, and is not asked any more: what has not changed is taken from there. Raises
        InvalidInput for a budget below 1.
        """
        if expansions < 1:
            raise InvalidInput(f"the budget must be at least 1 expansion, not {expansions}")
        self._walkable, self._obstacles = walkable.copy(), obstacles.copy()
        self._merge = merge_collinear
        # surfaces and tiles by radius and extent, and boxes of obstacles, as they were found so far
        self._known: dict[tuple[float, float], Cuts] = {}
        self._box_of: dict[int, tuple[Any, list[float]]] = {} if before is None else before._box_of
        if before is not None and before._merge == merge_collinear and _same(before._walkable, self._walkable):
            self._known = before._known
        compile_all()
        self._search_over = IntervalSearch()
        self._expansions = expansions
        self._meshes: dict[tuple[int, float, float, Disc | None], Mesh] = {}
        # by what is met, and by who asked
        self._storeys: dict[bytes, Storey] = {}
        self._storey_of: dict[Heights, Storey] = {}
        # expansions of all paths so far, for who shares a budget between several
        self.spent = 0

    def path(
        self,
        start: Sequence[float],
        goal: Sequence[float],
        radius: float,
        *,
        heights: Heights = EVERY_HEIGHT,
        expansions: int | None = None,
        avoid: Disc | None = None,
        longer: float = 0.0,
        within: float = math.inf,
    ) -> Answer:
        """A shortest path for a disc over the surface; raises InvalidInput as Planner says.

        `expansions` is the budget of this path, where it is not that of every one; it may be 0. `avoid`, a centre and a
        radius, is taken off the surface. With `longer` it is a shortest one where that is found in EXACT expansions,
        else one that is longer by no more than that part of it: among many obstacles, where there are many ways of
        nearly one length, this takes a hundredth of the expansions. The search ends as soon as it is known that none of
        a length up to `within` comes of it.
        """
        budget = self._expansions if expansions is None else expansions
        first, last, radius = checked_query(start, goal, radius)
        mesh = self._mesh(first, last, radius, avoid, heights)
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
        return self._search(mesh, first, last, begin, (end[0], tuple(shared)), budget, longer, within)

    def prepare(self, radius: float, farthest: float, heights: Heights = EVERY_HEIGHT) -> None:
        """Make the mesh for a disc."""
        self._mesh((farthest, 0.0), (0.0, 0.0), radius, None, heights)

    def reachable(self, starts: Floats, goals: Floats, radii: Floats, heights: Floats) -> NDArray[np.uint8]:
        """1 where start and goal lie within triangles that hang together."""
        found = np.zeros(len(starts), np.uint8)
        asking = np.column_stack([radii, self._ground.storeys.of(heights)])
        for one in np.unique(asking, axis=0):
            which = np.flatnonzero((asking == one).all(axis=1))
            far = float(max(np.abs(starts[which]).max(), np.abs(goals[which]).max()))
            radius, low, high = one.tolist()
            mesh = self._mesh((far, 0.0), (0.0, 0.0), radius, None, (low, high))
            begin, end = mesh.components_at(starts[which]), mesh.components_at(goals[which])
            found[which] = (begin >= 0) & (begin == end)
        return found

    def path_from_beside(
        self,
        start: Sequence[float],
        goal: Sequence[float],
        radius: float,
        *,
        heights: Heights = EVERY_HEIGHT,
        expansions: int | None = None,
        avoid: Disc | None = None,
        longer: float = 0.0,
        within: float = math.inf,
    ) -> Answer:
        """As `path`, for somebody whom others may have pushed off the surface: from nearer than its radius to a wall
        its way begins with the nearest point of the surface, if no wall is between.
        """
        plan = partial(self.path, heights=heights, expansions=expansions, avoid=avoid, longer=longer, within=within)
        found = plan(start, goal, radius)
        if not (isinstance(found, Unreachable) and found.reason == "start-off-surface" and found.nearest is not None):
            return found
        x, y = found.nearest
        walls, none, work = self._storey(heights).walls, np.empty(0, np.int64), np.empty(WORK)
        beside = (x - start[0]) ** 2 + (y - start[1]) ** 2 <= radius * radius
        if not beside or walls_block(float(start[0]), float(start[1]), x, y, walls, none, -1, work):
            return found
        rest = plan(found.nearest, goal, radius)
        return path_through([(start[0], start[1]), *rest.waypoints]) if isinstance(rest, Path) else rest

    def _search(
        self,
        mesh: Mesh,
        first: Point,
        last: Point,
        begin: tuple[Point, tuple[int, ...]],
        end: tuple[Point, tuple[int, ...]],
        budget: int,
        longer: float,
        within: float,
    ) -> Answer:
        """The path between two places of one component."""
        if set(begin[1]) & set(end[1]):
            return path_through([first, last])
        # by how much longer it may be, and what may be spent on that
        tries = [(0.0, budget)] if longer == 0.0 else [(0.0, min(EXACT, budget)), (longer, budget - EXACT)]
        points = None
        for more, expansions in tries:
            if points is not None or expansions < 0:
                break
            try:
                points = self._search_over.shortest(mesh, begin[0], begin[1], end[0], end[1], expansions, more, within)
            except OutOfBudget:
                pass
            except Beyond:
                break
            finally:
                self.spent += self._search_over.spent
        if points is None:
            return Unfinished(budget)
        # what rounding had put beside the surface is where the caller said
        return path_through([first, *points[1:-1], last])

    @cached_property
    def _ground(self) -> Ground:
        """What stands; looked at when first asked for, by whoever plans, so that to make a planner costs nothing."""
        items = self._obstacles.items()
        if len(self._box_of) > 2 * len(items) + ROOM:
            # most of them are gone
            self._box_of.clear()
        boxes = np.array([self._box(each) for each in items]).reshape(-1, 4)
        areas = [ring for area in self._walkable.items() for polygon in area.polygons for ring in polygon]
        corners = np.concatenate([boxes.reshape(-1, 2), *areas])
        busy = (0.0, 0.0, 0.0, 0.0)
        if len(corners):
            low, high = corners.min(axis=0), corners.max(axis=0)
            busy = (float(low[0]), float(low[1]), float(high[0]), float(high[1]))
        acting = [each for each in items if not each.open]
        ranges = np.array([each.z_range or EVERY_HEIGHT for each in acting], np.float64).reshape(-1, 2)
        return Ground(
            acting, boxes[[not each.open for each in items]], ranges, Storeys(ranges),
            float(np.abs(boxes).max(initial=0.0)),
            sum(len(each.points) for each in items) + sum(len(ring) for ring in areas), busy,
        )  # fmt: skip

    def _box(self, obstacle: Obstacle) -> list[float]:
        """Least x and y of an obstacle, and largest: looked up once, since one that changes is another one."""
        held = self._box_of.get(id(obstacle.points))
        if held is None or held[0] is not obstacle.points:
            points = np.asarray(obstacle.points, np.float64)
            box = [*points.min(axis=0).tolist(), *points.max(axis=0).tolist()]
            held = self._box_of[id(obstacle.points)] = (obstacle.points, box)
        return held[1]

    def _storey(self, heights: Heights) -> Storey:
        """What is met at some heights: one and the same object for all who meet the same."""
        ground = self._ground
        if ground.storeys:
            low, high = ground.storeys.of(np.array([heights]))[0].tolist()
            heights = (low, high)
        else:
            heights = EVERY_HEIGHT
        found = self._storey_of.get(heights)
        if found is None:
            low, high = heights
            met = (ground.ranges[:, 0] <= high) & (low <= ground.ranges[:, 1])
            acting = [ground.acting[k] for k in np.flatnonzero(met).tolist()]
            other = Storey(len(self._storeys), acting, ground.boxes[met])
            found = self._storey_of[heights] = self._storeys.setdefault(met.tobytes(), other)
        return found

    def _mesh(
        self, first: Point, last: Point, radius: float, avoid: Disc | None, heights: Heights = EVERY_HEIGHT
    ) -> Mesh:
        """The triangles for one radius and storey; on a plane without areas as large as the question needs."""
        storey = self._storey(heights)
        extent = 0.0
        if not len(self._walkable):
            extent = plane_extent(ObstacleSet(), first, last, (self._ground.farthest, 0.0), radius=radius)
        found = self._meshes.get((storey.number, radius, extent, avoid))
        if found is None:
            acting, boxes = storey.acting, storey.boxes
            if avoid is not None:
                octagon = _octagon(avoid)
                acting = [*acting, Obstacle(octagon, closed=True)]
                boxes = np.concatenate([boxes, [[*octagon.min(axis=0), *octagon.max(axis=0)]]])
            cuts = self._cuts(radius, extent)
            storeys = min(len(self._storeys), KEPT_STOREYS)
            found = Mesh(cuts.tiling, cuts.pieces(acting, boxes, storeys), cuts.touch)
            while len(self._meshes) >= KEPT_MESHES * storeys:
                del self._meshes[next(iter(self._meshes))]
            self._meshes[storey.number, radius, extent, avoid] = found
        return found

    def _cuts(self, radius: float, extent: float) -> Cuts:
        """The tiles for one radius, as they were cut by planners before this one where they still hold."""
        known = self._known.get((radius, extent))
        surface = Surface.of(self._walkable, radius, self._merge) if known is None else known.surface
        bounds = (-extent, -extent, extent, extent)
        if surface.area is not None and not surface.area.is_empty:
            left, bottom, right, top = (float(value) for value in surface.area.bounds)
            bounds = (left, bottom, right, top)
        tiling = Tiling.over(bounds, self._ground.segments, self._ground.busy)
        if known is None or not known.tiling.same(tiling):
            known = Cuts(surface, tiling)
            while len(self._known) >= KEPT_MESHES:
                del self._known[next(iter(self._known))]
            self._known[radius, extent] = known
        return known


def _octagon(disc: Disc) -> NDArray[np.float64]:
    """Eight corners around a disc, its sides tangents."""
    x, y, radius = disc
    # the tangent of an eighth of a turn is one, that of a sixteenth this
    half = radius * 0.4142135623730951
    near, far = [half, radius, radius, half, -half, -radius, -radius, -half], radius
    ups = [-far, -half, half, far, far, half, -half, -far]
    return np.array([(x + right, y + up) for right, up in zip(near, ups, strict=True)])


def _same(one: WalkableSet, other: WalkableSet) -> bool:
    """Whether two sets have the very same areas."""
    return len(one) == len(other) and all(a is b for a, b in zip(one.items(), other.items(), strict=True))
