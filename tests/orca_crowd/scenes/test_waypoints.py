"""Ways for a crowd: those who follow them arrive without a wall in between, also when they are pushed off."""

from __future__ import annotations

import numpy as np
import pytest

from orca_core.geometry.obstacles import ObstacleSet
from orca_core.geometry.walkable import WalkableSet
from orca_core.guidance.navmesh import NavmeshPlanner
from orca_core.guidance.planner import Path
from orca_crowd.scenes.building import building
from orca_crowd.scenes.corner import corner
from orca_crowd.scenes.plaza import plaza
from orca_crowd.scenes.scene import SceneData
from orca_crowd.scenes.waypoints import Waypoints


def planner(data: SceneData) -> NavmeshPlanner:
    walkable = WalkableSet()
    walkable.add(data.walkable)
    return NavmeshPlanner(walkable, ObstacleSet())


def test_in_the_open_the_way_is_the_straight_one() -> None:
    data = plaza(40)
    ways = Waypoints(data)
    positions, goals = data.columns["position"], data.columns["goal"]
    assert ways.lengths == pytest.approx(np.linalg.norm(goals - positions, axis=1))
    wanted = ways.preferred(np.asarray(positions), 0.1, 1.3)
    assert np.linalg.norm(wanted, axis=1) == pytest.approx(1.3)
    assert (np.einsum("ij,ij->i", wanted, goals - positions) > 0.0).all()
    # who is there wants nothing more, who is nearly there no more than is left
    assert ways.preferred(np.asarray(goals), 0.1, 1.3) == pytest.approx(0.0)
    near = np.asarray(goals) + np.array((0.05, 0.0))
    assert np.linalg.norm(ways.preferred(near, 0.1, 1.3), axis=1) == pytest.approx(0.5)


@pytest.mark.parametrize("data", [corner(12), building(24)], ids=["corner", "building"])
def test_ghosts_that_follow_arrive_on_ground_that_can_be_walked(data: SceneData) -> None:
    ways, routes = Waypoints(data), planner(data)
    positions = np.array(data.columns["position"])
    goals = np.asarray(data.columns["goal"])
    time = 0.0
    while np.linalg.norm(positions - goals, axis=1).max() > 0.05:
        positions += 0.1 * ways.preferred(positions, 0.1, 1.3)
        time += 0.1
        # 1 cm of the radius is given to the cutting of corners between two looks
        assert all(isinstance(routes.path(place, place, 0.2), Path) for place in positions)
        assert time < 1.1 * ways.lengths.max() / 1.3 + 1.0
    # the free way is what they went
    assert time == pytest.approx(ways.lengths.max() / 1.3, rel=0.05)


def test_who_is_pushed_out_of_sight_has_a_new_way() -> None:
    data = corner(2)
    ways = Waypoints(data)
    positions, goals = np.array(data.columns["position"]), np.asarray(data.columns["goal"])
    for _ in range(120):
        positions += 0.1 * ways.preferred(positions, 0.1, 1.3)
    # back to where nothing of the way can be seen
    positions[0] = data.columns["position"][0]
    for _ in range(600):
        positions += 0.1 * ways.preferred(positions, 0.1, 1.3)
    assert positions == pytest.approx(goals, abs=0.01)
