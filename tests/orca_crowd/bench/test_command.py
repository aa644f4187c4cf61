"""`orca-crowd bench`: what it writes, and that it does its part where peers or the document are missing."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from orca_crowd.__main__ import app

SMALL = ["bench", "kernel", "--agents", "30", "--steps", "2", "--repeat", "1"]
ENGINE = ["bench", "engine", "--engine", "inline", "--rounds", "5", "--agents", "20", "--steps", "2"]


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to be in, no peer and no matplotlib installed, the environment as it was afterwards."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "pyrvo", None)
    monkeypatch.setitem(sys.modules, "jupedsim", None)
    monkeypatch.setenv("OMP_NUM_THREADS", os.environ.get("OMP_NUM_THREADS", "1"))
    return tmp_path


def test_without_peers_ours_is_measured_and_the_way_to_each_is_told_in_a_line(elsewhere: Path) -> None:
    ran = CliRunner().invoke(app, [*SMALL, "--agents", "50", "--walls", "0", "--json", "result.json"])
    assert ran.exit_code == 0, ran.output
    said = " ".join(ran.output.split())
    assert [peer for peer in ("pyrvo (RVO2)", "jupedsim", "Detour's crowd") if f"{peer} is" not in said] == []
    assert "pip install --no-deps pyrvo==" in said
    result = json.loads((elsewhere / "result.json").read_text("utf-8"))
    assert [entry["scene"]["agents"] for entry in result["scenes"]] == [30, 50]
    assert result["peers"] == []
    # the plain scene, and what it is held against
    assert [entry["scene"]["name"] for entry in result["variants"]][:2] == ["50", "50 coincident"]
    assert len(result["variants"]) == 5


def test_the_document_is_brought_up_to_date_even_without_a_picture(elsewhere: Path) -> None:
    document = elsewhere / "docs" / "performance.md"
    document.parent.mkdir()
    document.write_text("# Performance\n<!-- begin kernel -->\nold\n<!-- end kernel -->\nbelow\n", "utf-8")
    ran = CliRunner().invoke(app, [*SMALL, "--walls", "2", "--no-variants", "--write-docs"])
    assert ran.exit_code == 0, ran.output
    assert "no picture without matplotlib" in ran.output
    text = document.read_text("utf-8")
    assert "old" not in text
    assert "![" not in text
    assert "| 30 with 2 walls | ours, text |" in text
    assert text.startswith("# Performance\n")
    assert text.endswith("below\n")


@pytest.mark.parametrize("command", ["kernel", "scale", "engine", "stream", "start"])
def test_without_the_document_nothing_is_measured(elsewhere: Path, command: str) -> None:
    ran = CliRunner().invoke(app, ["bench", command, "--write-docs"])
    assert ran.exit_code == 2
    assert "in the folder of the project" in ran.output


def test_a_crowd_of_none_is_refused(elsewhere: Path) -> None:
    assert CliRunner().invoke(app, ["bench", "kernel", "--agents", "0"]).exit_code == 2


def test_an_engine_that_is_not_there_is_replaced_and_that_is_told(elsewhere: Path) -> None:
    ran = CliRunner().invoke(app, [*ENGINE, "--engine", "nobody", "--ticks", "0", "--worlds", "0", "--json", "r.json"])
    assert ran.exit_code == 0, ran.output
    assert "no engine 'nobody'" in " ".join(ran.output.split())
    assert json.loads((elsewhere / "r.json").read_text("utf-8"))["engine"] == "inline"


def test_two_runs_are_compared_figure_by_figure(elsewhere: Path) -> None:
    for name in ("old.json", "new.json"):
        ran = CliRunner().invoke(app, [*ENGINE, "--ticks", "0", "--worlds", "0", "--json", name])
        assert ran.exit_code == 0, ran.output
    ran = CliRunner().invoke(app, ["bench", "compare", "old.json", "new.json"], env={"COLUMNS": "200"})
    assert ran.exit_code == 0, ran.output
    assert "new / old" in ran.output
    assert "a step of an empty world" in ran.output


@pytest.mark.parametrize(
    ("text", "said"), [("no json", "is no JSON"), ("[]", "no result of"), ('{"benchmark": "kernel"}', "older version")]
)
def test_what_is_no_result_is_not_compared(elsewhere: Path, text: str, said: str) -> None:
    (elsewhere / "old.json").write_text(text, "utf-8")
    ran = CliRunner().invoke(app, ["bench", "compare", "old.json", "old.json"])
    assert ran.exit_code == 2
    assert said in ran.output


def test_a_result_that_is_not_there_is_told(elsewhere: Path) -> None:
    ran = CliRunner().invoke(app, ["bench", "compare", "nowhere.json", "nowhere.json"])
    assert ran.exit_code == 2
    assert "nowhere.json cannot be read" in ran.output
