"""Scenes played: everybody arrives, in time, and nobody walks through anybody; without avoidance none of it holds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import pytest

from orca_crowd.scenes.building import building
from orca_crowd.scenes.corner import corner
from orca_crowd.scenes.corridor import corridor
from orca_crowd.scenes.door import door
from orca_crowd.scenes.evacuation import evacuation
from orca_crowd.scenes.game_map import game_map
from orca_crowd.scenes.junction import junction
from orca_crowd.scenes.measure import Figures
from orca_crowd.scenes.play import play
from orca_crowd.scenes.plaza import plaza
from orca_crowd.scenes.scene import SceneData

# of discs 0.5 m wide, m: crowds are pressed into each other, but nobody walks through anybody
DEEPEST = 0.2
# mean delay, s: about half as much again as was measured
SCENES: Mapping[str, tuple[Callable[[], SceneData], float]] = {
    "plaza": (lambda: plaza(120), 9.0),
    "door": (lambda: door(12), 12.0),
    "corridor": (lambda: corridor(5, 0), 3.0),
    "junction": (lambda: junction(15), 3.0),
    "corner": (lambda: corner(24), 1.5),
    "building": (lambda: building(60), 3.0),
    "evacuation": (lambda: evacuation(60), 2.5),
    "game map": (lambda: game_map(40), 1.0),
}


def faults(found: Figures, delay: float) -> set[str]:
    """What is wrong with how a crowd fared."""
    return {
        name
        for name, wrong in (
            ("arrived", found.arrived < found.agents),
            ("overlap", found.overlap > DEEPEST),
            ("delay", not 0.0 <= found.delay <= delay),
        )
        if wrong
    }


@pytest.mark.parametrize("name", SCENES)
def test_everybody_arrives_and_nobody_walks_through_anybody(name: str) -> None:
    build, delay = SCENES[name]
    found = play(build())
    assert faults(found, delay) == set(), found
    assert (found.flow is not None) == (build().gate is not None)


@pytest.mark.parametrize("name", SCENES)
def test_without_avoidance_they_do(name: str) -> None:
    build, delay = SCENES[name]
    scene = build()
    # nobody sees anybody
    found = play(replace(scene, defaults={**scene.defaults, "max_neighbors": 0}))
    assert "overlap" in faults(found, delay), found
    # the free path at the preferred speed is what they then take
    assert found.arrived == found.agents
    assert found.delay < 0.6


def test_a_scene_played_again_comes_to_the_same() -> None:
    assert play(door(6, seed=9)) == play(door(6, seed=9))
