"""The result of the kernel benchmark: whole, ready for JSON, its ratios those of the pairs, its peer judged."""

from __future__ import annotations

import json

import numpy as np
import pytest
from numpy.typing import NDArray

from orca_crowd.bench import kernel
from orca_crowd.bench.kernel import Plan, measure
from orca_crowd.bench.phases import PHASES
from orca_crowd.bench.scenes import Scene, preferred


class StraightOn:
    """A crowd that walks to its goals and avoids nobody."""

    name = "pyrvo"

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.places = scene.positions.copy()

    def prepare(self) -> None: ...

    def run(self, steps: int) -> None:
        for _ in range(steps):
            self.places += preferred(self.scene, self.places) * self.scene.time_step

    def positions(self) -> NDArray[np.float64]:
        return self.places

    def velocities(self) -> NDArray[np.float64]:
        return preferred(self.scene, self.places)

    def neighbours(self) -> float:
        return 0.0


def test_ours_alone_where_there_is_no_peer() -> None:
    scenes = [Scene(40), Scene(40, 3)]
    taken: dict[str, int] = {}
    plan = Plan(scenes, steps=4, repeat=2, peer=False)
    result = measure(plan, lambda scene, steps: taken.update({scene.name: taken.get(scene.name, 0) + steps}))
    assert json.loads(json.dumps(result)) == result
    assert result["peer"] is None
    assert [entry["scene"]["name"] for entry in result["scenes"]] == ["40", "40 with 3 walls"]
    assert taken == {scene.name: plan.work(scene) for scene in scenes}
    for entry in result["scenes"]:
        assert list(entry["contenders"]) == ["ours, service", "ours, text", "ours, service, directed"]
        assert all(len(figures["seconds_per_step"]) == 2 for figures in entry["contenders"].values())
        assert list(entry["phases"]) == list(PHASES)
        assert "ratios" not in entry
        assert entry["crowds"]["straight on"]["progress"] == pytest.approx(1.0)


def test_ratios_are_those_of_the_pairs_and_a_peer_that_does_not_avoid_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel, "Peer", StraightOn)
    entry = measure(Plan([Scene(300)], steps=6, repeat=2))["scenes"][0]
    other = entry["contenders"]["pyrvo"]["seconds_per_step"]
    assert list(entry["ratios"]) == ["ours, service", "ours, text", "ours, service, directed"]
    for name, ratio in entry["ratios"].items():
        mine = entry["contenders"][name]["seconds_per_step"]
        assert ratio["pairs"] == [a / b for a, b in zip(mine, other, strict=True)]
        assert ratio["p10"] <= ratio["median"] <= ratio["p90"]
    assert entry["crowds"]["ours, text"]["overlapping"] < 0.1
    assert entry["peer_avoids"] is False


def test_steps_are_whole_blocks() -> None:
    assert (Plan([], steps=40).block, Plan([], steps=40).blocks) == (5, 8)
    assert (Plan([], steps=3).block, Plan([], steps=3).blocks) == (3, 1)
    assert Plan([], steps=11).blocks == 3
