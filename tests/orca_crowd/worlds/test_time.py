"""Time in a world: the server's clock, late steps, leases that run out, worlds that nobody uses."""

from __future__ import annotations

import asyncio

import pytest

from orca_crowd.errors import ApiError
from orca_crowd.protocol.worlds import ClockBody
from tests.orca_crowd.worlds.support import crowd, record, running


async def test_a_realtime_world_keeps_its_rate_and_its_step() -> None:
    async with running() as worlds:
        runner = await crowd(worlds, clock={"mode": "realtime", "rate": 20})
        heard = record(runner)
        # 60 s in uneven pieces: counted from the beginning, so nothing drifts
        for piece in range(1, 1201):
            worlds.clock.advance(0.04 if piece % 2 else 0.06)
            # a sum of pieces may fall short of a deadline by a rounding
            while len(heard) < piece - 1:
                await asyncio.sleep(0)
        assert abs(len(heard) - 1200) <= 1
        assert [publication.time for publication in heard] == [publication.step * 0.25 for publication in heard]
        assert not [event for publication in heard for event in publication.events if event["kind"] == "late"]


async def test_a_late_world_makes_up_five_steps_and_says_what_it_gave_up() -> None:
    async with running() as worlds:
        runner = await crowd(worlds, clock={"mode": "realtime", "rate": 20})
        heard = record(runner)
        worlds.clock.advance(3.0)
        while len(heard) < 5:
            await asyncio.sleep(0.001)
        await asyncio.sleep(0.02)
        assert [publication.step for publication in heard] == [1, 2, 3, 4, 5]
        late = [event for publication in heard for event in publication.events if event["kind"] == "late"]
        assert [(event["given_up"], event["made_up"]) for event in late] == [(55, 5)]
        assert worlds.sample("orca_crowd_late_steps_total") == 55
        # afterwards the old rate, and never a longer step
        worlds.clock.advance(0.05)
        while len(heard) < 6:
            await asyncio.sleep(0.001)
        assert heard[-1].time == 6 * 0.25


async def test_commands_take_effect_between_the_steps_of_a_realtime_world() -> None:
    async with running() as worlds:
        runner = await crowd(worlds, clock={"mode": "realtime", "rate": 10})
        worlds.clock.advance(0.1)
        while runner.facts.step < 1:
            await asyncio.sleep(0.001)
        answer = await runner.command({"commands": [{"op": "remove_agents", "ids": [1]}]})
        assert answer["step"] == 1
        with pytest.raises(ApiError) as refusal:
            await runner.step({})
        assert refusal.value.code == "wrong-clock"
        await runner.retime(ClockBody(mode="manual"))
        worlds.clock.advance(10)
        assert (await runner.step({}))["step"] == 2


async def test_a_lease_runs_out_by_the_clock() -> None:
    async with running() as worlds:
        runner = await crowd(worlds)
        runner.lease.take("me", 5, worlds.clock.now())
        with pytest.raises(ApiError) as refusal:
            await runner.step({})
        assert refusal.value.code == "leased"
        assert (await runner.step({}, lease="me"))["step"] == 1
        worlds.clock.advance(5)
        assert (await runner.step({}))["step"] == 2


async def test_a_world_that_nobody_uses_goes_away() -> None:
    async with running() as worlds:
        kept, watched, unused = (
            await worlds.make("kept"),
            await worlds.make("watched", ttl=10),
            await worlds.make("unused", ttl=10),
        )
        heard = record(watched)
        for _ in range(15):
            worlds.clock.advance(1)
            await asyncio.sleep(0.002)
        assert {runner.name for runner in worlds.registry.all()} == {"kept", "watched"}
        assert unused.state == "ended"
        watched.listeners.discard(heard.append)
        watched.listeners.clear()
        for _ in range(8):
            worlds.clock.advance(1)
            await asyncio.sleep(0.002)
        worlds.registry.get("watched")
        for _ in range(8):
            worlds.clock.advance(1)
            await asyncio.sleep(0.002)
        assert {runner.name for runner in worlds.registry.all()} == {"kept", "watched"}
        for _ in range(6):
            worlds.clock.advance(1)
            await asyncio.sleep(0.002)
        assert worlds.registry.all() == [kept]


async def test_the_same_id_cannot_be_made_twice_at_once() -> None:
    async with running() as worlds:
        outcomes = await asyncio.gather(*(worlds.make("same") for _ in range(5)), return_exceptions=True)
        refusals = [outcome for outcome in outcomes if isinstance(outcome, ApiError)]
        assert [refusal.code for refusal in refusals] == ["exists"] * 4
