"""Planner: what every planner of paths answers, whatever it searches.

    planner.path((0.0, 0.0), (9.0, 4.0), radius=0.5) -> Path | Unreachable | Unfinished

A planner reads no clock and no chance: equal questions to planners of equal maps have answers of equal bits.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from orca_core.errors import InvalidInput, Problem
from orca_core.geometry.rings import LIMIT
from orca_core.guidance.storeys import EVERY_HEIGHT, Heights

__all__ = [
    "Answer",
    "Disc",
    "Path",
    "Planner",
    "Point",
    "Reason",
    "Unfinished",
    "Unreachable",
    "checked_query",
    "path_through",
]

Point = tuple[float, float]
# x, y and radius
Disc = tuple[float, float, float]
Reason = Literal["start-off-surface", "goal-off-surface", "disconnected"]


@dataclass(frozen=True)
class Path:
    """Waypoints from start to goal, both included, and the length of the way through them."""

    waypoints: tuple[Point, ...]
    length: float


@dataclass(frozen=True)
class Unreachable:
    """There is no path, whatever the budget.

    `nearest` is the point nearest to the goal that can be reached from the start. A start off the surface reaches
    nothing; `nearest` is then the point of the surface nearest to the start. None where a disc of that radius has no
    place at all.
    """

    nearest: Point | None
    reason: Reason


@dataclass(frozen=True)
class Unfinished:
    """The budget ran out before a path was found; nothing is known of whether there is one or how long it is.

    Or there is none as short as it was to be.
    """

    expansions: int


Answer = Path | Unreachable | Unfinished


class Planner(Protocol):
    """Finds paths for discs over one map."""

    # expansions of all paths so far, for who shares a budget between several
    spent: int

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
        """A path for a disc from `start` to `goal` whose centre keeps `radius` from all that stands.

        Nothing is in its way that has no height in common with it, from `heights[0]` to `heights[1]`, ends included.
        `expansions` is the budget of this path, where it is not that of every one; it may be 0. `avoid`, a centre and a
        radius, is taken off what may be walked on. A path may be longer than a good one of this planner by the part
        `longer`, where that saves much. A path longer than `within` is not wanted: who finds out that there is no other
        may give up. Raises InvalidInput for a point that is not two finite numbers within the limit, or a radius below
        0.
        """
        ...

    def prepare(self, radius: float, farthest: float, heights: Heights = EVERY_HEIGHT) -> None:
        """Make what paths for a disc need, up to so far from the origin; without it that is made when asked for one."""
        ...

    def reachable(
        self,
        starts: NDArray[np.float64],
        goals: NDArray[np.float64],
        radii: NDArray[np.float64],
        heights: NDArray[np.float64],
    ) -> NDArray[np.uint8]:
        """1 for each of m questions, `starts`, `goals` and `heights` (m, 2) and `radii` (m,), that surely has a path,
        as far as that is known without searching for one.
        """
        ...

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
        """As `path`, for somebody whom others may have pushed off what may be walked on: its way begins with the
        nearest point of it, if no wall is between.
        """
        ...


def checked_query(start: Sequence[float], goal: Sequence[float], radius: float) -> tuple[Point, Point, float]:
    """The question as plain numbers; raises InvalidInput that names the field at fault."""
    problems = []
    points: list[Point] = []
    for field, point in (("start", start), ("goal", goal)):
        numbers = [float(value) for value in point]
        if len(numbers) != 2 or not all(math.isfinite(value) and abs(value) <= LIMIT for value in numbers):
            problems.append(Problem(None, field, f"must be two finite numbers within ±{LIMIT:g}, not {numbers}"))
        else:
            points.append((numbers[0], numbers[1]))
    if not (math.isfinite(radius) and 0.0 <= radius <= LIMIT):
        problems.append(Problem(None, "radius", f"must be finite and from 0 to {LIMIT:g}, not {radius!r}"))
    if problems:
        raise InvalidInput(problems)
    return points[0], points[1], float(radius)


def path_through(points: Sequence[Point]) -> Path:
    """The path through some points, those that repeat the one before left out."""
    kept = list(points[:1])
    for point in points[1:]:
        if point != kept[-1]:
            kept.append(point)
    if len(kept) == 1:
        # start and goal are one point: a path has both
        kept = [kept[0], kept[0]]
    length = 0.0
    for (ax, ay), (bx, by) in pairwise(kept):
        length += math.sqrt((bx - ax) * (bx - ax) + (by - ay) * (by - ay))
    return Path(tuple(kept), length)
