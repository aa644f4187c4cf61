"""Journals in one process: random histories come back to the bit, damage costs what is damaged and nothing else."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from orca_core.options import Options
from orca_core.world import World
from orca_crowd.errors import ApiError
from orca_crowd.journal.errors import BadJournal
from orca_crowd.protocol.commands import parse_commands
from orca_crowd.protocol.controllers import OwnRequest
from orca_crowd.protocol.steps import parse_step
from orca_crowd.settings import Settings
from orca_crowd.worlds.archive import Archive
from orca_crowd.worlds.recovery import recover
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


OPERATIONS = st.sampled_from(
    ["step", "steps", "keyed", "add", "remove", "move", "wall", "door", "area", "own", "radius"]
)


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
        elif operation == "door":
            doors = [one.id for one in session.world.obstacles()][-2:]
            order(session, [{"op": "open_door" if number % 3 else "close_door", "ids": doors}], f"d{number}")
        elif operation == "area":
            order(session, [{"op": "add_walkable", "areas": [{"geometry": SQUARE}]}])
        elif operation == "own":
            session.own(OwnRequest(np.array(some, np.int64), True, None, b""), f"c{number % 2}")
        elif operation == "radius":
            order(session, [{"op": "set_agents", "ids": some, "columns": {"radius": [0.1 * (number % 4)] * len(some)}}])
    except ApiError as refusal:
        if refusal.code not in ("owned", "limit"):
            raise


def test_doors_and_whoever_they_catch_come_back_to_the_bit(archive: Archive, tmp_path: Path) -> None:
    session = Session("w", World(time_step=0.25, options=Options.service()), Settings())
    archive.begin(session, FACTS)
    solid = {"points": [[-1, -2], [1, -2], [1, 2], [-1, 2]], "closed": True, "open": True}
    order(session, [{"op": "add_agents", "agents": [{"position": [0.1, 0.0]}, {"position": [-4, 0], "goal": [5, 0]}]}])
    order(session, [{"op": "add_obstacles", "obstacles": [solid, {"points": [[3, -2], [3, 2]]}]}])
    step(session, count=2)
    shut = {"commands": [{"op": "close_door", "ids": [0]}, {"op": "open_door", "ids": [1]}], "key": "shut"}
    answer = step(session, **shut)
    assert [event["kind"] for event in answer["events"]] == ["inside-obstacle"]
    assert session.world.agent(0)["status"] == "inside-obstacle"
    back, cut = bring_back(crashed(archive, tmp_path, session))
    assert cut is None
    assert same(back, session)
    assert [one.open for one in back.world.obstacles()] == [False, True]
    assert back.facts() == session.facts()
    # the same request again is answered and moves no door
    assert repr(step(back, **shut)) == repr(step(session, **shut)) == repr(answer)
    for each in (session, back):
        step(each, count=9)
        close(each)
    assert back.world.digest() == session.world.digest()
    assert back.world.agent(0)["status"] == "no-goal"


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
