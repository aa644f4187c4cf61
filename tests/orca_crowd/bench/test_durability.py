"""Every part of the durability benchmark runs against real journals, and what it says is held to the bars."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from orca_crowd.bench import app
from orca_crowd.bench.durability import DurabilityPlan, measure_durability
from orca_crowd.bench.report import markdown
from tests.orca_crowd.bench.results import durability_result

SMALL = {"rounds": 4, "agents": 20, "commands": (30, 40), "stepped": (25, 8), "repeat": 2, "snapshots": 2}


def test_the_whole_plan_runs_against_real_journals(tmp_path: Path) -> None:
    told: list[str] = []
    result = measure_durability(DurabilityPlan(**SMALL, snapshot_agents=50, folder=tmp_path), told.append)  # type: ignore[arg-type]
    assert json.loads(json.dumps(result)) == result
    assert told == [
        "steps and commands of 20 agents with each durability in turn",
        "recovery of 30 agents after commands",
        "recovery of 25 agents after steps",
        "snapshots of 50 agents beside ticks",
    ]
    assert [entry["same_bits"] for entry in result["recovery"]] == [True, True]
    assert [len(entry["seconds"]) for entry in result["recovery"]] == [2, 2]
    assert {entry["count"] for entry in result["cost"]["step"].values()} == {4}
    assert result["snapshot"]["capture"]["count"] == 2
    # nothing is left of the journals, and no bar is about worlds as small as these
    assert list(tmp_path.iterdir()) == []
    assert result["bars"] == []


def test_parts_can_be_left_out() -> None:
    result = measure_durability(DurabilityPlan(rounds=0, repeat=0, snapshots=0))
    assert result["figures"] == result["bars"] == []


@pytest.mark.parametrize(
    ("change", "missed"),
    [
        ({}, []),
        ({"step": 61e-6}, ["a step, process beyond none"]),
        ({"command": 61e-6}, ["a command, process beyond none"]),
        ({"commands": 5.1}, ["recovery of 10,000 agents after 10,000 commands"]),
        ({"steps": 5.1}, ["recovery of 100,000 agents after steps"]),
        ({"capture": 5.1e-3}, ["a snapshot, delay of its world's tick, 99th percentile"]),
        ({"beside": 6.1e-3}, ["a snapshot, delay of ticks beside it, 99th percentile"]),
    ],
)
def test_the_bars_are_as_promised(change: dict[str, float], missed: list[str]) -> None:
    bars = durability_result(**change)["bars"]
    assert len(bars) == 6
    assert [entry["name"] for entry in bars if not entry["reached"]] == missed


def test_it_is_shown() -> None:
    result = durability_result()
    shown = markdown(result, "images/durability.svg")
    assert "| a step, power beyond none | 40.00 (36.00 to 48.00) | µs |" in shown
    assert "(images/durability.svg)" in shown


def test_a_folder_that_is_not_there_is_refused(tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["durability", "--folder", str(tmp_path / "none")])
    assert done.exit_code == 2


def test_the_document_has_a_place_for_it() -> None:
    text = (Path(__file__).parents[3] / "docs" / "performance.md").read_text(encoding="utf-8")
    assert text.count("<!-- begin durability -->") == text.count("<!-- end durability -->") == 1
