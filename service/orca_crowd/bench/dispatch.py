"""Dispatch: what an engine costs beside the steps, and what more workers bring, seen from the event loop."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextlib import AsyncExitStack
from typing import Any

import numpy as np
from numpy.typing import NDArray

from orca_core import warmup
from orca_core.options import PROFILES
from orca_core.world import World
from orca_crowd.bench.compare import Timings, in_turn, ratios
from orca_crowd.bench.contenders import fill
from orca_crowd.bench.engines import event_loop, running
from orca_crowd.bench.scenes import Scene
from orca_crowd.engine.interface import Engine

__all__ = ["DIVIDED", "IDLE", "OWN", "PROFILE", "ThroughEngine", "empty_steps", "idle_positions", "speed_up"]

PROFILE = "service"
# rounds before the first that counts, and seconds between two rounds of an engine that has to be woken
FIRST = 50
PAUSE = 0.005
BLOCK = 5
# agents for each worker in a world in which nothing happens, a leaf of them, and metres between two of them
IDLE = 8
IDLE_SPACING = 100.0
# the names of what is judged: an idle step that reaches every worker, and what of it is the engine's
DIVIDED = "an idle step divided among all workers"
OWN = "of that the engine's own cost"


def empty_steps(name: str, workers: int, rounds: int) -> dict[str, list[float]]:
    """Seconds that the event loop waits for steps in which nothing happens.

    A world without agents may go to no worker at all, so a few agents without a goal, far from each other, are divided
    among all workers. What is left when the same step in this thread is taken off is the engine's own cost.
    """
    warmup.compile_all()
    with asyncio.Runner(loop_factory=event_loop) as runner:
        return runner.run(_empty_steps(name, workers, rounds))


async def _empty_steps(name: str, workers: int, rounds: int) -> dict[str, list[float]]:
    async with running(name, workers, split_agents=1, small_agents=0) as engine:
        empty = await engine.serve(lambda: _world(engine))
        idle = await engine.serve(lambda: _world(engine))
        alone = World(time_step=Scene.time_step, options=PROFILES[PROFILE])
        for world in (idle, alone):
            world.add_agents({"position": idle_positions(workers)})
        found: dict[str, list[float]] = {
            "no call": await _waits(engine, lambda: None, rounds),
            "a step of an empty world": await _waits(engine, empty.step, rounds),
        }
        divided, without, own = await _beside(engine, idle, alone, rounds)
        return {
            **found,
            DIVIDED: divided,
            "the same step without an engine": without,
            OWN: own,
            f"{DIVIDED}, after a pause": await _waits(engine, idle.step, max(1, rounds // 10), pause=PAUSE),
        }


def idle_positions(workers: int) -> NDArray[np.float64]:
    """Where agents stand (n, 2) who meet nobody, as many as give each worker a leaf."""
    return np.arange(2.0 * IDLE * workers).reshape(-1, 2) * IDLE_SPACING


async def _waits(engine: Engine, call: Callable[[], Any], rounds: int, pause: float = 0.0) -> list[float]:
    """Seconds of each round."""
    found = []
    for number in range(FIRST + rounds):
        if pause:
            await asyncio.sleep(pause)
        begin = time.perf_counter()
        await engine.compute(call)
        if number >= FIRST:
            found.append(time.perf_counter() - begin)
    return found


async def _beside(
    engine: Engine, idle: World, alone: World, rounds: int
) -> tuple[list[float], list[float], list[float]]:
    """Seconds of a step through the engine, of the same in this thread, and their difference, in turn."""
    through, here = [], []
    for number in range(FIRST + rounds):
        first = time.perf_counter()
        await engine.compute(idle.step)
        second = time.perf_counter()
        alone.step()
        third = time.perf_counter()
        if number >= FIRST:
            through.append(second - first)
            here.append(third - second)
    return through, here, [a - b for a, b in zip(through, here, strict=True)]


def _world(engine: Engine, scene: Scene | None = None) -> World:
    """A world of the engine, empty without a scene."""
    world = engine.create(time_step=Scene.time_step, options=PROFILES[PROFILE], seed=0)
    if scene is not None:
        fill(world, scene)
    return world


class ThroughEngine:
    """A crowd whose steps are waited for by an event loop, one by one."""

    def __init__(self, scene: Scene, engine: Engine, workers: int, loop: asyncio.AbstractEventLoop) -> None:
        """Make the world in the engine."""
        self.name = f"{workers} worker" + ("" if workers == 1 else "s")
        self.engine = engine
        self.loop = loop
        self.world: World = loop.run_until_complete(engine.serve(lambda: _world(engine, scene)))

    def prepare(self) -> None:
        """Nothing: goals were given once."""

    def run(self, steps: int) -> None:
        """Take the steps."""

        async def step() -> None:
            for _ in range(steps):
                await self.engine.compute(self.world.step)

        self.loop.run_until_complete(step())

    def positions(self) -> NDArray[np.float64]:
        """Where the agents are (n, 2)."""
        return np.asarray(self.world.column("position"), dtype=np.float64)

    def velocities(self) -> NDArray[np.float64]:
        """How they move (n, 2)."""
        return np.asarray(self.world.column("velocity"), dtype=np.float64)


def speed_up(
    name: str, workers: int, agents: int, *, steps: int, advance: Callable[[int], None] | None = None
) -> dict[str, Any]:
    """One worker and `workers` in turn on the same crowd: times on the wall, how much faster, and the same bits?"""
    warmup.compile_all()
    scene = Scene(agents)
    block = min(BLOCK, steps)
    with asyncio.Runner(loop_factory=event_loop) as runner:
        loop, ends = runner.get_loop(), AsyncExitStack()
        try:
            engines = [loop.run_until_complete(ends.enter_async_context(running(name, n))) for n in (1, workers)]
            crowds = [ThroughEngine(scene, engine, n, loop) for engine, n in zip(engines, (1, workers), strict=True)]
            timings = [Timings(crowd.name) for crowd in crowds]
            in_turn(crowds, timings, blocks=-(-steps // block), block=block, warm_up=scene.warm_up, advance=advance)
            same = len({crowd.world.digest() for crowd in crowds}) == 1
        finally:
            loop.run_until_complete(ends.aclose())
    return {
        "agents": agents,
        "seconds": {timing.name: timing.wall for timing in timings},
        "times_as_fast": ratios(timings[0], timings[1], by="wall"),
        "same_bits": same,
    }
