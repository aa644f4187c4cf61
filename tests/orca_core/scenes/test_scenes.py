"""The scenes of the text: all reach their goals and nobody comes nearer than it permits; without avoidance, not."""

from __future__ import annotations

import pytest

from tests.support.scenes import Scene, circle, corridor, crossing_blocks, gap, grazing, run
from tests.support.worlds import PROFILES

SCENES = {scene.name: scene for scene in (circle(100), circle(300), crossing_blocks(), gap(), corridor())}
# a whole run of a thousand takes some ten seconds, so only the text's is in every test run
THOUSAND = circle(1000)


def assert_behaves(scene: Scene, profile: str, every: int = 1) -> str:
    """Separation and progress of a whole run; returns the digest at its end."""
    result = run(scene, PROFILES[profile], every=every)
    assert result.reached(scene), f"{scene.name}: {result}"
    assert result.separated(scene), f"{scene.name}: {result}"
    return result.digest


@pytest.mark.parametrize("name", SCENES)
def test_all_arrive_and_keep_apart(name: str) -> None:
    digests = {profile: assert_behaves(SCENES[name], profile) for profile in PROFILES}
    # none of these is an exact symmetry, so what users want is here what the text says
    assert digests["service"] == digests["text"]


def test_a_thousand_arrive_and_keep_apart() -> None:
    assert_behaves(THOUSAND, "text", every=2)


@pytest.mark.soak
@pytest.mark.parametrize("profile", PROFILES)
def test_a_thousand_at_every_step(profile: str) -> None:
    assert_behaves(THOUSAND, profile)


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("scene", [*SCENES.values(), THOUSAND], ids=lambda scene: scene.name)
def test_the_same_assertions_fail_without_avoidance(scene: Scene, profile: str) -> None:
    result = run(scene, PROFILES[profile], avoidance=False, every=20 if scene is THOUSAND else 1)
    assert result.reached(scene), "goals alone are reached, so progress proves nothing by itself"
    assert not result.separated(scene), f"{scene.name} passes without avoidance: {result}"
    assert result.detour < 1e-9, "everybody walks straight"


@pytest.mark.parametrize("profile", PROFILES)
def test_a_wall_is_kept_away_from_and_missed_where_it_is_not(profile: str) -> None:
    scene = grazing()
    beside, through = run(scene, PROFILES[profile]), run(scene, PROFILES[profile], avoidance=False)
    assert beside.reached(scene)
    assert beside.separated(scene)
    assert through.reached(scene)
    assert not through.separated(scene)


@pytest.mark.parametrize("name", SCENES)
def test_agents_that_do_not_move_fail_for_lack_of_progress(name: str) -> None:
    """The other half of what is asserted: a crowd that stands still keeps apart and is no success."""
    scene = SCENES[name]
    standing = Scene(
        scene.name, scene.columns | {"max_speed": scene.columns["max_speed"] * 0.0}, 20, scene.deepest, scene.walls
    )
    result = run(standing, PROFILES["service"])
    assert result.separated(standing)
    assert not result.reached(standing)
