"""A short run of what `make chaos` does for ten minutes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.chaos.cluster import run_on_a_cluster
from tests.chaos.ledger import Ledger
from tests.chaos.run import Plan, run


def test_nothing_that_was_acknowledged_is_lost_whoever_dies(tmp_path: Path) -> None:
    outcome = run(Plan(12.0, seed=1, manual=1, server_every=4.0, worker_every=1.0, fills=1), tmp_path)
    assert outcome.faults == []
    assert outcome.counted["servers killed"] >= 2
    assert outcome.counted["commands acknowledged"] > 0
    assert outcome.counted["steps acknowledged"] > 0
    assert outcome.counted.get("disks filled", 0) == (1 if outcome.full else 0)


@pytest.mark.ray
@pytest.mark.soak
@pytest.mark.parametrize("processes", [0, 2])
def test_nor_is_it_on_a_cluster(tmp_path: Path, processes: int) -> None:
    pytest.importorskip("ray")
    outcome = run_on_a_cluster(Plan(60.0, seed=1, manual=2, fills=1), tmp_path, processes)
    assert outcome.faults == []
    assert outcome.counted["processes of worlds killed"] >= 2
    assert outcome.counted["front ends killed"] >= 2
    assert outcome.counted["nodes killed"] == 1
    assert outcome.counted["steps acknowledged"] > 0


def test_a_loss_would_be_seen() -> None:
    """The verdict over a world that is not what was acknowledged, in each way in which it can be."""
    add = {"commands": [{"op": "add_agents", "agents": [{"position": [0.0, 0.0], "goal": [9.0, 0.0]}]}]}
    results = [{"ids": [0], "warnings": []}]

    def ledger() -> Ledger:
        made = Ledger("w", {"id": "w", "time_step": 0.5})
        made.change({"sequence": 1, "results": results}, 0, "commands", add)
        return made

    whole = ledger()
    last = {"step": 2, "sha256": ""}
    # what the world is at the end is what its replay says, once
    (line,) = whole.verdict(last)
    assert "the end at step 2 has other bits" in line
    lost = ledger()
    lost.change({"sequence": 3, "results": results}, 0, "commands", add)
    assert "places [2] of the order" in lost.verdict(last)[0]
    lost = ledger()
    lost.stepped({"step": 3}, 3)
    assert "step 3 was acknowledged, and the world is at 2" in lost.verdict(last)[0]
    lost = ledger()
    lost.stepped({"step": 1, "digest": "ab"}, 1)
    assert "another digest after step 1" in lost.verdict(last)[0]
    lost = ledger()
    lost.read({"step": 0, "sha256": "ab"})
    assert "a state at step 0 that never was" in lost.verdict(last)[0]
    assert "1 changes were acknowledged, the world has 2" in ledger().verdict({**last, "sequence": 2})[0]
