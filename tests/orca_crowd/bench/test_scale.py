"""One world is measured in a process of its own, whole; its bars are about its size."""

from __future__ import annotations

import json
import sys

import pytest

from orca_crowd.bench import scale
from orca_crowd.bench.memory import PROC
from orca_crowd.bench.one_world import measure_world
from orca_crowd.bench.scale import measure_scale
from tests.orca_crowd.bench.results import scale_result


@pytest.mark.parametrize("engine", ["inline", "processes"])
async def test_everything_is_measured_of_a_world(engine: str) -> None:
    told: list[str] = []
    found = await measure_world({"agents": 500, "engine": engine, "workers": 2, "steps": 3}, told.append)
    assert told == ["creating", "stepping", "reading and writing"]
    assert len(found["step"]) == 3
    assert all(min(found[key]) > 0.0 for key in ("step", *scale.DONE))
    # positions and velocities of all as float32, with their names and lengths
    assert 0 < found["frame_bytes"] - 500 * 16 < 50
    assert found["snapshot_bytes"] > 500 * 32
    assert json.loads(json.dumps(found)) == found


def test_worlds_are_measured_one_by_one_and_memory_is_by_the_agent() -> None:
    told: list[str] = []
    result = measure_scale([2_000, 50_000], engine="inline", workers=2, steps=1, tell=told.append)
    assert json.loads(json.dumps(result)) == result
    assert "50,000 agents: stepping" in told
    assert [world["agents"] for world in result["worlds"]] == [2_000, 50_000]
    figures = {figure["name"]: figure for figure in result["figures"]}
    assert figures["2,000 agents: a step"]["unit"] == "ms"
    assert result["bars"] == []
    if PROC.exists():
        # an agent is more than its positions and velocities, and no Python object
        assert 100 < figures["50,000 agents: memory"]["median"] < 3_000


def test_a_world_that_cannot_be_measured_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(RuntimeError, match="the world of 10 agents could not be measured"):
        measure_scale([10], engine="nobody", workers=1, steps=1)
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with pytest.raises(RuntimeError, match="the world of 10 agents"):
        measure_scale([10], engine="inline", workers=1, steps=1)


@pytest.mark.parametrize(
    ("size", "step", "reached"),
    [(600_000_000, 1.0, [True, True]), (601_000_000, 1.0, [True, False]), (600_000_000, 1.01, [False, True])],
)
def test_a_million_has_bars_for_its_rate_and_its_bytes(size: int, step: float, reached: list[bool]) -> None:
    assert [entry["reached"] for entry in scale_result(size=size, step=step)["bars"]] == reached


def test_bars_of_a_hundred_thousand_are_about_the_rate_alone() -> None:
    (rate,) = scale_result(agents=100_000, step=1.0 / 11.9)["bars"]
    assert (rate["limit"], rate["reached"]) == (12.0, False)
    assert scale_result(agents=99_999)["bars"] == []
