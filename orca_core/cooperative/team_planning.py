"""Team planning: one plan for all agents of a world, asked for in one step and let in at a later one.

A question is the map, the cell that each is in and the cell that each is bound for. Cells are made different first: of
several agents in one cell, or bound for one, each gets the nearest free cell that is left, the lower place in the list
first. Who cannot get to its goal at all is told so, and no plan is made for it.

Who answers, and where, is not the business of this library: `TeamPlanning` is what a guide hands its questions to.
"""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from orca_core._jit import compile_all
from orca_core.cooperation import Cooperation
from orca_core.cooperative.alone import own_paths
from orca_core.cooperative.knot import BUDGET, solve_instance
from orca_core.formats.movingai import GridMap
from orca_core.kernels.narrow import number_groups
from orca_core.mapf.grid_graph import neighbours_of
from orca_core.mapf.instance import Instance
from orca_core.mapf.lns2 import Settings, solve

__all__ = ["OUTCOMES", "REPAIRS", "InlineTeamPlanning", "TeamPlan", "TeamPlanning", "TeamQuestion", "planned"]

Integers = NDArray[np.int64]

# what became of each agent, by its code: a path to its cell, one to a cell near it, or why there is none
OUTCOMES = ("way", "near", "start-off-surface", "goal-off-surface", "disconnected")
WAY, NEAR, START_OFF, GOAL_OFF, DISCONNECTED = range(5)
# iterations after which the planner for knots is asked; where that finds no plan either, one in which some meet is
# taken: the solver keeps them apart all the same
REPAIRS = 200
NOBODY: frozenset[int] = frozenset()
FARTHEST = np.iinfo(np.int64).max


@dataclass(frozen=True, eq=False)
class TeamQuestion:
    """`ids` int64 (m,), and the cells `start` and `goal` (m,) of each on `grid`, -1 beside the map; `since` (m,) is the
    step since which each is on its way there, and whoever is the longest is planned for first; `seed` decides chance.
    """

    grid: GridMap
    cooperation: Cooperation
    ids: Integers
    start: Integers
    goal: Integers
    since: Integers
    seed: int


@dataclass(frozen=True, eq=False)
class TeamPlan:
    """The plan that was due after step `due`: `outcome` uint8 (m,) place in OUTCOMES, `nearest` int64 (m,) the cell
    nearest to the goal that can be reached, -1 where none is asked about; `count` int64 (m,) of the `cells` (c,) of
    each path by time step, 0 where there is none.
    """

    due: int
    ids: Integers
    outcome: NDArray[np.uint8]
    nearest: Integers
    count: Integers
    cells: Integers


class TeamPlanning(Protocol):
    """Answers the questions of one world."""

    def submit(self, due: int, question: TeamQuestion) -> None:
        """Take a question whose answer is wanted right after step `due`; there is never more than one under way."""

    def collect(self, due: int) -> TeamPlan:
        """The answer, waited for if it must be."""

    def drop(self) -> None:
        """Nobody wants the answer that is outstanding any more."""


class InlineTeamPlanning:
    """Plans when the answer is due, in the thread that wants it."""

    def __init__(self) -> None:
        """Nothing was asked."""
        self._questions: dict[int, TeamQuestion] = {}

    def submit(self, due: int, question: TeamQuestion) -> None:
        """Keep it until then."""
        self._questions[due] = question

    def collect(self, due: int) -> TeamPlan:
        """Plan now."""
        return planned(self._questions.pop(due), due)

    def drop(self) -> None:
        """Forget it."""
        self._questions.clear()


def planned(question: TeamQuestion, due: int) -> TeamPlan:
    """Make the plan."""
    grid, count = question.grid, len(question.ids)
    free = grid.free.reshape(-1)
    around = _Around(grid)
    outcome = np.zeros(count, np.uint8)
    nearest = np.full(count, -1, np.int64)
    start, goal = question.start.copy(), question.goal.copy()
    taken_starts: set[int] = set()
    taken_goals: set[int] = set()
    for k in range(count):
        # somebody a little beyond the free cells is taken to be in the nearest one
        place = around.nearest(start[k], taken_starts, free) if start[k] >= 0 else -1
        if place < 0:
            outcome[k] = START_OFF
            continue
        reached = around.reached(place)
        wanted = int(goal[k])
        if wanted < 0 or not reached[wanted]:
            outcome[k] = DISCONNECTED if wanted >= 0 and free[wanted] else GOAL_OFF
            nearest[k] = around.nearest(wanted, NOBODY, reached) if wanted >= 0 else -1
            continue
        end = around.nearest(wanted, taken_goals, reached)
        if end < 0:
            outcome[k], nearest[k] = DISCONNECTED, place
            continue
        outcome[k] = WAY if end == wanted else NEAR
        start[k], goal[k] = place, end
        taken_starts.add(place)
        taken_goals.add(end)
    chosen = np.flatnonzero(outcome <= NEAR)
    instance = Instance(grid, start[chosen], goal[chosen])
    paths = _paths(question, instance, question.since[chosen]) if len(chosen) else []
    lengths = np.zeros(count, np.int64)
    lengths[chosen] = [len(path) for path in paths]
    cells = np.concatenate([np.empty(0, np.int64), *paths])
    return TeamPlan(due, question.ids, outcome, nearest, lengths, cells)


def _paths(question: TeamQuestion, instance: Instance, since: Integers) -> list[Integers]:
    """A path each, by the plan for all where there is one, else the shortest of its own."""
    asked = question.cooperation
    if not asked.takes_turns:
        return own_paths(instance)
    settings = Settings(
        init_algo=asked.init_algo, neighbor_size=asked.neighbor_size, max_iterations=asked.max_iterations,
        repairs=REPAIRS,
    )  # fmt: skip
    plan = solve(instance, settings, random_state=np.random.default_rng(question.seed), rank=since)
    if not plan.complete:
        # who has just met another in a gap may have to go back: prioritized planning finds no way to do that
        plan = solve_instance(instance, BUDGET)[0] or plan
    return [path.astype(np.int64) for path in plan.paths]


class _Around:
    """Which cells are near a cell, and which can be reached from it."""

    def __init__(self, grid: GridMap) -> None:
        compile_all()
        self._width, cells = grid.width, grid.free.size
        # connected free cells have one number
        self._group = np.full(cells, -1, np.int32)
        free = grid.free.reshape(-1).astype(np.uint8)
        number_groups(neighbours_of(grid), free, 0, self._group, np.empty(cells, np.int32))
        self._rows, self._columns = np.divmod(np.arange(cells), grid.width)

    def reached(self, cell: int) -> NDArray[np.bool_]:
        """Which cells can be reached from a free one, (cells,)."""
        reached: NDArray[np.bool_] = self._group == self._group[cell]
        return reached

    def nearest(self, cell: int, taken: AbstractSet[int], among: NDArray[np.bool_]) -> int:
        """The cell nearest to one, itself first, of those in `among` (cells,) that nobody has taken; -1 for none."""
        if among[cell] and cell not in taken:
            return int(cell)
        left = among.copy()
        left[list(taken)] = False
        row, column = divmod(int(cell), self._width)
        squares = (self._rows - row) ** 2 + (self._columns - column) ** 2
        return int(np.argmin(np.where(left, squares, FARTHEST))) if left.any() else -1
