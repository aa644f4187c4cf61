"""Knots: groups, local grids, and plans for them that the validator holds against the instance."""

from __future__ import annotations

import numpy as np
import pytest

from orca_core.cooperative.group import Watch, crowd
from orca_core.cooperative.knot import Knot, solve_instance, untie
from orca_core.cooperative.local_grid import beginnings, cells_of, endings, local_grid
from orca_core.formats.movingai import GridMap
from orca_core.mapf.grid_graph import distances, neighbours_of
from orca_core.mapf.validate import validate
from tests.orca_core.mapf.maps import grid_of, instance_of


def way(grid: GridMap, start: tuple[int, int], goal: tuple[int, int]) -> np.ndarray:
    """A shortest way between two places."""
    beside = neighbours_of(grid)
    end = goal[1] * grid.width + goal[0]
    steps = distances(beside, np.array([end]))[0]
    cells = [start[1] * grid.width + start[0]]
    while cells[-1] != end:
        cells.append(min((cell for cell in beside[cells[-1]].tolist() if cell >= 0), key=lambda cell: steps[cell]))
    return np.array(cells)


def centers(*places: tuple[float, float]) -> np.ndarray:
    return np.array(places) + 0.5


def test_a_group_is_who_is_seen_and_who_they_see() -> None:
    grid = grid_of("..........", "@@@@.@@@@@", "..........")
    #  0 sees 1, 1 sees 2 and 3 through the gap; 4 is seen by 3 alone, 5 by nobody of them
    places = centers((0, 0), (4, 0), (4, 2), (6, 0), (9, 0), (0, 2))
    watch = Watch(grid)
    everybody = np.ones(6, np.bool_)
    assert watch.near(places, 0, 4.5, 10) == [1]
    assert watch.near(places, 1, 4.5, 10) == [2, 3, 0]
    assert watch.near(places, 1, 4.5, 1) == [2]
    assert watch.group(places, 0, 4.5, 10, everybody).tolist() == [0, 1, 2, 3]
    everybody[1] = False
    assert watch.group(places, 0, 4.5, 10, everybody).tolist() == [0]
    # without the wall it would be in sight
    assert watch.near(places, 5, 3.0, 10) == []
    assert Watch(grid_of(*[".........."] * 3)).near(places, 5, 3.0, 10) == [0]


def test_who_stands_close_takes_part_and_whoever_is_close_to_that_one() -> None:
    places = centers((0, 0), (1.2, 0), (2.3, 0.4), (4, 0), (2.3, 1.4))
    free = np.ones(5, np.bool_)
    assert crowd(places, np.array([0]), free).tolist() == [0, 1, 2, 4]
    free[1] = False
    assert crowd(places, np.array([0]), free).tolist() == [0]


def test_the_box_has_what_is_seen_and_no_more() -> None:
    grid = grid_of(*["." * 30] * 20)
    local = local_grid(grid, np.array([5 * 30 + 4, 8 * 30 + 20]), 3, blocked=[5 * 30 + 6, 19 * 30])
    assert (local.left, local.top, local.grid.width, local.grid.height) == (1, 2, 23, 10)
    assert np.argwhere(~local.grid.free).tolist() == [[3, 5]]
    inside = local.inside(8 * 30 + 20)
    assert local.outside(np.array([inside])).tolist() == [8 * 30 + 20]
    assert (local.inside(0), local.inside(5 * 30 + 6), local.is_whole) == (-1, -1, False)


def test_everybody_begins_beside_where_it_is_and_ends_on_its_way() -> None:
    grid = grid_of("." * 20, "@" * 20, "." * 20)
    # two in one cell; both go out at the right, the third has its goal inside
    places = np.array([[8.4, 0.5], [8.9, 0.5], [10.5, 0.5]])
    ways = [way(grid, (8, 0), (19, 0)), way(grid, (8, 0), (18, 0)), way(grid, (10, 0), (6, 0))]
    local = local_grid(grid, cells_of(grid, places), 4)
    starts = beginnings(local, places)
    assert starts is not None
    assert (starts + local.left).tolist() == [8, 9, 10]
    goals = endings(local, starts, ways)
    assert goals is not None
    assert sorted((goals + local.left).tolist()) == [6, 13, 14]
    assert goals[2] + local.left == 6


@pytest.mark.parametrize(
    ("drawn", "margin"),
    [
        # head on in a corridor with a bay, and in one whose ends are out of sight
        ("@@@@.@@@ A..b.a.B", 10),
        ("..@@@@@@@@@@@@.. A....b.a......B. ..@@@@@@@@@@@@..", 2),
    ],
)
def test_knots_are_untied(drawn: str, margin: int) -> None:
    instance = instance_of(drawn)
    grid = instance.grid
    starts = [instance.place(cell) for cell in instance.starts.tolist()]
    ways = [way(grid, a, instance.place(b)) for a, b in zip(starts, instance.goals.tolist(), strict=True)]
    untied, asked = untie(Knot(grid, centers(*starts), ways), margin)
    assert untied is not None
    assert validate(untied.instance, untied.plan.paths) == []
    assert asked >= 1
    # each ends on its way, at its goal where that is inside
    assert all(int(path[-1]) in cells.tolist() for path, cells in zip(untied.paths, ways, strict=True))
    if margin == 10:
        assert [int(path[-1]) for path in untied.paths] == instance.goals.tolist()
    else:
        # within what they see there is nothing but the corridor
        assert untied.instance.grid.width > 7


def test_whoever_is_parked_is_gone_round_or_there_is_no_plan() -> None:
    grid = grid_of("......", "......")
    knot = Knot(grid, centers((0, 0), (5, 0)), [way(grid, (0, 0), (5, 0)), way(grid, (5, 0), (0, 0))], parked=[2])
    untied, _ = untie(knot, 3)
    assert untied is not None
    assert all(2 not in path.tolist() for path in untied.paths)
    knot = Knot(grid, knot.places, knot.ways, parked=[2, 8])
    assert untie(knot, 3) == (None, 0)


def test_the_better_of_two_plans_is_taken() -> None:
    instance = instance_of("a...B ..... b...A .....")
    plan, asked = solve_instance(instance, 10_000)
    assert plan is not None
    assert (asked, plan.sum_of_costs) == (1, 12)
    # without a budget for the second it is what the first has
    plan, asked = solve_instance(instance, 1)
    assert (plan, asked) == (None, 0)
    plan, asked = solve_instance(instance_of("aB bA"), 10_000)
    assert plan is not None
    assert validate(instance_of("aB bA"), plan.paths) == []
