"""Push and Rotate: plans hold, in narrow places too, and where it has none it says so."""

from __future__ import annotations

import pytest

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
