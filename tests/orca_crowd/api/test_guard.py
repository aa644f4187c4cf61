"""An older life of a world says nothing: each answer has its epoch, and none leaves without the journal's word."""

from __future__ import annotations

from collections.abc import Callable

import httpx
import pytest
from starlette.types import Receive, Scope, Send

from orca_crowd.api.guard import TRUSTED_SECONDS, Guard
from orca_crowd.clock import ManualClock
from orca_crowd.worlds.hosted import ASKED


class Journals:
    """Two worlds, and whether another process has taken one of them over."""

    def __init__(self) -> None:
        self.epochs = {"w": 7, "v": 9}
        self.gone: set[str] = set()
        self.asked: list[str] = []
        self.ended: list[str] = []

    def superseded(self, world: str) -> bool:
        self.asked.append(world)
        return world in self.gone


def guarded(journals: Journals, clock: ManualClock, during: Callable[[], object] = lambda: None) -> httpx.AsyncClient:
    """A client of an application that answers 200."""

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        during()
        body = (ASKED.get() or "").encode()
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": body})

    guard = Guard(
        app, clock=clock, epoch=journals.epochs.get, superseded=journals.superseded, end=journals.ended.append
    )
    return httpx.AsyncClient(transport=httpx.ASGITransport(guard), base_url="http://world")


def of(world: str, epoch: int) -> dict[str, str]:
    """What front ends say of the world that they ask about."""
    return {"orca-crowd-world": world, "orca-crowd-epoch": str(epoch)}


async def test_the_journal_is_asked_once_in_a_while() -> None:
    journals, clock = Journals(), ManualClock()
    async with guarded(journals, clock) as client:
        for world, epoch in [("w", 7), ("v", 9)] * 3:
            answer = await client.get("/v1/worlds", headers=of(world, epoch))
            assert (answer.status_code, answer.text) == (200, world)
            assert answer.headers["orca-crowd-epoch"] == str(epoch)
        assert journals.asked == ["w", "v"]
        clock.advance(TRUSTED_SECONDS)
        assert (await client.get("/v1/worlds", headers=of("w", 7))).status_code == 200
        assert journals.asked == ["w", "v", "w"]
        # whether the process answers at all is another question
        clock.advance(TRUSTED_SECONDS)
        assert (await client.get("/healthz")).status_code == 200
        assert len(journals.asked) == 3


@pytest.mark.parametrize("asked", [of("nobody", 7), of("w", 6), of("w", 8), {"orca-crowd-world": "w"}, {}])
async def test_another_life_or_world_is_not_here(asked: dict[str, str]) -> None:
    journals, taken = Journals(), []
    async with guarded(journals, ManualClock(), lambda: taken.append(1)) as client:
        answer = await client.post("/v1/worlds/w/steps", headers=asked)
    assert (answer.status_code, answer.json()["code"]) == (503, "draining")
    assert "orca-crowd-epoch" not in answer.headers
    # nothing has happened, and nobody is at an end
    assert (taken, journals.ended) == ([], [])


async def test_an_older_life_refuses_and_ends() -> None:
    journals, clock = Journals(), ManualClock()
    journals.gone.add("w")
    async with guarded(journals, clock) as client:
        answer = await client.get("/v1/worlds/w", headers=of("w", 7))
    assert (answer.status_code, answer.json()["code"], journals.ended) == (503, "draining", ["w"])
    assert "orca-crowd-epoch" not in answer.headers


async def test_an_answer_that_took_long_is_not_given_by_an_older_life() -> None:
    journals, clock = Journals(), ManualClock()

    def taken_over() -> None:
        journals.gone.add("w")
        clock.advance(1.0)

    async with guarded(journals, clock, taken_over) as client:
        with pytest.raises(ConnectionAbortedError):
            await client.get("/v1/worlds/w", headers=of("w", 7))
    assert journals.ended == ["w"]


async def test_a_world_that_is_deleted_answers_that_it_was() -> None:
    journals = Journals()
    async with guarded(journals, ManualClock(), lambda: journals.epochs.pop("w")) as client:
        answer = await client.delete("/v1/worlds/w", headers=of("w", 7))
    assert (answer.status_code, answer.headers["orca-crowd-epoch"]) == (200, "7")
