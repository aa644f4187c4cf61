"""ECBS: optimal with weight 1, within its bound otherwise, against a search over the places of all agents at once."""

from __future__ import annotations

import heapq
import itertools

import pytest

from orca_core.errors import InvalidInput
from orca_core.mapf.ecbs import ecbs
from orca_core.mapf.instance import Instance
from orca_core.mapf.plan import OPTIMAL
from orca_core.mapf.validate import validate
from tests.orca_core.mapf.maps import instance_of, random_instance


def least_cost(instance: Instance) -> int:
    """The least sum of costs, by Dijkstra over all places together; a step costs whoever has not stopped for good."""
    width, free = instance.grid.width, instance.grid.free
    goals = tuple(instance.goals.tolist())

    def beside(cell: int) -> list[int]:
        x, y = cell % width, cell // width
        places = [(x, y), (x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)]
        return [b * width + a for a, b in places if 0 <= a < width and 0 <= b < instance.grid.height and free[b, a]]

    # a state says where all are and who has stopped for good
    count = instance.count
    start = (tuple(instance.starts.tolist()), (False,) * count)
    heap, seen = [(0, start)], set()
    while heap:
        cost, (here, done) = heapq.heappop(heap)
        if all(done):
            return cost
        if (here, done) in seen:
            continue
        seen.add((here, done))
        able = [[True, False] if here[i] == goals[i] and not done[i] else [done[i]] for i in range(count)]
        for stop in itertools.product(*able):
            if stop != done:
                heapq.heappush(heap, (cost, (here, stop)))
        moves = [[here[i]] if done[i] else beside(here[i]) for i in range(count)]
        for there in itertools.product(*moves):
            if len(set(there)) < count:
                continue
            if any(there[a] == here[b] and there[b] == here[a] for a in range(count) for b in range(a)):
                continue
            heapq.heappush(heap, (cost + count - sum(done), (there, done)))
    raise AssertionError("there is no plan")


@pytest.mark.parametrize("seed", range(10))
def test_weight_one_is_optimal(seed: int) -> None:
    instance = random_instance(seed, 3, side=4, blocked=0.2)
    plan = ecbs(instance)
    assert validate(instance, plan.paths) == []
    assert (plan.complete, plan.quality) == (True, OPTIMAL)
    assert plan.sum_of_costs == least_cost(instance) == plan.notes["lower_bound"]


@pytest.mark.parametrize("weight", [1.1, 1.5])
@pytest.mark.parametrize("seed", range(5))
def test_a_weight_bounds_the_cost(seed: int, weight: float) -> None:
    instance = random_instance(seed, 12, side=8, blocked=0.15)
    plan = ecbs(instance, weight=weight)
    assert plan.complete
    assert validate(instance, plan.paths) == []
    assert plan.notes["lower_bound"] <= plan.sum_of_costs <= weight * plan.notes["lower_bound"]


def test_two_in_a_corridor_use_the_one_place_to_pass() -> None:
    instance = instance_of("@@.@@ aB.bA")
    plan = ecbs(instance)
    assert validate(instance, plan.paths) == []
    assert plan.sum_of_costs == least_cost(instance)
    # one of them waits in the niche, cell 2, until the other is by
    assert sum(2 in path.tolist() for path in plan.paths) == 1


def test_a_budget_ends_it_with_the_best_there_was() -> None:
    plan = ecbs(instance_of("ab....BA"), weight=1.2, budget=2000)
    assert (plan.complete, plan.limit, plan.quality) == (False, "expansions", "suboptimal")
    assert len(plan.paths) == 2


def test_it_comes_out_again() -> None:
    plans = [ecbs(random_instance(4, 12, side=8), weight=1.2) for _ in range(2)]
    assert [path.tolist() for path in plans[0].paths] == [path.tolist() for path in plans[1].paths]


@pytest.mark.parametrize("weight", [0.5, 1e9, float("nan")])
def test_a_weight_that_is_none_is_refused(weight: float) -> None:
    with pytest.raises(InvalidInput, match="from 1"):
        ecbs(instance_of("aA"), weight=weight)
