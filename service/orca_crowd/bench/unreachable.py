"""Unreachable goals: from the order of a client until its socket is told that no way leads there.

A real server in a process of its own runs the world of the doors benchmark in real time, and a client on a socket gives
some of its agents goals inside boxes, or in courtyards without a door. What is measured is the time from before the
order is sent until events `unreachable` that are `foreseen` have named them all, each with the nearest point that can
be reached. Steps, planning and frames go on meanwhile as ever.
"""

from __future__ import annotations

import asyncio
import time
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray
from websockets.asyncio.client import ClientConnection

from orca_crowd.bench.serving import PATIENCE, Remote, decoded, serving, socket

__all__ = ["measure_unreachable"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


def measure_unreachable(
    body: dict[str, Any],
    obstacles: list[dict[str, Any]],
    columns: dict[str, Floats],
    goals: Floats,
    asked: dict[int, int],
) -> dict[int, list[float]]:
    """Seconds of each order, by how many agents it sends to some of `goals` (g, 2), which nobody can reach.

    `body` makes the world, `columns` are its agents, who follow ways, and `asked` says how often so many get an order.
    """

    async def measured() -> dict[int, list[float]]:
        with serving("inline", 1) as address:
            async with Remote(address) as remote:
                world = (await remote.call("POST", "/v1/worlds", body))["id"]
                path = f"/v1/worlds/{world}"
                await remote.call("POST", f"{path}/obstacles", {"obstacles": obstacles})
                packed = {name: column.tobytes() for name, column in columns.items()}
                agents = {"columns": {**packed, "guidance": ["path"] * len(columns["goal"])}}
                added = await remote.call("POST", f"{path}/agents", agents)
                await remote.call("PATCH", path, {"clock": {"mode": "realtime", "rate": 1.0 / body["time_step"]}})
                async with socket(address, world) as connection:
                    ids = np.frombuffer(added["ids"], np.int64)
                    return await _ordered(connection, ids, columns["goal"], goals, asked)

    return asyncio.run(measured())


async def _ordered(
    connection: ClientConnection, ids: Integers, back: Floats, goals: Floats, asked: dict[int, int]
) -> dict[int, list[float]]:
    """Give the orders one after the other; who was sent is called back before the next one."""
    random = np.random.default_rng(len(ids))
    found: dict[int, list[float]] = {count: [] for count in asked}
    # the meshes are made when somebody first asks
    await _told(connection, ids[:1], goals[:1])
    for count, times in asked.items():
        for _ in range(times):
            rows = random.choice(len(ids), min(count, len(ids)), replace=False)
            sent = goals[random.integers(len(goals), size=len(rows))]
            begin = time.perf_counter()
            await _told(connection, ids[rows], sent)
            found[count].append(time.perf_counter() - begin)
            await connection.send(_order(ids[rows], back[rows]))
            await asyncio.sleep(0.2)
    return found


async def _told(connection: ClientConnection, ids: Integers, goals: Floats) -> None:
    """Order, and wait until all of them are told of."""
    await connection.send(_order(ids, goals))
    missing = set(ids.tolist())
    async with asyncio.timeout(PATIENCE):
        while missing:
            message = decoded(await connection.recv())
            if message["type"] == "event" and message["kind"] == "unreachable" and message.get("foreseen"):
                assert None not in message["nearest"], "somewhere there is room"
                missing -= set(np.frombuffer(message["ids"], np.int64).tolist())


def _order(ids: Integers, goals: Floats) -> bytes:
    """The message that sends agents to goals."""
    columns = {"goal": np.ascontiguousarray(goals).tobytes()}
    order = {"op": "set_agents", "ids": np.ascontiguousarray(ids).tobytes(), "columns": columns}
    return msgspec.msgpack.encode({"type": "command", "commands": [order]})
