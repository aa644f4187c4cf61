"""MAPF-LNS2: plans hold, come out again, get better, and say what ended them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from orca_core.errors import InvalidInput
from orca_core.mapf.lns2 import IMPROVEMENTS, INITIAL, NO_FARTHER, REPAIRS, Iteration, Settings, solve
from orca_core.mapf.validate import validate
from tests.orca_core.mapf.maps import instance_of, random_instance


@pytest.mark.parametrize("initial", INITIAL)
@pytest.mark.parametrize("rule", REPAIRS)
def test_crowded_maps_are_solved_by_every_rule_of_repair(rule: str, initial: str) -> None:
    instance = random_instance(11, 48, blocked=0.2)
    told: list[Iteration] = []
    settings = Settings(init_algo=initial, init_destroy_strategy=rule)
    plan = solve(instance, settings, random_state=np.random.default_rng(2), report=told.append)
    assert plan.complete
    assert validate(instance, plan.paths) == []
    assert plan.sum_of_costs == plan.notes["initial_costs"]
    if initial == "PP":
        # the first paths do meet, and each accepted repair leaves no more meetings
        assert plan.notes["repairs"] == len(told) > 0
        pairs = [iteration.colliding_pairs for iteration in told]
        assert pairs == sorted(pairs, reverse=True)
        assert pairs[-1] == 0


@pytest.mark.parametrize("rule", IMPROVEMENTS)
def test_every_rule_of_improvement_makes_plans_shorter(rule: str) -> None:
    instance = random_instance(3, 40)
    settings = Settings(destroy_strategy=rule, max_iterations=200)
    told: list[Iteration] = []
    first = solve(instance, replace(settings, max_iterations=0), random_state=np.random.default_rng(1))
    plan = solve(instance, settings, random_state=np.random.default_rng(1), report=told.append)
    assert validate(instance, plan.paths) == []
    assert plan.iterations == 200
    assert plan.sum_of_costs < first.sum_of_costs == plan.notes["initial_costs"]
    costs = [iteration.sum_of_costs for iteration in told if iteration.phase == "improve"]
    assert costs == sorted(costs, reverse=True)


def test_a_run_comes_out_again() -> None:
    settings = Settings(max_iterations=60)
    runs = [solve(random_instance(5, 40), settings, random_state=np.random.default_rng(9)) for _ in range(2)]
    assert [path.tolist() for path in runs[0].paths] == [path.tolist() for path in runs[1].paths]
    other = solve(random_instance(5, 40), settings, random_state=np.random.default_rng(10))
    assert [path.tolist() for path in other.paths] != [path.tolist() for path in runs[0].paths]


def test_a_run_that_was_stopped_comes_out_again_from_its_number_of_iterations() -> None:
    asked = iter(range(1000))
    stopped = solve(
        random_instance(5, 40), Settings(max_iterations=500), random_state=np.random.default_rng(9),
        stop=lambda: next(asked) >= 40,
    )  # fmt: skip
    assert stopped.limit == "stopped"
    again = solve(
        random_instance(5, 40), Settings(max_iterations=stopped.iterations), random_state=np.random.default_rng(9)
    )
    assert [path.tolist() for path in again.paths] == [path.tolist() for path in stopped.paths]


def test_what_has_no_plan_ends_with_its_budget() -> None:
    instance = instance_of("ab....BA")
    plan = solve(instance, Settings(repairs=30), random_state=np.random.default_rng(0))
    assert (plan.complete, plan.limit) == (False, "repairs")
    assert validate(instance, plan.paths)
    plan = solve(instance, Settings(patience=40), random_state=np.random.default_rng(0))
    assert (plan.complete, plan.limit, plan.notes["repairs"] < 100) == (False, NO_FARTHER, True)
    plan = solve(instance, Settings(expansions=20), random_state=np.random.default_rng(0))
    assert (plan.complete, plan.limit) == (False, "expansions")


def test_wrong_settings_are_named_all_at_once() -> None:
    with pytest.raises(InvalidInput) as refused:
        Settings(init_algo="LACAM", neighbor_size=0, max_iterations=-1, patience=0)
    assert [problem.field for problem in refused.value.problems] == [
        *("init_algo", "neighbor_size", "max_iterations", "patience"),
    ]
