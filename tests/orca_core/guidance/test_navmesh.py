"""Paths over walkable areas and round obstacles: as short as there is, clear of everything, and honest."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st

from orca_core.errors import InvalidInput
from orca_core.geometry.clear_area import clear_area
from orca_core.geometry.obstacles import Obstacle, ObstacleSet
from orca_core.geometry.walkable import WalkableArea, WalkableSet
from orca_core.guidance.navmesh import NavmeshPlanner
from orca_core.guidance.planner import Path, Unfinished, Unreachable
from orca_core.guidance.planning import Question, answered
from orca_core.guidance.storeys import EVERY_HEIGHT
from tests.oracles.paths import shortest_length

# an L of width 3, its inner corner at (4, 4)
CORRIDOR = [[1, 1], [4, 1], [4, 4], [12, 4], [12, 7], [1, 7]]
SQUARE = [[0, 0], [10, 0], [10, 10], [0, 10]]


def box(x: float, y: float, wide: float, high: float) -> list[list[float]]:
    """A rectangle from its lower left corner."""
    return [[x, y], [x + wide, y], [x + wide, y + high], [x, y + high]]


def geometry(areas: list[Any], obstacles: list[Obstacle], **more: Any) -> tuple[WalkableSet, ObstacleSet]:
    """The sets of some outer rings and obstacles."""
    walkable, walls = WalkableSet(), ObstacleSet()
    walkable.add([WalkableArea(((ring,),), **more) for ring in areas])
    walls.add(obstacles)
    return walkable, walls


def planned(areas: list[Any], obstacles: list[Obstacle], start: Any, goal: Any, radius: float, **more: Any) -> Any:
    """The answer of a planner over that geometry."""
    return NavmeshPlanner(*geometry(areas, obstacles, **more)).path(start, goal, radius)


coordinates = st.floats(0.0, 10.0, allow_nan=False, width=32)
corners = st.integers(0, 8)
sizes = st.integers(1, 3)
boxes = st.builds(lambda x, y, w, h: Obstacle(box(x, y, w, h), closed=True), corners, corners, sizes, sizes)
walls = st.builds(
    lambda a, b: Obstacle([a, (b[0] + 0.25, b[1] + 0.125)]),
    st.tuples(coordinates, coordinates),
    st.tuples(coordinates, coordinates),
).filter(lambda wall: wall.points[0] != wall.points[1])
scenes = st.lists(boxes | walls, max_size=5)
# whole numbers lie on edges, on vertices and in line with them
places = st.tuples(coordinates, coordinates) | st.tuples(st.integers(0, 10), st.integers(0, 10))


@settings(max_examples=120)
@given(scenes, places, places, st.sampled_from([0.0, 0.125, 0.4]))
def test_a_path_is_a_shortest_one_within_the_clear_area(
    obstacles: list[Obstacle], start: tuple[float, float], goal: tuple[float, float], radius: float
) -> None:
    walkable, blocking = geometry([SQUARE], obstacles)
    area = clear_area(walkable, blocking, radius, False, 0.0)
    answer = NavmeshPlanner(walkable, blocking).path(start, goal, radius)
    assert not isinstance(answer, Unfinished)
    if isinstance(answer, Path):
        assert answer.waypoints[0] == start
        assert answer.waypoints[-1] == goal
        assert answer.length == pytest.approx(shortest_length(area, start, goal), abs=1e-8, rel=1e-9)
        assert answer.length == pytest.approx(sum(math.dist(a, b) for a, b in pairwise(answer.waypoints)), rel=1e-12)
        way = shapely.LineString(answer.waypoints)
        assert area.buffer(2e-9).covers(way)
        # clear of what stands, by the walls themselves
        for obstacle in obstacles:
            ring = shapely.Polygon(obstacle.points) if obstacle.closed else shapely.LineString(obstacle.points)
            assert way.distance(ring) >= radius - 1e-8
        assert way.distance(shapely.LinearRing(SQUARE)) >= radius - 1e-8
    elif answer.reason == "start-off-surface":
        assert area.is_empty or not area.buffer(-1e-8).intersects(shapely.Point(start))
    else:
        assert answer.nearest is not None
        reached = [part for part in area.geoms if part.distance(shapely.Point(start)) < 1e-8]
        apart = min(part.distance(shapely.Point(goal)) for part in reached)
        assert math.dist(answer.nearest, goal) == pytest.approx(apart, abs=1e-8)
        assert shapely.Point(answer.nearest).distance(shapely.MultiPolygon(reached)) < 1e-8


@settings(max_examples=30)
@given(scenes, places, places)
def test_equal_questions_have_answers_of_equal_bits(obstacles: list[Obstacle], start: Any, goal: Any) -> None:
    parts = geometry([SQUARE], obstacles)
    fresh = NavmeshPlanner(*parts).path(start, goal, 0.25)
    used = NavmeshPlanner(*parts)
    for radius in (0.5, 0.25, 0.0):
        used.path(goal, start, radius)
    assert repr(used.path(start, goal, 0.25)) == repr(fresh)


@pytest.mark.parametrize("radius", [0.3, 1.2])
def test_a_corner_is_passed_at_the_radius(radius: float) -> None:
    answer = planned([CORRIDOR], [], [2.5, 2.3], [10.5, 5.5], radius)
    assert isinstance(answer, Path)
    apart = shapely.LineString(answer.waypoints).distance(shapely.LinearRing(CORRIDOR))
    assert radius - 1e-9 <= apart <= 1.021 * radius


def test_what_is_wider_than_the_corridor_has_no_way_and_what_is_wider_than_all_no_place() -> None:
    stuck = planned([CORRIDOR], [], [2.5, 2.5], [10.5, 5.5], 1.6)
    assert isinstance(stuck, Unreachable)
    # there is room in the elbow alone
    assert stuck.reason == "start-off-surface"
    assert stuck.nearest is not None
    assert shapely.Point(stuck.nearest).distance(shapely.LinearRing(CORRIDOR)) >= 1.6 - 1e-9
    assert planned([CORRIDOR], [], [2.5, 2.5], [10.5, 5.5], 2.6) == Unreachable(None, "start-off-surface")


def test_the_room_without_a_door_is_told_apart() -> None:
    rooms = [box(0, 0, 10, 10), box(12, 0, 10, 10)]
    answer = planned(rooms, [], [2, 2], [15, 5], 0.5)
    assert isinstance(answer, Unreachable)
    assert (answer.reason, answer.nearest) == ("disconnected", (9.5, 5.0))


def test_goals_off_the_surface_are_told_apart() -> None:
    crate = Obstacle(box(4, 4, 2, 2), closed=True)
    inside = planned([SQUARE], [crate], [1, 1], [4.5, 5], 0.5)
    assert isinstance(inside, Unreachable)
    assert inside.reason == "goal-off-surface"
    assert inside.nearest == pytest.approx((3.5, 5.0))
    assert planned([SQUARE], [], [1, 1], [30, 5], 0.5) == Unreachable((9.5, 5.0), "goal-off-surface")
    assert planned([SQUARE], [], [1, 1], [9.8, 5], 0.5) == Unreachable((9.5, 5.0), "goal-off-surface")
    assert planned([SQUARE], [], [30, 5], [1, 1], 0.5) == Unreachable((9.5, 5.0), "start-off-surface")


def test_a_wall_right_across_parts_the_area() -> None:
    wall = Obstacle([[5, -1], [5, 11]])
    for radius in (0.0, 0.5):
        answer = planned([SQUARE], [wall], [2, 5], [8, 5], radius)
        assert isinstance(answer, Unreachable)
        assert answer.reason == "disconnected"


def test_the_free_plane_is_straight_and_obstacles_on_it_are_gone_round() -> None:
    straight = planned([], [], [-3, 0], [1e6, 7], 0.5)
    assert straight.waypoints == ((-3.0, 0.0), (1e6, 7.0))
    wall = Obstacle([[0, -2], [0, 3]])
    round_it = planned([], [wall], [-3, 0], [3, 0], 0.5)
    assert isinstance(round_it, Path)
    assert shapely.LineString(round_it.waypoints).distance(shapely.LineString(wall.points)) >= 0.5 - 1e-9
    # round the nearer end, with facets
    assert 2 * math.hypot(3, 2) < round_it.length < 2 * math.hypot(3, 2.6)


def test_clearance_of_an_area_comes_on_top() -> None:
    answer = planned([CORRIDOR], [], [2.5, 2.5], [10.5, 5.5], 0.3, clearance=0.4)
    apart = shapely.LineString(answer.waypoints).distance(shapely.LinearRing(CORRIDOR))
    assert 0.7 - 1e-9 <= apart <= 0.73


def test_an_area_that_is_shrunk_already_is_taken_as_it_is() -> None:
    answer = planned([CORRIDOR], [], [2.5, 2.5], [10.5, 5.5], 1.2, shrunk=True)
    assert (4.0, 4.0) in answer.waypoints


def test_a_path_to_where_one_stands_is_both_ends() -> None:
    assert planned([SQUARE], [], [1, 1], [1, 1], 0.5) == Path(((1.0, 1.0), (1.0, 1.0)), 0.0)


def test_a_budget_that_runs_out_is_said() -> None:
    teeth = [Obstacle([[x, -1 if x % 2 else 1], [x, 9 if x % 2 else 11]]) for x in range(1, 10)]
    parts = geometry([SQUARE], teeth)
    assert NavmeshPlanner(*parts, expansions=5).path([0.5, 5], [9.5, 5], 0.1) == Unfinished(5)
    assert isinstance(NavmeshPlanner(*parts).path([0.5, 5], [9.5, 5], 0.1), Path)


@pytest.mark.parametrize("longer", [0.0, 0.5])
def test_a_search_gives_up_as_soon_as_no_path_is_as_short_as_wanted(longer: float) -> None:
    teeth = [Obstacle([[x, -1 if x % 2 else 1], [x, 9 if x % 2 else 11]]) for x in range(1, 10)]
    planner = NavmeshPlanner(*geometry([SQUARE], teeth))
    whole = planner.path([0.5, 5], [9.5, 5], 0.1, longer=longer)
    spent = planner.spent
    assert isinstance(whole, Path)
    assert planner.path([0.5, 5], [9.5, 5], 0.1, longer=longer, within=whole.length) == whole
    assert planner.spent == 2 * spent
    assert isinstance(planner.path([0.5, 5], [9.5, 5], 0.1, longer=longer, within=0.999 * whole.length), Unfinished)
    assert isinstance(planner.path([0.5, 5], [9.5, 5], 0.1, longer=longer, within=0.4 * whole.length), Unfinished)
    assert planner.spent < 3.6 * spent


def test_a_close_way_is_looked_for_no_farther_than_it_would_be_taken() -> None:
    """Round a long wall a disc of 0.3 goes as one of 0.39 does: the search for it ends before it is there."""
    pillars = [Obstacle(box(2.5 * x + 1, 2.5 * y + 1, 1, 1), closed=True) for x in range(8) for y in range(8)]
    planner = NavmeshPlanner(*geometry([box(0, 0, 21, 21)], [*pillars, Obstacle([[10.25, -1], [10.25, 20]])]))
    start, goal, radius = (9.0, 0.6), (11.0, 0.6), 0.3
    ways, spent = [], [0]
    for size in (1.3 * radius, radius):
        ways.append(planner.path(start, goal, size, longer=0.05))
        spent.append(planner.spent)
    question = Question(
        planner, np.zeros(1, np.int64), np.array([start]), np.array([goal]), np.array([radius]), np.zeros((1, 3)),
        np.array([EVERY_HEIGHT]), np.zeros(1, np.uint8), False, 100_000,
    )  # fmt: skip
    found = answered(question, 1)
    assert isinstance(ways[0], Path)
    assert found.waypoints.tolist() == [list(point) for point in ways[0].waypoints[1:-1]]
    roomy, close = np.diff(spent).tolist()
    assert planner.spent - spent[-1] < roomy + 0.75 * close


def test_a_planner_keeps_the_geometry_that_it_was_made_of() -> None:
    walkable, blocking = geometry([SQUARE], [])
    planner = NavmeshPlanner(walkable, blocking)
    blocking.add([Obstacle([[5, -1], [5, 11]])])
    assert planner.path([2, 5], [8, 5], 0.5) == Path(((2.0, 5.0), (8.0, 5.0)), 6.0)


@pytest.mark.parametrize(
    ("start", "goal", "radius", "field"),
    [
        ([math.nan, 0], [1, 1], 0.5, "start"),
        ([1, 1], [math.inf, 1], 0.5, "goal"),
        ([1, 1], [1, 1, 1], 0.5, "goal"),
        ([1, 1], [2e9, 1], 0.5, "goal"),
        ([1, 1], [2, 1], -0.5, "radius"),
        ([1, 1], [2, 1], math.nan, "radius"),
    ],
)
def test_a_wrong_question_names_its_field(start: Any, goal: Any, radius: float, field: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        planned([SQUARE], [], start, goal, radius)
    assert [problem.field for problem in refused.value.problems] == [field]


def test_a_budget_of_nothing_is_refused() -> None:
    with pytest.raises(InvalidInput, match="at least 1"):
        NavmeshPlanner(WalkableSet(), ObstacleSet(), expansions=0)


def test_a_large_map_is_planned_over() -> None:
    # 400 pillars: as many holes
    pillars = [Obstacle(box(2.5 * x + 1, 2.5 * y + 1, 1, 1), closed=True) for x in range(20) for y in range(20)]
    planner = NavmeshPlanner(*geometry([box(0, 0, 51, 51)], pillars))
    answer = planner.path([0.5, 0.5], [50.5, 50.5], 0.25)
    assert isinstance(answer, Path)
    assert math.dist((0.5, 0.5), (50.5, 50.5)) <= answer.length <= 1.1 * math.dist((0.5, 0.5), (50.5, 50.5))
    assert np.isfinite(answer.waypoints).all()
