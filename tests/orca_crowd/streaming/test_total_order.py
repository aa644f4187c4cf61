"""Many controllers at once over REST and sockets: what they were told is enough to make the same world again."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx

from orca_crowd.protocol.frames import JSON_SUBPROTOCOL, MSGPACK_SUBPROTOCOL
from tests.orca_crowd.streaming.harness import Client, Served, client, serving

ROUNDS = 25
CONTROLLERS = 6

Order = dict[str, Any]
Send = Callable[[list[Order]], Awaitable[None]]


@dataclass
class Told:
    """What all clients together know of one world: changes by their place, digests by step."""

    changes: dict[int, tuple[int, list[Order]]] = field(default_factory=dict)
    digests: dict[int, str] = field(default_factory=dict)

    def change(self, answer: dict[str, Any], commands: list[Order], step: int) -> None:
        """An accepted change: no place is given twice."""
        assert answer["sequence"] not in self.changes
        self.changes[answer["sequence"]] = (step, commands)


def orders(chance: random.Random, own: list[int]) -> list[Order]:
    """Something to do: mostly goals for its own agents, now and then a wall, somebody new, somebody less."""
    kind = chance.random()
    if kind < 0.1 and len(own) > 3:
        return [{"op": "remove_agents", "ids": [own.pop()]}]
    if kind < 0.2:
        identifier = chance.randrange(1000, 2**40)
        own.append(identifier)
        place = [chance.uniform(-20, 20), chance.uniform(-20, 20)]
        return [{"op": "add_agents", "agents": [{"id": identifier, "position": place, "goal": [0, 0]}]}]
    if kind < 0.25:
        x, y = chance.uniform(-20, 20), chance.uniform(-20, 20)
        return [{"op": "add_obstacles", "obstacles": [{"points": [[x, y], [x + 1, y + 1]]}]}]
    rows = [{"id": each, "goal": [chance.uniform(-20, 20), chance.uniform(-20, 20)]} for each in own]
    return [{"op": "set_agents", "agents": rows}, {"op": "set_agents", "agents": [{"id": own[0], "radius": 0.25}]}]


async def over_rest(served: Served, told: Told, number: int) -> None:
    """A controller that gives its orders over REST, batches and single calls."""
    chance, own = random.Random(number), [number * 10 + k for k in range(5)]
    async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{served.port}/v1/worlds/w", timeout=60) as http:
        for _ in range(ROUNDS):
            commands = orders(chance, own)
            if len(commands) == 1 and commands[0]["op"] == "add_obstacles":
                answer = await http.post("/obstacles", json={"obstacles": commands[0]["obstacles"]})
            elif len(commands) == 1 and commands[0]["op"] == "remove_agents":
                answer = await http.delete(f"/agents/{commands[0]['ids'][0]}")
                place = {"sequence": int(answer.headers["orca-crowd-sequence"])}
                told.change(place, commands, int(answer.headers["orca-crowd-step"]))
                continue
            else:
                answer = await http.post("/commands", json={"commands": commands})
            assert answer.status_code in (200, 201), answer.text
            told.change(answer.json(), commands, answer.json()["step"])


async def over_a_socket(served: Served, told: Told, number: int, subprotocol: str) -> None:
    """A controller that owns its agents and gives orders over its socket, every third with a step of its own."""
    chance, own = random.Random(number), [number * 10 + k for k in range(5)]
    async with client(served, subprotocol=subprotocol) as socket:
        await socket.send("register", controller=f"c{number}")
        await socket.until("ack")
        await socket.send("own", ids=own)
        told.change(ack := await socket.until("ack"), [], ack["step"])
        for turn in range(ROUNDS):
            commands = orders(chance, own)
            if turn % 3:
                await socket.send("command", commands=commands)
                answer = await socket.until("ack")
                told.change(answer, commands, answer["step"])
            else:
                await socket.send("step", commands=commands, return_="digest")
                answer = await socket.until("stepped")
                # before the step that it came with
                told.change(answer, commands, answer["step"] - 1)
                assert told.digests.setdefault(answer["step"], answer["digest"]) == answer["digest"]


async def stepping(served: Served, told: Told) -> None:
    """Somebody who steps all the while."""
    async with client(served) as socket:
        for _ in range(ROUNDS):
            await socket.send("step", return_="digest")
            answer = await socket.until("stepped")
            assert told.digests.setdefault(answer["step"], answer["digest"]) == answer["digest"]


@asynccontextmanager
async def world(served: Served, name: str) -> AsyncIterator[httpx.AsyncClient]:
    """A world with five agents for each controller."""
    base = f"http://127.0.0.1:{served.port}/v1"
    async with httpx.AsyncClient(base_url=base, timeout=60) as http:
        await http.post("/worlds", json={"id": name, "time_step": 0.1})
        rows = [
            {"id": number * 10 + k, "position": [3.0 * k - 6.0, 3.0 * number - 9.0], "goal": [0, 0]}
            for number in range(CONTROLLERS)
            for k in range(5)
        ]
        added = await http.post(f"/worlds/{name}/agents", json={"agents": rows})
        assert added.json()["sequence"] == 1
        yield http


async def test_the_changes_in_their_order_are_the_same_world_again() -> None:
    async with serving() as served:
        told = Told()
        async with world(served, "w") as http:
            await asyncio.gather(
                stepping(served, told),
                *(over_rest(served, told, number) for number in range(3)),
                over_a_socket(served, told, 3, JSON_SUBPROTOCOL),
                over_a_socket(served, told, 4, MSGPACK_SUBPROTOCOL),
                over_a_socket(served, told, 5, JSON_SUBPROTOCOL),
            )
            shown = (await http.get("/worlds/w")).json()
        # every change has its place, none is missing, and the steps of changes never go back
        assert sorted(told.changes) == list(range(2, shown["sequence"] + 1))
        assert sorted(told.digests) == list(range(1, shown["step"] + 1))
        order = [told.changes[sequence] for sequence in sorted(told.changes)]
        assert [step for step, _ in order] == sorted(step for step, _ in order)
        assert len({step for step, _ in order}) > 10

        async with world(served, "again") as http:
            waiting = iter([*order, (shown["step"], [])])
            step, commands = next(waiting)
            for taken in range(shown["step"]):
                while step == taken:
                    answer = await http.post("/worlds/again/commands", json={"commands": commands})
                    assert answer.status_code == 200, answer.text
                    step, commands = next(waiting)
                answer = await http.post("/worlds/again/steps", json={"return": "digest"})
                assert answer.json()["digest"] == told.digests[taken + 1], taken + 1


async def test_places_are_given_to_what_was_accepted_alone() -> None:
    async with serving() as served:
        await served.world(3)
        async with client(served) as socket:
            await send_and_see(socket, [{"op": "remove_agents", "ids": [9]}], None)
            await send_and_see(socket, [], 2)
            await send_and_see(socket, [{"op": "remove_agents", "ids": [1]}, {"op": "nope"}], None)
            await send_and_see(socket, [{"op": "remove_agents", "ids": [1]}], 3)
            # a repetition is the same change
            for _ in range(2):
                await socket.send("command", commands=[{"op": "remove_agents", "ids": [2]}], key="k")
                assert (await socket.until("ack"))["sequence"] == 4
            # steps without commands change no one's place
            await socket.send("step", count=3)
            assert "sequence" not in await socket.until("stepped")
        async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{served.port}/v1/worlds") as http:
            changed = await http.patch(
                "/w", json={"clock": {"mode": "realtime", "rate": 1}, "defaults": {"radius": 0.3}}
            )
            assert changed.json()["sequence"] == 5
            assert (await http.patch("/w", json={"name": "x"})).json()["sequence"] == 5


async def send_and_see(socket: Client, commands: list[Order], sequence: int | None) -> None:
    """A batch and its place, None where it is refused."""
    await socket.send("command", commands=commands)
    answer = await (socket.until("error") if sequence is None else socket.until("ack"))
    assert answer.get("sequence") == sequence
