"""Every part of the cluster's benchmark runs against two real nodes; what was lost or came from the past is counted."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest

from orca_core import Options, World
from orca_core.simulation import Simulation
from orca_crowd.bench import report
from orca_crowd.bench.cluster import ClusterPlan, Run
from orca_crowd.bench.cluster_deaths import Load, goal_of, who
from orca_crowd.bench.cluster_figures import cluster_bars
from orca_crowd.bench.contenders import scene_columns
from orca_crowd.bench.scenes import Scene
from tests.support.live_server import child_environment

SCENE = Scene(30)


def measured(plan: str) -> dict[str, Any]:
    """What the benchmark finds, in a process of its own: one that was a driver of Ray keeps threads of it."""
    if find_spec("ray") is None:
        pytest.skip("ray is not installed")
    code = f"""
import json
from orca_crowd.bench.cluster import ClusterPlan, measure_cluster
if __name__ == "__main__":
    print("result:" + json.dumps(measure_cluster(ClusterPlan({plan}))))
"""
    environment = {name: value for name, value in child_environment().items() if name != "PYTHONWARNINGS"}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False, timeout=280
    )
    assert done.returncode == 0, done.stderr[-3000:]
    (line,) = [line for line in done.stdout.splitlines() if line.startswith("result:")]
    found: dict[str, Any] = json.loads(line.removeprefix("result:"))
    return found


@pytest.mark.ray
def test_a_scene_over_two_actors_on_a_real_cluster() -> None:
    result = measured(
        "congruence_steps=2, congruence_scenes=('circle',), congruence_actors=(2,), way_rounds=0, agents=(), ticks=0, "
        "worlds=0, own_worlds=0, processes_killed=0, nodes_killed=0, nodes_drained=0"
    )
    assert [scene["same_bits"] for scene in result["congruence"]] == [True]
    assert [bar["name"] for bar in result["bars"]] == ["scenes with the digests of `inline` in every step"]
    assert "void" not in report.markdown(result)


@pytest.mark.ray
@pytest.mark.soak
def test_everything_else_on_a_real_cluster() -> None:
    result = measured(
        "congruence_steps=0, way_rounds=2, way_rows=100, agents=(100,), steps=2, ticks=5, tick_agents=30, "
        "turns=1, worlds=2, world_processes=1, own_worlds=1, world_agents=5, "
        "rate=20.0, seconds=2.0, processes_killed=1, nodes_killed=1, killed_agents=20, "
        "nodes_drained=1, drained_agents=20"
    )
    for deaths in result["killed"].values():
        (death,) = deaths
        assert {name: death[name] for name in ("lost", "other_bits", "of_the_past")} == {
            "lost": 0,
            "other_bits": 0,
            "of_the_past": 0,
        }
        assert death["seconds"] > 0.0
    assert result["tick"]["front end"]["count"] == 5
    assert len(result["bars"]) == 12
    assert result["failed"] == []
    assert result["division"][0]["same_bits"]
    assert len(result["ways"]) == 4
    assert "the process of a world killed: no step acknowledged for" in report.markdown(result)


def test_what_was_lost_or_came_from_the_past_is_counted(kernels: None) -> None:
    world = World(time_step=SCENE.time_step, options=Options.service())
    world.add_agents({**scene_columns(SCENE), "goal": SCENE.goals})
    Simulation(world)
    load = Load(read=[(0, world.digest())])
    for number in range(6):
        world.set_agents([who(number, SCENE)], {"goal": [goal_of(number, SCENE)]})
        world.step()
        load.acknowledged.append((float(number), world.step_count, world.digest()))
        load.read.append((world.step_count, world.digest()))
    assert load.faults(SCENE) == {"lost": 0, "other_bits": 0, "of_the_past": 0}
    load.read.append(load.read[2])
    assert load.faults(SCENE)["of_the_past"] == 1
    load.read[-1] = (6, "0" * 64)
    assert load.faults(SCENE) == {"lost": 0, "other_bits": 1, "of_the_past": 0}
    # two steps were acknowledged, and the world began again before them
    load.acknowledged[4:] = load.acknowledged[3:4] + load.acknowledged[3:4]
    assert load.faults(SCENE)["lost"] == 2


def test_a_part_that_fails_is_told_and_the_others_are_kept() -> None:
    kept: list[dict[str, Any]] = []
    run = Run(ClusterPlan(), lambda _: None, kept.append)
    with run.part("the first"):
        raise RuntimeError("no room")
    with run.part("the second"):
        run.result["congruence"] = [{"name": "scene door", "same_bits": False}]
    assert [each["failed"] for each in kept] == [["the first"], ["the first"]]
    assert [bar["name"] for bar in kept[-1]["bars"]] == ["scenes with the digests of `inline` in every step"]
    assert "the first: failed, RuntimeError: no room" in kept[0]["remarks"]
    assert "void" in kept[-1]["remarks"][-1]


def test_the_bars_are_those_of_their_sizes() -> None:
    def values(middle: float) -> dict[str, float]:
        return {"median": middle, "p10": middle, "p90": middle, "p99": middle}

    death = {"seconds": 2.0, "lost": 0, "other_bits": 0, "of_the_past": 0}
    result = {
        "congruence": [{"same_bits": True}, {"same_bits": False}],
        "tick": {"agents": 10_000, "front end": values(0.006), "bare step": values(0.003)},
        "division": [
            {"agents": 100_000, "actors": 2, "added": np.array([0.013, 0.014]).tolist()},
            {"agents": 100_000, "actors": 3, "added": [0.001]},
        ],
        "realtime": [
            {"worlds": 50, "processes": 4, "agents": 200, "rate": 10.0, "late": values(0.04)},
            {"worlds": 20, "processes": 0, "agents": 200, "rate": 10.0, "late": values(0.06)},
        ],
        "killed": {"process": [death, {**death, "seconds": 4.0}], "node": [{**death, "lost": 1}], "drained": []},
    }
    found = {bar["name"]: bar["reached"] for bar in cluster_bars(result)}
    assert found == {
        "scenes with the digests of `inline` in every step": False,
        "added to a step of 10,000 agents, front end, actor and back": True,
        "added at 100,000 agents over two actors": False,
        "50 worlds in 4 processes, 99th percentile late": True,
        "the process of a world killed: back after, the slowest": False,
        "the process of a world killed: acknowledged steps lost": True,
        "the process of a world killed: answers with other bits": True,
        "the process of a world killed: answers of an older life": True,
        "its node killed: back after, the slowest": True,
        "its node killed: acknowledged steps lost": False,
        "its node killed: answers with other bits": True,
        "its node killed: answers of an older life": True,
    }
