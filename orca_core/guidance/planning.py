"""Planning: questions for ways that are asked in one step and answered in a later one, many at a time.

A batch of questions shares one budget of expansions. A search that has begun may go beyond it, up to `CAP` times, so
that every way that can be found is found some time; those for which nothing is left are postponed. What is unreachable
is known without any search.

Who answers, and where, is not the business of this library: `Planning` is what a guide hands its questions to.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from orca_core.guidance.planner import Answer, Path, Planner, Point, Unfinished, Unreachable
from orca_core.guidance.storeys import Heights

__all__ = [
    "CAP",
    "MAX_WAYPOINTS",
    "OUTCOMES",
    "FoundWays",
    "InlinePlanning",
    "Planning",
    "Question",
    "answered",
    "prepared",
]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

# what became of a question, by its code: a way to the goal, why there is none, or why nothing is known
OUTCOMES = ("way", "start-off-surface", "goal-off-surface", "disconnected", "unfinished", "postponed")
# for how much wider a disc a way is looked for first
ROOMY = 1.3
# such a way may be so many times as long as that of the disc itself, and so many radii longer, which is about what
# squeezing through a passage that is hardly wider than the disc takes
DETOUR, SQUEEZE = 1.25, 10.0
# by how much longer than a shortest one a way may be, where there are many; by half a percent on average
LONGER = 0.05
# budgets that one search may take beyond what is left of the batch's
CAP = 10
# of a longer way the rest is planned once these are behind
MAX_WAYPOINTS = 256


@dataclass(frozen=True, eq=False)
class Question:
    """A batch: `ids` int64 (m,), `start` and `goal` float64 (m, 2), `radius` (m,), `avoid` (m, 3) a disc to keep away
    from where that can be, x, y and its radius, 0 for none, `heights` (m, 2) from where to where each stands,
    `postponed` uint8 (m,) of which it is known that there is a way.

    `nearest` asks for a way to the nearest point where there is none to the goal; `expansions` is the budget.
    """

    planner: Planner
    ids: Integers
    start: Floats
    goal: Floats
    radius: Floats
    avoid: Floats
    heights: Floats
    postponed: NDArray[np.uint8]
    nearest: bool
    expansions: int


@dataclass(frozen=True, eq=False)
class FoundWays:
    """The answers in the order of the batch that was due after step `due`.

    `outcome` uint8 (m,) place in OUTCOMES; `nearest` (m, 2) with `has_nearest` uint8 (m,), for what is unreachable;
    `count` int64 (m,) of the `waypoints` (w, 2), which lie between where the agent was and its goal, both left out; on
    a way to the nearest point that is the last.
    """

    due: int
    ids: Integers
    outcome: NDArray[np.uint8]
    nearest: Floats
    has_nearest: NDArray[np.uint8]
    count: Integers
    waypoints: Floats


class Planning(Protocol):
    """Answers the questions of one world."""

    def prepare(self, planner: Planner, discs: Floats, farthest: float) -> None:
        """Have what it needs for discs (d, 3), each a radius and from where to where it stands, up to so far from the
        origin made in good time, if that is not done by itself when it is asked.
        """

    def submit(self, due: int, question: Question) -> None:
        """Take a batch whose answer is wanted right after step `due`; never more than one for a step."""

    def collect(self, due: int) -> FoundWays:
        """The answer, waited for if it must be."""

    def drop(self) -> None:
        """Nobody wants the answers that are outstanding any more."""


class InlinePlanning:
    """Plans when the answer is due, in the thread that wants it."""

    def __init__(self) -> None:
        """Nothing was asked."""
        self._questions: dict[int, Question] = {}

    def prepare(self, planner: Planner, discs: Floats, farthest: float) -> None:
        """There is no time but that of the steps."""

    def submit(self, due: int, question: Question) -> None:
        """Keep it until then."""
        self._questions[due] = question

    def collect(self, due: int) -> FoundWays:
        """Plan now."""
        return answered(self._questions.pop(due), due)

    def drop(self) -> None:
        """Forget them."""
        self._questions.clear()


def answered(question: Question, due: int) -> FoundWays:
    """Plan a whole batch, in its order."""
    planner, count = question.planner, len(question.ids)
    outcome = np.zeros(count, np.uint8)
    nearest, has_nearest = np.zeros((count, 2)), np.zeros(count, np.uint8)
    lengths = np.zeros(count, np.int64)
    waypoints: list[Point] = []
    end = planner.spent + question.expansions
    # who surely has a way can wait without being looked at one by one
    sure: NDArray[np.uint8] | None = None
    for k in range(count):
        spent_all = planner.spent >= end
        if spent_all and sure is None:
            sure = question.postponed | planner.reachable(
                question.start, question.goal, question.radius, question.heights
            )
        if spent_all and sure is not None and sure[k]:
            outcome[k] = OUTCOMES.index("postponed")
            continue
        found = _planned(question, k, 0 if spent_all else question.expansions * CAP)
        inner: Sequence[Point] = ()
        if isinstance(found, Path):
            inner = found.waypoints[1:-1]
        elif isinstance(found, Unreachable):
            outcome[k] = OUTCOMES.index(found.reason)
            if found.nearest is not None:
                nearest[k], has_nearest[k] = found.nearest, 1
                if question.nearest and found.reason != "start-off-surface":
                    half_way = planner.path(
                        _start(question, k), found.nearest, float(question.radius[k]),
                        heights=_heights(question, k), expansions=question.expansions * CAP, longer=LONGER,
                    )  # fmt: skip
                    inner = half_way.waypoints[1:] if isinstance(half_way, Path) else ()
        else:
            outcome[k] = OUTCOMES.index("postponed" if spent_all else "unfinished")
        inner = inner[:MAX_WAYPOINTS]
        lengths[k] = len(inner)
        waypoints += inner
    points = np.array(waypoints, np.float64).reshape(-1, 2)
    return FoundWays(due, question.ids, outcome, nearest, has_nearest, lengths, points)


def prepared(planner: Planner, discs: Floats, farthest: float) -> None:
    """Have a planner make what it needs for agents that are these discs (d, 3): a radius, and from where to where."""
    for radius, low, high in discs.tolist():
        planner.prepare(radius, farthest, (low, high))
        planner.prepare(ROOMY * radius, farthest, (low, high))


def _start(question: Question, k: int) -> tuple[float, float]:
    return float(question.start[k, 0]), float(question.start[k, 1])


def _heights(question: Question, k: int) -> Heights:
    return float(question.heights[k, 0]), float(question.heights[k, 1])


def _planned(question: Question, k: int, expansions: int) -> Answer:
    """One way, round what is to be avoided where there is such a way."""
    start = _start(question, k)
    goal = (float(question.goal[k, 0]), float(question.goal[k, 1]))
    radius = float(question.radius[k])
    x, y, away = question.avoid[k].tolist()
    plan = partial(
        question.planner.path_from_beside, start, goal, heights=_heights(question, k), expansions=expansions,
        longer=LONGER,
    )  # fmt: skip
    if away > 0.0:
        found = plan(radius, avoid=(x, y, away))
        if isinstance(found, Path | Unfinished):
            return found
    # ways that keep off corners and door posts, at which the constraints of a boundary hold an agent up; where there is
    # no such way, and of who cannot arrive at all, the disc itself decides
    roomy = plan(ROOMY * radius)
    if isinstance(roomy, Unreachable):
        return plan(radius)
    # and where it leads far round what the disc fits through; that most do not is known without another search
    dx, dy = goal[0] - start[0], goal[1] - start[1]
    if isinstance(roomy, Path) and roomy.length > _worth(math.sqrt(dx * dx + dy * dy), radius):
        # another one is taken where it is so short, and looked for no farther
        within = (roomy.length - SQUEEZE * radius) / DETOUR
        close = plan(radius, within=within)
        if isinstance(close, Path) and roomy.length > _worth(close.length, radius):
            return close
    return roomy


def _worth(length: float, radius: float) -> float:
    """How long a roomy way may be beside one of this length."""
    return DETOUR * length + SQUEEZE * radius
