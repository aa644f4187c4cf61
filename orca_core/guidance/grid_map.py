"""Grid maps: any-angle paths over a MovingAI map, for discs of any radius.

Source: A. Nash, S. Koenig, C. Tovey, Lazy Theta*: Any-Angle Path Planning and Path Length Analysis in 3D, AAAI 2010.

A* over the lattice of half cells in which the point before the last is the predecessor wherever it sees the new one, so
that paths run at any angle; what the search left slack is pulled tight. Every stretch keeps the radius from all that is
blocked, and corners are not cut. Paths are near the shortest but no factor is proved: among cells blocked at random the
tests hold them under 1.35 of it. Where the shortest is wanted, the navigation mesh over the outlines of the map finds
it.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from orca_core.errors import InvalidInput
from orca_core.geometry.obstacles import ObstacleSet
from orca_core.geometry.placed_grid import PlacedGrid
from orca_core.guidance.lattice import Lattice
from orca_core.guidance.planner import Answer, Disc, Path, Point, Unfinished, Unreachable, checked_query, path_through
from orca_core.guidance.sight import Sight, passing
from orca_core.guidance.storeys import EVERY_HEIGHT, Heights, Storeys
from orca_core.guidance.string_pulling import pulled
from orca_core.kernels.grid_walls import walls_on_grid

__all__ = ["GridMapPlanner"]

Flags = NDArray[np.bool_]
Floats = NDArray[np.float64]

# lattices kept at once, the one made first forgotten first
KEPT_LATTICES = 16
START = -1


class GridMapPlanner:
    """A planner over one map in the world's coordinates, y growing upward.

    Walls that stand on it take whole cells (see orca_core.kernels.grid_walls); walkable areas are not looked at: the
    map is what is walkable.

    `disconnected` is said of what no way over the lattice joins: every straight passage that is wide enough is one, but
    between blocked cells that only meet askew there may be room that the lattice has no move through.

    Not safe for two threads at once.
    """

    def __init__(self, grid: PlacedGrid, *, obstacles: ObstacleSet | None = None, expansions: int = 100_000) -> None:
        """`obstacles` as they are now stand on the map; `expansions` is the budget of one path, and InvalidInput is
        raised for one below 1.
        """
        if expansions < 1:
            raise InvalidInput(f"the budget must be at least 1 expansion, not {expansions}")
        self._cell, self._origin = grid.cell_size, grid.origin
        self._expansions = expansions
        # row 0 of a map is at the top, of everything here at the bottom
        self._bare = np.ascontiguousarray(~grid.grid.free[::-1])
        self._acting = [] if obstacles is None else obstacles.acting()
        self._ranges = np.array([one.z_range or EVERY_HEIGHT for one in self._acting]).reshape(-1, 2)
        self._storeys = Storeys(self._ranges)
        self._blocked: dict[Heights, Flags] = {}
        # what is looked up on the map of a storey, and on that round a disc to keep away from
        self._maps: dict[tuple[Heights, Disc | None], tuple[Flags, Sight]] = {}
        self._lattices: dict[tuple[Heights, float, Disc | None], Lattice] = {}
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
        """A path for a disc over free cells; raises InvalidInput as Planner says.

        `expansions` is the budget of this path, where it is not that of every one; it may be 0. The cells with their
        middle in `avoid`, a centre and a radius, are taken off the map. Its paths are never the shortest, so `longer`
        saves nothing, and its estimates say nothing of how long they come to be, so nor does `within`.
        """
        budget = self._expansions if expansions is None else expansions
        first, last, radius = checked_query(start, goal, radius)
        start, goal = self._inside(first), self._inside(last)
        # agents may stand nearer to a wall than a way leads that fits passages alone: its ends are moved there
        kept = radius / self._cell
        reach = passing(kept)
        storey = self._storey(heights)
        lattice, sight = self._lattice(storey, reach, avoid), self._map(storey, avoid)[1]
        a = sight.moved_clear(start, kept, reach)
        if a is None:
            return Unreachable(self._shown(lattice.nearest(start)), "start-off-surface")
        if start == goal:
            return path_through([first, last])
        b = sight.moved_clear(goal, kept, reach)
        if b is not None and sight.sees(a, b, reach):
            return path_through([first, *self._ends(start, a), *self._ends(b, goal, before=True), last])
        off = b is None
        b = goal if b is None else b
        begin = [number for number in lattice.around(a) if sight.sees(a, lattice.point(number), reach)]
        end = {number for number in lattice.around(b) if sight.sees(b, lattice.point(number), reach)}
        parts = {int(lattice.component[number]) for number in begin}
        end = {number for number in end if int(lattice.component[number]) in parts}
        if not end:
            # the start itself is reached in any case
            reached = [found for part in sorted(parts) if (found := lattice.nearest(b, part)) is not None]
            return Unreachable(
                self._outside(min([a, *reached], key=lambda point: _distance(point, b))),
                "goal-off-surface" if off else "disconnected",
            )
        search = _Search(lattice, sight, reach, a, b, begin, end)
        points = search.run(budget)
        self.spent += search.spent
        if points is None:
            return Unfinished(budget)
        tight = pulled(points, lambda p, q: sight.sees(p, q, reach))
        between = [self._outside(point) for point in tight[1:-1]]
        return path_through([first, *self._ends(start, a), *between, *self._ends(b, goal, before=True), last])

    def _ends(self, point: Point, other: Point, *, before: bool = False) -> list[Point]:
        """Where an end of the way was moved to, in the world's coordinates; nothing where it was not moved."""
        moved = point if before else other
        return [] if point == other else [self._outside(moved)]

    def prepare(self, radius: float, farthest: float, heights: Heights = EVERY_HEIGHT) -> None:
        """Make the lattice for a disc, which covers the whole map."""
        self._lattice(self._storey(heights), passing(radius / self._cell), None)

    def reachable(self, starts: Floats, goals: Floats, radii: Floats, heights: Floats) -> NDArray[np.uint8]:
        """Of none of the questions is it known without a look at the map around its ends."""
        return np.zeros(len(starts), np.uint8)

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
        """As `path`, for somebody whom others may have pushed nearer than its radius to a blocked cell: its way begins
        with the nearest point of the lattice, if none is between.
        """
        found = self.path(start, goal, radius, heights=heights, expansions=expansions, avoid=avoid, longer=longer)
        if not (isinstance(found, Unreachable) and found.reason == "start-off-surface" and found.nearest is not None):
            return found
        x, y = found.nearest
        beside = (x - start[0]) ** 2 + (y - start[1]) ** 2 <= (radius + self._cell) ** 2
        first, last, _ = checked_query(start, found.nearest, radius)
        sight = self._map(self._storey(heights), avoid)[1]
        if not beside or not sight.sees(self._inside(first), self._inside(last), 0.0):
            return found
        rest = self.path(
            found.nearest, goal, radius, heights=heights, expansions=expansions, avoid=avoid, longer=longer
        )
        return path_through([first, *rest.waypoints]) if isinstance(rest, Path) else rest

    def _inside(self, point: Point) -> Point:
        """A point of the world in cells of the map."""
        return (point[0] - self._origin[0]) / self._cell, (point[1] - self._origin[1]) / self._cell

    def _outside(self, point: Point) -> Point:
        """A point of the map in the world's coordinates."""
        return self._origin[0] + point[0] * self._cell, self._origin[1] + point[1] * self._cell

    def _shown(self, point: Point | None) -> Point | None:
        return None if point is None else self._outside(point)

    def _storey(self, heights: Heights) -> Heights:
        """The storey on which one stands at some heights."""
        if not self._storeys:
            return EVERY_HEIGHT
        low, high = self._storeys.of(np.array([heights]))[0].tolist()
        return low, high

    def _blocked_on(self, storey: Heights) -> Flags:
        """The cells that are blocked on a storey."""
        found = self._blocked.get(storey)
        if found is None:
            low, high = storey
            met = np.flatnonzero((self._ranges[:, 0] <= high) & (low <= self._ranges[:, 1]))
            found = self._bare
            if len(met):
                walls = np.concatenate([self._acting[k].segments() for k in met.tolist()])
                taken = np.zeros_like(found)
                walls_on_grid((walls - (*self._origin, *self._origin)) / self._cell, found, taken)
                found = found | taken
            while len(self._blocked) >= KEPT_LATTICES:
                del self._blocked[next(iter(self._blocked))]
            self._blocked[storey] = found
        return found

    def _map(self, storey: Heights, avoid: Disc | None) -> tuple[Flags, Sight]:
        """The blocked cells of a storey and sight over them, those within a disc taken off."""
        found = self._maps.get((storey, avoid))
        if found is None:
            blocked = self._blocked_on(storey)
            if avoid is not None:
                x, y = self._inside((avoid[0], avoid[1]))
                rows, columns = np.ogrid[: blocked.shape[0], : blocked.shape[1]]
                near = (columns + 0.5 - x) ** 2 + (rows + 0.5 - y) ** 2 <= (avoid[2] / self._cell) ** 2
                blocked = blocked | near
            found = blocked, Sight(blocked)
            while len(self._maps) >= KEPT_LATTICES:
                del self._maps[next(iter(self._maps))]
            self._maps[storey, avoid] = found
        return found

    def _lattice(self, storey: Heights, radius: float, avoid: Disc | None) -> Lattice:
        """The lattice of a storey for one radius, in cells."""
        found = self._lattices.get((storey, radius, avoid))
        if found is None:
            found = Lattice(self._map(storey, avoid)[0], radius)
            while len(self._lattices) >= KEPT_LATTICES:
                del self._lattices[next(iter(self._lattices))]
            self._lattices[storey, radius, avoid] = found
        return found


class _Search:
    """One search from `a` to `b`, joined to the lattice at the numbers of `begin` and `end`."""

    def __init__(
        self, lattice: Lattice, sight: Sight, radius: float, a: Point, b: Point, begin: list[int], end: set[int]
    ) -> None:
        """Queue what the start sees of the lattice around it."""
        self._lattice, self._sight, self._radius = lattice, sight, radius
        self._a, self._b, self._end = a, b, end
        self._walked: dict[int, float] = {START: 0.0}
        self._before: dict[int, int] = {START: START}
        self._closed: set[int] = {START}
        self._open: list[tuple[float, int]] = []
        # expansions
        self.spent = 0
        for number in begin:
            self._offer(number, START)

    def run(self, expansions: int) -> list[Point] | None:
        """The points of a path with both ends; None where the budget runs out first."""
        best, joint = math.inf, None
        while self._open:
            estimate, number = heapq.heappop(self._open)
            if number in self._closed:
                continue
            if estimate >= best:
                break
            if self.spent >= expansions:
                return None
            self.spent += 1
            self._settle(number)
            self._closed.add(number)
            if number in self._end:
                whole = self._walked[number] + _distance(self._lattice.point(number), self._b)
                if whole < best:
                    best, joint = whole, number
            for following in self._lattice.neighbours(number):
                if following not in self._closed:
                    self._offer(following, self._before[number])
        assert joint is not None, "start and goal hang together, so that a path must have come out"
        points = [self._b]
        while joint != START:
            points.append(self._lattice.point(joint))
            joint = self._before[joint]
        return [self._a, *reversed(points)]

    def _place(self, number: int) -> Point:
        return self._a if number == START else self._lattice.point(number)

    def _offer(self, number: int, before: int) -> None:
        """Go to a point straight from `before`, if that is shorter; whether it is seen is asked when its turn comes."""
        point = self._lattice.point(number)
        walked = self._walked[before] + _distance(self._place(before), point)
        if walked < self._walked.get(number, math.inf):
            self._walked[number], self._before[number] = walked, before
            heapq.heappush(self._open, (walked + _distance(point, self._b), number))

    def _settle(self, number: int) -> None:
        """Give a point that its predecessor does not see the best neighbour that was settled before."""
        point = self._lattice.point(number)
        if self._sight.sees(self._place(self._before[number]), point, self._radius):
            return
        # there is one: the point was offered by a neighbour
        near = [other for other in self._lattice.neighbours(number) if other in self._closed]
        walked, before = min(
            (self._walked[other] + _distance(self._lattice.point(other), point), other) for other in near
        )
        self._walked[number], self._before[number] = walked, before


def _distance(a: Point, b: Point) -> float:
    return math.sqrt((b[0] - a[0]) * (b[0] - a[0]) + (b[1] - a[1]) * (b[1] - a[1]))
