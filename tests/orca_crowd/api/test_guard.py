"""An older life of a world says nothing: each answer has its epoch, and none leaves without the journal's word."""

from __future__ import annotations

from typing import Any

import httpx
import pytest
from starlette.types import Receive, Scope, Send

from orca_crowd.api.guard import TRUSTED_SECONDS, Guard
from orca_crowd.clock import ManualClock


class Journal:
    """Says whether another process has taken the world over."""

    def __init__(self) -> None:
        self.gone = False
        self.asked = 0
        self.ended = 0

    def superseded(self) -> bool:
        self.asked += 1
        return self.gone

    def end(self) -> None:
        self.ended += 1


def guarded(journal: Journal, clock: ManualClock, during: Any = lambda: None) -> httpx.AsyncClient:
    """A client of an application that answers 200."""

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        during()
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"{}"})

    guard = Guard(app, clock=clock, epoch=lambda: 7, superseded=journal.superseded, end=journal.end)
    return httpx.AsyncClient(transport=httpx.ASGITransport(guard), base_url="http://world")


async def test_the_journal_is_asked_once_in_a_while() -> None:
    journal, clock = Journal(), ManualClock()
    async with guarded(journal, clock) as client:
        for _ in range(3):
            answer = await client.get("/v1/worlds/w")
            assert (answer.status_code, answer.headers["orca-crowd-epoch"]) == (200, "7")
        assert journal.asked == 1
        clock.advance(TRUSTED_SECONDS)
        assert (await client.get("/v1/worlds/w")).status_code == 200
        assert journal.asked == 2
        # whether the process answers at all is another question
        clock.advance(TRUSTED_SECONDS)
        assert (await client.get("/healthz")).status_code == 200
        assert journal.asked == 2


async def test_an_older_life_refuses_and_ends() -> None:
    journal, clock = Journal(), ManualClock()
    journal.gone = True
    async with guarded(journal, clock) as client:
        answer = await client.get("/v1/worlds/w")
    assert (answer.status_code, answer.json()["code"], journal.ended) == (503, "draining", 1)
    assert "orca-crowd-epoch" not in answer.headers


async def test_an_answer_that_took_long_is_not_given_by_an_older_life() -> None:
    journal, clock = Journal(), ManualClock()

    def taken_over() -> None:
        journal.gone = True
        clock.advance(1.0)

    async with guarded(journal, clock, taken_over) as client:
        with pytest.raises(ConnectionAbortedError):
            await client.get("/v1/worlds/w")
    assert journal.ended == 1
