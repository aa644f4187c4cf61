"""Demo scenes: whole, the same at every call, without overlaps at the start, and with goals that can be had."""

from __future__ import annotations

from importlib.resources import files

import numpy as np
import pytest
import shapely

from orca_core.formats.movingai import parse_map
from orca_core.options import Options
from orca_core.state import STATUS_NAMES
from orca_core.world import World
from orca_crowd.scenes.scene import SceneData
from orca_crowd.worlds.scenes import SCENES

ARRIVED, STALLED = STATUS_NAMES.index("arrived"), STATUS_NAMES.index("stalled")
COUNTS = {
    "plaza": 500,
    "door": 60,
    "corridor": 16,
    "junction": 80,
    "corner": 60,
    "building": 240,
    "evacuation": 480,
    "halls": 1000,
    "head-on-vo": 10,
    "head-on-rvo": 10,
    "head-on-orca": 10,
    "circle": 250,
    "blocks": 100,
    "den312d": 300,
}


@pytest.fixture(scope="module", params=list(COUNTS))
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def nearest_pair(points: np.ndarray) -> float:
    """The least distance between two points."""
    gaps = np.linalg.norm(points[:, None] - points[None, :], axis=2)
    np.fill_diagonal(gaps, np.inf)
    return float(gaps.min())


def walkable_shape(data: SceneData) -> shapely.Geometry:
    return shapely.union_all(
        [shapely.Polygon(outer, holes) for area in data.walkable for outer, *holes in area.polygons]
    )


def test_the_scenes_are_there() -> None:
    assert list(SCENES) == list(COUNTS)
    assert all(key == scene.name and scene.title and scene.description for key, scene in SCENES.items())


def test_a_scene_is_whole(name: str) -> None:
    data = SCENES[name].build()
    count = COUNTS[name]
    assert data.columns["id"].tolist() == list(range(count))
    assert data.columns["id"].dtype == np.int64
    for column in ("position", "goal"):
        assert data.columns[column].shape == (count, 2)
        assert data.columns[column].dtype == np.float64
        assert np.isfinite(data.columns[column]).all()
        # all of it within the box that is shown
        assert (data.columns[column] >= data.view[:2]).all()
        assert (data.columns[column] <= data.view[2:]).all()
    assert data.time_step > 0
    assert data.rate > 0


def test_a_scene_is_the_same_at_every_call(name: str) -> None:
    first, second = SCENES[name].build(), SCENES[name].build()
    assert {key: column.tobytes() for key, column in first.columns.items()} == {
        key: column.tobytes() for key, column in second.columns.items()
    }
    assert (first.defaults, first.view, first.time_step, first.seed) == (
        second.defaults,
        second.view,
        second.time_step,
        second.seed,
    )


def test_nobody_overlaps_at_the_start_and_everybody_has_a_way_to_go(name: str) -> None:
    data = SCENES[name].build()
    assert nearest_pair(data.columns["position"]) > 2.0 * data.defaults["radius"]
    ways = np.linalg.norm(data.columns["goal"] - data.columns["position"], axis=1)
    assert np.mean(ways > 1.0) > 0.95
    if data.next_goals is None and data.arrival is None:
        # the places at the end are apart too, so that all can arrive
        assert nearest_pair(data.columns["goal"]) > 2.0 * data.defaults["radius"]


def test_the_circle_is_crossed_past_its_middle() -> None:
    data = SCENES["circle"].build()
    position, goal = data.columns["position"], data.columns["goal"]
    assert np.linalg.norm(position, axis=1) == pytest.approx(np.full(250, 50.0))
    # opposite but for a few thousandths, all turned the same way
    turned = (-position[:, 0] * goal[:, 1] + position[:, 1] * goal[:, 0]) / 2500.0
    assert turned == pytest.approx(np.full(250, np.sin(0.004)), abs=1e-9)


def test_the_blocks_stand_between_the_groups() -> None:
    data = SCENES["blocks"].build()
    blocks = shapely.union_all([shapely.Polygon(wall.points) for wall in data.obstacles])
    assert all(wall.closed for wall in data.obstacles)
    assert blocks.area == 4 * 900.0
    for column in ("position", "goal"):
        assert shapely.distance(blocks, shapely.points(data.columns[column])).min() > data.defaults["radius"]
    ways = shapely.linestrings(np.stack((data.columns["position"], data.columns["goal"]), axis=1))
    assert shapely.crosses(ways, blocks).all()


def test_the_game_map_is_walkable_where_the_file_says() -> None:
    data = SCENES["den312d"].build()
    text = files("orca_crowd").joinpath("viewer", "maps", "den312d.map").read_text(encoding="ascii")
    grid = parse_map(text)
    assert data.view == (0.0, 0.0, 65.0, 81.0)
    assert walkable_shape(data).area == grid.free.sum() == 2445
    assert data.attribution is not None
    assert "ODC-By" in data.attribution
    assert (
        files("orca_crowd").joinpath("viewer", "maps", "ATTRIBUTION").read_text(encoding="utf-8").count("Sturtevant")
        == 3
    )


def test_walkers_on_the_game_map_see_their_goals_at_first_and_after() -> None:
    data = SCENES["den312d"].build()
    assert data.next_goals is not None
    boundary = walkable_shape(data).boundary
    ids, position, goal = (data.columns[column] for column in ("id", "position", "goal"))
    for step in (0, 100, 200):
        ways = shapely.linestrings(np.stack((position, goal), axis=1))
        assert shapely.distance(boundary, ways).min() > data.defaults["radius"]
        assert np.median(shapely.length(ways)) > 5.0
        position, goal = goal, data.next_goals(ids, goal, step + 1)["goal"]


def world_of(data: SceneData) -> World:
    """A world with the scene in it; nothing in a demo deserves a warning."""
    world = World(time_step=data.time_step, options=Options.service(), seed=data.seed)
    world.set_defaults(dict(data.defaults))
    world.add_obstacles(list(data.obstacles))
    world.add_walkable(list(data.walkable))
    assert world.add_agents(dict(data.columns)).notices == []
    return world


@pytest.mark.parametrize(("name", "most_steps"), [("circle", 2500), ("blocks", 2000)])
def test_agents_get_through_each_other_and_arrive(name: str, most_steps: int) -> None:
    data = SCENES[name].build()
    world = world_of(data)
    closest = np.inf
    while world.step_count < most_steps and np.mean(world.column("status") == ARRIVED) < 0.9:
        world.step(10)
        closest = min(closest, nearest_pair(world.column("position")))
    assert np.mean(world.column("status") == ARRIVED) >= 0.9
    # the deepest overlap that a dense middle may have is half a radius
    assert closest > 1.5 * data.defaults["radius"]


def test_walkers_on_the_game_map_keep_going_and_stay_on_it() -> None:
    data = SCENES["den312d"].build()
    assert data.next_goals is not None
    world = world_of(data)
    area = walkable_shape(data)
    begin = world.column("position").copy()
    given = 0
    for _ in range(300):
        world.step()
        status, position = world.column("status"), world.column("position")
        done = (status == ARRIVED) | (status == STALLED)
        if done.any():
            ids = world.ids[done]
            world.set_agents(ids, data.next_goals(ids, position[done], world.step_count))
            given += len(ids)
        # on the map, and no nearer to a wall than the radius
        assert shapely.contains_xy(area, world.column("position")).all()
        room = shapely.distance(area.boundary, shapely.points(world.column("position")))
        assert room.min() > data.defaults["radius"] - 1e-6
    # thirty seconds at 1.3 m/s: nearly everybody has arrived somewhere and gone on, and nobody through another
    assert given > 300
    assert np.median(np.linalg.norm(world.column("position") - begin, axis=1)) > 5.0
    assert np.linalg.norm(world.column("velocity"), axis=1).mean() > 0.8
    assert nearest_pair(world.column("position")) > 1.9 * data.defaults["radius"]
