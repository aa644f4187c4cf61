"""Controllers over their sockets, against a real server: registered, owning, waited for, gone."""

from __future__ import annotations

import asyncio
from typing import Any

import httpx
import msgspec
import numpy as np
import pytest

from orca_core import World
from orca_core.options import Options
from orca_crowd.protocol.frames import JSON_SUBPROTOCOL, MSGPACK_SUBPROTOCOL
from orca_crowd.worlds.runner import Runner
from tests.orca_crowd.streaming.harness import Client, Served, client, digest, eventually, serving

BOTH = pytest.mark.parametrize("subprotocol", [JSON_SUBPROTOCOL, MSGPACK_SUBPROTOCOL])
BARRIER = {"mode": "barrier", "timeout": 30}


def ids_of(value: Any) -> list[int]:
    """An id column of either subprotocol."""
    return value if isinstance(value, list) else np.frombuffer(value, "<i8").tolist()


async def register(socket: Client, name: str) -> dict[str, Any]:
    """Register and take the answer."""
    await socket.send("register", controller=name, key=f"register {name}")
    ack = await socket.until("ack")
    assert ack["key"] == f"register {name}"
    return ack


def goal(identifier: int, x: float) -> list[dict[str, Any]]:
    """A batch that sends one agent somewhere."""
    return [{"op": "set_agents", "agents": [{"id": identifier, "goal": [x, 0.0]}]}]


@BOTH
async def test_a_barrier_world_steps_when_both_are_ready(subprotocol: str) -> None:
    async with (
        serving() as served,
        client(await barrier(served), subprotocol=subprotocol) as first,
        client(served, subprotocol=subprotocol) as second,
    ):
        ack = await register(first, "a")
        assert (ack["step"], "sequence" in ack) == (0, False)
        assert ack["results"][0]["controller"] == "a"
        assert ids_of(ack["results"][0]["owned"]) == []
        await register(second, "b")
        for step in range(1, 6):
            order = {
                "key": f"{step}",
                "commands": goal(0, step),
                "return": "agents",
                "fields": ["position"],
                "ids": [1],
            }
            await first.send("ready", for_step=step, **order)
            await second.send("ready", **{"return": "digest"})
            one, other = await first.until("stepped"), await second.until("stepped")
            assert (one["step"], other["step"], one["key"]) == (step, step, f"{step}")
            # the first change was the agents themselves
            assert (one["sequence"], "sequence" in other) == (1 + step, False)
            assert ids_of(one["agents"]["ids"]) == [1]
            assert one["results"] == [{"warnings": []}]
            assert other["digest"] == await digest(served.registry.get("w"))


async def barrier(served: Served, agents: int = 2) -> Served:
    """A server with a barrier world."""
    await served.world(agents, clock=BARRIER)
    return served


async def test_a_socket_that_ends_is_not_waited_for() -> None:
    async with serving() as served, client(await barrier(served)) as alive:
        async with client(served) as dead:
            await register(alive, "alive")
            await register(dead, "dead")
            await alive.send("ready")
            await asyncio.sleep(0.05)
            assert served.registry.get("w").facts.step == 0
        assert (await alive.until("stepped"))["step"] == 1
        # and without a closing handshake
        async with client(served) as dead:
            await register(dead, "dead")
            await alive.send("ready")
            dead.connection.transport.abort()
            assert (await alive.until("stepped"))["step"] == 2


@BOTH
async def test_the_newer_socket_of_a_name_takes_it_over(subprotocol: str) -> None:
    async with (
        serving() as served,
        client(await barrier(served), subprotocol=subprotocol) as older,
        client(served, subprotocol=subprotocol) as newer,
    ):
        await register(older, "a")
        await older.send("own", ids=[1], key="own")
        owned = await older.until("ack")
        assert (owned["key"], owned["sequence"], ids_of(owned["results"][0]["owned"])) == ("own", 2, [1])
        ack = await register(newer, "a")
        assert ids_of(ack["results"][0]["owned"]) == [1]
        error = await older.until("error")
        assert (error["problem"]["code"], error["problem"]["status"], "key" in error) == ("replaced", 409, False)
        # it stays open, and is a controller no longer
        for kind, values in (("ready", {}), ("own", {"ids": [0]}), ("disown", {"ids": [1]}), ("unregister", {})):
            await older.send(kind, key=kind, **values)
            error = await older.until("error")
            assert (error["key"], error["problem"]["code"]) == (kind, "not-registered")
        await older.send("command", commands=goal(1, 5.0), key="order")
        error = await older.until("error")
        assert (error["key"], error["problem"]["code"], error["problem"]["status"]) == ("order", "owned", 403)
        await newer.send("command", commands=goal(1, 5.0))
        assert (await newer.until("ack"))["sequence"] == 3
        await newer.send("ready")
        assert (await newer.until("stepped"))["step"] == 1


@BOTH
async def test_owned_agents_are_ordered_by_their_owner_alone(subprotocol: str) -> None:
    async with serving() as served:
        runner = await served.world(3)
        async with (
            client(served, subprotocol=subprotocol) as owner,
            client(served, subprotocol=subprotocol) as other,
            httpx.AsyncClient(base_url=f"http://127.0.0.1:{served.port}/v1/worlds/w") as rest,
        ):
            await register(owner, "red")
            await register(other, "blue")
            await owner.send("own", ids=[0, 2])
            ack = await owner.until("ack")
            assert (ack["sequence"], ids_of(ack["results"][0]["owned"])) == (2, [0, 2])
            await other.send("own", ids=[1, 2], key="k")
            error = await other.until("error")
            assert (error["key"], error["problem"]["code"]) == ("k", "owned")
            assert error["problem"]["errors"] == [{"item": 1, "field": "id", "message": "agent 2 is owned by 'red'"}]
            before = await digest(runner)

            async def refused(answer: httpx.Response) -> None:
                assert (answer.status_code, answer.json()["code"]) == (403, "owned"), answer.text
                assert await digest(runner) == before

            # every way of giving an order, under another name, a wrong one, and none
            for headers in ({"Orca-Crowd-Controller": "blue"}, {"Orca-Crowd-Controller": "green"}, {}):
                batch = {"commands": [*goal(1, 9.0), *goal(2, 9.0)]}
                await refused(await rest.post("/commands", json=batch, headers=headers))
                await refused(await rest.post("/steps", json=batch, headers=headers))
                await refused(await rest.patch("/agents", json={"agents": [{"id": 2, "radius": 1}]}, headers=headers))
                await refused(await rest.patch("/agents/2", json={"radius": 1}, headers=headers))
                await refused(await rest.put("/agents/2", json={"radius": 1}, headers=headers))
                await refused(await rest.delete("/agents/2", headers=headers))
                await refused(await rest.delete("/agents?ids=1,2", headers=headers))
            for kind in ("command", "step"):
                await other.send(kind, commands=goal(2, 9.0))
                assert (await other.until("error"))["problem"]["code"] == "owned"
            assert runner.facts.step == 0
            wrong = await rest.patch("/agents/2", json={"radius": 1}, headers={"Orca-Crowd-Controller": "a b"})
            assert (wrong.status_code, wrong.json()["errors"][0]["field"]) == (422, "Orca-Crowd-Controller")

            # its owner may, over REST too, and after its socket has gone
            mine = {"Orca-Crowd-Controller": "red"}
            assert (await rest.patch("/agents/2", json={"radius": 0.25}, headers=mine)).json()["sequence"] == 3
            await owner.connection.close()
            await refused_later(rest, runner)
            async with client(served, subprotocol=subprotocol) as again:
                assert ids_of((await register(again, "red"))["results"][0]["owned"]) == [0, 2]
                await again.send("disown", ids=[2])
                assert ids_of((await again.until("ack"))["results"][0]["owned"]) == [0]
            assert (await rest.delete("/agents/2")).headers["orca-crowd-sequence"] == "5"
            gone = await rest.delete("/agents/0", headers=mine)
            assert gone.status_code == 204
            async with client(served, subprotocol=subprotocol) as again:
                assert ids_of((await register(again, "red"))["results"][0]["owned"]) == []


async def refused_later(rest: httpx.AsyncClient, runner: Runner) -> None:
    """A lost socket frees nobody."""
    await eventually(lambda: runner.control.names() == ["blue"])
    assert (await rest.delete("/agents/2")).status_code == 403


@BOTH
async def test_a_step_that_waited_no_longer_is_told_to_everybody(subprotocol: str) -> None:
    async with serving() as served:
        await served.world(clock={"mode": "barrier", "timeout": 0.05})
        async with (
            client(served, subprotocol=subprotocol) as present,
            client(served, subprotocol=subprotocol) as absent,
            client(served, subprotocol=subprotocol) as watcher,
        ):
            # registered at the same time, or steps would be taken without the second one
            await absent.send("register", controller="asleep")
            await absent.until("ack")
            await register(present, "here")
            await present.send("ready", key="r")
            stepped = await present.until("stepped")
            told = [event for event in stepped["events"] if event["kind"] == "barrier-timeout"]
            assert told == [{"kind": "barrier-timeout", "step": stepped["step"], "controllers": ["asleep"]}]
            while (event := await watcher.until("event"))["step"] < stepped["step"]:
                continue
            assert {name: event[name] for name in ("kind", "step")} == {
                "kind": "barrier-timeout",
                "step": stepped["step"],
            }
            assert event["controllers"] == ["asleep"]


@BOTH
async def test_wrong_messages_of_a_controller_are_answered_one_by_one(subprotocol: str) -> None:
    async with serving(controllers_per_world=1) as served:
        runner = await served.world()
        async with client(served, subprotocol=subprotocol) as socket, client(served) as other:
            for number, (kind, values, code, field) in enumerate(
                [
                    ("register", {}, "invalid", "controller"),
                    ("register", {"controller": ""}, "invalid", "controller"),
                    ("register", {"controller": "a b"}, "invalid", "controller"),
                    ("register", {"controller": "x" * 65}, "invalid", "controller"),
                    ("register", {"controller": 5}, "invalid", "controller"),
                    ("register", {"controller": "a", "more": 1}, "invalid", "more"),
                    ("own", {}, "invalid", "ids"),
                    ("own", {"ids": 5}, "invalid", "ids"),
                    ("own", {"ids": [True]}, "invalid", "ids"),
                    ("own", {"ids": [2**63]}, "invalid", "ids"),
                    ("own", {"ids": [0]}, "not-registered", None),
                    ("ready", {"for_step": 0}, "invalid", "for_step"),
                    ("ready", {"for_step": True}, "invalid", "for_step"),
                    ("ready", {"count": 2}, "invalid", "count"),
                    ("ready", {"fields": ["position"]}, "invalid", "fields"),
                    ("ready", {"commands": [{"op": "nope"}]}, "invalid", "op"),
                    ("ready", {}, "wrong-clock", None),
                    ("unregister", {}, "not-registered", None),
                ]
            ):
                await socket.send(kind, key=f"{number}", **values)
                error = await socket.until("error")
                assert (error["key"], error["problem"]["code"]) == (f"{number}", code), error
                if field is not None:
                    assert error["problem"]["errors"][0]["field"] == field
            await register(socket, "a")
            await other.send("register", controller="b")
            assert (await other.until("error"))["problem"]["code"] == "limit"
            for kind, values, code in (
                ("own", {"ids": [0, 0]}, "invalid"),
                ("own", {"ids": [99]}, "not-found"),
                ("step", {"commands": [{"op": "remove_agents", "ids": [1]}], "return": "agents", "ids": [1]}, "gone"),
            ):
                await socket.send(kind, **values)
                assert (await socket.until("error"))["problem"]["code"] == code
            assert (runner.facts.sequence, runner.facts.agents) == (1, 2)
            # its own name anew, and another one in its place
            await register(socket, "a")
            await register(socket, "c")
            assert runner.control.names() == ["c"]
            await socket.send("unregister")
            assert (await socket.until("ack"))["results"][0]["controller"] == "c"
            await other.send("register", controller="b")
            await other.until("ack")


@BOTH
async def test_orders_behind_a_large_ready_do_not_wait_for_its_step(subprotocol: str) -> None:
    async with (
        serving() as served,
        client(await barrier(served, 3000), subprotocol=subprotocol) as socket,
        client(served) as other,
    ):
        await register(socket, "a")
        await register(other, "b")
        rows = [{"id": k, "goal": [1.0, 3.0 * k]} for k in range(3000)]
        await socket.send("ready", commands=[{"op": "set_agents", "agents": rows}], key="large")
        await socket.send("own", ids=[1, 2])
        # it has its effect at once, though its answer comes behind the other
        await eventually(lambda: served.registry.get("w").facts.sequence == 3)
        assert served.registry.get("w").facts.step == 0
        await other.send("ready")
        stepped = await socket.until("stepped")
        assert (stepped["key"], stepped["step"], stepped["sequence"]) == ("large", 1, 2)
        assert (await socket.until("ack"))["sequence"] == 3


async def test_the_tight_loop_in_one_message() -> None:
    """Preferred velocities in, a step, positions and velocities out: the bits of the library."""
    async with serving() as served:
        await served.world(50)
        library = World(time_step=0.1, options=Options.text())
        place = np.arange(50.0)
        library.add_agents(
            {
                "position": np.stack([place * 0.0, place * 3.0], axis=1),
                "preferred_velocity": np.stack([place * 0.0 + 1.0, place * 0.0], axis=1),
            }
        )
        ids = np.arange(10, 40)
        async with (
            client(served, subprotocol=MSGPACK_SUBPROTOCOL) as socket,
            httpx.AsyncClient(base_url=f"http://127.0.0.1:{served.port}/v1/worlds/w") as rest,
        ):
            for step in range(1, 7):
                velocity = np.stack([np.full(30, 0.1 * step), np.linspace(-1.0, 1.0, 30)], axis=1)
                library.set_agents(ids, {"preferred_velocity": velocity})
                library.step()
                order = {"op": "set_agents", "ids": ids.astype("<i8").tobytes()}
                body = {
                    "commands": [{**order, "columns": {"preferred_velocity": velocity.tobytes()}}],
                    "return": "agents",
                    "fields": ["position", "velocity"],
                    "ids": ids[::-1].astype("<i8").tobytes(),
                }
                if step % 2:
                    await socket.send("step", **body)
                    answer = await socket.until("stepped")
                else:
                    headers = {"content-type": "application/msgpack"}
                    reply = await rest.post("/steps", content=msgspec.msgpack.encode(body), headers=headers)
                    answer = msgspec.msgpack.decode(reply.content)
                assert (answer["step"], answer["sequence"]) == (step, 1 + step)
                assert answer["agents"]["ids"] == body["ids"]
                for name in ("position", "velocity"):
                    assert answer["agents"][name] == library.column(name)[ids[::-1]].tobytes()


async def test_events_are_columns_in_messagepack() -> None:
    async with serving() as served:
        runner = await served.world()
        async with client(served, subprotocol=MSGPACK_SUBPROTOCOL) as packed, client(served) as text:
            await packed.send("command", commands=[{"op": "add_agents", "agents": [{"position": [0.1, 0.0]}]}])
            await packed.until("ack")
            await packed.send("step")
            event = await packed.until("event")
            (inside,) = (await packed.until("stepped"))["events"]
            assert {"type": "event", **inside} == event
            assert event["kind"] == "overlap"
            assert ids_of(event["ids"]) == [0, 2]
            assert np.frombuffer(event["other"], "<i8").tolist() == [2, 0]
            depth = np.frombuffer(event["depth"], "<f8").tolist()
            assert (await text.until("event")) == {
                "type": "event",
                "kind": "overlap",
                "step": 1,
                "ids": [0, 2],
                "other": [2, 0],
                "depth": depth,
            }
            await runner.command({"commands": [{"op": "remove_agents", "ids": [2]}]})
            assert ids_of((await packed.until("event"))["ids"]) == [2]
