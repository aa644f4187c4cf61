"""Scenes: whole, the same for the same numbers and seed, with room for everybody at both ends of the way."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from orca_core.errors import InvalidInput
from orca_core.geometry.obstacles import ObstacleSet
from orca_core.geometry.walkable import WalkableSet
from orca_core.guidance.navmesh import NavmeshPlanner
from orca_core.guidance.planner import Path
from orca_crowd.scenes.bottleneck import bottleneck
from orca_crowd.scenes.building import building
from orca_crowd.scenes.corner import corner
from orca_crowd.scenes.corridor import corridor
from orca_crowd.scenes.door import door
from orca_crowd.scenes.evacuation import evacuation
from orca_crowd.scenes.game_map import game_map
from orca_crowd.scenes.head_on import head_on
from orca_crowd.scenes.junction import junction
from orca_crowd.scenes.play import Play, play
from orca_crowd.scenes.plaza import plaza
from orca_crowd.scenes.scene import SceneData
from orca_crowd.scenes.walkers import APART, places

# a scene of so many, from a seed
Build = Callable[[int, int], SceneData]
SCENES: dict[str, Build] = {
    "plaza": plaza,
    "door": lambda count, seed: door(count // 2, seed=seed),
    "corridor": lambda count, seed: corridor(count // 2, count // 2, seed=seed),
    "junction": lambda count, seed: junction(count // 2, seed=seed),
    "corner": lambda count, seed: corner(count, seed=seed),
    "building": lambda count, seed: building(count, seed=seed),
    "bottleneck": lambda count, seed: bottleneck(count, seed=seed),
    "game_map": lambda count, seed: game_map(count, seed=seed),
    "head_on": lambda count, seed: head_on("rvo", count // 2, seed),
}


@pytest.mark.parametrize("name", SCENES)
@pytest.mark.parametrize(("count", "seed"), [(2, 7), (26, 1), (122, 5)])
def test_a_scene_of_any_size_is_whole(name: str, count: int, seed: int) -> None:
    data = SCENES[name](count, seed)
    positions, goals = data.columns["position"], data.columns["goal"]
    assert data.agents == len(positions) == len(goals) == count
    assert data.columns["id"].tolist() == list(range(count))
    assert data.seed == seed
    assert data.time_limit is not None
    for points in (positions, goals):
        assert (points > data.view[:2]).all()
        assert (points < data.view[2:]).all()
        gaps = np.linalg.norm(points[:, None] - points[None, :], axis=2)
        np.fill_diagonal(gaps, np.inf)
        # nobody touches anybody, at the start or where they are going
        assert gaps.min() > 2.0 * data.shared("radius")
    assert np.linalg.norm(goals - positions, axis=1).min() > 1.0 or name == "game_map"


@pytest.mark.parametrize("name", SCENES)
def test_equal_numbers_make_equal_scenes_and_other_seeds_other_ones(name: str) -> None:
    first, again, other = SCENES[name](20, 3), SCENES[name](20, 3), SCENES[name](20, 4)
    for column in ("position", "goal"):
        assert first.columns[column].tobytes() == again.columns[column].tobytes()
        assert first.columns[column].tobytes() != other.columns[column].tobytes()


@pytest.mark.parametrize("name", [name for name in SCENES if name not in ("plaza", "head_on")])
def test_every_goal_can_be_reached(name: str) -> None:
    data = SCENES[name](24, 2)
    walkable = WalkableSet()
    walkable.add(data.walkable)
    planner = NavmeshPlanner(walkable, ObstacleSet())
    for start, goal in zip(data.columns["position"], data.columns["goal"], strict=True):
        assert isinstance(planner.path(start, goal, data.shared("radius") + 0.05), Path)


def test_people_of_one_exit_have_one_goal_and_one_field() -> None:
    data = evacuation(60, seed=3)
    goals, of = np.unique(data.columns["goal"], axis=0, return_inverse=True)
    assert len(goals) == 4
    assert data.guidance == "flow"
    # the same people in the same rooms as in the building, each for the side on which it leaves there
    same = building(60, seed=3)
    assert (data.columns["position"] == same.columns["position"]).all()
    away = np.linalg.norm(same.columns["goal"] - goals[of.reshape(-1)], axis=1)
    assert data.arrival is not None
    assert away.max() < 2.0 * data.arrival
    world = Play(data).world
    world.step(10)
    assert sorted(np.unique(world.column("status")).tolist()) == [1], "all on their way, and nobody unreachable"


@pytest.mark.parametrize("seed", [5, 6])
def test_only_plain_velocity_obstacles_make_them_swing(seed: int) -> None:
    found = {model: play(head_on(model, 3, seed)) for model in ("vo", "rvo", "orca")}
    assert {figures.arrived for figures in found.values()} == {6}
    turned = {model: figures.turned or 0.0 for model, figures in found.items()}
    assert turned["vo"] > 5.0 * max(turned["rvo"], turned["orca"])


def test_walls_are_as_wide_apart_as_asked_for() -> None:
    for width in (0.6, 1.2):
        data = corridor(1, 1, width=width)
        walkable = WalkableSet()
        walkable.add(data.walkable)
        planner = NavmeshPlanner(walkable, ObstacleSet())
        start, goal = data.columns["position"][0], data.columns["goal"][0]
        assert isinstance(planner.path(start, goal, 0.5 * width - 0.01), Path)
        assert not isinstance(planner.path(start, goal, 0.5 * width + 0.01), Path)


def test_a_box_holds_so_many_and_no_more() -> None:
    chance = np.random.default_rng(1)
    box = (0.0, 0.0, 3.0 * APART, 2.0 * APART)
    assert len(places(box, 12, chance)) == 12
    with pytest.raises(InvalidInput, match="room for 12 walkers"):
        places(box, 13, chance)
