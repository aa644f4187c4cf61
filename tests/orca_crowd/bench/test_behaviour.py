"""The behaviour benchmark: every system is measured alike, and the bars say what they should."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from orca_crowd.bench import report
from orca_crowd.bench.behaviour import BehaviourPlan, measure_behaviour, run_scene
from orca_crowd.bench.behaviour_bars import behaviour_bars
from orca_crowd.bench.behaviour_scenes import SCENES
from orca_crowd.bench.floors import floor_of
from orca_crowd.bench.pedestrians import PedestrianPlan
from orca_crowd.bench.published import sfpe_speed, weidmann_speed
from orca_crowd.bench.walkers import Ours, System, Walkers
from orca_crowd.bench.walkers_detour import Detour
from orca_crowd.bench.walkers_jupedsim import JuPedSim
from orca_crowd.bench.walkers_pyrvo import Pyrvo
from orca_crowd.scenes.building import building
from orca_crowd.scenes.corner import corner
from orca_crowd.scenes.plaza import plaza
from orca_crowd.scenes.scene import SceneData
from orca_crowd.scenes.waypoints import Waypoints
from tests.support.imports import ROOT

DETOUR = Detour(ROOT / ".make" / "bench-node")
PEERS: list[System] = [Pyrvo(), JuPedSim(), DETOUR]


class Ghosts:
    """Somebody who walks through everybody, along waypoints."""

    name = "ghosts"
    plans = False

    def missing(self) -> str | None:
        return None

    def refuses(self, scene: SceneData) -> str | None:
        return None if scene.walkable else "ghosts haunt houses"

    def walkers(self, scene: SceneData) -> Walkers:
        return GhostWalkers(scene)


class GhostWalkers:
    def __init__(self, scene: SceneData) -> None:
        self._wanted = Waypoints(scene).wanted(scene)
        self._positions = np.array(scene.columns["position"])

    def step(self) -> float:
        self._positions = self._positions + 0.1 * self._wanted(self._positions)
        return 1e-3

    def positions(self) -> Any:
        return self._positions

    def close(self) -> None:
        pass


@pytest.fixture(scope="module")
def result() -> dict[str, Any]:
    """Two small scenes and the smallest figures of pedestrians, ours beside ghosts."""
    pedestrians = PedestrianPlan(
        widths=(2.0,), walkers=12, seeds=(1,), densities=(0.5,), crowded=(2.0,), settle=1.0, seconds=2.0
    )
    plan = BehaviourPlan(
        peers=[Ghosts()],
        scenes={"open": lambda seed: plaza(12, seed), "bend": lambda seed: corner(8, seed=seed)},
        seeds=(1, 2),
        pedestrians=pedestrians,
    )
    return measure_behaviour(plan)


def test_everybody_is_measured_in_every_scene_he_takes(result: dict[str, Any]) -> None:
    open_ground, bend = result["scenes"]
    assert list(open_ground["systems"]) == ["ours"]
    assert open_ground["left_out"] == {"ghosts": "ghosts haunt houses"}
    assert list(bend["systems"]) == ["ours", "ghosts"]
    for entry in (open_ground, bend):
        runs = entry["systems"]["ours"]["runs"]
        assert [run["arrived"] for run in runs] == [run["agents"] for run in runs]
        assert all(run["overlap"] < 0.2 and run["microseconds_per_agent_step"] > 0.0 for run in runs)
    ghosts = bend["systems"]["ghosts"]["runs"]
    assert all(run["overlap"] > 0.2 and run["delay"] < 0.4 for run in ghosts)
    assert ghosts[0]["microseconds_per_agent_step"] == pytest.approx(1e-3 / 8 * 1e6)
    # the same scene again comes to the same
    scene = corner(8, seed=2)
    again = run_scene(Ours(), scene, Waypoints(scene).lengths)
    assert again["delay"] == bend["systems"]["ours"]["runs"][1]["delay"]


def test_pedestrians_are_measured(result: dict[str, Any]) -> None:
    found = result["pedestrians"]
    (ours,), (ghosts,) = found["bottleneck"]["ours"], found["bottleneck"]["ghosts"]
    assert 0.5 < ours["flow"] < ghosts["flow"]
    # a ring has no goals, so only those who can be told a velocity go round it
    assert list(found["ring"]) == ["ours"]
    narrow = found["narrow"]["ring"]
    assert list(narrow) == ["without", "with"]
    assert all([row["density"] for row in rows] == [2.0] for rows in narrow.values())
    (sparse,) = found["ring"]["ours"]
    assert sparse["speed"] == pytest.approx(1.3, abs=0.1)


def test_it_is_written(result: dict[str, Any]) -> None:
    text = report.markdown(json.loads(json.dumps(result)), "behaviour.svg")
    assert "| bend | ghosts | 16 of 16 |" in text
    assert "left out: ghosts haunt houses" in text
    assert "| 2 |" in text


def entry(**systems: tuple[int, float, float]) -> dict[str, Any]:
    """A scene of ten: for each system how many arrived, the mean delay, the deepest overlap."""
    runs = {
        name: {
            "runs": [
                {
                    "agents": 10,
                    "arrived": arrived,
                    "last": 9.0 if arrived == 10 else None,
                    "delay": delay,
                    "overlap": overlap,
                    "stalled": 0.0,
                    "flow": None,
                    "microseconds_per_agent_step": 1.0,
                }
            ]
        }
        for name, (arrived, delay, overlap) in systems.items()
    }
    return {"scene": "hall", "systems": runs}


@pytest.mark.parametrize(
    ("systems", "reached"),
    [
        # alone
        ({"ours": (10, 5.0, 0.1)}, [True]),
        ({"ours": (9, 5.0, 0.1)}, [False]),
        # 5 % more than the best, and no more
        ({"ours": (10, 5.0, 0.1), "a": (10, 4.8, 0.1)}, [True, True]),
        ({"ours": (10, 5.0, 0.1), "a": (10, 4.7, 0.1), "b": (10, 6.0, 0.0)}, [True, False]),
        # who does not bring everybody there, or overlaps deeper, is no rival
        ({"ours": (10, 5.0, 0.1), "a": (9, 1.0, 0.0), "b": (10, 1.0, 0.3)}, [True]),
    ],
)
def test_the_bars(systems: dict[str, tuple[int, float, float]], reached: list[bool]) -> None:
    assert [bar["reached"] for bar in behaviour_bars({"scenes": [entry(**systems)]})] == reached


def test_published_figures() -> None:
    # nobody hinders anybody; at capacity; nobody moves any more
    assert weidmann_speed(0.1) == pytest.approx(1.34, abs=0.001)
    assert 1.75 * weidmann_speed(1.75) == pytest.approx(1.22, abs=0.01)
    assert weidmann_speed(5.4) == 0.0
    assert 1.9 * sfpe_speed(1.9) == pytest.approx(1.32, abs=0.01)
    assert sfpe_speed(0.2) == pytest.approx(1.2, abs=0.01)


def test_floors_are_what_the_scene_says() -> None:
    data = building(24)
    floor = floor_of(data)
    vertices, triangles = floor.triangles()
    sides = vertices[triangles]
    a, b = sides[:, 1] - sides[:, 0], sides[:, 2] - sides[:, 0]
    doubled = a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]
    assert (doubled > 0.0).all()
    assert 0.5 * doubled.sum() == pytest.approx(floor.area.area)
    # two hallways and four quarters between them that nobody walks
    assert [len(rings) for rings in floor.polygons] == [1]
    assert not floor.open
    assert floor_of(plaza(8)).open


def test_every_scene_can_be_built_from_any_seed() -> None:
    assert all(build(5).agents > 0 for build in SCENES.values())


@pytest.mark.parametrize("peer", PEERS, ids=lambda peer: str(peer.name))
def test_the_real_peer_walks(peer: System) -> None:
    if peer.missing() is not None:
        pytest.skip("installed by `make bench` only")
    scene = corner(6)
    assert peer.refuses(scene) is None
    walkers = peer.walkers(scene)
    try:
        start = np.array(scene.columns["position"])
        assert walkers.positions() == pytest.approx(start, abs=0.05)
        took = [walkers.step() for _ in range(150)]
        there = walkers.positions()
    finally:
        walkers.close()
    assert sum(took) > 0.0
    # fifteen seconds on, everybody is round the corner and on the floor
    assert (there[:, 1] > 0.0).all()
    ways = Waypoints(scene)
    assert np.isfinite(ways.preferred(there, 0.1, 1.3)).all()
