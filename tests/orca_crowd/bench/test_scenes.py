"""The scene of the benchmark is the one it says, and its judge tells crowds apart."""

from __future__ import annotations

import numpy as np
import pytest

from orca_crowd.bench.scenes import Scene, crowding, preferred, scenes_for, usual, variants_for


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


def test_the_variants_stand_beside_the_plain_scene() -> None:
    plain, walls, coincident, clustered, far, resting = variants_for(1_000, 20)
    assert [scene.plain for scene in variants_for(1_000, 20)] == [True, *[False] * 5]
    assert [scene.name for scene in (plain, walls, coincident, clustered, far, resting)] == [
        "1,000",
        "1,000 with 20 walls",
        "1,000 coincident",
        "1,000 clustered",
        "1,000 neighbour distance 15",
        "1,000 90 % at rest",
    ]
    assert (far.positions == plain.positions).all()
    assert len(variants_for(1_000, 0)) == 5
    assert usual([1_000, 1_064, 10_000, 100_000]) == 10_000


def test_hard_crowds_begin_at_their_hardest() -> None:
    coincident, clustered = variants_for(1_000, 0)[1:3]
    assert (coincident.positions == coincident.positions[0]).all()
    extent = np.ptp(clustered.positions, axis=0)
    assert extent == pytest.approx([0.1 * clustered.side] * 2, rel=0.02)
    assert clustered.positions.mean(axis=0) == pytest.approx([0.5 * clustered.side] * 2, rel=0.02)
    assert np.ptp(clustered.goals, axis=0).min() > 0.9 * clustered.side
    assert coincident.warm_up == clustered.warm_up == 0


def test_those_at_rest_have_nobody_near_and_the_others_are_as_close_as_ever() -> None:
    scene = variants_for(1_000, 0)[-1]
    assert scene.resting.sum() == 900
    away = scene.positions[:, None] - scene.positions[None]
    distance = np.sqrt((away * away).sum(axis=2))
    np.fill_diagonal(distance, np.inf)
    assert distance[scene.resting].min() > scene.neighbor_distance
    moving = scene.positions[~scene.resting]
    assert np.ptp(moving, axis=0).prod() / len(moving) == pytest.approx(4.0, rel=0.1)
    assert (scene.goals[scene.resting] == scene.positions[scene.resting]).all()
    # who is at rest is not a matter of index
    assert 400 < scene.resting[:500].sum() < 500
