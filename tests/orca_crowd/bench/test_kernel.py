"""The result of the kernel benchmark: whole, ready for JSON, its ratios those of the pairs, its peers judged."""

from __future__ import annotations

import json
from collections.abc import Hashable

import numpy as np
import pytest
from numpy.typing import NDArray

from orca_crowd.bench.bars import kernel_bars
from orca_crowd.bench.kernel import VARIANTS, Plan, measure
from orca_crowd.bench.phases import PHASES
from orca_crowd.bench.scenes import Scene, preferred, variants_for

OURS = ["ours, service", "ours, text", "ours, service, directed"]


class StraightOn:
    """A crowd that walks to its goals and avoids nobody."""

    name = "pyrvo"

    def __init__(self, scene: Scene, ended: list[str]) -> None:
        self.scene = scene
        self.places = scene.positions.copy()
        self.ended = ended

    def prepare(self) -> None: ...

    def run(self, steps: int) -> None:
        for _ in range(steps):
            self.places += preferred(self.scene, self.places) * self.scene.time_step

    def positions(self) -> NDArray[np.float64]:
        return self.places

    def velocities(self) -> NDArray[np.float64]:
        return preferred(self.scene, self.places)

    def neighbours(self) -> float:
        return 0.5

    def close(self) -> None:
        self.ended.append(self.name)


class Walker:
    """The peer of those crowds; it takes no walls."""

    name = "pyrvo"

    def __init__(self) -> None:
        self.ended: list[str] = []

    def missing(self) -> str | None:
        return None

    def refuses(self, scene: Scene) -> str | None:
        return "it sees none" if scene.walls else None

    def crowd(self, scene: Scene) -> StraightOn:
        return StraightOn(scene, self.ended)

    def versions(self) -> dict[str, str]:
        return {"walker": "1.2"}


def test_ours_alone_where_there_is_no_peer() -> None:
    scenes = [Scene(40), Scene(40, 3)]
    taken: dict[Hashable, int] = {}

    def advance(key: Hashable, steps: int) -> None:
        taken[key] = taken.get(key, 0) + steps

    plan = Plan(scenes, variants_for(40, 3), steps=4, repeat=2)
    result = measure(plan, advance)
    assert json.loads(json.dumps(result)) == result
    assert result["peers"] == []
    assert [entry["scene"]["name"] for entry in result["scenes"]] == ["40", "40 with 3 walls"]
    assert taken == {**{scene: plan.work(scene) for scene in scenes}, VARIANTS: plan.variants_work()}
    for entry in result["scenes"]:
        assert list(entry["contenders"]) == OURS
        assert all(len(figures["seconds_per_step"]) == 2 for figures in entry["contenders"].values())
        assert entry["phases"]
        assert set(entry["phases"]) <= set(PHASES)
        assert entry["ratios"] == {}
        assert entry["crowds"]["straight on"]["progress"] == pytest.approx(1.0)


def test_variants_are_held_against_the_plain_scene_run_by_run() -> None:
    result = measure(Plan([], variants_for(40, 3), steps=4, repeat=3))
    plain, *others = result["variants"]
    assert plain["ratio"]["runs"] == [1.0, 1.0, 1.0]
    assert [entry["scene"]["warm_up"] for entry in others] == [20, 0, 0, 20, 20]
    for entry in others:
        mine, against = entry["seconds_per_step"], plain["seconds_per_step"]
        assert entry["ratio"]["runs"] == pytest.approx([a / b for a, b in zip(mine, against, strict=True)])
        assert entry["worst_block"] == pytest.approx(max(mine) / 40 * 1e6)
    names = [figure["name"] for figure in result["figures"]]
    assert names == [f"{entry['scene']['name']} to 40" for entry in others]


def test_ratios_are_those_of_the_pairs_and_a_peer_that_does_not_avoid_is_told() -> None:
    walker = Walker()
    result = measure(Plan([Scene(300), Scene(300, 2)], steps=6, repeat=2, peers=[walker]))
    entry, walled = result["scenes"]
    other = entry["contenders"]["pyrvo"]["seconds_per_step"]
    assert list(entry["ratios"]["pyrvo"]) == OURS
    for name, ratio in entry["ratios"]["pyrvo"].items():
        mine = entry["contenders"][name]["seconds_per_step"]
        assert ratio["pairs"] == [a / b for a, b in zip(mine, other, strict=True)]
        assert ratio["p10"] <= ratio["median"] <= ratio["p90"]
    assert entry["crowds"]["ours, text"]["overlapping"] < 0.1
    assert entry["crowds"]["pyrvo"]["neighbours used"] == 0.5
    assert entry["avoids"] == {"pyrvo": False}
    assert walled["left_out"] == {"pyrvo": "it sees none"}
    assert "pyrvo" not in walled["contenders"]
    assert walker.ended == ["pyrvo"] * 2
    assert result["machine"]["packages"]["walker"] == "1.2"


def test_steps_are_whole_blocks() -> None:
    large = Scene(100_000)
    assert (Plan([], steps=40).block(large), Plan([], steps=40).blocks(large)) == (5, 8)
    assert (Plan([], steps=3).block(large), Plan([], steps=3).blocks(large)) == (3, 1)
    assert (Plan([], steps=11).steps(large), Plan([], steps=11).variant_blocks) == (15, 3)


def test_small_crowds_take_longer_blocks_and_as_many_of_them() -> None:
    plan, small, large = Plan([], steps=40, repeat=3), Scene(1_000), Scene(100_000)
    assert (plan.block(small), plan.repeats(small)) == (20, 12)
    assert (plan.block(large), plan.repeats(large)) == (5, 3)
    assert plan.steps(small) == plan.steps(large)
    assert plan.blocks(small) * plan.repeats(small) == plan.blocks(large) * plan.repeats(large)
    # what is run is what the bar of progress was told
    assert Plan([], steps=4, repeat=2).repeats(small) == 2


@pytest.mark.parametrize(("value", "reached"), [(1.25, True), (1.26, False)])
def test_the_bars_are_about_their_scenes(value: float, reached: bool) -> None:
    ratio = {"median": value, "p10": value, "p90": value, "runs": [value]}
    variants = [{"scene": scene.facts(), "ratio": ratio} for scene in variants_for(10_000, 200)]
    walls, coincident, clustered, far, resting = kernel_bars({"scenes": [], "variants": variants})
    assert (walls["limit"], walls["reached"]) == (1.25, reached)
    assert [entry["limit"] for entry in (coincident, clustered, far, resting)] == [3.0, 3.0, 3.0, 0.4]
    assert not resting["reached"]
    # the same at another size has no bars
    small = [{"scene": scene.facts(), "ratio": ratio} for scene in variants_for(100, 200)]
    assert kernel_bars({"scenes": [], "variants": small}) == []


@pytest.mark.parametrize(
    ("agents", "share", "reached"), [(1_000, 0.20, True), (10_000, 0.21, False), (100_000, 0.13, True)]
)
def test_the_share_of_the_peer_has_a_bar_for_each_size(agents: int, share: float, reached: bool) -> None:
    entry = {"scene": Scene(agents).facts(), "ratios": {"pyrvo": {OURS[0]: {"median": share}}}, "contenders": {}}
    (found,) = kernel_bars({"scenes": [entry], "variants": []})
    assert found["reached"] is reached
    assert kernel_bars({"scenes": [{**entry, "scene": Scene(agents, 200).facts()}], "variants": []}) == []


def test_the_headline_has_a_bar_in_milliseconds() -> None:
    entry = {
        "scene": Scene(1_064).facts(),
        "ratios": {},
        "contenders": {OURS[0]: {"milliseconds_per_step": 1.01}},
    }
    (found,) = kernel_bars({"scenes": [entry], "variants": []})
    assert (found["unit"], found["limit"], found["reached"]) == ("ms", 1.0, False)
