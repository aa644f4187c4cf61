"""Instances: what no plan could be made for is refused, naming whom it concerns."""

from __future__ import annotations

import pytest

from orca_core.errors import InvalidInput
from orca_core.formats.movingai import parse_map, parse_scenario
from orca_core.mapf.instance import Instance
from orca_core.mapf.search import Search
from tests.orca_core.mapf.maps import grid_of


def test_cells_are_numbered_by_rows_from_the_top() -> None:
    grid = parse_map("type octile\nheight 2\nwidth 3\nmap\n..@\nT.S\n")
    rows = parse_scenario("version 1\n0\tm\t3\t2\t1\t1\t2\t1\t1\n", grid)
    instance = Instance.from_rows(grid, rows)
    assert (instance.starts.tolist(), instance.goals.tolist()) == ([4], [5])
    assert (instance.place(4), instance.count) == ((1, 1), 1)


@pytest.mark.parametrize(
    ("starts", "goals", "item", "field", "said"),
    [
        ([(0, 0), (0, 0)], [(1, 0), (2, 0)], 1, "start", "also that of agent 0"),
        ([(0, 0), (1, 0)], [(2, 0), (2, 0)], 1, "goal", "also that of agent 0"),
        ([(0, 0), (1, 1)], [(2, 0), (1, 0)], 1, "start", "blocked"),
        ([(0, 0), (1, 0)], [(2, 0), (3, 0)], 1, "goal", "outside"),
        ([(0, -1)], [(2, 0)], 0, "start", "outside"),
    ],
)
def test_a_place_that_is_none_is_refused(
    starts: list[tuple[int, int]], goals: list[tuple[int, int]], item: int, field: str, said: str
) -> None:
    with pytest.raises(InvalidInput) as refused:
        Instance.from_places(grid_of("...", ".@."), starts, goals)
    (problem,) = refused.value.problems
    assert (problem.item, problem.field) == (item, field)
    assert said in problem.message


def test_start_and_goal_of_one_agent_may_be_one_cell() -> None:
    grid = grid_of("..")
    assert Instance.from_places(grid, [(0, 0), (1, 0)], [(0, 0), (1, 0)]).count == 2


def test_a_goal_that_cannot_be_reached_is_named_before_anything_is_searched() -> None:
    with pytest.raises(InvalidInput, match="unreachable") as refused:
        Search(Instance.from_places(grid_of("..@.", "..@."), [(0, 0), (1, 0)], [(1, 1), (3, 0)]))
    assert [problem.item for problem in refused.value.problems] == [1]
