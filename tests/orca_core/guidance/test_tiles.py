"""Tiles of a mesh: the same paths as over one piece, and the same mesh however the geometry came about."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import shapely

from orca_core.geometry.clear_area import clear_area
from orca_core.geometry.obstacles import Obstacle, ObstacleSet
from orca_core.geometry.walkable import WalkableArea, WalkableSet
from orca_core.guidance import tiles
from orca_core.guidance.mesh import Mesh
from orca_core.guidance.navmesh import NavmeshPlanner
from orca_core.guidance.planner import Path, Unreachable
from orca_core.guidance.tiles import Tiling

RADIUS = 0.3


def scatter(seed: int, count: int = 60) -> list[Obstacle]:
    """Boxes and walls at any angle over 40 m by 30 m, some of them across each other."""
    random = np.random.default_rng(seed)
    made = []
    for number in range(count):
        x, y = random.uniform(1.0, 38.0), random.uniform(1.0, 28.0)
        if number % 3:
            w, h = random.uniform(0.3, 2.5, 2)
            made.append(Obstacle([(x, y), (x + w, y), (x + w, y + h), (x, y + h)], closed=True))
        else:
            made.append(Obstacle([(x, y), (x + random.uniform(-4, 4), y + random.uniform(-4, 4))]))
    return made


def ground(obstacles: list[Obstacle], *, floor: bool = True) -> tuple[WalkableSet, ObstacleSet]:
    """A floor with a hole and these obstacles."""
    walkable, blocking = WalkableSet(), ObstacleSet()
    if floor:
        outer, hole = [(0, 0), (40, 0), (40, 30), (22, 30), (20, 24), (18, 30), (0, 30)], [(9, 9), (12, 9), (10, 12)]
        walkable.add([WalkableArea(((np.array(outer, float), np.array(hole, float)),), clearance=0.05)])
    blocking.add(obstacles)
    return walkable, blocking


def mesh_of(planner: NavmeshPlanner) -> Mesh:
    """What it plans over."""
    return planner._mesh((40.0, 0.0), (0.0, 0.0), RADIUS, None)


def parts(mesh: Mesh) -> list[Any]:
    """The mesh as arrays."""
    return [mesh.vertices, mesh.triangles, mesh.across, mesh.component, mesh.corner]


@pytest.mark.parametrize("floor", [True, False])
@pytest.mark.parametrize("seed", range(3))
def test_paths_over_tiles_are_those_over_one_piece(monkeypatch: pytest.MonkeyPatch, seed: int, floor: bool) -> None:
    geometry = ground(scatter(seed), floor=floor)
    tiled = NavmeshPlanner(*geometry)
    assert len(mesh_of(tiled)._tiling) > 8
    monkeypatch.setattr(tiles, "FEW", 10**9)
    whole = NavmeshPlanner(*geometry)
    assert len(mesh_of(whole)._tiling) == 1
    random = np.random.default_rng(seed + 100)
    found = set()
    for _ in range(60):
        start, goal = random.uniform(0, 30, 2), random.uniform(0, 30, 2)
        one, other = tiled.path(start, goal, RADIUS), whole.path(start, goal, RADIUS)
        assert type(one) is type(other)
        found.add(type(one))
        if isinstance(one, Path) and isinstance(other, Path):
            assert one.length == pytest.approx(other.length, abs=1e-7)
            quick = tiled.path(start, goal, RADIUS, longer=0.05)
            assert isinstance(quick, Path)
            assert other.length - 1e-7 <= quick.length <= 1.05 * other.length + 1e-7
        elif isinstance(one, Unreachable) and isinstance(other, Unreachable):
            assert one.reason == other.reason
            assert one.nearest == pytest.approx(other.nearest, abs=1e-7)
    assert found == {Path, Unreachable}


def test_triangles_cover_the_clear_area_and_join_where_they_touch() -> None:
    walkable, blocking = ground(scatter(7))
    mesh = mesh_of(NavmeshPlanner(walkable, blocking))
    triangles = shapely.polygons(mesh.vertices[mesh.triangles])
    area = clear_area(walkable, blocking, RADIUS, False, 0.0)
    assert float(shapely.area(triangles).sum()) == pytest.approx(area.area, rel=1e-9)
    assert area.buffer(1e-7).covers(shapely.union_all(triangles, grid_size=1e-9))
    # what lies across an edge says the same of it
    for t, k in np.argwhere(mesh.across >= 0).tolist():
        other = mesh.across[t, k]
        (back,) = np.flatnonzero(mesh.across[other] == t)
        ends = mesh.vertices[mesh.triangles[t, [k, (k + 1) % 3]]]
        theirs = mesh.vertices[mesh.triangles[other, [(back + 1) % 3, back]]]
        assert ends == pytest.approx(theirs, abs=1e-7)
    pieces = [part for part in area.geoms if part.area > 1e-6]
    assert len(set(mesh.component.tolist())) == len(pieces)


def test_a_mesh_does_not_depend_on_how_the_geometry_came_about() -> None:
    walkable, blocking = ground(scatter(3))
    planner = NavmeshPlanner(walkable, blocking)
    first = parts(mesh_of(planner))
    ids = blocking.ids
    for step in range(8):
        if step % 2 == 0:
            blocking.set_open(ids[5 * step : 5 * step + 3], True)
        elif step == 3:
            blocking.set(ids[1], Obstacle([(30.0, 20.0), (33.0, 20.5), (31.0, 23.0)], closed=True))
        elif step == 5:
            blocking.remove(ids[7])
        else:
            blocking.add([Obstacle([(2.0 + step, 2.0), (2.0 + step, 28.0)])])
        planner = NavmeshPlanner(walkable, blocking, before=planner)
        for ours, anew in zip(parts(mesh_of(planner)), parts(mesh_of(NavmeshPlanner(walkable, blocking))), strict=True):
            assert np.array_equal(ours, anew)
    # and back again
    walkable, blocking = ground(scatter(3))
    door = blocking.ids[4:5]
    for is_open in (True, False):
        blocking.set_open(door, is_open)
        planner = NavmeshPlanner(walkable, blocking, before=planner)
        mesh_of(planner)
    assert all(np.array_equal(a, b) for a, b in zip(parts(mesh_of(planner)), first, strict=True))


def test_a_door_is_cut_once_and_costs_the_tiles_that_it_stands_in(monkeypatch: pytest.MonkeyPatch) -> None:
    walkable, blocking = ground(scatter(5))
    planner, cut = NavmeshPlanner(walkable, blocking), []
    mesh_of(planner)
    plain = tiles.triangulated
    monkeypatch.setattr(tiles, "triangulated", lambda area: cut.append(area) or plain(area))
    counts = []
    for is_open in (True, False, True, False):
        blocking.set_open(blocking.ids[10:11], is_open)
        planner = NavmeshPlanner(walkable, blocking, before=planner)
        mesh_of(planner)
        counts.append(len(cut))
        cut.clear()
    assert 1 <= counts[0] <= 4
    assert counts[1:] == [0, 0, 0]
    # what comes new costs no more
    blocking.add([Obstacle([(20.0, 5.0), (21.0, 5.5)])])
    mesh_of(NavmeshPlanner(walkable, blocking, before=planner))
    assert 1 <= len(cut) <= 4


@pytest.mark.parametrize("segments", [0, 95, 96, 500, 40_000])
def test_tiles_cover_what_they_lie_over(segments: int) -> None:
    tiling = Tiling.over((-64.0, -32.0, 64.0, 32.0), segments, (-20.0, -20.0, 30.0, 10.0))
    assert (tiling.columns[0], tiling.columns[-1], tiling.rows[0], tiling.rows[-1]) == (-64.0, 64.0, -32.0, 32.0)
    assert (np.diff(tiling.columns) > 0.0).all()
    assert (np.diff(tiling.rows) > 0.0).all()
    assert len(tiling) <= 66 * 66
    assert (len(tiling) == 1) == (segments < 96)
    boxes = np.array([[-3.0, -3.0, 5.0, 2.0], [63.0, 31.0, 63.5, 31.5]])
    near = tiling.near(boxes, 1.0)
    for tile in range(len(tiling)):
        left, bottom, right, top = tiling.box(tile)
        meets = (boxes[:, 0] - 1 <= right) & (boxes[:, 2] + 1 >= left) & (boxes[:, 1] - 1 <= top)
        assert near[tile] == np.flatnonzero(meets & (boxes[:, 3] + 1 >= bottom)).tolist()


def test_a_surface_without_any_place_has_no_triangles() -> None:
    walkable, blocking = ground([])
    planner = NavmeshPlanner(walkable, blocking)
    assert planner.path([1, 1], [2, 2], 30.0) == Unreachable(None, "start-off-surface")
    assert planner.reachable(np.ones((1, 2)), np.ones((1, 2)), np.array([30.0]), np.zeros((1, 2))).tolist() == [0]
