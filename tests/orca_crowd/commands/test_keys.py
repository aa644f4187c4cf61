"""orca-crowd keys, as somebody at a terminal and a script see it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from orca_crowd.__main__ import app


def keys(*arguments: str, folder: Path, **environment: str) -> Result:
    """What the command says, of the keys in a folder."""
    return CliRunner().invoke(app, ["keys", *arguments, "--data", str(folder)], env=environment)


def test_a_label_is_shown_as_it_was_given(tmp_path: Path) -> None:
    label = "[/game] server [red]2, Zürich"
    assert keys("create", "--scope", "read", "--label", label, "--world", "hall", folder=tmp_path).exit_code == 0
    listed = keys("list", folder=tmp_path)
    assert listed.exit_code == 0, listed.output
    heading, line = listed.stdout.splitlines()
    assert heading.split() == ["name", "label", "scope", "worlds", "made", "ends", "state"]
    # where nobody looks at it on a terminal a key is one line, with nothing left out
    assert re.fullmatch(rf"\w{{8}} {re.escape(label)} read +hall +\d{{4}}-\d\d-\d\d \d\d:\d\d never +valid *", line)


def test_on_a_narrow_terminal_nothing_is_cut(tmp_path: Path) -> None:
    worlds = [part for name in ("hall-of-mirrors", "station-2") for part in ("--world", name)]
    label = "the other game of ours"
    made = keys("create", "--scope", "control", "--label", label, *worlds, "--expires", "30d", folder=tmp_path)
    assert made.exit_code == 0
    listed = keys("list", folder=tmp_path, FORCE_COLOR="1", COLUMNS="60", NO_COLOR="1")
    assert listed.exit_code == 0, listed.output
    text = re.sub(r"\x1b\[[0-9;]*m", "", listed.stdout)
    assert max(map(len, text.splitlines())) <= 60
    assert "…" not in text
    together = "".join(text.split())
    assert len(re.findall(r"\d{4}-\d\d-\d\d", together)) == 2
    for word in (made.stdout[5:13], "control", "valid", "other", "game"):
        assert word in together


@pytest.mark.parametrize("arguments", [["create"], ["create", "--scope", "write"]])
def test_which_scopes_there_are_is_said(tmp_path: Path, arguments: list[str]) -> None:
    refused = keys(*arguments, folder=tmp_path)
    assert refused.exit_code == 2
    assert all(scope in refused.stderr for scope in ("read", "control", "admin"))
    assert list(tmp_path.iterdir()) == []
