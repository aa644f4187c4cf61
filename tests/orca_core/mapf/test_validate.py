"""The validator: each rule broken by itself is found, and a plan that breaks none is taken."""

from __future__ import annotations

import pytest

from orca_core.mapf.instance import Instance
from orca_core.mapf.validate import validate
from tests.orca_core.mapf.maps import grid_of, instance_of

# two agents side by side on a map with a wall between; cells 0..3, 4..7, 8..11
DRAWN = "a..A .@@. b..B"
GOOD = [[0, 1, 2, 3], [8, 9, 10, 11]]


def test_a_plan_that_holds_has_no_fault() -> None:
    assert validate(instance_of(DRAWN), GOOD) == []
    # waiting, and standing at the end, are no faults
    assert validate(instance_of(DRAWN), [[0, 0, 1, 2, 3, 3], GOOD[1]]) == []


@pytest.mark.parametrize(
    ("paths", "rules", "time", "agents"),
    [
        ([[4, 0, 1, 2, 3], GOOD[1]], ["start"], 0, (0,)),
        ([[0, 1, 2], GOOD[1]], ["goal"], 2, (0,)),
        ([[0, 1, 3], GOOD[1]], ["jump"], 2, (0,)),
        ([[0, 3], GOOD[1]], ["jump"], 1, (0,)),
        # across a corner
        ([[0, 1, 2, 7, 3], GOOD[1]], ["jump"], 3, (0,)),
        # from the end of a row to the beginning of the next
        ([[0, 1, 2, 3, 4, 0, 1, 2, 3], GOOD[1]], ["jump"], 4, (0,)),
        ([[0, 1, 5, 1, 2, 3], GOOD[1]], ["blocked"], 2, (0,)),
        ([GOOD[0]], ["missing"], 0, ()),
        ([GOOD[0], []], ["missing"], 0, (1,)),
    ],
)
def test_one_broken_rule_of_a_path_is_found(
    paths: list[list[int]], rules: list[str], time: int, agents: tuple[int, ...]
) -> None:
    faults = validate(instance_of(DRAWN), paths)
    assert [fault.rule for fault in faults] == rules
    assert (faults[0].time, faults[0].agents) == (time, agents)


@pytest.mark.parametrize(("place", "rule"), [(12, "outside"), (-1, "outside")])
def test_a_place_outside_the_map_is_found(place: int, rule: str) -> None:
    found = validate(instance_of(DRAWN), [[0, place, 1, 2, 3], GOOD[1]])
    assert rule in [fault.rule for fault in found]


def test_two_in_one_cell_are_found_also_after_the_end_of_a_path() -> None:
    (fault,) = validate(instance_of("a.A b.B"), [[0, 1, 1, 2], [3, 4, 1, 4, 5]])
    assert (fault.rule, fault.time, fault.agents) == ("vertex", 2, (0, 1))
    parked = instance_of("aA. bB.")
    # agent 0 is at its goal, cell 1, for ever; agent 1 passes there
    (fault,) = validate(parked, [[0, 1], [3, 4, 4, 1, 4]])
    assert (fault.rule, fault.time, fault.agents) == ("vertex", 3, (0, 1))


def test_two_that_change_places_are_found() -> None:
    (fault,) = validate(instance_of("ab BA"), [[0, 1, 3], [1, 0, 2]])
    assert (fault.rule, fault.time, fault.agents) == ("swap", 1, (0, 1))


def test_four_that_go_round_do_not_change_places() -> None:
    # each follows the one before it, as on a roundabout
    grid = grid_of("..", "..")
    turning = Instance.from_places(grid, [(0, 0), (1, 0), (1, 1), (0, 1)], [(1, 0), (1, 1), (0, 1), (0, 0)])
    assert validate(turning, [[0, 1], [1, 3], [3, 2], [2, 0]]) == []


def test_no_more_than_a_hundred_faults_are_named() -> None:
    assert len(validate(instance_of(DRAWN), [[0, 2] * 200, GOOD[1]])) == 100
