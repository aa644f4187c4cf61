"""Overlay: what touches, runs along each other or is a hair wide is joined, cut and triangulated all the same."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st

from orca_core.errors import InvalidInput
from orca_core.geometry.clear_area import boundaries_of, shrunk_area
from orca_core.geometry.obstacles import Obstacle, ObstacleSet
from orca_core.geometry.overlay import common, faces_within, less, parted, united
from orca_core.geometry.triangulation import triangulated
from orca_core.geometry.walkable import WalkableArea, WalkableSet
from orca_core.guidance.navmesh import NavmeshPlanner
from orca_core.guidance.planner import Path

# cells of a grid that touch at corners and along edges, triangles with corners in common, and strips beside each other
# that rounding has apart or over each other
cells = st.tuples(st.integers(0, 3), st.integers(0, 3)).map(
    lambda at: [(at[0], at[1]), (at[0] + 1, at[1]), (at[0] + 1, at[1] + 1), (at[0], at[1] + 1)]
)
corners = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=3, max_size=3)
strips = st.tuples(st.integers(0, 3), st.sampled_from([0.0, 1e-16, -1e-16, 1e-12, -1e-9]), st.sampled_from([1.0, 1e-7]))
rings = st.one_of(
    cells,
    corners,
    strips.map(lambda s: [(s[0] + s[1], 0), (s[0] + s[2], 0), (s[0] + s[2], 4), (s[0] + s[1], 4)]),
)
scales = st.sampled_from([1.0, 0.1, 1 / 3, 1e-3, 1e3])
places = st.sampled_from([0.0, 0.3, 1e4, 1e6 + 0.1])
walls = st.lists(st.lists(st.tuples(st.integers(0, 8), st.integers(0, 8)), min_size=2, max_size=4), max_size=3)
points = st.tuples(st.integers(0, 16), st.integers(0, 16))


def ground(pieces: list[Any], standing: list[Any], scale: float, at: float) -> tuple[WalkableSet, ObstacleSet]:
    """Areas and obstacles of those that are such."""
    walkable, obstacles = WalkableSet(), ObstacleSet()
    for number, ring in enumerate(pieces):
        try:
            walkable.add([WalkableArea(((np.array(ring) * scale + at,),), shrunk=number % 5 == 4)])
        except InvalidInput:
            continue
    for number, each in enumerate(standing):
        try:
            obstacles.add([Obstacle(np.array(each) * scale / 2 + at, closed=number % 2 == 0)])
        except InvalidInput:
            continue
    return walkable, obstacles


@settings(max_examples=60)
@given(
    st.lists(rings, min_size=2, max_size=8), walls, scales, places, st.lists(points, min_size=4, max_size=4),
    st.sampled_from([0.0, 0.0, 0.0, 1e-9, 0.1, 0.5]),
)  # fmt: skip
def test_over_areas_that_touch_nothing_fails_and_no_way_leaves_them(
    pieces: list[Any], standing: list[Any], scale: float, at: float, asked: list[tuple[int, int]], radius: float
) -> None:
    walkable, obstacles = ground(pieces, standing, scale, at)
    if not len(walkable):
        return
    planner = NavmeshPlanner(walkable, obstacles)
    area = shapely.union_all(
        [shapely.Polygon(rings[0], rings[1:]) for one in walkable.items() for rings in one.polygons]
    )
    slack = 1e-6 + 1e-11 * at
    near = area.buffer(slack)
    for (ax, ay), (bx, by) in zip(asked[::2], asked[1::2], strict=True):
        found = planner.path_from_beside(
            (ax * scale / 4 + at, ay * scale / 4 + at), (bx * scale / 4 + at, by * scale / 4 + at), radius * scale
        )
        if isinstance(found, Path) and found.length > 0.0:
            # beside the surface begins who stands beside it, at most so far
            way = shapely.LineString(found.waypoints)
            assert way.difference(near).length <= 10.0 * slack + radius * scale


def test_what_the_library_gives_up_on_is_done_on_a_grid(monkeypatch: pytest.MonkeyPatch) -> None:
    one, other = shapely.box(0, 0, 2, 1), shapely.box(1, 0, 3, 1)
    expected = [united([one, other]).area, less(one, other).area, common(one, other).area]
    assert expected == [3.0, 1.0, 1.0]

    def gives_up(name: str) -> None:
        whole = getattr(shapely, name)

        def half(*shapes: Any, grid_size: float | None = None) -> Any:
            if grid_size is None or grid_size < 1e-8:
                raise shapely.errors.GEOSException("unable to assign free hole to a shell")
            return whole(*shapes, grid_size=grid_size)

        monkeypatch.setattr(shapely, name, half)

    for name in ("union_all", "difference", "intersection"):
        gives_up(name)
    found = [united([one, other]).area, less(one, other).area, common(one, other).area]
    assert found == pytest.approx(expected, abs=1e-6)


def test_a_hair_that_crosses_itself_takes_nothing_from_the_rest() -> None:
    hair = shapely.Polygon([(0, 0), (0, 1.2), (1, 0), (0, 0.4), (0, 2), (0, 0)])
    square = shapely.box(5, 5, 7, 7)
    found = parted(shapely.MultiPolygon([hair, square]))
    assert shapely.area(found).sum() >= 4.0
    assert all(shapely.get_num_coordinates(triangle) == 4 for triangle in found)
    assert len(triangulated(shapely.MultiPolygon([square])).triangles) == 2


def test_a_place_that_areas_enclose_without_it_is_none_of_theirs(monkeypatch: pytest.MonkeyPatch) -> None:
    # four cells that touch at their corners, round one that is not walkable
    walkable = WalkableSet()
    for x, y in ((1, 0), (0, 1), (2, 1), (1, 2)):
        walkable.add([WalkableArea((([(x, y), (x + 1, y), (x + 1, y + 1), (x, y + 1)],),))])

    def fails(_: Any) -> Any:
        raise shapely.errors.GEOSException("side location conflict")

    boundaries = boundaries_of(walkable, 0.0, True)
    expected = shrunk_area(boundaries)[0]
    monkeypatch.setattr(shapely, "build_area", fails)
    found = shrunk_area(boundaries)[0]
    assert found.area == expected.area == 4.0
    # and a hole with an island
    nested = [shapely.LinearRing(shapely.box(k, k, 9 - k, 9 - k).exterior) for k in range(3)]
    assert faces_within(nested).area == 81.0 - 49.0 + 25.0
