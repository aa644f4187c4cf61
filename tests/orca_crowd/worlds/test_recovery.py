"""Journals in one process: random histories come back to the bit, damage costs what is damaged and nothing else."""

from __future__ import annotations

import asyncio
import shutil
import sqlite3
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from orca_core.world import World
from orca_crowd.clock import ManualClock
from orca_crowd.errors import ApiError
from orca_crowd.journal.errors import BadJournal, JournalFull
from orca_crowd.protocol.commands import parse_commands
from orca_crowd.protocol.controllers import OwnRequest
from orca_crowd.protocol.steps import parse_step
from orca_crowd.settings import Settings
from orca_crowd.worlds.archive import Archive
from orca_crowd.worlds.jobs import Outcome, StepJob
from orca_crowd.worlds.recovery import recover
from orca_crowd.worlds.runner import NOBODY
from orca_crowd.worlds.session import Accepted, Session

FACTS = {"id": "w", "name": None, "ttl": None, "clock": {"mode": "manual"}, "durability": "process"}
SQUARE = {"type": "Polygon", "coordinates": [[[-9, -9], [9, -9], [9, 9], [-9, 9]]]}


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[Archive]:
    """A folder that takes digests often and snapshots after next to nothing."""
    made = Archive(tmp_path, Settings(data=str(tmp_path), digest_steps=3, snapshot_seconds=0.01))
    made.open()
    with closing(made):
        yield made


def begin(archive: Archive, name: str = "w") -> Session:
    """A session with a journal and a few agents."""
    session = Session(name, World(time_step=0.25), Settings())
    archive.begin(session, FACTS)
    positions = np.random.default_rng(1).uniform(-8.0, 8.0, (12, 2))
    order(session, [{"op": "add_agents", "columns": {"position": positions.tolist(), "goal": (-positions).tolist()}}])
    return session


def order(session: Session, commands: list[dict[str, Any]], key: str | None = None) -> dict[str, Any]:
    """A batch."""
    return session.answer(parse_commands({"commands": commands}, Settings(), key))


def step(session: Session, **members: Any) -> dict[str, Any]:
    """A step request, as a job carries it out; its answer."""
    request = parse_step(members, Settings())
    begun = session.begin(request)
    if not isinstance(begun, Accepted):
        return begun
    events = list(begun.events)
    for _ in range(request.count if begun.left is None else begun.left):
        advance(session, events)
    return session.finish(request, begun, events)


def advance(session: Session, events: list[dict[str, Any]] | None = None) -> None:
    """One step, recorded, and a snapshot where one is due."""
    happened = session.advance(1)
    if events is not None:
        events += happened
    session.record(0.002)
    snapshot = session.snapshot_due(stepped=True)
    if snapshot is not None:
        assert session.recorder is not None
        session.recorder.write(snapshot)


def crashed(archive: Archive, tmp_path: Path, session: Session) -> Archive:
    """The folder as it would be if the process had been killed now: nothing is closed, files are as they are."""
    copy = tmp_path / "crashed"
    tmp_path.mkdir(exist_ok=True)
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(archive.folder.parent, copy, ignore=shutil.ignore_patterns("crashed", "lock"))
    return Archive(copy, Settings(data=str(copy), digest_steps=3, snapshot_seconds=0.01))


def bring_back(archive: Archive, name: str = "w") -> tuple[Session, str | None]:
    """The world of a folder."""
    session, facts, cut = archive.bring_back(name, World.restore)
    assert facts["id"] == name
    return session, cut


def close(session: Session) -> None:
    """Close its file."""
    assert session.recorder is not None
    session.recorder.file.close()


def same(first: Session, second: Session) -> bool:
    """Equal in state, in what is remembered, and in what comes next."""
    return first.world.snapshot() == second.world.snapshot() and repr(first.memory()) == repr(second.memory())


OPERATIONS = st.sampled_from(["step", "steps", "keyed", "add", "remove", "move", "wall", "area", "own", "radius"])


@given(st.lists(OPERATIONS, min_size=1, max_size=25))
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_history_comes_back_to_the_bit(tmp_path_factory: pytest.TempPathFactory, history: list[str]) -> None:
    folder = tmp_path_factory.mktemp("history")
    archive = Archive(folder, Settings(data=str(folder), digest_steps=3, snapshot_seconds=0.01))
    archive.open()
    with closing(archive), ExitStack() as files:
        session = begin(archive)
        files.callback(close, session)
        for number, operation in enumerate(history):
            act(session, operation, number)
        back, cut = bring_back(crashed(archive, folder, session))
        files.callback(close, back)
        assert cut is None
        assert same(back, session)

        # and goes on in the same way
        for each in (session, back):
            act(each, "keyed", 999)
            act(each, "add", 999)
        assert same(back, session)


def act(session: Session, operation: str, number: int) -> None:
    """One of the operations; a refusal is part of the history."""
    ids = session.world.ids
    some = ids[:: max(1, len(ids) // 3)].tolist()
    try:
        if operation == "step":
            step(session)
        elif operation == "steps":
            step(session, count=4)
        elif operation == "keyed":
            step(session, count=2, key=f"k{number}", **{"return": "agents"})
        elif operation == "add":
            order(session, [{"op": "add_agents", "agents": [{"position": [number % 5, number % 7]}]}], f"a{number}")
        elif operation == "remove":
            order(session, [{"op": "remove_agents", "ids": some[:1]}])
        elif operation == "move":
            order(session, [{"op": "set_agents", "ids": some, "columns": {"goal": [[number % 9, 0.5]] * len(some)}}])
        elif operation == "wall":
            order(session, [{"op": "add_obstacles", "obstacles": [{"points": [[number % 8, -3], [number % 8, 3]]}]}])
        elif operation == "area":
            order(session, [{"op": "add_walkable", "areas": [{"geometry": SQUARE}]}])
        elif operation == "own":
            session.own(OwnRequest(np.array(some, np.int64), True, None, b""), f"c{number % 2}")
        elif operation == "radius":
            order(session, [{"op": "set_agents", "ids": some, "columns": {"radius": [0.1 * (number % 4)] * len(some)}}])
    except ApiError as refusal:
        if refusal.code not in ("owned", "limit"):
            raise


def test_a_step_request_that_was_cut_short_goes_on_where_it_was(archive: Archive, tmp_path: Path) -> None:
    members = {"count": 5, "key": "k", "return": "agents", "commands": [{"op": "remove_agents", "ids": [0]}]}
    whole = begin(archive, "whole")
    answer = step(whole, **members)

    session = begin(archive)
    begun = session.begin(parse_step(members, Settings()))
    assert isinstance(begun, Accepted)
    for _ in range(2):
        advance(session)
    back, _ = bring_back(crashed(archive, tmp_path, session))
    assert back.world.step_count == 2
    assert repr(step(back, **members)) == repr(answer)
    assert back.world.digest() == whole.world.digest()
    # and once more it is only answered
    assert repr(step(back, **members)) == repr(answer)
    assert back.world.step_count == 5
    for each in (whole, session, back):
        close(each)


def test_steps_of_others_are_not_taken_for_those_of_a_request_that_was_broken_off(
    archive: Archive, tmp_path: Path
) -> None:
    """Two deaths in a row, and somebody else who steps between them."""
    members = {"count": 5, "key": "k", "return": "digest", "commands": [{"op": "remove_agents", "ids": [0]}]}
    session = begin(archive)
    begun = session.begin(parse_step(members, Settings()))
    assert isinstance(begun, Accepted)
    for _ in range(2):
        advance(session)
    second, _ = bring_back(crashed(archive, tmp_path / "1", session))
    step(second, count=4)
    third, _ = bring_back(crashed(archive_of(second), tmp_path / "2", second))
    # two were taken before the first death, three are left
    begun = third.begin(parse_step(members, Settings()))
    assert isinstance(begun, Accepted)
    assert (begun.step, begun.left) == (0, 3)
    advance(third)
    fourth, _ = bring_back(crashed(archive_of(third), tmp_path / "3", third))
    step(fourth, count=1)
    answer = step(fourth, **members)
    assert answer["step"] == 10
    assert answer["digest"] == fourth.world.digest()
    assert len(answer["results"]) == 1
    # and the past is carried out as it was
    assert archive_of(fourth).past("w", 10) == fourth.world.snapshot()
    for each in (session, second, third, fourth):
        close(each)


def archive_of(session: Session) -> Archive:
    """The folder in which a session keeps its journal."""
    assert session.recorder is not None
    folder = session.recorder.file.path.parent.parent
    return Archive(folder, Settings(data=str(folder), digest_steps=3, snapshot_seconds=0.01))


def test_a_request_that_found_no_room_for_its_steps_goes_on_when_it_is_sent_again(
    archive: Archive, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    body = {"count": 5, "key": "k", "expected_step": 0, "return": "digest"}
    session = begin(archive)
    assert session.recorder is not None
    clock, loop = ManualClock(), asyncio.new_event_loop()

    def sent(slices: int) -> Outcome:
        job = StepJob(parse_step(body, Settings()), None, NOBODY, 5, future=asyncio.Future(loop=loop))
        for _ in range(slices):
            out = job.inside(session, False, 2, clock, 100)
            if out.result is not None or out.refusal is not None:
                break
        return out

    with monkeypatch.context() as patch:
        # the disk is full from the second slice on
        ready, calls = session.recorder.file.ready, iter([True, True, False, False])

        def sometimes() -> None:
            if not next(calls):
                raise JournalFull("w.sqlite cannot be written")
            ready()

        patch.setattr(session.recorder.file, "ready", sometimes)
        refused = sent(3)
        assert isinstance(refused.refusal, ApiError)
        assert (refused.refusal.code, session.world.step_count) == ("no-room", 2)
        # still no room: nothing has changed
        assert isinstance(sent(1).refusal, ApiError)
    step(session, count=1)
    answer = sent(3).result
    assert (answer["step"], session.world.step_count) == (6, 6)
    back, _ = bring_back(crashed(archive, tmp_path, session))
    assert same(back, session)
    assert repr(step(back, **body)) == repr(answer)
    loop.close()
    for each in (session, back):
        close(each)


def history(archive: Archive) -> tuple[Session, dict[int, str]]:
    """A world with snapshots, records and steps, and its digest after each record."""
    session = begin(archive)
    digests = {1: session.world.digest()}
    for number in range(2, 9):
        step(session, count=3)
        order(session, [{"op": "set_agents", "ids": [number], "columns": {"velocity": [[0.1, 0.1]]}}])
        digests[number] = session.world.digest()
    return session, digests


def damage(archive: Archive, statement: str) -> None:
    """Change what is in the file."""
    with closing(sqlite3.connect(archive.path("w"))) as file, file:
        assert file.execute(statement).rowcount >= 1


def test_a_damaged_record_cuts_the_journal_before_it(archive: Archive, tmp_path: Path) -> None:
    session, digests = history(archive)
    copy = crashed(archive, tmp_path, session)
    damage(copy, "DELETE FROM snapshots WHERE number > 1")
    damage(copy, "UPDATE records SET body = x'00' WHERE sequence = 6")
    back, cut = bring_back(copy)
    assert cut is not None
    assert "record 6" in cut
    assert back.world.digest() == digests[5]
    # the damaged file is put aside, and the new one stands on its own
    assert [path.name for path in copy.folder.glob("*.damaged-*")] == ["w.damaged-1"]
    step(back, count=2)
    close(back)
    again, cut = bring_back(copy)
    assert cut is None
    assert again.world.digest() == back.world.digest()
    for each in (session, again):
        close(each)


def test_a_world_is_there_whole_or_not_at_all_whenever_its_maker_dies(tmp_path: Path) -> None:
    """The process is killed at each of the statements of the making, one after another."""
    code = """
        import os, signal, sqlite3, sys
        from pathlib import Path
        from orca_core.world import World
        from orca_crowd.journal import file
        from orca_crowd.settings import Settings
        from orca_crowd.worlds.archive import Archive
        from orca_crowd.worlds.session import Session

        left = int(sys.argv[2])

        class Mortal(sqlite3.Connection):
            def execute(self, *arguments):
                global left
                left -= 1
                if left < 0:
                    os.kill(os.getpid(), signal.SIGKILL)
                return super().execute(*arguments)

        connect = sqlite3.connect
        file.sqlite3.connect = lambda *arguments, **named: connect(*arguments, factory=Mortal, **named)
        archive = Archive(Path(sys.argv[1]), Settings())
        archive.open()
        facts = {"id": "w", "name": None, "ttl": None, "clock": {"mode": "manual"}, "durability": "process"}
        archive.begin(Session("w", World(time_step=0.25), Settings()), facts)
    """
    seen = set()
    for statements in (0, 3, 4, 5, 6, 7, 8, 10, 12, 40):
        folder = tmp_path / str(statements)
        subprocess.run([sys.executable, "-c", textwrap.dedent(code), str(folder), str(statements)], check=False)
        archive = Archive(folder, Settings(data=str(folder)))
        archive.open()
        names = archive.names()
        seen.add(tuple(names))
        for name in names:
            back, cut = bring_back(archive, name)
            assert (cut, back.world.step_count) == (None, 0)
            close(back)
        left = {path.name for path in archive.folder.iterdir()}
        # room that was kept is taken over by who writes next
        assert left <= ({"w.sqlite", "w.reserve"} if names else set())
        archive.close()
    assert seen == {(), ("w",)}


def test_a_damaged_snapshot_falls_back_to_the_one_before(archive: Archive, tmp_path: Path) -> None:
    session, _ = history(archive)
    copy = crashed(archive, tmp_path, session)
    with closing(sqlite3.connect(copy.path("w"))) as file:
        (newest,) = file.execute("SELECT max(number) FROM snapshots").fetchone()
    assert newest > 1
    damage(copy, f"UPDATE snapshot_parts SET data = x'00' WHERE number = {newest}")
    back, cut = bring_back(copy)
    assert cut is None
    assert same(back, session)
    for each in (session, back):
        close(each)


@pytest.mark.parametrize("keep", [0.02, 0.5, 0.9])
def test_a_file_that_was_cut_off_is_refused_or_comes_back_to_a_state_that_was(
    archive: Archive, tmp_path: Path, keep: float
) -> None:
    session, digests = history(archive)
    close(session)
    path = archive.path("w")
    whole = path.read_bytes()
    path.write_bytes(whole[: int(len(whole) * keep)])
    try:
        back, _ = bring_back(archive)
    except BadJournal:
        # the newest whole state was behind the cut
        return
    assert back.world.digest() in digests.values()
    close(back)


def test_a_file_without_a_whole_snapshot_is_no_world(archive: Archive, tmp_path: Path) -> None:
    session, _ = history(archive)
    copy = crashed(archive, tmp_path, session)
    damage(copy, "DELETE FROM snapshots")
    with pytest.raises(BadJournal, match="no whole snapshot"):
        recover(copy.path("w"), "w", World.restore, Settings())
    close(session)


def test_the_past_is_what_it_was(archive: Archive) -> None:
    session = begin(archive)
    states = {}
    for number in range(12):
        order(session, [{"op": "set_agents", "ids": [number], "columns": {"velocity": [[0.1, 0.0]]}}])
        states[number] = session.world.snapshot()
        step(session)
    assert {number: archive.past("w", number) for number in states} == states
    with pytest.raises(ApiError, match="at most 12"):
        archive.past("w", 13)
    close(session)


def test_what_the_file_forgets_is_gone_and_the_rest_is_there(tmp_path: Path) -> None:
    archive = Archive(tmp_path, Settings(data=str(tmp_path), snapshot_seconds=0.001, journal_bytes=2**20))
    archive.open()
    session = begin(archive)
    ballast = [{"position": [50.0 + x, 50.0]} for x in range(200)]
    for number in range(60):
        order(session, [{"op": "add_agents", "agents": ballast}])
        step(session, count=1)
        if number % 10 == 0:
            order(session, [{"op": "remove_agents", "ids": session.world.ids[12:].tolist()}])
    assert session.recorder is not None
    assert session.recorder.file.size < 40 * 2**20
    with pytest.raises(ApiError, match="does not go back to step 0"):
        archive.past("w", 0)
    assert archive.past("w", 60) == session.world.snapshot()
    close(session)
    archive.close()
