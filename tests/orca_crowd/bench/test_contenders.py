"""Every contender holds the crowd of the scene, and crowds that avoid do not overlap."""

from __future__ import annotations

import numpy as np
import pytest

from orca_crowd.bench.contenders import Ours, OursDirected
from orca_crowd.bench.scenes import Scene, crowding, variants_for


def test_goals_and_directions_lead_the_same_way() -> None:
    scene = Scene(60)
    goals, directed = Ours(scene, "service"), OursDirected(scene, "service")
    assert (goals.positions() == scene.positions).all()
    for _ in range(15):
        for contender in (goals, directed):
            contender.prepare()
            contender.run(1)
    assert np.abs(goals.positions() - scene.positions).max() > 1.0
    assert np.abs(goals.positions() - directed.positions()).max() < 1e-6


def test_our_crowd_avoids_and_gets_on() -> None:
    scene = Scene(150)
    ours = Ours(scene, "text")
    ours.run(40)
    crowd = crowding(scene, ours.positions(), ours.velocities())
    assert crowd["overlapping"] < 0.02
    assert crowd["progress"] > 0.6


def test_walls_of_the_scene_are_in_the_world() -> None:
    scene = Scene(30, 7)
    walls = [obstacle.points for obstacle in Ours(scene, "text").world.obstacles()]
    assert (np.array(walls) == scene.segments).all()


@pytest.mark.parametrize("scene", variants_for(60, 4), ids=lambda scene: scene.name)
def test_every_variant_gets_on(scene: Scene) -> None:
    ours = Ours(scene, "service")
    ours.run(30)
    moved = np.abs(ours.positions() - scene.positions).max(axis=1)
    assert (moved[scene.resting] == 0.0).all()
    assert np.median(moved[~scene.resting]) > 0.5
    crowd = crowding(scene, ours.positions(), ours.velocities())
    assert crowd["overlapping"] < 0.5 * crowding(scene, scene.positions, ours.velocities())["overlapping"] + 0.02
