"""`orca-crowd bench`: what it writes, and that it does its part where the peer or the document is missing."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from orca_crowd.__main__ import app

SMALL = ["bench", "kernel", "--agents", "30", "--steps", "2", "--repeat", "1"]


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to be in, neither peer nor matplotlib installed, the environment as it was afterwards."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "pyrvo", None)
    monkeypatch.setenv("OMP_NUM_THREADS", os.environ.get("OMP_NUM_THREADS", "1"))
    return tmp_path


def test_without_the_peer_ours_is_measured_and_the_way_to_the_peer_is_told(elsewhere: Path) -> None:
    ran = CliRunner().invoke(app, [*SMALL, "--agents", "50", "--walls", "0", "--json", "result.json"])
    assert ran.exit_code == 0, ran.output
    assert "pip install --no-deps pyrvo==" in " ".join(ran.output.split())
    result = json.loads((elsewhere / "result.json").read_text("utf-8"))
    assert [entry["scene"]["agents"] for entry in result["scenes"]] == [30, 50]
    assert result["peer"] is None


def test_the_document_is_brought_up_to_date_even_without_a_picture(elsewhere: Path) -> None:
    document = elsewhere / "docs" / "performance.md"
    document.parent.mkdir()
    document.write_text("# Performance\n<!-- begin kernel -->\nold\n<!-- end kernel -->\nbelow\n", "utf-8")
    ran = CliRunner().invoke(app, [*SMALL, "--walls", "2", "--write-docs"])
    assert ran.exit_code == 0, ran.output
    assert "no picture without matplotlib" in ran.output
    text = document.read_text("utf-8")
    assert "old" not in text
    assert "![" not in text
    assert "| 30 with 2 walls | ours, text |" in text
    assert text.startswith("# Performance\n")
    assert text.endswith("below\n")


@pytest.mark.parametrize("command", ["kernel", "start"])
def test_without_the_document_nothing_is_measured(elsewhere: Path, command: str) -> None:
    ran = CliRunner().invoke(app, ["bench", command, "--write-docs"])
    assert ran.exit_code == 2
    assert "in the folder of the project" in ran.output


def test_a_crowd_of_none_is_refused(elsewhere: Path) -> None:
    assert CliRunner().invoke(app, ["bench", "kernel", "--agents", "0"]).exit_code == 2
