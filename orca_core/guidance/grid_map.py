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

from orca_core.errors import InvalidInput
from orca_core.formats.movingai import GridMap
from orca_core.guidance.lattice import Lattice
from orca_core.guidance.planner import Answer, Point, Unfinished, Unreachable, checked_query, path_through
from orca_core.guidance.sight import Sight, passing
from orca_core.guidance.string_pulling import pulled

__all__ = ["GridMapPlanner"]

# lattices kept at once, the one made first forgotten first
KEPT_LATTICES = 16
START = -1


class GridMapPlanner:
    """A planner over one map in the world's coordinates: its lower left corner is the origin, y grows upward.

    `disconnected` is said of what no way over the lattice joins: every straight passage that is wide enough is one, but
    between blocked cells that only meet askew there may be room that the lattice has no move through.

    Not safe for two threads at once.
    """

    def __init__(self, grid: GridMap, *, cell_size: float = 1.0, expansions: int = 100_000) -> None:
        """`expansions` is the budget of one path; raises InvalidInput for one below 1 or a cell size not above 0."""
        if expansions < 1:
            raise InvalidInput(f"the budget must be at least 1 expansion, not {expansions}")
        if not (math.isfinite(cell_size) and cell_size > 0.0):
            raise InvalidInput(f"the cell size must be finite and above 0, not {cell_size!r}")
        # row 0 of a map is at the top, of everything here at the bottom
        self._blocked = np.ascontiguousarray(~grid.free[::-1])
        self._sight = Sight(self._blocked)
        self._cell = cell_size
        self._expansions = expansions
        self._lattices: dict[float, Lattice] = {}

    def path(self, start: Sequence[float], goal: Sequence[float], radius: float) -> Answer:
        """A path for a disc over free cells; raises InvalidInput as Planner says."""
        first, last, radius = checked_query(start, goal, radius)
        start, goal = (first[0] / self._cell, first[1] / self._cell), (last[0] / self._cell, last[1] / self._cell)
        # agents may stand nearer to a wall than a way leads that fits passages alone: its ends are moved there
        kept = radius / self._cell
        reach = passing(kept)
        lattice = self._lattice(reach)
        a = self._sight.moved_clear(start, kept, reach)
        if a is None:
            return Unreachable(self._outside(lattice.nearest(start)), "start-off-surface")
        if start == goal:
            return path_through([first, last])
        b = self._sight.moved_clear(goal, kept, reach)
        if b is not None and self._sight.sees(a, b, reach):
            return path_through([first, *self._ends(start, a), *self._ends(b, goal, before=True), last])
        off = b is None
        b = goal if b is None else b
        begin = [number for number in lattice.around(a) if self._sight.sees(a, lattice.point(number), reach)]
        end = {number for number in lattice.around(b) if self._sight.sees(b, lattice.point(number), reach)}
        parts = {int(lattice.component[number]) for number in begin}
        end = {number for number in end if int(lattice.component[number]) in parts}
        if not end:
            # the start itself is reached in any case
            reached = [found for part in sorted(parts) if (found := lattice.nearest(b, part)) is not None]
            return Unreachable(
                self._outside(min([a, *reached], key=lambda point: _distance(point, b))),
                "goal-off-surface" if off else "disconnected",
            )
        points = _Search(lattice, self._sight, reach, a, b, begin, end).run(self._expansions)
        if points is None:
            return Unfinished(self._expansions)
        tight = pulled(points, lambda p, q: self._sight.sees(p, q, reach))
        between = [(x * self._cell, y * self._cell) for x, y in tight[1:-1]]
        return path_through([first, *self._ends(start, a), *between, *self._ends(b, goal, before=True), last])

    def _ends(self, point: Point, other: Point, *, before: bool = False) -> list[Point]:
        """Where an end of the way was moved to, in the world's coordinates; nothing where it was not moved."""
        moved = point if before else other
        return [] if point == other else [(moved[0] * self._cell, moved[1] * self._cell)]

    def _outside(self, point: Point | None) -> Point | None:
        """A point of the map in the world's coordinates."""
        return None if point is None else (point[0] * self._cell, point[1] * self._cell)

    def _lattice(self, radius: float) -> Lattice:
        """The lattice for one radius, in cells."""
        found = self._lattices.get(radius)
        if found is None:
            found = Lattice(self._blocked, radius)
            while len(self._lattices) >= KEPT_LATTICES:
                del self._lattices[next(iter(self._lattices))]
            self._lattices[radius] = found
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
        for number in begin:
            self._offer(number, START)

    def run(self, expansions: int) -> list[Point] | None:
        """The points of a path with both ends; None where the budget runs out first."""
        best, joint = math.inf, None
        spent = 0
        while self._open:
            estimate, number = heapq.heappop(self._open)
            if number in self._closed:
                continue
            if estimate >= best:
                break
            if spent >= expansions:
                return None
            spent += 1
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
