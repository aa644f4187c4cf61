"""What is said over a stream, in both subprotocols, against a real server."""

from __future__ import annotations

import asyncio
from typing import Any

import httpx
import numpy as np
import pytest
from websockets.asyncio.client import connect

from orca_crowd.protocol.frames import JSON_SUBPROTOCOL, MSGPACK_SUBPROTOCOL
from orca_crowd.protocol.steps import Selection
from orca_crowd.protocol.stream import SERVER_MESSAGES
from tests.orca_crowd.streaming.harness import Client, client, digest, serving
from tests.orca_crowd.streaming.mirror import Mirror, ids_of

BOTH = pytest.mark.parametrize("subprotocol", [JSON_SUBPROTOCOL, MSGPACK_SUBPROTOCOL])
ALL_FIELDS = ("position", "velocity", "preferred_velocity", "goal", "radius", "max_speed", "max_neighbors", "status")


def numbers_of(value: Any) -> list[float]:
    """A column of numbers of either subprotocol, flat."""
    numbers = np.array(value, np.float64).ravel() if isinstance(value, list) else np.frombuffer(value, "<f8")
    return numbers.tolist()


@BOTH
async def test_hello_says_where_the_world_stands(subprotocol: str) -> None:
    async with serving() as served:
        runner = await served.world()
        await runner.step({"count": 3})
        async with connect(served.url(), subprotocols=[subprotocol]) as connection:
            assert connection.subprotocol == subprotocol
            hello = await Client(connection).receive()
        limits = hello.pop("limits")
        assert hello == {
            "type": "hello",
            "world": "w",
            "step": 3,
            "time": 3 * 0.1,
            "time_step": 0.1,
            "profile": "text",
        }
        assert limits["message_bytes"] == 16_777_216


@BOTH
async def test_full_is_what_reading_the_agents_gives_and_frames_follow_without_gap(subprotocol: str) -> None:
    async with serving() as served:
        runner = await served.world(3)
        await runner.command({"commands": [{"op": "set_agents", "agents": [{"id": 1, "goal": [5.0, 3.0]}]}]})
        # much happens while nobody watches
        await runner.step({"count": 17})
        changes = [{"op": "remove_agents", "ids": [0]}, {"op": "add_agents", "agents": [{"position": [-9, 0]}]}]
        await runner.command({"commands": changes})
        async with client(served, subprotocol=subprotocol) as viewer:
            full = await viewer.subscribe(fields=list(ALL_FIELDS), delivery="every")
            read = await runner.read(lambda session: session.agents(Selection(ALL_FIELDS)))
            assert full["step"] == 17
            assert ids_of(full["ids"]) == read["ids"].tolist() == [1, 2, 3]
            for name in ALL_FIELDS[:-1]:
                expected = read[name].tolist()
                if subprotocol == JSON_SUBPROTOCOL:
                    missing = [None if np.isnan(row).any() else row for row in expected]
                    assert full[name] == missing, name
                else:
                    assert full[name] == read[name].astype("<f8").tobytes(), name
            assert full["status"] == read["status"]
            await runner.step({"count": 5})
            mirror = Mirror()
            mirror.apply(full)
            for step in range(18, 23):
                frame = await viewer.until("frame")
                assert (frame["step"], frame["since"]) == (step, mirror.step)
                assert ids_of(frame["entered"]) == ids_of(frame["left"]) == []
                # agent 3 stands, so nothing is told of it
                assert ids_of(frame["ids"]) == [1, 2]
                mirror.apply(frame)
            read = await runner.read(lambda session: session.agents(Selection()))
            for name in ("position", "velocity"):
                assert mirror.column(name, [1, 2, 3]).tobytes() == read[name].tobytes()


@BOTH
async def test_who_came_and_who_went_is_told_across_the_steps_left_out(subprotocol: str) -> None:
    async with serving() as served:
        runner = await served.world(4)
        async with client(served, subprotocol=subprotocol) as viewer:
            await viewer.subscribe(window=1)
            await runner.step({})
            assert (await viewer.until("frame"))["step"] == 1
            # held back by the window: agent 4 comes and goes unseen, 5 comes, 1 goes
            commands: list[list[dict[str, Any]]] = [
                [{"op": "add_agents", "agents": [{"position": [50, 0]}, {"position": [60, 0]}]}],
                [{"op": "remove_agents", "ids": [1, 4]}],
                [],
            ]
            for batch in commands:
                await runner.step({"commands": batch})
            removed = await viewer.until("event")
            assert (removed["kind"], removed["step"], ids_of(removed["ids"])) == ("removed", 3, [1, 4])
            await viewer.send("got", step=1)
            frame = await viewer.until("frame")
            assert (frame["step"], frame["since"]) == (4, 1)
            # agents 0 to 3 walk, and who entered is told of in any case
            assert ids_of(frame["ids"]) == [0, 2, 3, 5]
            assert ids_of(frame["entered"]) == [5]
            assert ids_of(frame["left"]) == [1]


async def test_float32_and_every_and_a_new_subscribe_in_the_place_of_the_old() -> None:
    async with serving() as served:
        runner = await served.world(2)
        async with client(served, subprotocol=MSGPACK_SUBPROTOCOL) as viewer:
            await viewer.subscribe(fields=["position"], precision="float32", every=3, delivery="every")
            await runner.step({"count": 7})
            frames = [await viewer.until("frame") for _ in range(2)]
            assert [(frame["step"], frame["since"]) for frame in frames] == [(3, 0), (6, 3)]
            assert len(frames[0]["position"]) == 2 * 2 * 4
            assert "velocity" not in frames[0]
            full = await viewer.subscribe(fields=["velocity"], delivery="every", rows="all")
            assert full["step"] == 7
            assert "position" not in full
            await runner.step({})
            frame = await viewer.until("frame")
            assert (frame["step"], frame["since"], len(frame["velocity"])) == (8, 7, 2 * 2 * 8)
            await viewer.send("unsubscribe")
            await viewer.send("ping", data=1)
            await viewer.until("pong")
            await runner.step({})
            await viewer.send("ping", data=2)
            seen: list[dict[str, Any]] = []
            await viewer.until("pong", seen.append)
            assert [message for message in seen if message["type"] == "frame"] == []


@BOTH
async def test_commands_and_steps_are_answered_with_their_step(subprotocol: str) -> None:
    async with serving() as served:
        runner = await served.world(1)
        async with client(served, subprotocol=subprotocol) as player:
            command = [{"op": "add_agents", "agents": [{"position": [9.0, 9.0], "goal": [12.0, 9.0]}]}]
            await player.send("command", commands=command, key="first")
            ack = await player.until("ack")
            assert (ack["step"], ack["key"], ids_of(ack["results"][0]["ids"])) == (0, "first", [1])
            # the same again changes nothing, another body is refused
            await player.send("command", commands=command, key="first")
            assert await player.until("ack") == ack
            await player.send("command", commands=[], key="first")
            error = await player.until("error")
            assert (error["problem"]["code"], error["problem"]["status"], error["key"]) == ("key-reused", 409, "first")
            await player.send("step", count=2, expected_step=0, return_="agents", fields=["position"], ids=[1])
            stepped = await player.until("stepped")
            assert (stepped["step"], stepped["time"]) == (2, 0.2)
            assert ids_of(stepped["agents"]["ids"]) == [1]
            assert numbers_of(stepped["agents"]["position"])[0] > 9.0
            await player.send("step", expected_step=0)
            error = await player.until("error")
            assert (error["problem"]["code"], error["problem"]["step"]) == ("wrong-step", 2)
            await player.send("step", return_="digest")
            assert (await player.until("stepped"))["digest"] == await digest(runner)


async def test_a_lease_holder_named_in_the_handshake_steps_and_others_do_not() -> None:
    async with serving() as served, httpx.AsyncClient(base_url=f"http://127.0.0.1:{served.port}/v1") as http:
        runner = await served.world(1)
        assert (await http.post("/worlds/w/lease", json={"holder": "one", "ttl": 60})).status_code == 200
        header = {"Orca-Crowd-Lease": "one"}
        async with client(served) as other, client(served, additional_headers=header) as holder:
            await other.send("step")
            assert (await other.until("error"))["problem"]["code"] == "leased"
            await holder.send("step")
            assert (await holder.until("stepped"))["step"] == 1
        assert runner.facts.step == 1


async def test_a_large_order_is_not_overtaken_by_a_small_one_nor_by_a_full() -> None:
    async with serving() as served:
        await served.world(0)
        async with client(served) as player:
            many = [{"position": [place * 3.0, 0.0]} for place in range(5000)]
            await player.send("command", commands=[{"op": "add_agents", "agents": many}], key="large")
            await player.send("command", commands=[{"op": "add_agents", "agents": many[:1]}], key="small")
            await player.send("subscribe", fields=[])
            await player.send("step")
            seen = {message["type"]: message for message in [await player.receive() for _ in range(5)]}
            assert seen["ack"]["results"][0]["ids"] == [5000]
            assert seen["full"]["ids"] == list(range(5001))
            assert seen["stepped"]["step"] == 1


async def test_one_key_goes_for_the_socket_and_for_rest() -> None:
    async with serving() as served, httpx.AsyncClient(base_url=f"http://127.0.0.1:{served.port}/v1") as http:
        runner = await served.world(1)
        async with client(served) as player:
            await player.send("step", count=2, key="k")
            assert (await player.until("stepped"))["step"] == 2
        again = await http.post("/worlds/w/steps", json={"count": 2, "key": "k"})
        assert (again.status_code, again.json()["step"], runner.facts.step) == (200, 2, 2)


async def test_every_socket_hears_of_events_subscribed_or_not() -> None:
    async with serving() as served:
        runner = await served.world(0)
        async with client(served) as one, client(served, subprotocol=MSGPACK_SUBPROTOCOL) as two:
            commands = [{"op": "add_agents", "agents": [{"position": [0, 0], "goal": [0.1, 0]}]}]
            await runner.step({"count": 3, "commands": commands})
            for listener in (one, two):
                event = await listener.until("event")
                assert (event["kind"], ids_of(event["ids"])) == ("arrived", [0])
                assert 1 <= event["step"] <= 3


async def test_a_heartbeat_comes_when_nothing_else_does() -> None:
    async with serving(heartbeat_seconds=0.05) as served:
        runner = await served.world()
        await runner.step({"count": 2})
        async with client(served) as viewer:
            assert [await viewer.receive() for _ in range(2)] == [{"type": "heartbeat", "step": 2}] * 2


async def test_every_message_of_the_server_is_of_its_model() -> None:
    models = {model.model_fields["type"].default: model for model in SERVER_MESSAGES}
    seen: dict[str, dict[str, Any]] = {}

    def keep(message: dict[str, Any]) -> None:
        seen[message["type"]] = message
        models[message["type"]].model_validate(message)

    async with serving(heartbeat_seconds=0.05) as served:
        runner = await served.world(2)
        async with connect(served.url(), subprotocols=[JSON_SUBPROTOCOL]) as connection:
            player = Client(connection)
            keep(await player.receive())
            await player.send("subscribe", fields=list(ALL_FIELDS))
            keep(await player.until("full", keep))
            await player.send("command", commands=[{"op": "remove_agents", "ids": [1]}])
            keep(await player.until("ack", keep))
            await player.send("step")
            keep(await player.until("stepped", keep))
            await player.send("ping", data=1.5)
            keep(await player.until("pong", keep))
            await player.send("nope")
            keep(await player.until("error", keep))
            keep(await player.until("heartbeat", keep))
            await served.registry.remove("w")
            assert await player.closed(keep) == (4004, "the world was deleted")
        assert runner.state == "ended"
    assert set(seen) == set(models)


async def test_the_description_is_served() -> None:
    async with serving() as served, httpx.AsyncClient() as http:
        response = await http.get(f"http://127.0.0.1:{served.port}/asyncapi.json")
        assert response.status_code == 200
        assert response.json()["channels"]["stream"]["address"] == "/v1/worlds/{world}/stream"


async def test_orders_of_one_socket_are_answered_in_order_whatever_they_take() -> None:
    async with serving() as served:
        await served.world(1)
        async with client(served) as player:
            for place in range(40):
                if place % 4 == 3:
                    await player.send("command", commands=[{"op": "nope"}], key=str(place))
                else:
                    await player.send("step", count=1 + place % 3, key=str(place))
            answers = [await player.receive() for _ in range(40)]
            assert [answer["key"] for answer in answers] == [str(place) for place in range(40)]
            steps = [answer["step"] for answer in answers if answer["type"] == "stepped"]
            assert steps == sorted(steps)
            assert len(set(steps)) == len(steps) == 30


async def read_everything(viewer: Client, steps: int) -> list[int]:
    """Steps of the frames up to the last one."""
    seen: list[int] = []
    while not seen or seen[-1] < steps:
        seen.append((await viewer.until("frame"))["step"])
    return seen


async def test_stepping_as_fast_as_possible_every_step_arrives_and_latest_shows_its_gaps() -> None:
    async with serving() as served:
        runner = await served.world(2)
        async with client(served) as recorder, client(served) as viewer:
            await recorder.subscribe(delivery="every")
            await viewer.subscribe()
            reading = asyncio.gather(read_everything(recorder, 1000), read_everything(viewer, 1000))
            await runner.step({"count": 1000})
            every, latest = await reading
            assert every == list(range(1, 1001))
            assert latest == sorted(set(latest))
