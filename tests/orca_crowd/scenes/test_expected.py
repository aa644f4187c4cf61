"""What the scenes are said to come to is what they come to."""

from __future__ import annotations

import pytest

from orca_crowd.scenes.expected import ENDING, expected_figures
from orca_crowd.scenes.play import play

QUICK = ("corridor", "junction", "corner", "head-on-vo", "head-on-rvo", "head-on-orca")


def test_every_scene_that_ends_says_what_it_comes_to() -> None:
    assert list(expected_figures()) == [scene.name for scene in ENDING]
    for scene in ENDING:
        figures = expected_figures()[scene.name]
        assert figures.arrived == figures.agents == scene.build().agents
        assert figures.last is not None


def test_without_reciprocity_they_swing() -> None:
    turned = {model: expected_figures()[f"head-on-{model}"].turned for model in ("vo", "rvo", "orca")}
    assert turned["vo"] is not None
    assert turned["rvo"] is not None
    assert turned["orca"] is not None
    # degrees: more than half a circle, against out of the way and back
    assert turned["vo"] > 180.0
    assert max(turned["rvo"], turned["orca"]) < 45.0
    assert all(figures.turned is None for name, figures in expected_figures().items() if "head-on" not in name)


@pytest.mark.parametrize("name", QUICK)
def test_a_quick_one_comes_to_it(name: str) -> None:
    check(name)


@pytest.mark.soak
@pytest.mark.parametrize("name", [scene.name for scene in ENDING if scene.name not in QUICK])
def test_a_long_one_comes_to_it(name: str) -> None:
    check(name)


def check(name: str) -> None:
    """Play the scene, and hold it against what it is said to come to."""
    (scene,) = (scene for scene in ENDING if scene.name == name)
    found, said = play(scene.build()).as_mapping(), expected_figures()[name].as_mapping()
    assert found == pytest.approx(said, abs=1e-9)
