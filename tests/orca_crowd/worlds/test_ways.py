"""Ways of agents in the server: planned beside the steps, recorded when they enter, and never planned again."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import pytest

from orca_core import World
from orca_core.guidance.planning import FoundWays, Question, answered
from orca_core.simulation import Simulation
from orca_crowd.journal.errors import JournalFull
from orca_crowd.journal.file import JournalFile
from orca_crowd.settings import Settings
from orca_crowd.worlds import ways
from orca_crowd.worlds.archive import Archive
from orca_crowd.worlds.planning import LiveWays, PlannerPool
from orca_crowd.worlds.recovery import recover
from orca_crowd.worlds.session import Session
from orca_crowd.worlds.verdict import replay
from tests.support.ways import guide_of, hall, take

FACTS = {"id": "w", "name": None, "ttl": None, "clock": {"mode": "manual"}, "durability": "process"}
# answers come long after their questions, so that some are always under way
OPTIONS: dict[str, Any] = {"plan_delay_steps": 4, "plan_expansions": 200}


@pytest.fixture
def pool() -> Iterator[PlannerPool]:
    """Two threads that plan."""
    made = PlannerPool(2)
    with closing(made):
        yield made


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[Archive]:
    """A folder that takes digests often."""
    made = Archive(tmp_path, Settings(data=str(tmp_path), digest_steps=3))
    made.open()
    with closing(made):
        yield made


def begin(archive: Archive, pool: PlannerPool, name: str = "w") -> Session:
    """The hall as a world of the server."""
    session = Session(name, hall(**OPTIONS), Settings())
    archive.begin(session, {**FACTS, "id": name})
    session.plan_with(pool)
    return session


def advance(session: Session, steps: int) -> None:
    """Steps, recorded."""
    for _ in range(steps):
        session.advance(1)
        session.record(0.0)


def close(session: Session) -> None:
    """Close its file."""
    assert session.recorder is not None
    session.recorder.file.close()


def test_planned_in_threads_the_bits_are_those_of_the_library(archive: Archive, pool: PlannerPool) -> None:
    session, library = begin(archive, pool), hall(**OPTIONS)
    advance(session, 60)
    take(library, 60)
    assert session.world.snapshot() == library.snapshot()
    close(session)


@pytest.mark.parametrize("steps", [1, 3, 5, 6, 30])
def test_a_journal_brings_back_the_ways_though_nobody_could_plan_them_again(
    steps: int, archive: Archive, pool: PlannerPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = begin(archive, pool)
    advance(session, steps)
    path, saved = archive.path("w"), session.world.snapshot()
    close(session)

    def nobody(question: Question, due: int) -> FoundWays:
        raise AssertionError("a replay plans nothing")

    with monkeypatch.context() as patched, ExitStack() as files:
        patched.setattr(ways, "answered", nobody)
        patched.setattr("orca_core.guidance.planning.answered", nobody)
        back = recover(path, "w", World.restore, Settings())
        files.callback(back.file.close)
        assert back.cut is None
        assert back.session.world.snapshot() == saved
        with closing(JournalFile(path)) as file:
            verdict = replay(file, None, lambda step, last: None)
        assert verdict.difference is None
        assert verdict.damage is None
        # a fork of its past, too
        assert archive.past("w", steps) == saved

    # and goes on as if nothing had happened, what was asked for before included
    again = Session("w", World.restore(saved), Settings())
    again.plan_with(pool)
    other = hall(**OPTIONS)
    take(other, steps + 40)
    again.advance(40)
    assert again.world.snapshot() == other.snapshot()


def test_a_journal_that_ends_between_a_step_and_its_ways_is_planned_on(archive: Archive, pool: PlannerPool) -> None:
    session = begin(archive, pool)
    advance(session, 5)
    close(session)
    # as if the process had died after the steps of the ways and before these were recorded
    with closing(sqlite3.connect(archive.path("w"), isolation_level=None)) as journal:
        assert journal.execute("SELECT kind, step FROM records ORDER BY sequence DESC").fetchone() == ("paths", 5)
        journal.execute("DELETE FROM records WHERE kind = 'paths' AND step = 5")
        journal.execute("UPDATE progress SET step = 5, sequence = (SELECT coalesce(max(sequence), 0) FROM records)")
    back = recover(archive.path("w"), "w", World.restore, Settings())
    assert back.session.world.step_count == 5
    back.session.plan_with(pool)
    back.session.advance(20)
    other = hall(**OPTIONS)
    take(other, 25)
    assert back.session.world.snapshot() == other.snapshot()
    back.file.close()


def test_ways_that_there_was_no_room_for_are_recorded_before_anything_else(
    archive: Archive, pool: PlannerPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = begin(archive, pool)
    advance(session, 4)
    append, full = JournalFile.append, True

    def refuse(self: JournalFile, kind: str, step: int, body: bytes) -> int:
        if full:
            raise JournalFull("no space left")
        return append(self, kind, step, body)

    monkeypatch.setattr(JournalFile, "append", refuse)
    advance(session, 1)
    full = False
    session.check_room()
    advance(session, 10)
    saved = session.world.snapshot()
    close(session)
    with closing(JournalFile(archive.path("w"))) as file:
        kinds = [(record.kind, record.step) for record in file.records(0)]
    assert kinds[0] == ("paths", 5)
    back = recover(archive.path("w"), "w", World.restore, Settings())
    assert back.session.world.snapshot() == saved
    back.file.close()


def test_a_step_waits_for_the_ways_that_are_due(pool: PlannerPool, monkeypatch: pytest.MonkeyPatch) -> None:
    gate = threading.Event()

    def slow(question: Question, due: int) -> FoundWays:
        assert gate.wait(20.0)
        return answered(question, due)

    monkeypatch.setattr(ways, "answered", slow)
    session = Session("w", hall(**OPTIONS), Settings())
    session.plan_with(pool)
    # asked after the first step and due after the fifth
    session.advance(4)
    waiting = threading.Thread(target=session.advance, args=(1,))
    waiting.start()
    waiting.join(0.2)
    assert waiting.is_alive()
    gate.set()
    waiting.join(20.0)
    assert not waiting.is_alive()
    library = hall(**OPTIONS)
    take(library, 5)
    assert session.world.snapshot() == library.snapshot()


def test_the_questions_of_a_world_are_answered_one_after_the_other(pool: PlannerPool) -> None:
    world = hall()
    take(world, 1)
    guide = guide_of(world)
    (batch,) = guide._batches
    question = guide._question(world, batch)
    live = LiveWays(pool, None, answered)
    for due in range(2, 12):
        live.submit(due, question)
    found = [live.collect(due) for due in range(2, 12)]
    assert [each.due for each in found] == list(range(2, 12))
    assert all(each.waypoints.tobytes() == found[0].waypoints.tobytes() for each in found)
    live.submit(20, question)
    live.drop()


def test_a_world_is_given_back_at_once(pool: PlannerPool) -> None:
    import gc
    import weakref

    session = Session("w", hall(**OPTIONS), Settings())
    session.plan_with(pool)
    session.advance(10)
    watched = weakref.ref(session.world)
    gc.disable()
    try:
        del session
        assert watched() is None
    finally:
        gc.enable()
    assert Simulation(hall()).world is not None
