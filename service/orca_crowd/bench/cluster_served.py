"""What a front end adds to a step, and how late worlds in real time are that it passes on."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from orca_crowd.bench.contenders import scene_world
from orca_crowd.bench.machine import others
from orca_crowd.bench.scenes import Scene
from orca_crowd.bench.serving import Remote
from orca_crowd.bench.tick import realtime, tick_seconds

__all__ = ["added_to_a_tick", "worlds_in_real_time"]

# worlds that are made at the same time: each of them starts a process, which takes seconds of a core
AT_ONCE = 2
# when processes have come to rest, and what Ray starts and ends beside them: so many looks in a row with at most so
# many cores in use, which idle processes of worlds come to, and how long that is waited for
QUIET, USED, PATIENCE = 8, 0.6, 90.0


async def added_to_a_tick(front: Remote, alone: Remote, scene: Scene, ticks: int, turns: int) -> dict[str, list[float]]:
    """Seconds of ticks through a front end, at a server of one machine, and of the bare step; each gets `turns`."""
    found: dict[str, list[float]] = {"front end": [], "one machine": [], "bare step": []}
    each = -(-ticks // turns)
    for _ in range(turns):
        found["front end"] += await tick_seconds(front, scene, each)
        found["one machine"] += await tick_seconds(alone, scene, each)
        found["bare step"] += await asyncio.to_thread(_bare, scene, each)
    return found


def _bare(scene: Scene, steps: int) -> list[float]:
    world = scene_world(scene, "service")
    world.step(scene.warm_up)
    found = []
    for _ in range(steps):
        begin = time.perf_counter()
        world.step()
        found.append(time.perf_counter() - begin)
    return found


async def worlds_in_real_time(
    front: Remote,
    worlds: int,
    agents: int,
    rate: float,
    seconds: float,
    tell: Callable[[str], None] = lambda _: None,
) -> dict[str, Any]:
    """So many worlds through a front end, all watched; how late they are. `tell` hears of each."""
    scenes = [replace(Scene(agents), seed=seed) for seed in range(worlds)]
    return await realtime(
        front, scenes, rate=rate, seconds=seconds, watched=worlds, at_once=AT_ONCE, rest=_rest, tell=tell
    )


async def _rest() -> None:
    """Wait until this machine has little else to do, or for as long as patience lasts."""
    quiet, until = 0, time.monotonic() + PATIENCE
    while quiet < QUIET and time.monotonic() < until:
        used = await asyncio.to_thread(others)
        quiet = quiet + 1 if used is None or used <= USED else 0
