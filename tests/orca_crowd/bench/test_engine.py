"""Every part of the engine's benchmark runs against the real thing; lateness is counted from deadlines."""

from __future__ import annotations

import json

import numpy as np
import pytest

from orca_crowd.bench.engine import EnginePlan, measure_engine
from orca_crowd.bench.scenes import Scene
from orca_crowd.bench.serving import Remote, serving
from orca_crowd.bench.tick import Arrivals, lateness
from tests.orca_crowd.bench.results import engine_result


def test_the_whole_plan_runs_against_a_real_server() -> None:
    told: list[str] = []
    plan = EnginePlan(
        "inline",
        2,
        rounds=10,
        agents=(20,),
        steps=2,
        ticks=5,
        tick_agents=30,
        worlds=3,
        world_agents=5,
        rate=50.0,
        seconds=2.0,
        watched=2,
    )
    result = measure_engine(plan, told.append)
    assert json.loads(json.dumps(result)) == result
    assert told == ["empty steps", "20 agents, one worker and 2", "ticks of 30 agents", "3 worlds in real time"]
    assert result["tick"]["count"] == 5
    live = result["realtime"]
    assert (live["worlds"], live["watched"]) == (3, 2)
    assert 0.0 < live["processor"] < 1.0
    assert result["realtime_hardly_watched"]["watched"] == 1
    # half of the frames, if the machine is very busy
    assert live["late"]["count"] > 0.5 * 2 * 50.0
    assert live["late"]["points"][0] >= 0.0
    assert result["bars"][0]["name"].startswith("an idle step")
    assert len(result["bars"]) == 1


def test_parts_can_be_left_out() -> None:
    result = measure_engine(EnginePlan("inline", 1, rounds=0, agents=(), ticks=0, worlds=0))
    assert result["figures"] == result["bars"] == []


def test_a_server_that_does_not_start_is_told_with_its_words() -> None:
    with pytest.raises(RuntimeError, match="exit code 2"), serving("nobody", 1):
        pass


async def test_a_refusal_is_told() -> None:
    with serving("inline", 1) as address:
        async with Remote(address) as remote:
            world = await remote.create(Scene(3))
            assert await remote.counted("orca_crowd_worlds") == 1.0
            with pytest.raises(RuntimeError, match="404"):
                await remote.call("GET", f"/v1/worlds/{world}x")
            with pytest.raises(RuntimeError, match="has no nothing"):
                await remote.counted("nothing")


def arrivals(late: list[float], answered: float = 100.2) -> Arrivals:
    """Steps 1, 2, … of a clock that began at 100.1 with ten a second, asked for at 100.0, each so late."""
    moments = [100.1 + (k + 1) / 10.0 + seconds for k, seconds in enumerate(late)]
    return Arrivals(100.0, answered, list(range(1, len(late) + 1)), moments)


def test_lateness_is_counted_from_each_deadline() -> None:
    found, uncertain = lateness(arrivals([0.0, 0.03, 0.0, 0.25]), 10.0)
    assert found == pytest.approx([0.0, 0.03, 0.0, 0.25])
    assert uncertain == pytest.approx(0.1)


def test_a_world_that_is_always_late_is_not_excused() -> None:
    # its clock began before the answer, so most of a second cannot be the clock's
    found, _ = lateness(arrivals([0.9, 0.9, 0.9]), 10.0)
    assert np.asarray(found) == pytest.approx([0.8] * 3)


@pytest.mark.parametrize(
    ("times", "late", "reached"),
    [
        (1.80, 0.025, [True, True, True, True, True, True]),
        (1.75, 0.025, [True, True, False, True, True, True]),
        (1.80, 0.026, [True, True, True, True, False, True]),
    ],
)
def test_two_workers_are_held_to_bars(times: float, late: float, reached: list[bool]) -> None:
    assert [entry["reached"] for entry in engine_result(times, late)["bars"]] == reached


def test_other_numbers_of_workers_have_none() -> None:
    assert engine_result(workers=3)["bars"] == []
