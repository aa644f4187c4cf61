"""A journal is carried out again: as recorded, or with the first step and the agents that differ."""

from __future__ import annotations

import re
import sqlite3
import subprocess
import sys
import zlib
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner, Result

from orca_core.world import World
from orca_crowd.__main__ import app
from orca_crowd.journal.codec import pack, unpack
from orca_crowd.protocol.commands import parse_commands
from orca_crowd.settings import Settings
from orca_crowd.worlds.archive import Archive
from orca_crowd.worlds.session import Session
from tests.support.live_server import child_environment

FACTS = {"id": "w", "name": None, "ttl": None, "clock": {"mode": "manual"}, "durability": "process"}


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    """Sixty steps, ten changes, digests and some states."""
    archive = Archive(tmp_path, Settings(data=str(tmp_path), digest_steps=4, snapshot_seconds=0.1))
    archive.open()
    session = Session("w", World(time_step=0.1), Settings())
    archive.begin(session, FACTS)
    positions = np.random.default_rng(3).uniform(-9.0, 9.0, (25, 2))
    columns = {"position": positions.tolist(), "goal": (-positions).tolist()}
    commands = [{"op": "add_agents", "columns": columns}]
    for number in range(10):
        session.answer(parse_commands({"commands": commands}, Settings()))
        commands = [{"op": "set_agents", "ids": [number], "columns": {"goal": [[0.0, float(number)]]}}]
        for _ in range(6):
            session.advance(1)
            session.record(0.005)
            snapshot = session.snapshot_due(stepped=True)
            if snapshot is not None:
                assert session.recorder is not None
                session.recorder.write(snapshot)
    assert session.recorder is not None
    session.recorder.file.close()
    archive.close()
    return archive.path("w")


def replay(*arguments: object) -> Result:
    """Run the command."""
    return CliRunner().invoke(app, ["replay", *map(str, arguments)])


def test_a_journal_is_as_recorded(journal: Path) -> None:
    before = journal.read_bytes()
    # in a process of its own, as a user runs it
    command = [sys.executable, "-m", "orca_crowd", "replay", str(journal)]
    done = subprocess.run(command, capture_output=True, text=True, env=child_environment(), check=False)
    assert done.returncode == 0, done.stderr
    assert "steps 0 to 60, 10 changes, 15 digests" in done.stdout
    assert "as recorded; sha256" in done.stdout
    # it is not touched
    assert journal.read_bytes() == before


def test_what_differs_is_named(journal: Path) -> None:
    """A goal of agent 3 that is off, as a command that was carried out otherwise would leave it."""
    with closing(sqlite3.connect(journal)) as file, file:
        sequence, step, body = file.execute("SELECT sequence, step, body FROM records WHERE sequence = 5").fetchone()
        order = unpack(body)
        order.request.commands[0].agents.columns["goal"][0, 0] += 9.0
        changed = pack(order)
        file.execute(
            "UPDATE records SET body = ?, crc = ? WHERE sequence = ?", (changed, zlib.crc32(changed), sequence)
        )
    done = replay(journal)
    assert done.exit_code == 1
    equal = re.search(r"DIFFERENT: equal up to step (\d+), not any more at step (\d+)", done.stdout)
    assert equal is not None, done.stdout
    assert step <= int(equal[1]) < int(equal[2]) == int(equal[1]) + 4
    assert "agent 3: position was" in done.stdout, done.stdout


def test_damage_is_told(journal: Path) -> None:
    with closing(sqlite3.connect(journal)) as file, file:
        file.execute("UPDATE records SET body = x'00' WHERE sequence = 7")
    done = replay(journal)
    assert done.exit_code == 1
    assert "DAMAGED: record 7" in done.stdout


def test_a_replay_can_stop_before_the_end(journal: Path) -> None:
    done = replay(journal, "--until", 20)
    assert done.exit_code == 0
    assert "steps 0 to 20" in done.stdout


def test_other_files_are_refused_in_one_line(tmp_path: Path) -> None:
    other = tmp_path / "other.sqlite"
    other.write_bytes(b"nothing of the kind")
    for path in (other, tmp_path / "missing.sqlite"):
        done = replay(path)
        assert done.exit_code == 2
        assert len(done.stderr.splitlines()) == 1
        assert done.stderr.startswith("orca-crowd: ")
