"""Deaths in the midst of something: a step request that was broken off, a world that was being made, a full disk."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from orca_crowd.clock import ManualClock
from orca_crowd.errors import ApiError
from orca_crowd.journal.errors import JournalFull
from orca_crowd.protocol.steps import parse_step
from orca_crowd.settings import Settings
from orca_crowd.worlds.archive import Archive
from orca_crowd.worlds.jobs import Outcome, StepJob
from orca_crowd.worlds.runner import NOBODY
from orca_crowd.worlds.session import Accepted, Session
from tests.orca_crowd.worlds.test_recovery import advance, begin, bring_back, close, crashed, same, step


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[Archive]:
    """A folder of journals."""
    made = Archive(tmp_path, Settings(data=str(tmp_path), digest_steps=3, snapshot_seconds=0.01))
    made.open()
    with closing(made):
        yield made


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
