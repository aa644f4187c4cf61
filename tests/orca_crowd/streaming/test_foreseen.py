"""That there is no way is told before any step is taken, and again, the same, when it has become so."""

from __future__ import annotations

import asyncio
from typing import Any

from tests.orca_crowd.streaming.harness import client, digest, serving

# m: a room, and another one without a door between
ROOMS = [[[0, 0], [10, 0], [10, 10], [0, 10]], [[11, 0], [21, 0], [21, 10], [11, 10]]]
SENT = [{"id": 1, "goal": [15, 5]}, {"id": 2, "goal": [9, 9]}, {"id": 3, "goal": [30, 1]}]


async def rooms(runner: Any) -> None:
    """Three agents in the first room, at rest."""
    areas = [{"geometry": {"type": "Polygon", "coordinates": [ring]}} for ring in ROOMS]
    agents = [{"id": k, "position": [k, 2], "goal": [k, 2], "guidance": "path", "radius": 0.3} for k in (1, 2, 3)]
    await runner.command({"commands": [{"op": "add_walkable", "areas": areas}, {"op": "add_agents", "agents": agents}]})
    await runner.step({"count": 3})


async def test_what_cannot_be_reached_is_foreseen_and_comes_true() -> None:
    async with serving() as served:
        runner, other = await served.world(0), await served.world(0, name="unwatched")
        await rooms(runner)
        await rooms(other)
        async with client(served) as watcher:
            await watcher.subscribe()
            await runner.command({"commands": [{"op": "set_agents", "agents": SENT}]})
            # no step is taken until it is here
            early = await asyncio.wait_for(watcher.until("event"), 10.0)
            assert (early["kind"], early["foreseen"], early["ids"]) == ("unreachable", True, [1, 3])
            assert early["reason"] == ["disconnected", "goal-off-surface"]
            assert (await runner.read(lambda session: session.world.step_count)) == 3
            assert (await runner.read(lambda session: session.agent(1)))["status"] == "moving"
            events = (await runner.step({"count": early["step"] - 3}))["events"]
            (told,) = [event for event in events if event["kind"] == "unreachable"]
            assert "foreseen" not in told
            assert (told["step"], told["ids"].tolist()) == (early["step"], early["ids"])
            assert (told["reason"], told["nearest"]) == (early["reason"], early["nearest"])
        # whether anybody was told changes nothing
        await other.command({"commands": [{"op": "set_agents", "agents": SENT}]})
        await other.step({"count": early["step"] - 3})
        assert await digest(other) == await digest(runner)
        assert await other.read(lambda s: s.world.snapshot()) == await runner.read(lambda s: s.world.snapshot())
