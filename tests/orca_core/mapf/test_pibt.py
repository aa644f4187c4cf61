"""PIBT: nobody is met, everybody comes to its goal where circles are, and what does not end is cut."""

from __future__ import annotations

import numpy as np
import pytest

from orca_core.mapf.pibt import pibt
from orca_core.mapf.search import Search
from orca_core.mapf.validate import validate
from tests.orca_core.mapf.maps import instance_of, random_instance


@pytest.mark.parametrize("seed", range(8))
def test_agents_on_an_open_map_arrive(seed: int) -> None:
    instance = random_instance(seed, 40, blocked=0.0)
    plan = pibt(Search(instance), random_state=np.random.default_rng(seed), steps=400)
    assert plan.complete
    assert validate(instance, plan.paths) == []


def test_four_change_places_crosswise() -> None:
    instance = instance_of("a..b .... .... B..A")
    plan = pibt(Search(instance), random_state=np.random.default_rng(0), steps=100)
    assert plan.complete
    assert validate(instance, plan.paths) == []


def test_what_it_cannot_solve_is_cut_and_meets_nobody() -> None:
    instance = instance_of("ab....BA")
    plan = pibt(Search(instance), random_state=np.random.default_rng(0), steps=50)
    assert (plan.complete, plan.limit, plan.iterations) == (False, "iterations", 50)
    assert {fault.rule for fault in validate(instance, plan.paths)} == {"goal"}


def test_the_same_chance_gives_the_same_plan() -> None:
    one, other = (
        pibt(Search(random_instance(4, 40)), random_state=np.random.default_rng(7), steps=200) for _ in range(2)
    )
    assert [path.tolist() for path in one.paths] == [path.tolist() for path in other.paths]
