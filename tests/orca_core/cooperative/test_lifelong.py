"""Lifelong: who arrives gets another goal, from a list or by chance, and goes on without a touch."""

from __future__ import annotations

import numpy as np
import pytest

from orca_core.cooperative.config import Config
from orca_core.cooperative.lifelong import Lifelong, listed_goals, random_goals
from orca_core.cooperative.runner import SOLVED, Run
from orca_core.cooperative.variants import Variant
from orca_core.errors import InvalidInput
from tests.orca_core.mapf.maps import instance_of

# two rooms with a gap between them, agents on both sides
ROOMS = "a..@..B b..@..C c.....A ...@... ...@..."
STEPS = 1200


def lifelong(variant: Variant, seed: int) -> Lifelong:
    instance = instance_of(ROOMS)
    goals = random_goals(instance.grid, np.random.default_rng(seed))
    run = Lifelong.of(instance, Config(), variant, goals, STEPS)
    while run.step():
        pass
    return run


@pytest.mark.parametrize("variant", [Variant.CORCA_MAPF, Variant.ORCA_MAPF])
def test_everybody_arrives_again_and_again(variant: Variant) -> None:
    run = lifelong(variant, 1)
    # a run with one goal each would have ended long before, with one arrival each
    assert run.arrivals.min() >= 8
    metrics = run.metrics
    assert metrics.throughput == run.throughput == run.arrivals.sum() / (STEPS * 0.25)
    assert metrics.steps == STEPS
    assert metrics.collisions_obst == 0
    # whoever is pressed into a corner may be touched for a step or two: no velocity holds all half-planes there
    assert metrics.collisions <= 4
    assert run.plans > 10


def test_a_run_with_one_goal_each_says_nothing_of_throughput() -> None:
    run = Run(instance_of(ROOMS), Config(), Variant.CORCA)
    run.plan()
    run.identify_corridors()
    run.build_dependencies()
    run.prepare()
    while run.step():
        pass
    assert run.ended == SOLVED
    assert run.metrics.steps < STEPS / 4
    assert run.metrics.throughput is None


def test_chance_comes_from_the_state_that_is_handed_in() -> None:
    ends = []
    for seed in (1, 1, 2):
        run = lifelong(Variant.CORCA_MAPF, seed)
        assert run.run.world is not None
        ends.append((run.run.world.digest(), run.arrivals.tolist()))
    assert ends[0] == ends[1] != ends[2]


def test_goals_from_a_list_are_visited_in_its_order_and_then_it_stays() -> None:
    instance = instance_of(ROOMS)
    # the second waits for a goal that is the first's until that one has gone on
    lists = [[34, 0], [34, 6], []]
    run = Lifelong.of(instance, Config(), Variant.CORCA_MAPF, listed_goals(lists), STEPS)
    seen: list[list[int]] = [[int(goal)] for goal in instance.goals]
    while run.step():
        for agent, goal in enumerate(run.run.instance.goals.tolist()):
            if goal != seen[agent][-1]:
                seen[agent].append(goal)
    assert [cells[1:] for cells in seen] == lists
    assert run.arrivals.tolist() == [3, 3, 1]


def test_goals_by_chance_are_in_nobody_s_way() -> None:
    grid = instance_of(ROOMS).grid
    goals = random_goals(grid, np.random.default_rng(3))
    drawn = {goals(0, 0, frozenset({34})) for _ in range(400)}
    # all cells but its own, somebody's goal, and the gap
    assert drawn == set(np.flatnonzero(grid.free).tolist()) - {0, 34, 17}


def test_where_nobody_moves_there_is_nothing_to_go_on_with() -> None:
    instance = instance_of(ROOMS)
    goals = random_goals(instance.grid, np.random.default_rng(0))
    with pytest.raises(InvalidInput, match="lns-only"):
        Lifelong.of(instance, Config(), Variant.LNS_ONLY, goals, 10)


def test_a_goal_in_a_gap_that_others_keep_coming_through_is_reached() -> None:
    instance = instance_of("a..@..A b..@..B d..D... c..@..C ...@...")
    # three go to and fro; the fourth is bound for the gap, for a room, and for the gap again
    lists = [[0, 6] * 20, [7, 13] * 20, [21, 27] * 20, [18, 17, 30, 17]]
    for variant in (Variant.CORCA, Variant.CORCA_MAPF):
        run = Lifelong.of(instance, Config(), variant, listed_goals(lists), 1600)
        first = -1
        while run.step():
            if first < 0 and run.arrivals[3]:
                assert run.run.world is not None
                first = run.run.world.step_count
        # without being let in it does not get there at all as long as they go on
        assert 0 < first <= 400
        assert run.arrivals[3] >= 3
        # and nobody else pays much for it
        assert run.arrivals[:3].min() >= 10
        assert run.metrics.collisions == 0
