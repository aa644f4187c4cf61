"""Any-angle paths over grid maps: clear of every blocked cell, near the shortest, and honest."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from orca_core.errors import InvalidInput
from orca_core.formats.contours import obstacles
from orca_core.formats.movingai import GridMap, parse_map
from orca_core.geometry.obstacles import Obstacle, ObstacleSet
from orca_core.geometry.placed_grid import PlacedGrid
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


def placed(*rows: str) -> PlacedGrid:
    """The same in a world, its lower left corner at the origin."""
    return PlacedGrid(drawn(*rows))


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
    answer = GridMapPlanner(PlacedGrid(grid)).path(start, goal, radius)
    again = GridMapPlanner(PlacedGrid(grid)).path(start, goal, radius)
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
    answer = GridMapPlanner(placed("...", "@..", ".@.")).path([0.5, 0.5], [1.5, 1.5], 0.0)
    assert isinstance(answer, Unreachable)
    assert answer.reason == "disconnected"
    round_it = GridMapPlanner(placed("...", "...", ".@.")).path([0.5, 0.5], [2.5, 0.5], 0.25)
    assert isinstance(round_it, Path)
    assert shapely.LineString(round_it.waypoints).distance(shapely.box(1, 0, 2, 1)) >= 0.25 - 1e-9


def test_any_angle_is_straight_where_nothing_stands() -> None:
    answer = GridMapPlanner(placed(*["." * 20] * 10)).path([0.7, 0.9], [19.1, 8.3], 0.5)
    assert isinstance(answer, Path)
    assert answer.waypoints == ((0.7, 0.9), (19.1, 8.3))
    assert answer.length == pytest.approx(math.dist(*answer.waypoints))


def test_a_disc_passes_gaps_that_are_passages_and_no_narrower() -> None:
    grid = drawn("....@....", "....@....", ".........", ".........", "....@....", "....@....")
    planner = GridMapPlanner(PlacedGrid(grid))
    for radius in (0.5, 0.9, 0.99):
        assert isinstance(planner.path([2, 1.5], [7, 4.5], radius), Path), radius
    for radius in (0.995, 1.0, 1.1):
        answer = planner.path([2, 1.5], [7, 4.5], radius)
        assert isinstance(answer, Unreachable)
        assert answer.reason == "disconnected"


def test_who_stands_as_near_to_a_wall_as_agents_do_has_a_way_from_there() -> None:
    planner = GridMapPlanner(placed("......", "..@@..", "......"))
    start, goal = (1.7, 1.5), (4.3, 1.5)
    answer = planner.path(start, goal, 0.3)
    assert isinstance(answer, Path)
    assert (answer.waypoints[0], answer.waypoints[-1]) == (start, goal)
    assert shapely.LineString(answer.waypoints).distance(shapely.box(2, 1, 4, 2)) >= 0.3 - 2e-9
    niche = planner.path(start, (1.7, 1.5), 0.3)
    assert niche == Path((start, start), 0.0)


def test_axes_are_those_of_the_world() -> None:
    # 3 wide and 2 high; the only free cells are the two lower right ones
    planner = GridMapPlanner(PlacedGrid(drawn("@@@", "@.."), 2.0))
    assert planner.path([3, 1], [5, 1], 0.5) == Path(((3.0, 1.0), (5.0, 1.0)), 2.0)
    assert planner.path([3, 3], [5, 1], 0.5) == Unreachable((3.0, 1.0), "start-off-surface")
    assert planner.path([3, 1], [5, 3], 0.5) == Unreachable((5.0, 1.0), "goal-off-surface")


def test_a_budget_that_runs_out_is_said() -> None:
    grid = drawn(*(["." * 9 + "@" + "." * 9] * 8), "." * 19)
    assert GridMapPlanner(PlacedGrid(grid), expansions=3).path([1, 8], [18, 8], 0.25) == Unfinished(3)
    assert isinstance(GridMapPlanner(PlacedGrid(grid)).path([1, 8], [18, 8], 0.25), Path)


def test_a_planner_without_a_budget_is_refused() -> None:
    with pytest.raises(InvalidInput):
        GridMapPlanner(placed("..", ".."), expansions=0)


def test_a_map_lies_where_its_origin_is() -> None:
    rows = ("......", "..@@..", "......")
    here = GridMapPlanner(placed(*rows)).path([0.5, 1.5], [5.5, 1.5], 0.25)
    there = GridMapPlanner(PlacedGrid(drawn(*rows), 2.0, (8.0, -64.0))).path([9.0, -61.0], [19.0, -61.0], 0.5)
    assert isinstance(here, Path)
    assert isinstance(there, Path)
    assert len(here.waypoints) > 2
    assert there.waypoints == tuple((8.0 + 2.0 * x, -64.0 + 2.0 * y) for x, y in here.waypoints)


def test_walls_on_the_map_take_the_cells_that_they_stand_in() -> None:
    room = placed(*["." * 7] * 5)
    start, goal = [0.5, 2.5], [6.5, 2.5]

    def way(*walls: Obstacle) -> Any:
        blocking = ObstacleSet()
        blocking.add(list(walls))
        return GridMapPlanner(room, obstacles=blocking).path(start, goal, 0.25)

    assert way().waypoints == (tuple(start), tuple(goal))
    # a wall in cells, along the sides of cells and aslant, each with a gap at one end
    for wall in ([[3.5, 0.0], [3.5, 3.9]], [[3.0, 0.0], [3.0, 4.0]], [[2.0, 0.0], [4.0, 3.8]]):
        answer = way(Obstacle(wall))
        assert isinstance(answer, Path)
        assert shapely.LineString(answer.waypoints).distance(shapely.LineString(wall)) >= 0.25 - 2e-9
    across = Obstacle([[3.5, 0.0], [3.5, 5.0]])
    assert way(across).reason == "disconnected"
    assert isinstance(way(replace(across, open=True)), Path)
    # the outline of what is blocked anyway takes nothing
    outlined = ObstacleSet()
    hole = placed(".....", "..@..", ".....")
    outlined.add(obstacles(hole.grid))
    planner, plain = GridMapPlanner(hole, obstacles=outlined), GridMapPlanner(hole)
    assert planner.path([0.5, 1.5], [4.5, 1.5], 0.4) == plain.path([0.5, 1.5], [4.5, 1.5], 0.4)


def test_a_way_round_a_disc_and_one_from_too_near_a_wall() -> None:
    planner = GridMapPlanner(placed(*["." * 9] * 7))
    round_it = planner.path([0.5, 3.5], [8.5, 3.5], 0.25, avoid=(4.5, 3.5, 1.0))
    assert isinstance(round_it, Path)
    assert shapely.LineString(round_it.waypoints).distance(shapely.box(4, 3, 5, 4)) >= 0.25 - 2e-9
    assert planner.spent > 0
    assert isinstance(planner.path([0.1, 3.5], [8.5, 3.5], 0.25), Unreachable)
    beside = planner.path_from_beside([0.1, 3.5], [8.5, 3.5], 0.25)
    assert isinstance(beside, Path)
    assert (beside.waypoints[0], beside.waypoints[-1]) == ((0.1, 3.5), (8.5, 3.5))


def test_pulling_keeps_the_ends_and_whatever_is_not_seen_across() -> None:
    points = [(0.0, 0.0), (1.0, 0.0), (2.0, 1.0), (3.0, 1.0), (4.0, 0.0)]
    assert pulled(points, lambda a, b: True) == [points[0], points[-1]]
    assert pulled(points, lambda a, b: False) == points
    assert pulled(points, lambda a, b: b[0] - a[0] <= 2.0) == [points[0], points[2], points[4]]
    assert pulled(points[:1], lambda a, b: True) == points[:1]
    assert pulled([], lambda a, b: True) == []
