"""Paths of one agent among others: against a search over all cells and times, which is slow and obvious."""

from __future__ import annotations

import heapq

import numpy as np
import pytest

from orca_core.mapf.prioritized import enter_all, prioritized
from orca_core.mapf.search import Search
from orca_core.mapf.validate import validate
from tests.orca_core.mapf.maps import instance_of, random_instance

BUDGET = 1_000_000


def cheapest(search: Search, agent: int, *, hard: bool) -> tuple[int, int] | None:
    """(meetings, time of arrival) of the best path over all cells and times; None where there is none.

    A meeting is a stretch of time in which somebody is in a cell that one comes into, or a change of places.
    """
    reserved, horizon = search.reservations, search.horizon
    start, goal = int(search.instance.starts[agent]), int(search.instance.goals[agent])
    taken = reserved.first >= 0
    best: dict[tuple[int, int], tuple[int, int]] = {}
    heap = [(int(taken[start, 0]), 0, start)]
    if hard and taken[start, 0]:
        return None
    result = None
    while heap:
        cost, time, cell = heapq.heappop(heap)
        if result is not None and cost > result[0]:
            break
        if (cell, time) in best and best[cell, time] <= (cost, time):
            continue
        best[cell, time] = (cost, time)
        if cell == goal:
            later = taken[goal, time:]
            if not (hard and later.any()):
                stretches = int((later[1:] & ~later[:-1]).sum())
                found = (cost + stretches, time)
                result = found if result is None else min(result, found)
        if time + 1 == horizon:
            continue
        for other in [cell, *(int(n) for n in search.neighbours[cell] if n >= 0)]:
            met = int(taken[other, time + 1] and (other != cell or not taken[cell, time]))
            swaps = other != cell and any(
                reserved.paths[a, time] == other and reserved.paths[a, time + 1] == cell
                for a in np.flatnonzero(reserved.length)
            )
            if hard and (taken[other, time + 1] or swaps):
                continue
            heapq.heappush(heap, (cost + met + int(swaps), time + 1, other))
    return result


@pytest.mark.parametrize("hard", [True, False])
@pytest.mark.parametrize("seed", range(12))
def test_a_path_is_the_best_there_is(seed: int, hard: bool) -> None:
    search = Search(random_instance(seed, 9, side=6))
    for agent in range(8):
        found = search.find(agent, hard=hard, budget=BUDGET)
        expected = cheapest(search, agent, hard=hard)
        assert (None if found is None else (found[1], len(found[0]) - 1)) == expected
        if found is not None:
            search.reservations.enter(agent, found[0])


def test_what_is_released_leaves_no_trace() -> None:
    search, untouched = Search(random_instance(3, 20)), Search(random_instance(3, 20))
    assert enter_all(search, np.arange(20), hard=False, budget=BUDGET)
    for agent in np.random.default_rng(1).permutation(20).tolist():
        search.reservations.leave(agent)
    for name in ("first", "link", "paths", "length"):
        assert np.array_equal(getattr(search.reservations, name), getattr(untouched.reservations, name)), name


def test_more_room_is_made_where_it_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = prioritized(random_instance(5, 30), random_state=np.random.default_rng(1))
    monkeypatch.setattr("orca_core.mapf.search.ROOM", 8)
    found = prioritized(random_instance(5, 30), random_state=np.random.default_rng(1))
    assert [path.tolist() for path in found.paths] == [path.tolist() for path in expected.paths]


def test_a_budget_ends_a_search() -> None:
    search = Search(random_instance(2, 5))
    assert search.find(0, hard=True, budget=0) is None
    assert search.expanded == 0


@pytest.mark.parametrize("seed", range(6))
def test_prioritized_plans_hold(seed: int) -> None:
    instance = random_instance(seed, 25)
    plan = prioritized(instance, random_state=np.random.default_rng(seed))
    assert plan.complete
    assert validate(instance, plan.paths) == []


def test_prioritized_planning_says_when_it_has_no_plan() -> None:
    # two that would have to pass each other where there is no room
    plan = prioritized(instance_of("ab....BA"), random_state=np.random.default_rng(0))
    assert not plan.complete
    assert plan.limit == "attempts"
    assert len(plan.paths) == 2
