"""Every limit that a client can meet, at its edge: what just fits is taken, one more is refused and changes nothing."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import httpx
import pytest

from orca_crowd.clock import ManualClock
from orca_crowd.engine.choice import make_engine
from orca_crowd.engine.processes import ProcessEngine
from orca_crowd.errors import ApiError, InvalidRequest
from orca_crowd.protocol.worlds import parse_world
from orca_crowd.settings import Settings
from tests.orca_crowd.conftest import SMALL_LIMITS
from tests.orca_crowd.worlds.support import crowd, record, running
from tests.support.settings import bounds

W = "/v1/worlds/w"


def agents(count: int) -> dict[str, Any]:
    """So many, apart."""
    return {"agents": [{"position": [2.0 * number, 0.0]} for number in range(count)]}


def wall(segments: int) -> dict[str, Any]:
    """An obstacle of so many segments that do not lie on one line."""
    return {"obstacles": [{"points": [[number, number % 2] for number in range(segments + 1)]}]}


def polygon(corners: int) -> dict[str, Any]:
    """An area with so many corners: a comb."""
    teeth = [[number, 2 + number % 2] for number in range(corners - 2, 0, -1)]
    return {"areas": [{"geometry": {"type": "Polygon", "coordinates": [[[0, 0], [corners, 0], *teeth]]}}]}


def grid(cells: int) -> dict[str, Any]:
    """A map of so many free cells in a row."""
    text = f"type octile\nheight 1\nwidth {cells}\nmap\n{'.' * cells}\n"
    return {"content": text, "headers": {"Content-Type": "text/plain"}}


def body(size: int) -> dict[str, Any]:
    """Agents in so many bytes."""
    text = json.dumps(agents(2))
    return {"content": text + " " * (size - len(text)), "headers": {"Content-Type": "application/json"}}


def commands(count: int) -> dict[str, Any]:
    """A batch of so many."""
    return {"json": {"commands": [{"op": "remove_agents", "ids": []}] * count}}


# per limit the call that meets it, made for an amount, and what refuses one more
MET = {
    "agents_per_world": ("POST", f"{W}/agents", lambda n: {"json": agents(n)}, 429),
    "edges_per_world": ("POST", f"{W}/obstacles", lambda n: {"json": wall(n)}, 429),
    "vertices_per_world": ("POST", f"{W}/walkable", lambda n: {"json": polygon(n)}, 429),
    "map_cells": ("POST", f"{W}/map?as=walkable", grid, 429),
    "body_bytes": ("POST", f"{W}/agents", body, 413),
    "commands_per_request": ("POST", f"{W}/commands", commands, 429),
    "steps_per_request": ("POST", f"{W}/steps", lambda n: {"json": {"count": n}}, 429),
    "lease_seconds": ("POST", f"{W}/lease", lambda n: {"json": {"holder": "h", "ttl": n}}, 422),
    "rate_limit": ("PATCH", W, lambda n: {"json": {"clock": {"mode": "realtime", "rate": n}}}, 422),
}


@pytest.mark.parametrize("name", MET)
def test_what_just_fits_is_taken_and_one_more_is_refused(small: httpx.Client, name: str) -> None:
    method, path, made, status = MET[name]
    assert small.post("/v1/worlds", json={"id": "w", "time_step": 0.1}).status_code == 201
    limit = int(SMALL_LIMITS[name])
    before = small.get(W).json(), small.get(f"{W}/digest").json()
    refused = small.request(method, path, **made(limit + 1))
    assert refused.status_code == status, refused.text
    told = refused.text
    assert str(limit) in told, "the limit is told"
    assert (small.get(W).json(), small.get(f"{W}/digest").json()) == before
    taken = small.request(method, path, **made(limit))
    assert taken.is_success, taken.text


def test_worlds(small: httpx.Client) -> None:
    for number in range(SMALL_LIMITS["worlds"]):
        assert small.post("/v1/worlds", json={"id": f"w{number}", "time_step": 0.1}).status_code == 201
    for refused in (
        small.post("/v1/worlds", json={"id": "more", "time_step": 0.1}),
        small.post("/v1/demos/circle"),
        small.post(
            "/v1/worlds/restore",
            content=small.get("/v1/worlds/w0/snapshot").content,
            headers={"Content-Type": "application/octet-stream"},
        ),
    ):
        assert (refused.status_code, refused.json()["code"]) == (429, "limit")
    assert len(small.get("/v1/worlds").json()["worlds"]) == SMALL_LIMITS["worlds"]
    assert small.delete("/v1/worlds/w0").status_code == 204
    assert small.post("/v1/worlds", json={"id": "more", "time_step": 0.1}).status_code == 201


def test_faults_of_an_answer(small: httpx.Client) -> None:
    small.post("/v1/worlds", json={"id": "w", "time_step": 0.1})
    for count in (SMALL_LIMITS["errors_per_answer"], SMALL_LIMITS["errors_per_answer"] + 1):
        bad = small.post(f"{W}/agents", json={"agents": [{"position": [0, 0], "radius": -1}] * count}).json()
        assert len(bad["errors"]) == SMALL_LIMITS["errors_per_answer"]
        assert ("the first 3 of 4 are listed" in bad["detail"]) == (count == 4)


@pytest.mark.parametrize(
    ("name", "clock"),
    [("barrier_seconds", {"mode": "barrier", "timeout": 7.0}), ("rate_limit", {"mode": "realtime", "rate": 7.0})],
)
def test_clocks(name: str, clock: dict[str, Any]) -> None:
    fits = Settings(**{name: 7.0})  # type: ignore[arg-type]
    assert parse_world({"time_step": 0.1, "clock": clock}, fits).clock.shown() == clock
    less = Settings(**{name: 6.999})  # type: ignore[arg-type]
    with pytest.raises(InvalidRequest) as refused:
        parse_world({"time_step": 0.1, "clock": clock}, less)
    assert "at most 6.999" in refused.value.errors[0].message


@pytest.mark.parametrize("limits", [{"remembered_answers": 3}, {"remembered_bytes": 1024}])
async def test_remembered_answers(limits: dict[str, int]) -> None:
    async with running(**limits) as worlds:
        runner = await worlds.make()
        rows = [{"position": [0, 0]}] * 10

        async def add(key: str) -> dict[str, Any]:
            return await runner.command({"commands": [{"op": "add_agents", "agents": rows}], "key": key})

        first = await add("k0")
        for number in range(1, limits.get("remembered_answers", 1)):
            await add(f"k{number}")
        # still known: nothing is done again
        assert (await add("k0"))["sequence"] == first["sequence"]
        for number in range(3, 40):
            await add(f"k{number}")
        # forgotten: a new request
        assert (await add("k0"))["sequence"] > first["sequence"]


@pytest.mark.parametrize("catch_up", [1, 4])
async def test_steps_made_up(catch_up: int) -> None:
    clock = ManualClock()
    async with running(clock, catch_up_steps=catch_up) as worlds:
        runner = await crowd(worlds, clock={"mode": "realtime", "rate": 10})
        heard = record(runner)
        clock.advance(0.1 * catch_up + 1e-6)
        while runner.facts.step < catch_up:
            await clock.wait(asyncio.Event(), clock.now())
        assert worlds.sample("orca_crowd_late_steps_total") == 0
        clock.advance(0.1 * (catch_up + 1))
        while runner.facts.step < 2 * catch_up:
            await clock.wait(asyncio.Event(), clock.now())
        assert worlds.sample("orca_crowd_late_steps_total") == 1
        late = [event for publication in heard for event in publication.events if event["kind"] == "late"]
        assert [(event["given_up"], event["made_up"]) for event in late] == [(1, catch_up)]


def test_who_computes_a_world() -> None:
    engine = make_engine(Settings(engine="processes", workers=3, split_agents=40, small_agents=20, worker_seconds=5))
    assert isinstance(engine, ProcessEngine)
    assert (engine.crew.count, engine._split_agents, engine._small_agents, engine._deadline) == (3, 40, 20, 5.0)


@pytest.mark.parametrize(("name", "value", "beyond"), bounds(), ids=lambda value: str(value))
def test_a_setting_at_its_bound_is_taken_and_beyond_it_refused(name: str, value: Any, beyond: Any) -> None:
    assert getattr(Settings(**{name: value}), name) == value
    with pytest.raises(ValueError, match=name):
        Settings(**{name: beyond})


def test_unknown_settings_are_refused() -> None:
    with pytest.raises(ValueError, match="nonsense"):
        Settings(nonsense=1)  # type: ignore[call-arg]


async def test_a_request_over_a_limit_is_refused_whole() -> None:
    async with running(agents_per_world=3) as worlds:
        runner = await worlds.make()
        add = {"op": "add_agents", "agents": [{"position": [0, 0]}, {"position": [5, 0]}]}
        with pytest.raises(ApiError) as refused:
            await runner.command({"commands": [add, add]})
        assert refused.value.code == "limit"
        assert runner.facts.agents == 0
        await runner.command({"commands": [add, {**add, "agents": add["agents"][:1]}]})
        assert runner.facts.agents == 3
