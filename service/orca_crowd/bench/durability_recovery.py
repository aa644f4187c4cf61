"""How soon a world is back: from its file, as a killed process leaves it, to the state that was acknowledged."""

from __future__ import annotations

import shutil
import sqlite3
import time
from contextlib import closing
from pathlib import Path
from typing import Any

from orca_core.world import World
from orca_crowd.bench.durability_cost import PROCESS, close, crowd
from orca_crowd.bench.scenes import Scene
from orca_crowd.protocol.commands import parse_commands
from orca_crowd.settings import Settings
from orca_crowd.worlds.archive import Archive
from orca_crowd.worlds.session import Session

__all__ = ["recovery_seconds"]


def recovery_seconds(archive: Archive, scene: Scene, commands: int, steps: int, repeat: int) -> dict[str, Any]:
    """Seconds of each of `repeat` recoveries of a world that took commands, one agent each, and steps among them.

    With commands no snapshot but the first is used, so that all of them are carried out again. With steps alone it is
    the worst moment: a snapshot was due and is not written yet.
    """
    session, worst = crowd(archive, scene, "recovery", PROCESS), archive.folder.parent / "worst"
    goals, settings = scene.goals, Settings()
    expected = b""
    every = max(1, commands // steps) if steps else 0
    for number in range(max(commands, steps)):
        if commands:
            one = number % scene.agents
            body = {"op": "set_agents", "agents": [{"id": one, "goal": goals[one - 1].tolist()}]}
            session.answer(parse_commands({"commands": [body]}, settings))
        if steps and number % every == 0:
            begin = time.perf_counter()
            session.advance(1)
            session.record(time.perf_counter() - begin)
            expected = _keep(archive, session, worst) or expected
    if commands or not expected:
        expected = _copy(archive, session, worst)
    if commands:
        with closing(sqlite3.connect(worst / "worlds" / "recovery.sqlite")) as file, file:
            file.execute("DELETE FROM snapshots WHERE number > 1")
    found = [_once(worst, session.name, expected) for _ in range(repeat)]
    assert session.recorder is not None
    size = session.recorder.file.size
    close(archive, session)
    shutil.rmtree(worst)
    return {"seconds": [seconds for seconds, _ in found], "same_bits": all(same for _, same in found), "bytes": size}


def _keep(archive: Archive, session: Session, worst: Path) -> bytes | None:
    """Write a snapshot that is due, and before that what a death in this moment would leave; the state then."""
    snapshot = session.snapshot_due(stepped=True)
    if snapshot is None:
        return None
    state = _copy(archive, session, worst)
    assert session.recorder is not None
    session.recorder.write(snapshot)
    return state


def _copy(archive: Archive, session: Session, worst: Path) -> bytes:
    """The files as they are, and the state."""
    shutil.rmtree(worst, ignore_errors=True)
    shutil.copytree(archive.folder, worst / "worlds")
    return session.world.snapshot()


def _once(worst: Path, name: str, expected: bytes) -> tuple[float, bool]:
    """One recovery, and whether it ended at the same bits."""
    copy = worst.with_name("copy")
    shutil.copytree(worst, copy)
    archive = Archive(copy, Settings(data=str(copy)))
    begin = time.perf_counter()
    back, _, _ = archive.bring_back(name, World.restore)
    seconds = time.perf_counter() - begin
    assert back.recorder is not None
    back.recorder.file.close()
    shutil.rmtree(copy)
    return seconds, back.world.snapshot() == expected
