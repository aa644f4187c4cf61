"""The scene of the benchmark is the one it says, and its judge tells crowds apart."""

from __future__ import annotations

import numpy as np
import pytest

from orca_crowd.bench.scenes import Scene, crowding, preferred, scenes_for


def test_one_agent_for_each_four_square_metres_at_random() -> None:
    scene = Scene(4_000)
    assert scene.side**2 / scene.agents == pytest.approx(4.0)
    assert scene.positions.shape == scene.goals.shape == (4_000, 2)
    for points in (scene.positions, scene.goals):
        assert points.min() >= 0.0
        assert points.max() <= scene.side
        quarters, _, _ = np.histogram2d(points[:, 0], points[:, 1], bins=2, range=[[0.0, scene.side]] * 2)
        assert quarters.min() > 850
        assert quarters.max() < 1_150


def test_index_order_says_nothing_of_place() -> None:
    scene = Scene(4_000)
    ranks = np.arange(scene.agents)
    for axis in (0, 1):
        assert abs(np.corrcoef(ranks, scene.positions[:, axis])[0, 1]) < 0.05
        assert abs(np.corrcoef(scene.goals[:, axis], scene.positions[:, axis])[0, 1]) < 0.05


def test_the_same_seed_gives_the_same_scene_and_another_another() -> None:
    assert (Scene(50, 5).positions == Scene(50, 5).positions).all()
    assert (Scene(50, 5).segments == Scene(50, 5).segments).all()
    assert (Scene(50, seed=2).positions != Scene(50).positions).all()


def test_walls_are_segments_of_four_metres_in_every_direction() -> None:
    segments = Scene(1_000, 200).segments
    along = segments[:, 1] - segments[:, 0]
    assert np.sqrt((along * along).sum(axis=1)) == pytest.approx(4.0)
    assert {(x > 0.0, y > 0.0) for x, y in along.tolist()} >= {(True, True), (False, True)}


def test_the_scene_with_walls_stands_at_ten_thousand() -> None:
    assert [scene.name for scene in scenes_for([1_000, 10_000, 100_000], 200)] == [
        "1,000",
        "10,000",
        "100,000",
        "10,000 with 200 walls",
    ]
    assert [scene.walls for scene in scenes_for([500], 0)] == [0]


def test_preferred_velocities_point_at_the_goal_and_do_not_overstep_it() -> None:
    scene = Scene(3)
    positions = scene.goals - np.array([[10.0, 0.0], [0.0, 0.05], [0.0, 0.0]])
    wanted = preferred(scene, positions)
    assert wanted[0] == pytest.approx([1.3, 0.0])
    assert wanted[1] == pytest.approx([0.0, 0.5])
    assert wanted[2].tolist() == [0.0, 0.0]


def test_the_judge_sees_overlap_neighbours_and_progress() -> None:
    scene = Scene(3)
    positions = np.array([[0.0, 0.0], [0.5, 0.0], [4.0, 0.0]])
    away = scene.goals - positions
    velocities = 0.65 * away / np.sqrt((away * away).sum(axis=1))[:, None]
    crowd = crowding(scene, positions, velocities)
    assert crowd["overlapping"] == pytest.approx(2.0 / 3.0)
    assert crowd["neighbours"] == pytest.approx(2.0)
    assert crowd["progress"] == pytest.approx(0.5)
    apart = crowding(scene, positions * 20.0, velocities * 0.0)
    assert apart == {"overlapping": 0.0, "neighbours": 0.0, "progress": 0.0}
