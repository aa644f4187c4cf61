"""The worlds of a process of a cluster, with journals in a real folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from orca_core.world import World
from orca_crowd.clock import ManualClock
from orca_crowd.engine.ray.names import home_of
from orca_crowd.errors import ApiError
from orca_crowd.hosting.lives import Lives
from orca_crowd.journal.errors import Superseded
from orca_crowd.protocol.worlds import ClockBody
from orca_crowd.settings import Settings
from orca_crowd.worlds.about import About
from orca_crowd.worlds.session import Session

PROCESSES = 2
HOME = "shared/1-of-2"
NAMES = [f"w{number}" for number in range(12)]
OURS = [name for name in NAMES if home_of(name, PROCESSES) == HOME]


def settings(folder: Path) -> Settings:
    return Settings(engine="ray", data=str(folder), world_processes=PROCESSES)


def begin(lives: Lives, name: str, kept: Settings) -> Session:
    """A world with a journal."""
    session = Session.checked(name, World(time_step=0.1), kept)
    about = About(None, None, ClockBody(mode="manual"), "power")
    lives.begin(session, {"id": name, **about.facts()})
    return session


async def test_a_shared_process_expects_its_own_worlds_that_are_awake(tmp_path: Path) -> None:
    kept, clock = settings(tmp_path), ManualClock(5.0)
    everybody = Lives(kept, HOME, clock)
    assert everybody.expected() == []
    for name in NAMES:
        life = await everybody.take(name)
        # nobody had it before
        assert (life.epoch, life.created, everybody.has(name)) == (5000, 5000, False)
        session = begin(everybody, name, kept)
        assert everybody.has(name)
        assert session.recorder is not None
        if name == OURS[0]:
            session.keep(away=True)
        session.recorder.file.close()
    lives = Lives(kept, HOME, ManualClock(6.0))
    assert sorted(lives.expected()) == sorted(OURS[1:])
    assert Lives(kept, "alone", clock).expected() == ["alone"]


async def test_a_world_that_is_taken_over_is_written_by_nobody_else(tmp_path: Path) -> None:
    kept = settings(tmp_path)
    older, newer = Lives(kept, HOME, ManualClock(5.0)), Lives(kept, HOME, ManualClock(9.0))
    await older.take_all(OURS[:2])
    sessions = [begin(older, name, kept) for name in OURS[:2]]
    life = await newer.take(OURS[0])
    assert (life.epoch, life.created, life.ready) == (9000, 5000, False)
    assert [older.superseded(name) for name in OURS[:2]] == [True, False]
    assert not older.superseded("nobody")
    with pytest.raises(Superseded):
        sessions[0].keep(name="mine")
    sessions[1].keep(name="mine")
    session, facts, cut = newer.bring_back(OURS[0], World.restore)
    assert (session.world.step_count, facts["id"], cut) == (0, OURS[0], None)
    for each in (*sessions, session):
        assert each.recorder is not None
        each.recorder.file.close()


async def test_what_is_dropped_is_asked_for_elsewhere(tmp_path: Path) -> None:
    kept = settings(tmp_path)
    lives = Lives(kept, HOME, ManualClock(5.0))
    await lives.take(OURS[0])
    assert OURS[0] in lives
    await lives.drop(OURS[0])
    await lives.drop(OURS[0])
    assert (OURS[0] in lives, lives.all(), lives.has(OURS[0])) == (False, [], False)
    with pytest.raises(ApiError) as refused:
        begin(lives, OURS[0], kept)
    assert refused.value.code == "draining"


async def test_a_journal_that_cannot_be_read_is_a_world_that_has_failed(tmp_path: Path) -> None:
    kept = settings(tmp_path)
    (tmp_path / "worlds").mkdir()
    (tmp_path / "worlds" / f"{OURS[0]}.sqlite").write_bytes(b"no journal")
    lives = Lives(kept, HOME, ManualClock(5.0))
    life = await lives.take(OURS[0])
    assert (life.epoch, OURS[0] in lives, lives.has(OURS[0])) == (5000, True, True)


async def test_without_journals_a_world_begins_and_ends_here() -> None:
    lives = Lives(Settings(engine="ray", data="none", world_processes=PROCESSES), HOME, ManualClock(5.0))
    assert (lives.keeps, lives.expected()) == (False, [])
    assert (await lives.take("w")).epoch == 5000
    assert not lives.has("w")
    await lives.drop("w")
    assert "w" not in lives
