"""Any-angle paths over grid maps: clear of every blocked cell, near the shortest, and honest."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from orca_core.errors import InvalidInput
from orca_core.formats.movingai import GridMap, parse_map
from orca_core.geometry.obstacles import Obstacle, ObstacleSet
from orca_core.geometry.walkable import WalkableArea, WalkableSet
from orca_core.guidance.grid_map import GridMapPlanner
from orca_core.guidance.navmesh import NavmeshPlanner
from orca_core.guidance.planner import Path, Unfinished, Unreachable
from orca_core.guidance.string_pulling import pulled
from orca_core.kernels.clearance import MARGIN

# of the shortest path
FACTOR = 1.35


def drawn(*rows: str) -> GridMap:
    """A map as its file would show it."""
    return parse_map("\n".join(["type octile", f"height {len(rows)}", f"width {len(rows[0])}", "map", *rows]))


def blocked_squares(grid: GridMap) -> list[Any]:
    """Every blocked cell and a frame round the map, as shapely boxes."""
    cells = [
        shapely.box(column, grid.height - 1 - row, column + 1, grid.height - row)
        for row, column in np.argwhere(~grid.free).tolist()
    ]
    frame = shapely.box(-9, -9, grid.width + 9, grid.height + 9)
    return [*cells, frame.difference(shapely.box(0, 0, grid.width, grid.height))]


maps = arrays(np.bool_, (6, 8), elements=st.sampled_from([True, True, True, False])).map(lambda f: GridMap(8, 6, f))
places = st.tuples(st.integers(0, 16).map(lambda k: k / 2), st.integers(0, 12).map(lambda k: k / 2)) | st.tuples(
    st.floats(0, 8), st.floats(0, 6)
)


@settings(max_examples=100)
@given(maps, places, places, st.sampled_from([0.0, 0.3, 0.5, 0.9]))
def test_a_path_keeps_the_radius_and_is_near_the_shortest(
    grid: GridMap, start: tuple[float, float], goal: tuple[float, float], radius: float
) -> None:
    answer = GridMapPlanner(grid).path(start, goal, radius)
    again = GridMapPlanner(grid).path(start, goal, radius)
    assert repr(answer) == repr(again)
    solid = shapely.union_all(blocked_squares(grid))
    if isinstance(answer, Path):
        assert (answer.waypoints[0], answer.waypoints[-1]) == (start, goal)
        way = shapely.LineString(answer.waypoints)
        assert way.distance(solid) >= max(radius - 2e-9, 0.5e-9)
        if radius == 0.0:
            walkable, blocking = WalkableSet(), ObstacleSet()
            walkable.add([WalkableArea((([[0, 0], [8, 0], [8, 6], [0, 6]],),))])
            blocking.add([Obstacle(list(cell.exterior.coords), closed=True) for cell in blocked_squares(grid)[:-1]])
            shortest = NavmeshPlanner(walkable, blocking).path(start, goal, 0.0)
            assert isinstance(shortest, Path)
            assert shortest.length - 1e-4 <= answer.length <= FACTOR * shortest.length + 1e-9
    elif isinstance(answer, Unreachable) and answer.reason == "start-off-surface":
        # or in a corner or a gap that is no passage
        assert shapely.Point(start).distance(solid) <= (1.0 + MARGIN) * radius + 1e-9
    else:
        assert isinstance(answer, Unreachable)
        assert answer.nearest is not None
        assert shapely.Point(answer.nearest).distance(solid) >= radius - 2e-9


def test_corners_are_not_cut() -> None:
    answer = GridMapPlanner(drawn("...", "@..", ".@.")).path([0.5, 0.5], [1.5, 1.5], 0.0)
    assert isinstance(answer, Unreachable)
    assert answer.reason == "disconnected"
    round_it = GridMapPlanner(drawn("...", "...", ".@.")).path([0.5, 0.5], [2.5, 0.5], 0.25)
    assert isinstance(round_it, Path)
    assert shapely.LineString(round_it.waypoints).distance(shapely.box(1, 0, 2, 1)) >= 0.25 - 1e-9


def test_any_angle_is_straight_where_nothing_stands() -> None:
    answer = GridMapPlanner(drawn(*["." * 20] * 10)).path([0.7, 0.9], [19.1, 8.3], 0.5)
    assert isinstance(answer, Path)
    assert answer.waypoints == ((0.7, 0.9), (19.1, 8.3))
    assert answer.length == pytest.approx(math.dist(*answer.waypoints))


def test_a_disc_passes_gaps_that_are_passages_and_no_narrower() -> None:
    grid = drawn("....@....", "....@....", ".........", ".........", "....@....", "....@....")
    planner = GridMapPlanner(grid)
    for radius in (0.5, 0.9, 0.99):
        assert isinstance(planner.path([2, 1.5], [7, 4.5], radius), Path), radius
    for radius in (0.995, 1.0, 1.1):
        answer = planner.path([2, 1.5], [7, 4.5], radius)
        assert isinstance(answer, Unreachable)
        assert answer.reason == "disconnected"


def test_who_stands_as_near_to_a_wall_as_agents_do_has_a_way_from_there() -> None:
    planner = GridMapPlanner(drawn("......", "..@@..", "......"))
    start, goal = (1.7, 1.5), (4.3, 1.5)
    answer = planner.path(start, goal, 0.3)
    assert isinstance(answer, Path)
    assert (answer.waypoints[0], answer.waypoints[-1]) == (start, goal)
    assert shapely.LineString(answer.waypoints).distance(shapely.box(2, 1, 4, 2)) >= 0.3 - 2e-9
    niche = planner.path(start, (1.7, 1.5), 0.3)
    assert niche == Path((start, start), 0.0)


def test_axes_are_those_of_the_world() -> None:
    # 3 wide and 2 high; the only free cells are the two lower right ones
    planner = GridMapPlanner(drawn("@@@", "@.."), cell_size=2.0)
    assert planner.path([3, 1], [5, 1], 0.5) == Path(((3.0, 1.0), (5.0, 1.0)), 2.0)
    assert planner.path([3, 3], [5, 1], 0.5) == Unreachable((3.0, 1.0), "start-off-surface")
    assert planner.path([3, 1], [5, 3], 0.5) == Unreachable((5.0, 1.0), "goal-off-surface")


def test_a_budget_that_runs_out_is_said() -> None:
    grid = drawn(*(["." * 9 + "@" + "." * 9] * 8), "." * 19)
    assert GridMapPlanner(grid, expansions=3).path([1, 8], [18, 8], 0.25) == Unfinished(3)
    assert isinstance(GridMapPlanner(grid).path([1, 8], [18, 8], 0.25), Path)


@pytest.mark.parametrize("wrong", [{"expansions": 0}, {"cell_size": 0.0}, {"cell_size": math.nan}])
def test_a_planner_of_nothing_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput):
        GridMapPlanner(drawn("..", ".."), **wrong)


def test_pulling_keeps_the_ends_and_whatever_is_not_seen_across() -> None:
    points = [(0.0, 0.0), (1.0, 0.0), (2.0, 1.0), (3.0, 1.0), (4.0, 0.0)]
    assert pulled(points, lambda a, b: True) == [points[0], points[-1]]
    assert pulled(points, lambda a, b: False) == points
    assert pulled(points, lambda a, b: b[0] - a[0] <= 2.0) == [points[0], points[2], points[4]]
    assert pulled(points[:1], lambda a, b: True) == points[:1]
    assert pulled([], lambda a, b: True) == []
