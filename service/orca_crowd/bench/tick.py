"""Ticks over the socket: a step message there, all agents back and decoded; and many worlds in real time, how late."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from orca_crowd.bench.scenes import Scene
from orca_crowd.bench.serving import Remote, decoded, socket

__all__ = ["Arrivals", "lateness", "realtime", "tick_seconds"]

STEP = msgspec.msgpack.encode({"type": "step", "return": "agents"})
SUBSCRIBE = msgspec.msgpack.encode({"type": "subscribe", "fields": ["position"], "precision": "float32"})
# worlds that are made at once, and seconds at the beginning that do not count
AT_ONCE = 8
SETTLE = 1.0
# what is counted while worlds run
COUNTED = ("orca_crowd_late_steps_total", "orca_crowd_steps_total", "process_cpu_seconds_total")


async def tick_seconds(remote: Remote, scene: Scene, ticks: int) -> list[float]:
    """Seconds of each of `ticks` ticks: from the message on its way to the positions and velocities as arrays."""
    world = await remote.create(scene)
    taken = []
    async with socket(remote.address, world) as connection:
        for number in range(scene.warm_up + ticks):
            begin = time.perf_counter()
            await connection.send(STEP)
            answer = decoded(await connection.recv())
            while answer["type"] != "stepped":
                # events of the world are for everybody who listens
                answer = decoded(await connection.recv())
            arrays = [np.frombuffer(answer["agents"][name], "<f8") for name in ("position", "velocity")]
            if number >= scene.warm_up:
                taken.append(time.perf_counter() - begin)
            assert all(len(array) == 2 * scene.agents for array in arrays)
    await remote.call("DELETE", f"/v1/worlds/{world}")
    return taken


@dataclass
class Arrivals:
    """When the steps of one world became known here, in seconds of the monotonic clock.

    `asked` and `answered` are the moments between which its clock began, `steps` number its deadlines.
    """

    asked: float
    answered: float
    steps: list[int]
    moments: list[float]


def lateness(arrivals: Arrivals, rate: float) -> tuple[NDArray[np.float64], float]:
    """How late each step was known, in seconds, and how far the beginning of its clock is uncertain.

    Step k of the clock is due k periods after its beginning, which is after it was asked for, before it was answered,
    and so early that no step came before it was due. The latest such moment is taken; an earlier one would make every
    step later by the same.
    """
    moments = np.asarray(arrivals.moments, dtype=np.float64)
    due = np.asarray(arrivals.steps, dtype=np.float64) / rate
    begin = min(arrivals.answered, float((moments - due).min(initial=np.inf)))
    return moments - due - begin, begin - arrivals.asked


async def realtime(
    remote: Remote,
    scenes: Sequence[Scene],
    *,
    rate: float,
    seconds: float,
    watched: int,
    at_once: int = AT_ONCE,
    rest: Callable[[], Awaitable[None]] | None = None,
    tell: Callable[[str], None] = lambda _: None,
) -> dict[str, Any]:
    """Let a world of each scene run in real time; the lateness of those that are watched, and the steps given up.

    `at_once` of them are made at the same time, and the clocks begin after a `rest`; `tell` hears of each.

    `processor` is what the server's own process used for a step, in seconds, everything around it included.
    """
    gate = asyncio.Semaphore(at_once)

    made: list[str] = []

    async def create(scene: Scene) -> str:
        async with gate:
            world = await remote.create(scene)
        made.append(world)
        tell(f"{len(made)} of {len(scenes)} worlds are made")
        return world

    worlds = await asyncio.gather(*(create(scene) for scene in scenes))
    if rest is not None:
        await rest()
    # who is watched is spread over the order of creation
    chosen = {worlds[i] for i in np.linspace(0, len(worlds) - 1, min(watched, len(worlds))).astype(int)}
    clock = {"clock": {"mode": "realtime", "rate": rate}}
    started: dict[str, tuple[float, float]] = {}
    opened: dict[str, asyncio.Event] = {world: asyncio.Event() for world in chosen}
    going = asyncio.Event()

    async def watch(world: str) -> Arrivals:
        steps: list[int] = []
        moments: list[float] = []
        given_up = 0
        async with socket(remote.address, world) as connection:
            await connection.send(SUBSCRIBE)
            while decoded(await connection.recv())["type"] != "full":
                pass
            opened[world].set()
            await going.wait()
            end = time.monotonic() + seconds
            while (left := end - time.monotonic()) > 0:
                try:
                    message = decoded(await asyncio.wait_for(connection.recv(), left))
                except TimeoutError:
                    break
                if message["type"] == "frame":
                    # deadlines that were given up have passed without a step
                    steps.append(message["step"] + given_up)
                    moments.append(time.monotonic())
                elif message.get("kind") == "late":
                    given_up += message["given_up"]
        asked, answered = started[world]
        first = end - seconds + SETTLE
        kept = [i for i, moment in enumerate(moments) if moment >= first]
        return Arrivals(asked, answered, [steps[i] for i in kept], [moments[i] for i in kept])

    tell(f"{len(worlds)} worlds in real time for {seconds:g} seconds")
    watchers = [asyncio.create_task(watch(world)) for world in chosen]
    await asyncio.gather(*(event.wait() for event in opened.values()))
    for world in worlds:
        asked = time.monotonic()
        await remote.call("PATCH", f"/v1/worlds/{world}", clock)
        started[world] = (asked, time.monotonic())
    before = [await remote.counted(name) for name in COUNTED]
    going.set()
    found = [lateness(arrivals, rate) for arrivals in await asyncio.gather(*watchers)]
    given_up, steps, processor = [
        await remote.counted(name) - value for name, value in zip(COUNTED, before, strict=True)
    ]
    await asyncio.gather(*(remote.call("DELETE", f"/v1/worlds/{world}") for world in worlds))
    late = np.concatenate([values for values, _ in found])
    wanted = len(found) * rate * (seconds - SETTLE)
    return {
        "worlds": len(worlds),
        "watched": len(found),
        "agents": scenes[0].agents,
        "rate": rate,
        "seconds": seconds - SETTLE,
        "late": late,
        "uncertain": max((wide for _, wide in found), default=0.0),
        "given_up": given_up,
        "processor": processor / max(1.0, steps),
        "seen": len(late) / wanted if wanted else 0.0,
    }
