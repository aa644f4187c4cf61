"""Knot: a group that has locked itself up, turned into an instance on its local grid and solved once for all of it.

First Push and Rotate, which solves what can be solved and whose plans are long, then ECBS within what is left of a
budget in expansions; of the plans that can be followed the one with the least sum of costs is taken. Where none comes
out the box is made larger, up to the whole map: what is missing in a long corridor is a place to pass.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from orca_core.cooperative.local_grid import LocalGrid, beginnings, cells_of, endings, local_grid
from orca_core.cooperative.sub_plans import order_of_entry, turns_in_place
from orca_core.errors import InvalidInput
from orca_core.formats.movingai import GridMap
from orca_core.mapf.ecbs import ecbs
from orca_core.mapf.instance import Instance
from orca_core.mapf.plan import Plan
from orca_core.mapf.push_and_rotate import push_and_rotate
from orca_core.mapf.search import Search

__all__ = ["BUDGET", "Knot", "Untied", "solve_instance", "untie"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

# expansions of one group; a move of Push and Rotate counts as one
BUDGET = 200_000
# how much dearer than need be a plan of ECBS may be
WEIGHT = 1.5


@dataclass(frozen=True, eq=False)
class Knot:
    """`places` (m, 2) of the members in cells, y downward; `ways[k]` the cells that member k would go, to its goal.

    `parked` are the cells in which somebody stands who takes no part.
    """

    grid: GridMap
    places: Floats
    ways: Sequence[Integers]
    parked: Sequence[int] = ()


@dataclass(frozen=True, eq=False)
class Untied:
    """A plan for a knot: `paths[k]` the cells of the whole map that member k goes through, without waiting.

    `waits_for` and `waits_until` as SubPlans has them; `instance` and `plan` are what was solved, for who checks.
    """

    paths: list[Integers]
    waits_for: list[Integers]
    waits_until: list[Integers]
    instance: Instance
    plan: Plan


def untie(knot: Knot, margin: int, budget: int = BUDGET) -> tuple[Untied | None, int]:
    """A plan for the group, or None; and how often ECBS was asked. `margin` is how many cells the members see."""
    cells = cells_of(knot.grid, knot.places)
    asked = 0
    while True:
        local = local_grid(knot.grid, cells, margin, knot.parked)
        instance = _instance(local, knot)
        if instance is not None:
            plan, calls = solve_instance(instance, budget)
            asked += calls
            if plan is not None:
                return _untied(local, knot, instance, plan), asked
        if local.is_whole:
            return None, asked
        margin *= 2


def solve_instance(instance: Instance, budget: int) -> tuple[Plan | None, int]:
    """The best plan that can be followed, None where there is none; and how often ECBS was asked."""
    try:
        search = Search(instance)
    except InvalidInput:
        # a goal that is cut off: nothing to be searched for
        return None, 0
    first = push_and_rotate(search, moves=budget)
    found = [first] if first.complete else []
    left = budget - first.iterations
    if left <= 0:
        return (first if found else None), 0
    second = ecbs(instance, weight=WEIGHT, budget=left)
    if second.complete and not turns_in_place(second):
        found.append(second)
    return min(found, key=lambda plan: plan.sum_of_costs, default=None), 1


def _instance(local: LocalGrid, knot: Knot) -> Instance | None:
    starts = beginnings(local, knot.places)
    goals = None if starts is None else endings(local, starts, knot.ways)
    return None if starts is None or goals is None else Instance(local.grid, starts, goals)


def _untied(local: LocalGrid, knot: Knot, instance: Instance, plan: Plan) -> Untied:
    # where everybody is now, as cells of the local grid; who stands on a blocked one keeps nobody waiting
    standing = np.array([local.inside(cell) for cell in cells_of(knot.grid, knot.places).tolist()], np.int64)
    paths, waits_for, waits_until = order_of_entry(plan.paths, standing)
    return Untied([local.outside(path) for path in paths], waits_for, waits_until, instance, plan)
