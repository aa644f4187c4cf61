"""Push and Rotate: plans hold, in narrow places too, and where it has none it says so."""

from __future__ import annotations

from collections import deque

import numpy as np
import pytest

from orca_core.formats.movingai import GridMap
from orca_core.mapf.grid_graph import neighbours_of
from orca_core.mapf.instance import Instance
from orca_core.mapf.push_and_rotate import push_and_rotate
from orca_core.mapf.search import Search
from orca_core.mapf.validate import validate
from tests.orca_core.mapf.maps import instance_of, random_instance

NARROW = [
    "@@.@@ aB.bA",
    "@.@@@ aB.bA @.@@@",
    "abc.. @@.@@ @@.@@ CBA..",
    "ab.BA .@@@. .....",
    "aB bA .. ..",
    "a.b @.@ B.A",
]


@pytest.mark.parametrize("drawn", NARROW)
def test_narrow_places_are_solved(drawn: str) -> None:
    instance = instance_of(drawn)
    plan = push_and_rotate(Search(instance))
    assert plan.complete, plan.limit
    assert validate(instance, plan.paths) == []


@pytest.mark.parametrize("agents", [10, 40, 60])
@pytest.mark.parametrize("seed", range(6))
def test_crowded_maps_are_solved(seed: int, agents: int) -> None:
    instance = random_instance(seed, agents, side=10, blocked=0.15)
    plan = push_and_rotate(Search(instance))
    assert plan.complete, plan.limit
    assert validate(instance, plan.paths) == []


def test_what_has_no_plan_is_said() -> None:
    instance = instance_of("ab....BA")
    plan = push_and_rotate(Search(instance))
    assert (plan.complete, plan.limit) == (False, "no-path")
    assert [path.tolist() for path in plan.paths] == [[0], [1]]
    plan = push_and_rotate(Search(random_instance(1, 40)), moves=10)
    assert (plan.complete, plan.limit) == (False, "moves")


def small_tree(random_state: np.random.Generator, size: int, side: int = 6) -> GridMap:
    """A tree of so many free cells, with a ring now and then."""
    free = np.zeros((side + 2, side + 2), np.bool_)
    free[side // 2, side // 2] = True
    while free.sum() < size:
        row, column = (int(k) for k in random_state.integers(1, side + 1, 2))
        beside = int(free[row - 1, column]) + free[row + 1, column] + free[row, column - 1] + free[row, column + 1]
        free[row, column] |= beside == 1 or (beside == 2 and random_state.random() < 0.05)
    return GridMap(side, side, np.ascontiguousarray(free[1:-1, 1:-1]))


def has_plan(instance: Instance) -> bool:
    """By a search through all placements."""
    beside = [[other for other in row if other >= 0] for row in neighbours_of(instance.grid).tolist()]
    start, goal = tuple(instance.starts.tolist()), tuple(instance.goals.tolist())
    seen, pending = {start}, deque([start])
    while pending:
        here = pending.popleft()
        for agent, cell in enumerate(here):
            for other in beside[cell]:
                there = (*here[:agent], other, *here[agent + 1 :])
                if other not in here and there not in seen:
                    seen.add(there)
                    pending.append(there)
    return goal in seen


@pytest.mark.parametrize("seed", range(4))
def test_on_small_trees_it_has_a_plan_wherever_there_is_one(seed: int) -> None:
    random_state = np.random.default_rng(seed)
    there_are = 0
    for _ in range(40):
        size = int(random_state.integers(5, 9))
        grid = small_tree(random_state, size)
        cells = np.flatnonzero(grid.free)
        agents = int(random_state.integers(2, size - 2))
        starts, goals = random_state.permutation(cells)[:agents], random_state.permutation(cells)[:agents]
        instance = Instance(grid, starts, goals)
        plan = push_and_rotate(Search(instance))
        assert plan.complete == has_plan(instance), (grid.free, starts, goals)
        if plan.complete:
            there_are += 1
            assert validate(instance, plan.paths) == []
    assert 10 <= there_are <= 38
