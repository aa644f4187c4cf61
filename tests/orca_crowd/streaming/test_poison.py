"""What is no finite number, in every order over a socket: refused by its field, and nobody is worse off for it."""

from __future__ import annotations

import json
import math
from typing import Any

import httpx
import msgspec
import numpy as np
import pytest

from orca_crowd.protocol.frames import JSON_SUBPROTOCOL, MSGPACK_SUBPROTOCOL
from tests.orca_crowd.api.checks import strict_json
from tests.orca_crowd.streaming.harness import client, digest, serving

SQUARE = [[[0, 0], [9, 0], [9, 9], [0, 9]]]


def orders(bad: Any) -> list[tuple[dict[str, Any], str]]:
    """Commands with one number that is none, and the path to it."""
    return [
        ({"op": "add_agents", "agents": [{"position": [bad, 0]}]}, "[0].position"),
        ({"op": "add_agents", "columns": {"position": [[0, 50], [0, bad]]}}, "[1].position"),
        ({"op": "set_agents", "agents": [{"id": 0, "preferred_velocity": [bad, 0]}]}, "[0].preferred_velocity"),
        ({"op": "set_agents", "agents": [{"id": 0, "goal": [0, bad]}]}, "[0].goal"),
        ({"op": "set_agents", "agents": [{"id": 0, "max_speed": bad}]}, "[0].max_speed"),
        ({"op": "set_agents", "ids": [0, 1], "columns": {"radius": [0.5, bad]}}, "[1].radius"),
        ({"op": "set_agents", "agents": [{"id": bad, "radius": 0.5}]}, "[0].id"),
        ({"op": "remove_agents", "ids": [bad]}, "[0].ids"),
        ({"op": "add_obstacles", "obstacles": [{"points": [[0, 0], [bad, 1]]}]}, "[0].points"),
        ({"op": "add_walkable", "areas": [{"geometry": polygon(), "clearance": bad}]}, "[0].clearance"),
    ]


def polygon() -> dict[str, Any]:
    """A walkable square."""
    return {"type": "Polygon", "coordinates": SQUARE}


def bins() -> list[tuple[dict[str, Any], str]]:
    """Commands with columns as bins of which one number is none."""
    vectors = np.array([[0.0, 1.0], [math.nan, 0.0]]).tobytes()
    ids = np.array([0, 1], "<i8").tobytes()
    return [
        ({"op": "add_agents", "columns": {"position": vectors}}, "[1].position"),
        ({"op": "set_agents", "ids": ids, "columns": {"preferred_velocity": vectors}}, "[1].preferred_velocity"),
        ({"op": "set_agents", "ids": ids, "columns": {"radius": np.array([math.inf, 1.0]).tobytes()}}, "[0].radius"),
    ]


@pytest.mark.parametrize("subprotocol", [JSON_SUBPROTOCOL, MSGPACK_SUBPROTOCOL])
async def test_no_order_with_what_is_no_number_leaves_a_trace(subprotocol: str) -> None:
    packed = subprotocol == MSGPACK_SUBPROTOCOL
    async with serving() as served:
        runner = await served.world()
        before = await digest(runner)
        async with (
            client(served, subprotocol=subprotocol) as socket,
            client(served) as other,
            httpx.AsyncClient(base_url=f"http://127.0.0.1:{served.port}/v1/worlds") as http,
        ):
            await other.subscribe()
            # Python writes these as the tokens that JSON does not have; "1e999" is put in as text below
            values = [math.nan, math.inf, -math.inf, "NaN", "1", True]
            cases = [case for bad in values for case in orders(bad)]
            # an id that is a boolean or a string is none either, and neither is a fraction
            messages = [
                ({"type": kind, "commands": [order]}, field)
                for order, field in [*cases, *(bins() if packed else [])]
                for kind in ("command", "step")
            ]
            for message, field in messages:
                if packed:
                    await socket.connection.send(msgspec.msgpack.encode(message))
                else:
                    await socket.connection.send(json.dumps(message))
                error = await socket.receive()
                assert (error["type"], error["problem"]["code"]) == ("error", "invalid"), (message, error)
                places = [(entry["item"], entry["field"]) for entry in error["problem"]["errors"]]
                assert places == [(0, field)], message
            if not packed:
                text = '{"type": "command", "commands": [{"op": "add_agents", "agents": [{"position": [1e999, 0]}]}]}'
                await socket.connection.send(text)
                assert (await socket.receive())["problem"]["code"] == "invalid"
            assert (await http.get("/w/agents")).status_code == 200
            assert strict_json((await http.get("/w/agents")).content)["position"] == [[0.0, 0.0], [0.0, 3.0]]
            assert await digest(runner) == before
            assert (runner.facts.step, runner.facts.sequence) == (0, 1)
            # it is open, and so is everybody else
            await socket.send("step")
            assert (await socket.until("stepped"))["step"] == 1
            assert (await other.until("frame"))["step"] == 1
