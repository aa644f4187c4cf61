"""Peers are given the same scene, and one that is not there is told in a line."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from orca_crowd.bench.peer_detour import DetourPeer
from orca_crowd.bench.peer_jupedsim import JuPedSimPeer
from orca_crowd.bench.peer_pyrvo import PyrvoCrowd, PyrvoPeer
from orca_crowd.bench.peers import Peer, available, peers
from orca_crowd.bench.scenes import Scene, crowding
from tests.support.imports import ROOT

DETOUR = DetourPeer(ROOT / ".make" / "bench-node")


class Recorded:
    """What pyrvo's simulator looks like from outside; notes every call."""

    def __init__(self, *arguments: float) -> None:
        self.arguments = arguments
        self.calls: list[tuple[Any, ...]] = []

    def __getattr__(self, name: str) -> Any:
        return lambda *arguments: self.calls.append((name, *arguments))


def test_pyrvo_is_given_the_same_scene(monkeypatch: pytest.MonkeyPatch) -> None:
    module: Any = type(sys)("pyrvo")
    module.RVOSimulator = Recorded
    monkeypatch.setitem(sys.modules, "pyrvo", module)
    scene = Scene(4, 2)
    peer = PyrvoCrowd(scene)
    # time step, neighbour distance, neighbours, horizons for agents and walls, radius, maximum speed
    assert peer.simulator.arguments == (0.1, 5.0, 10, 2.0, 2.0, 0.4, 1.5)
    added = [call[1] for call in peer.simulator.calls if call[0] == "add_agent"]
    assert (np.array(added) == scene.positions).all()
    assert [call[0] for call in peer.simulator.calls[4:]] == ["add_obstacle", "add_obstacle", "process_obstacles"]
    assert (np.array([call[1] for call in peer.simulator.calls[4:6]]) == scene.segments).all()
    peer.run(3)
    assert peer.simulator.calls[7:] == [("do_step",)] * 3


def test_missing_peers_are_no_fault_and_each_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("pyrvo", "jupedsim"):
        monkeypatch.setitem(sys.modules, name, None)
    found, lines = available(peers(tmp_path))
    assert found == []
    assert len(lines) == 3
    assert all("\n" not in line for line in lines)


def test_without_node_there_is_no_detour(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "no `node` here" in (DetourPeer(tmp_path).missing() or "")


def test_what_a_peer_cannot_take_is_refused_with_the_reason() -> None:
    alone = Scene(10, arrangement="coincident")
    assert "on one spot" in (PyrvoPeer().refuses(alone) or "")
    assert "on one spot" in (JuPedSimPeer().refuses(alone) or "")
    assert "no segments" in (JuPedSimPeer().refuses(Scene(10, 1)) or "")
    assert "16,000 agents" in (DETOUR.refuses(Scene(16_001)) or "")
    assert [peer.refuses(Scene(10)) for peer in peers(Path())] == [None, None, None]


@pytest.mark.parametrize("peer", [PyrvoPeer(), JuPedSimPeer(), DETOUR], ids=lambda peer: peer.name)
def test_the_real_peer_avoids(peer: Peer) -> None:
    if peer.missing() is not None:
        pytest.skip("installed by `make bench` only")
    scene = Scene(150)
    crowd: Any = peer.crowd(scene)
    try:
        assert crowd.positions() == pytest.approx(scene.positions, abs=0.01)
        for _ in range(8):
            crowd.prepare()
            took = crowd.run(5)
        found = crowding(scene, crowd.positions(), crowd.velocities())
        assert found["overlapping"] < 0.05
        assert found["progress"] > 0.5
        if peer.name == "pyrvo":
            assert crowd.neighbours() == pytest.approx(found["neighbours"], abs=0.5)
        if peer.name == "detour":
            assert min(took) > 0.0
    finally:
        getattr(crowd, "close", lambda: None)()


@pytest.mark.skipif(shutil.which("node") is None, reason="there is no Node")
def test_a_detour_that_fails_is_told(tmp_path: Path) -> None:
    # the folder holds no package
    with pytest.raises(RuntimeError, match=r"Detour's crowd ended at `scene`"):
        DetourPeer(tmp_path).crowd(Scene(3))
