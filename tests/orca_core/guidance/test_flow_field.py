"""Flow fields: as short as there is but for the size of a cell, clear of everything, and honest."""

from __future__ import annotations

import hashlib
import math
import os
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st

from orca_core.geometry.clear_area import clear_area
from orca_core.geometry.obstacles import Obstacle, ObstacleSet
from orca_core.geometry.walkable import WalkableArea, WalkableSet
from orca_core.guidance.flow_field import FlowField
from orca_core.guidance.flow_grid import FlowGrid
from orca_core.guidance.flow_standing import Standing
from orca_core.kernels.flow_sight import BLOCKED, CLEAR, MIXED, OUTSIDE
from orca_core.options import Options
from orca_core.statics import Statics
from tests.oracles.paths import shortest_length
from tests.support.imports import ROOT
from tests.support.samples import INTERPRETED, samples

SQUARE = [[0, 0], [10, 0], [10, 10], [0, 10]]


def statics_of(areas: list[Any], obstacles: list[Obstacle], radius: float) -> Statics:
    """What stands, for one radius."""
    walkable, walls = WalkableSet(), ObstacleSet()
    walkable.add([WalkableArea(((ring,),)) for ring in areas])
    walls.add(obstacles)
    return Statics.build(walls, walkable, np.array([radius]), Options.service())


def grid_of(areas: list[Any], obstacles: list[Obstacle], radius: float, **more: Any) -> FlowGrid:
    """The grid over that."""
    grid = FlowGrid.over(Standing.of(statics_of(areas, obstacles, radius), radius), **more)
    assert grid is not None
    return grid


def box(x: float, y: float, wide: float, high: float) -> Obstacle:
    """A closed rectangle from its lower left corner."""
    return Obstacle([[x, y], [x + wide, y], [x + wide, y + high], [x, y + high]], closed=True)


corners = st.integers(0, 8)
sizes = st.integers(1, 3)
boxes = st.builds(box, corners, corners, sizes, sizes)
coordinates = st.floats(0.0, 10.0, allow_nan=False, width=32)
walls = st.builds(
    lambda a, b: Obstacle([a, (b[0] + 0.25, b[1] + 0.125)]),
    st.tuples(coordinates, coordinates),
    st.tuples(coordinates, coordinates),
).filter(lambda wall: wall.points[0] != wall.points[1])
scenes = st.lists(boxes | walls, max_size=5)
places = st.tuples(coordinates, coordinates) | st.tuples(st.integers(0, 10), st.integers(0, 10))


@settings(max_examples=samples(25))
@given(scenes, places, places, st.sampled_from([0.125, 0.25, 0.4]))
def test_ways_are_as_short_as_there_is_and_clear_of_everything(
    obstacles: list[Obstacle], start: Any, goal: Any, radius: float
) -> None:
    grid = grid_of([SQUARE], obstacles, radius)
    field = FlowField.towards(grid, [goal])
    walkable, blocking = WalkableSet(), ObstacleSet()
    walkable.add([WalkableArea(((SQUARE,),))])
    blocking.add(obstacles)
    # a field keeps a little more from walls than it must, where the area keeps up to 2 % more round corners
    area = clear_area(walkable, blocking, radius, True, 0.0)
    found = field.distance_from(start)
    inner, outer = area.buffer(-0.3 * grid.size), area.buffer(0.03 * radius + 1e-6)
    if inner.covers(shapely.Point(start)) and inner.covers(shapely.Point(goal)):
        # wide enough for cells is what is still one piece where a good part of a cell is taken off
        wide = shortest_length(inner, start, goal)
        if math.isfinite(wide):
            assert found <= 1.02 * wide + grid.size
    if math.isfinite(found) and area.covers(shapely.Point(start)):
        assert area.buffer(0.02 * radius).covers(shapely.Point(goal))
        least = shortest_length(outer, start, goal)
        assert found >= 0.999 * least - 1e-6
    filled = [shapely.Polygon(one.points) for one in obstacles if one.closed]
    # no stretch of any way comes nearer to a wall than the radius
    reached = np.flatnonzero(np.isfinite(field.distance))[:: max(1, grid.cells // 200)]
    for cell in reached.tolist():
        target = int(field.onward[cell])
        # what a closed obstacle surrounds has ways of its own
        if target != cell and not shapely.Point(grid.point[cell]).within(shapely.union_all(filled)):
            way = shapely.LineString([grid.point[cell], field.place_of(target)])
            assert outer.buffer(1e-6).covers(way)
            rest = 0.0 if target >= grid.cells else field.distance[target]
            assert field.distance[cell] >= rest


@settings(max_examples=samples(40))
@given(scenes, places, st.sampled_from([0.125, 0.4]))
def test_what_a_whole_cell_heads_for_is_seen_from_all_of_it(
    obstacles: list[Obstacle], goal: Any, radius: float
) -> None:
    grid = grid_of([SQUARE], obstacles, radius)
    field = FlowField.towards(grid, [goal])
    pieces = [one.segments() for one in obstacles]
    lines = shapely.multilinestrings(np.concatenate([np.empty((0, 4)), *pieces]).reshape(-1, 2, 2))
    random = np.random.default_rng(len(obstacles))
    for cell in np.flatnonzero(field.direct >= 0)[:: max(1, grid.cells // 100)].tolist():
        inside = random.uniform(0.0, 1.0, 2) * grid.size
        place = (
            np.array([grid.x, grid.y]) + [cell % grid.columns, cell // grid.columns] * np.full(2, grid.size) + inside
        )
        way = shapely.LineString([place, field.place_of(int(field.direct[cell]))])
        assert lines.is_empty or way.distance(lines) >= radius - 1e-3 * grid.size


@settings(max_examples=samples(60))
@given(scenes, st.sampled_from([0.125, 0.25, 0.4]))
def test_cells_are_what_they_are_said_to_be(obstacles: list[Obstacle], radius: float) -> None:
    grid = grid_of([SQUARE], obstacles, radius)
    walkable, blocking = WalkableSet(), ObstacleSet()
    walkable.add([WalkableArea(((SQUARE,),))])
    blocking.add(obstacles)
    segments = np.concatenate([np.empty((0, 4)), *(one.segments() for one in obstacles)])
    lines = shapely.linestrings(segments.reshape(-1, 2, 2))
    room = shapely.box(radius, radius, 10.0 - radius, 10.0 - radius)
    for cell in range(0, grid.cells, max(1, grid.cells // 150)):
        column, row = cell % grid.columns, cell // grid.columns
        x, y = grid.x + column * grid.size, grid.y + row * grid.size
        square = shapely.box(x, y, x + grid.size, y + grid.size)
        near = float(shapely.distance(lines, square).min(initial=math.inf))
        kind = grid.kind[cell]
        if kind == CLEAR:
            assert near >= radius
            assert room.covers(square)
        elif kind == OUTSIDE:
            assert near >= radius
            assert not room.intersects(square)
        elif kind == BLOCKED:
            apart = [
                float(shapely.distance(line, shapely.points(shapely.get_coordinates(square))).max()) for line in lines
            ]
            assert min(apart) <= 1.01 * radius
        else:
            assert kind == MIXED
            assert near <= 1.01 * radius or room.exterior.distance(square) <= 0.01 * radius
        if grid.usable[cell]:
            point = shapely.Point(grid.point[cell])
            assert square.covers(point)
            assert room.covers(point)
            assert float(shapely.distance(lines, point).min(initial=math.inf)) >= radius


def test_a_passage_much_narrower_than_a_cell_is_one_and_one_as_wide_as_the_disc_is_none() -> None:
    # never under 1.01 times the width of the disc, as for solver and planners
    for wide, open_ in ((0.5, False), (0.503, False), (0.55, True), (0.7, True), (1.0, True)):
        # a wall at an angle to the cells, with a passage in it
        first, last = Obstacle([[5.0, -1.0], [5.2, 3.1]]), Obstacle([[5.2, 3.1 + wide], [5.4, 11.0]])
        field = FlowField.towards(grid_of([SQUARE], [first, last], 0.25), [(9.0, 9.0)])
        assert math.isfinite(field.distance_from((1.0, 1.0))) == open_, wide


def test_a_plane_without_areas_has_ways_round_everything_and_from_far_away() -> None:
    grid = grid_of([], [Obstacle([[0.0, -10.0], [0.0, 10.0]])], 0.5)
    field = FlowField.towards(grid, [(3.0, 0.0)])
    room = shapely.box(-600, -600, 1000, 600) - shapely.LineString([[0, -10], [0, 10]]).buffer(0.5)
    # from beside the wall, and from far beside the grid
    for place in ((-3.0, 1.0), (-500.0, 100.0)):
        assert field.distance_from(place) == pytest.approx(shortest_length(room, place, (3.0, 0.0)), abs=0.5, rel=1e-3)
    assert field.distance_from((500.0, 1.0)) == pytest.approx(math.dist((500.0, 1.0), (3.0, 0.0)), rel=1e-12)
    # to a goal far beside it
    far = FlowField.towards(grid, [(900.0, 0.0)])
    for place in ((-3.0, 1.0), (-500.0, 100.0)):
        assert far.distance_from(place) == pytest.approx(shortest_length(room, place, (900.0, 0.0)), abs=0.5, rel=1e-3)


def test_several_goals_are_one_field_to_the_nearest() -> None:
    grid = grid_of([SQUARE], [box(4, 4, 2, 2)], 0.25)
    goals = [(1.0, 1.0), (9.0, 9.0)]
    both, (one, other) = FlowField.towards(grid, goals), (FlowField.towards(grid, [goal]) for goal in goals)
    for place in ((2.0, 7.0), (9.0, 1.0), (3.0, 3.0), (6.5, 8.0)):
        nearest = min(one.distance_from(place), other.distance_from(place))
        assert both.distance_from(place) == pytest.approx(nearest, rel=0.02)


def test_where_no_way_leads_to_the_goal_ways_lead_as_near_as_one_can_get() -> None:
    grid = grid_of([SQUARE], [Obstacle([[5.0, 0.0], [5.0, 10.0]])], 0.25)
    field = FlowField.towards(grid, [(8.0, 4.0)])
    assert grid.components == 2
    assert sorted(field.arriving.tolist()) == [0, 1]
    assert field.distance_from((1.0, 1.0)) == math.inf
    stranded = int(np.flatnonzero(field.arriving == 0)[0])
    end = grid.point[field.ends[stranded]]
    assert math.dist(end, (4.75, 4.0)) < grid.size
    # from everywhere on that side
    for cell in np.flatnonzero(grid.component == stranded)[::50].tolist():
        for _ in range(10):
            if field.onward[cell] == cell:
                break
            cell = int(field.onward[cell])
        assert cell == field.ends[stranded]
    # a goal in a wall has no way to it from anywhere
    assert not FlowField.towards(grid, [(5.1, 4.0)]).arriving.any()


def test_cells_are_as_large_as_is_told_or_suits_and_never_more_than_may_be() -> None:
    assert grid_of([SQUARE], [], 0.4).size == 0.25
    assert grid_of([SQUARE], [], 0.4, size=0.1).size == 0.1
    wide = [[0, 0], [1000, 0], [1000, 1000], [0, 1000]]
    large = grid_of([wide], [], 0.4, cells=10_000)
    assert large.cells <= 10_000
    assert large.size == 16.0
    # a corridor far from straight, in cells larger than its discs
    ring = [[0, 0], [1000, 0], [1000, 1000], [990, 1000], [990, 10], [0, 10]]
    field = FlowField.towards(grid_of([ring], [], 0.4, cells=65_536), [(995.0, 990.0)])
    assert field.distance_from((5.0, 5.0)) == pytest.approx(985.0 + 985.0, rel=0.01)


def test_what_stands_comes_back_from_its_arrays_to_the_bit_and_never_from_others() -> None:
    standing = Standing.of(statics_of([SQUARE], [box(4, 4, 2, 2)], 0.25), 0.25)
    arrays = standing.to_arrays()
    again = Standing.from_arrays(arrays)
    assert again.fingerprint() == standing.fingerprint()
    assert again.radius == standing.radius
    open_plane = Standing.of(statics_of([], [box(4, 4, 2, 2)], 0.25), 0.25)
    assert Standing.from_arrays(open_plane.to_arrays()).edges is None
    for name, value in (
        ("walls", np.zeros((3, 3))), ("walls", np.full((3, 4), np.nan)), ("edges", np.full((4, 4), 1e300)),
        ("clearance", np.zeros(1)), ("radius", np.zeros(2)), ("open_plane", np.ones(1, np.uint8)),
    ):  # fmt: skip
        with pytest.raises(ValueError, match="what stood"):
            Standing.from_arrays({**arrays, name: value})


def test_what_stands_in_another_order_has_a_field_of_the_same_bits() -> None:
    obstacles = [box(1, 2, 2, 1), box(4, 4, 2, 2), Obstacle([[7.0, 1.0], [8.3, 6.1]]), box(2, 6, 1, 3)]
    one, other = (Standing.of(statics_of([SQUARE], order, 0.25), 0.25) for order in (obstacles, obstacles[::-1]))
    assert one.fingerprint() == other.fingerprint()
    fields = [FlowField.towards(FlowGrid.over(standing), [(9.0, 9.0)]) for standing in (one, other)]  # type: ignore[arg-type]
    for name in ("distance", "onward", "direct", "arriving", "ends"):
        assert getattr(fields[0], name).tobytes() == getattr(fields[1], name).tobytes()
    elsewhere = Standing.of(statics_of([SQUARE], obstacles[1:], 0.25), 0.25)
    assert elsewhere.fingerprint() != one.fingerprint()


@settings(max_examples=samples(25))
@given(
    scenes, st.lists(st.tuples(st.booleans(), boxes | walls), min_size=1, max_size=4), places,
    st.sampled_from([0.125, 0.4]), st.booleans(),
)  # fmt: skip
def test_a_repaired_field_has_the_bits_of_one_that_is_made_from_nothing(
    obstacles: list[Obstacle], changes: list[Any], goal: Any, radius: float, on_area: bool
) -> None:
    areas = [SQUARE] if on_area else []
    around = [] if on_area else [Obstacle([(-1, -1), (11, -1), (11, 11), (-1, 11)], closed=True)]
    standing = [*around, *obstacles]
    grid = grid_of(areas, standing, radius)
    field = FlowField.towards(grid, [goal])
    for taken, other in changes:
        standing = standing[:-1] if taken and len(standing) > 1 else [other, *standing]
        change = grid.changed(Standing.of(statics_of(areas, standing, radius), radius))
        fresh = FlowField.towards(grid_of(areas, standing, radius), [goal])
        grid, field = (fresh.grid, fresh) if change is None else (change.grid, field.over(change))
        for name in ("kind", "items", "usable", "links", "component"):
            assert getattr(grid, name).tobytes() == getattr(fresh.grid, name).tobytes(), name
        for name in ("distance", "onward", "direct", "arriving", "ends"):
            assert getattr(field, name).tobytes() == getattr(fresh, name).tobytes(), name


def test_what_is_repaired_and_what_is_made_from_nothing() -> None:
    standing = [box(4, 4, 2, 2)]
    grid, more = (
        grid_of([SQUARE], standing, 0.25),
        Standing.of(statics_of([SQUARE], [*standing, box(1, 1, 1, 1)], 0.25), 0.25),
    )
    change = grid.changed(more)
    assert change is not None
    assert 0 < change.gone.sum() < grid.cells // 4
    with pytest.raises(ValueError, match="another grid"):
        FlowField.towards(change.grid, [(9.0, 9.0)]).over(change)
    # other cells, another area, a plane, far more than a few walls
    assert grid.changed(more, size=0.5) is None
    hole = WalkableSet()
    hole.add([WalkableArea(((SQUARE, [[7, 7], [7, 9], [9, 9], [9, 7]]),))])
    walls = ObstacleSet()
    walls.add(standing)
    holed = Statics.build(walls, hole, np.array([0.25]), Options.service())
    assert grid.changed(Standing.of(holed, 0.25)) is None
    assert grid.changed(Standing.of(statics_of([], standing, 0.25), 0.25)) is None
    many = [box(0.4 * (k % 20) + 1, 0.4 * (k // 20) + 1, 0.1, 0.1) for k in range(40)]
    assert grid.changed(Standing.of(statics_of([SQUARE], [*standing, *many], 0.25), 0.25)) is None


def digest_of_fields() -> str:
    """sha256 of fields of discs of two sizes among boxes and a wall."""
    digest = hashlib.sha256()
    for radius in (0.0, 0.4):
        grid = grid_of([SQUARE], [box(1, 2, 2, 1), Obstacle([[7.0, 1.0], [8.3, 6.1]])], radius, size=0.5)
        field = FlowField.towards(grid, [(9.0, 9.0)])
        for array in (field.distance, field.onward, field.direct, field.arriving, field.ends):
            digest.update(array.tobytes())
    return digest.hexdigest()


@pytest.mark.skipif(INTERPRETED, reason="this is compared with what is compiled")
def test_compiled_and_interpreted_fields_have_the_same_bits() -> None:
    script = f"from {__name__} import digest_of_fields; print(digest_of_fields())"
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    run = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, env=environment, capture_output=True, text=True, check=True
    )
    assert run.stdout.strip() == digest_of_fields()
