"""A client whose connection was cut goes on where it was: no gap, and at each step what reading gives."""

from __future__ import annotations

import asyncio
from typing import Any

import numpy as np
import pytest

from orca_crowd.protocol.frames import JSON_SUBPROTOCOL, MSGPACK_SUBPROTOCOL
from orca_crowd.protocol.steps import Selection
from orca_crowd.worlds.runner import Runner
from tests.orca_crowd.streaming.harness import client, eventually, serving
from tests.orca_crowd.streaming.mirror import Mirror

CIRCLE = {"kind": "circle", "center": [1.0, 3.0], "radius": 7.0}


async def positions(runner: Runner) -> dict[int, list[float]]:
    """Where everybody is."""
    read = await runner.read(lambda session: session.agents(Selection()))
    return dict(zip(read["ids"].tolist(), read["position"].tolist(), strict=True))


def inside(places: dict[int, list[float]]) -> dict[int, list[float]]:
    """Those of the circle."""
    return {each: (x, y) for each, (x, y) in places.items() if (x - 1.0) ** 2 + (y - 3.0) ** 2 <= 49.0}  # type: ignore[misc]


def known(mirror: Mirror) -> dict[int, Any]:
    """What a client knows of where everybody is."""
    return {each: tuple(values["position"]) for each, values in mirror.values.items()}


@pytest.mark.parametrize("subprotocol", [JSON_SUBPROTOCOL, MSGPACK_SUBPROTOCOL])
@pytest.mark.parametrize("precision", ["float64", "int16"])
async def test_every_step_that_was_missed_follows_and_is_what_reading_gave(subprotocol: str, precision: str) -> None:
    wanted = {"delivery": "every", "interest": CIRCLE, "precision": precision}
    async with serving() as served:
        runner = await served.world(6)
        mirror = Mirror(precision)
        async with client(served, subprotocol=subprotocol) as viewer:
            mirror.apply(await viewer.subscribe(**wanted))
            await runner.step({"count": 3})
            while mirror.step < 3:
                mirror.apply(await viewer.until("frame"))
            viewer.connection.transport.abort()
        await eventually(lambda: not served.streams.statistics.sockets)

        # agents walk in and out, come and go, with a command between two steps
        shown = {3: inside(await positions(runner))}
        for step in range(4, 20):
            if step % 5 == 0:
                batch = [
                    {"op": "remove_agents", "ids": [step // 5]},
                    {"op": "add_agents", "agents": [{"position": [1, step]}]},
                ]
                await runner.command({"commands": batch})
            await runner.step({})
            shown[step] = inside(await positions(runner))
        async with client(served, subprotocol=subprotocol) as viewer:
            await viewer.send("resume", after_step=3, **wanted)
            for step in range(4, 20):
                frame = await viewer.until("frame")
                assert (frame["step"], frame["since"]) == (step, step - 1)
                mirror.apply(frame)
                assert set(mirror.values) == set(shown[step])
                for each, place in shown[step].items():
                    error = np.abs(np.array(place) - mirror.values[each]["position"]).max()
                    assert error <= (mirror.scales[each]["position"] / 2 + 1e-12 if precision == "int16" else 0.0)
            await runner.step({})
            mirror.apply(await viewer.until("frame"))
            assert served.streams.statistics.resumed == 1
            assert served.streams.statistics.fulls_encoded == 1


async def test_latest_goes_on_with_one_frame_that_brings_it_to_now() -> None:
    async with serving() as served:
        runner = await served.world(6)
        mirror = Mirror()
        async with client(served) as viewer:
            mirror.apply(await viewer.subscribe())
        await runner.step({"count": 40, "commands": [{"op": "remove_agents", "ids": [2]}]})
        async with client(served) as viewer:
            await viewer.send("resume", after_step=0)
            frame = await viewer.until("frame")
            assert (frame["step"], frame["since"], frame["left"]) == (40, 0, [2])
            mirror.apply(frame)
            assert known(mirror) == {each: tuple(place) for each, place in (await positions(runner)).items()}


async def test_who_had_a_full_after_a_command_is_told_all_that_it_does_not_know() -> None:
    """Two states of one step were sent, a frame before a command and a full after it; either may be the client's."""
    async with serving() as served:
        runner = await served.world(4)
        before, after = Mirror(), Mirror()
        async with client(served) as one, client(served) as two:
            before.apply(await one.subscribe())
            await runner.step({})
            before.apply(await one.until("frame"))
            away = [{"id": 1, "position": [5.0, 5.0], "preferred_velocity": [0.0, 0.0], "velocity": [0.0, 0.0]}]
            gone = [{"op": "set_agents", "agents": away}, {"op": "remove_agents", "ids": [3]}]
            await runner.command({"commands": [*gone, {"op": "add_agents", "agents": [{"position": [9, 9]}]}]})
            after.apply(await two.subscribe())
            assert before.step == after.step == 1
            assert known(before) != known(after)
        # agent 1 is put back to where the first state has it, so that only the second differs there
        back = [{"id": 1, "position": before.values[1]["position"], "velocity": before.values[1]["velocity"]}]
        await runner.command({"commands": [{"op": "set_agents", "agents": back}]})
        await runner.step({})
        for mirror in (before, after):
            async with client(served) as viewer:
                await viewer.send("resume", after_step=1)
                mirror.apply(await viewer.until("frame"))
                assert known(mirror) == {each: tuple(place) for each, place in (await positions(runner)).items()}


async def test_a_step_that_is_kept_no_more_or_never_was_gives_a_full() -> None:
    async with serving(kept_steps=5) as served:
        runner = await served.world(2)
        async with client(served) as viewer:
            await viewer.subscribe()
            await runner.step({"count": 10})
            for step, kind in ((3, "full"), (99, "full"), (8, "frame")):
                await viewer.send("unsubscribe")
                await viewer.send("resume", after_step=step)
                message = await viewer.until(kind)
                assert message["step"] == 10
            # nothing was missed, so nothing comes before the next step
            await viewer.send("resume", after_step=10)
            await viewer.send("ping")
            await viewer.until("pong")
            await runner.step({})
            frame = await viewer.until("frame")
            assert (frame["step"], frame["since"]) == (11, 10)


async def test_what_is_left_out_is_that_of_the_subscription_before() -> None:
    async with serving() as served:
        runner = await served.world(2)
        async with client(served) as viewer:
            await viewer.subscribe(fields=["position"], every=2, delivery="every", rows="all")
            await runner.step({"count": 4})
            await viewer.until("frame")
            await viewer.send("resume", after_step=0, fields=["velocity"])
            frames: list[dict[str, Any]] = []
            while len(frames) < 2 or "position" in frames[-2]:
                frames.append(await viewer.until("frame"))
            assert [(frame["step"], frame["since"]) for frame in frames[-2:]] == [(2, 0), (4, 2)]
            assert all("velocity" in frame and "position" not in frame for frame in frames[-2:])
            # a got for what was sent before the cut is no mistake
            await viewer.send("got", step=4)
            await viewer.send("ping")
            assert (await viewer.until("pong"))["type"] == "pong"


async def test_more_than_the_queue_holds_gives_a_full() -> None:
    async with serving(frame_queue=4) as served:
        runner = await served.world(2)
        async with client(served) as viewer:
            await viewer.subscribe()
            await runner.step({"count": 10})
            await viewer.send("resume", after_step=0, delivery="every")
            assert (await viewer.until("full"))["step"] == 10


async def test_steps_are_kept_for_a_while_after_the_last_has_left_and_then_let_go_of() -> None:
    async with serving(resume_seconds=0.3) as served:
        runner = await served.world(2)
        async with client(served) as viewer:
            await viewer.subscribe()
            await runner.step({"count": 3})
            await viewer.until("frame")
        statistics = served.streams.statistics
        await eventually(lambda: not statistics.sockets)
        # kept, and not in the way of the world's time to live
        assert statistics.kept_steps == 4
        assert statistics.kept_bytes > 0
        assert len(runner.listeners) == runner.attendants == 1
        # somebody comes in time and goes again: the time begins anew
        async with client(served) as viewer:
            assert runner.attendants == 0
            await viewer.send("resume", after_step=1)
            assert (await viewer.until("frame"))["step"] == 3
            await asyncio.sleep(0.4)
            assert statistics.kept_steps == 4
        await eventually(lambda: not runner.listeners)
        assert (statistics.kept_steps, statistics.kept_bytes, runner.attendants) == (0, 0, 0)
        assert not served.streams._hubs
        async with client(served) as viewer:
            await viewer.send("resume", after_step=3)
            assert (await viewer.until("full"))["step"] == 3


async def test_a_world_that_ends_while_nobody_watches_lets_go_at_once() -> None:
    async with serving() as served:
        await served.world(2)
        async with client(served) as viewer:
            await viewer.subscribe()
        await eventually(lambda: not served.streams.statistics.sockets)
        await served.registry.remove("w")
        await eventually(lambda: not served.streams._hubs)
        assert served.streams.statistics.kept_bytes == 0
