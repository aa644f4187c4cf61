"""Every contender holds the crowd of the scene, and crowds that avoid do not overlap."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest

from orca_crowd.bench.contenders import Ours, OursDirected, Peer, peer_available
from orca_crowd.bench.scenes import Scene, crowding


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


class Recorded:
    """What pyrvo's simulator looks like from outside; notes every call."""

    def __init__(self, *arguments: float) -> None:
        self.arguments = arguments
        self.calls: list[tuple[Any, ...]] = []

    def __getattr__(self, name: str) -> Any:
        return lambda *arguments: self.calls.append((name, *arguments))


def test_the_peer_is_given_the_same_scene(monkeypatch: pytest.MonkeyPatch) -> None:
    module: Any = type(sys)("pyrvo")
    module.RVOSimulator = Recorded
    monkeypatch.setitem(sys.modules, "pyrvo", module)
    scene = Scene(4, 2)
    peer = Peer(scene)
    # time step, neighbour distance, neighbours, horizons for agents and walls, radius, maximum speed
    assert peer.simulator.arguments == (0.1, 5.0, 10, 2.0, 2.0, 0.4, 1.5)
    added = [call[1] for call in peer.simulator.calls if call[0] == "add_agent"]
    assert (np.array(added) == scene.positions).all()
    assert [call[0] for call in peer.simulator.calls[4:]] == ["add_obstacle", "add_obstacle", "process_obstacles"]
    assert (np.array([call[1] for call in peer.simulator.calls[4:6]]) == scene.segments).all()
    peer.run(3)
    assert peer.simulator.calls[7:] == [("do_step",)] * 3


def test_a_missing_peer_is_no_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyrvo", None)
    assert not peer_available()


def test_the_real_peer_avoids() -> None:
    pytest.importorskip("pyrvo", reason="installed by `make bench` only")
    scene = Scene(150)
    peer = Peer(scene)
    for _ in range(8):
        peer.prepare()
        peer.run(5)
    crowd = crowding(scene, peer.positions(), peer.velocities())
    assert crowd["overlapping"] < 0.05
    assert crowd["progress"] > 0.6
    assert peer.neighbours() == pytest.approx(crowd["neighbours"], abs=0.5)
