"""Flow fields in the server: made beside the steps, in no journal, and the same whoever computes and whatever ends."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import httpx
import pytest

from orca_core import World
from orca_core.guidance.flow_field import FlowField
from orca_crowd.protocol.commands import parse_commands
from orca_crowd.settings import Settings
from orca_crowd.worlds.archive import Archive
from orca_crowd.worlds.planning import FieldWorkshop, PlannerPool
from orca_crowd.worlds.recovery import recover
from orca_crowd.worlds.session import Session
from tests.orca_core.guidance.test_flow import DOOR, SPLIT, crowd, hall
from tests.orca_crowd.engine.conftest import MakeEngine, forks, make_engine

__all__ = ["forks", "make_engine"]
MakeWorld = Callable[..., str]
FACTS = {"id": "w", "name": None, "ttl": None, "clock": {"mode": "manual"}, "durability": "process"}


@pytest.fixture
def pool() -> Iterator[PlannerPool]:
    """Two threads that make fields."""
    made = PlannerPool(2)
    with closing(made):
        yield made


def test_fields_made_in_threads_come_when_those_made_at_once_do(pool: PlannerPool) -> None:
    at_once = crowd(hall([*SPLIT, DOOR]))
    session = Session("w", crowd(hall([*SPLIT, DOOR])), Settings())
    session.plan_with(pool)
    for step in range(30):
        for world in (at_once, session.world):
            if step == 10:
                world.remove_obstacle(3)
        at_once.step()
        session.advance(1)
        assert session.world.digest() == at_once.digest(), step


def test_what_goes_wrong_in_a_thread_is_heard_of_in_the_step(pool: PlannerPool) -> None:
    def fail() -> FlowField:
        raise MemoryError("no room for a field")

    result = FieldWorkshop(pool).begin(fail)
    for _ in range(2):
        with pytest.raises(MemoryError, match="no room"):
            result()


@pytest.mark.parametrize("workers", [1, 3])
def test_worker_processes_steer_along_the_same_fields(workers: int, make_engine: MakeEngine) -> None:
    alone = crowd(hall([*SPLIT, DOOR]), seed=4)
    session = Session("w", make_engine(workers).restore(alone.snapshot()), Settings())
    for step in range(25):
        for world in (alone, session.world):
            if step == 8:
                world.remove_obstacle(3)
        alone.step()
        session.advance(1)
    assert session.world.digest() == alone.digest()
    assert session.world.column("guided").any()


@pytest.mark.parametrize("steps", [1, 2, 11, 24])
def test_a_world_that_is_brought_back_has_its_fields_again(steps: int, tmp_path: Path, pool: PlannerPool) -> None:
    archive = Archive(tmp_path, Settings(data=str(tmp_path), digest_steps=3))
    archive.open()
    with closing(archive):
        session = Session("w", crowd(hall([*SPLIT, DOOR])), Settings())
        archive.begin(session, FACTS)
        session.plan_with(pool)
        for step in range(steps):
            if step == 9:
                session.answer(parse_commands({"commands": [{"op": "open_door", "ids": [3]}]}, Settings(), None))
            session.advance(1)
            session.record(0.0)
        saved = session.world.snapshot()
        assert session.recorder is not None
        session.recorder.file.close()
        again = recover(archive.path("w"), "w", World.restore, Settings())
        with closing(again.file):
            assert again.cut is None
            assert again.session.world.snapshot() == saved
            again.session.plan_with(pool)
            again.session.advance(6)
        session.recorder = None
        session.advance(6)
        assert again.session.world.digest() == session.world.digest()


def test_a_world_is_given_back_at_once(pool: PlannerPool) -> None:
    session = Session("w", crowd(hall()), Settings())
    session.plan_with(pool)
    session.advance(8)
    assert session.world.column("guided").any()
    watched = weakref.ref(session.world)
    gc.disable()
    try:
        del session
        assert watched() is None
    finally:
        gc.enable()


def test_over_the_wire_a_door_opens_the_way(client: httpx.Client, make_world: MakeWorld) -> None:
    world = make_world(options={"flow_cell_size": 0.25})
    room = {"type": "Polygon", "coordinates": [[[0, 0], [20, 0], [20, 10], [0, 10]]]}
    client.post(f"{world}/walkable", json={"areas": [{"geometry": room}]}).raise_for_status()
    walls = [{"points": [[10, 0], [10, 4]]}, {"points": [[10, 6], [10, 10]]}, {"points": [[10, 4], [10, 6]]}]
    client.post(f"{world}/obstacles", json={"obstacles": walls}).raise_for_status()
    agents = [
        {"position": [2 + 2 * k, 2], "goal": [17, 2], "goal_tolerance": 1.5, "radius": 0.25, "guidance": "flow"}
        for k in range(4)
    ]
    client.post(f"{world}/agents", json={"agents": agents}).raise_for_status()
    events = client.post(f"{world}/steps", json={"count": 5}).json()["events"]
    (told,) = [event for event in events if event["kind"] == "unreachable"]
    assert told["ids"] == [0, 1, 2, 3]
    assert told["reason"] == ["disconnected"] * 4
    shown = client.get(f"{world}/agents/0").json()
    assert shown["status"] == "unreachable"
    assert shown["unreachable"]["nearest"] == told["nearest"][0]
    assert shown["unreachable"]["nearest"] == pytest.approx([9.75, 2.0], abs=0.25)
    client.patch(f"{world}/obstacles/2", json={"open": True}).raise_for_status()
    for _ in range(20):
        client.post(f"{world}/steps", json={"count": 10}).raise_for_status()
        columns = client.get(f"{world}/agents", params={"fields": "status"}).json()
        if set(columns["status"]) == {"arrived"}:
            break
    assert set(columns["status"]) == {"arrived"}
    assert client.get(f"{world}/agents/0").json()["unreachable"] is None
    # what the options refuse names the option
    refused = client.post("/v1/worlds", json={"time_step": 0.1, "options": {"flow_cells": 1}})
    assert refused.status_code == 422
    assert refused.json()["errors"][0]["field"] == "options.flow_cells"
