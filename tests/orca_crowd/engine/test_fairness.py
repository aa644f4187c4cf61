"""Heavy worlds and light ones: each waits for those who came before it, for one step of each and no more."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import pytest

from orca_crowd.engine.processes import ProcessEngine
from tests.orca_crowd.engine.conftest import MakeEngine
from tests.orca_crowd.engine.support import crowd

HEAVY = 60


@asynccontextmanager
async def heavy_load(engine: ProcessEngine, order: list[str]) -> AsyncIterator[None]:
    """Sixty large worlds that are stepped without pause; each step that is done goes into `order`."""
    worlds = {f"heavy {number}": crowd(engine, 3000, seed=number) for number in range(HEAVY)}

    def step(name: str) -> None:
        worlds[name].step()
        order.append(name)

    async def live(name: str) -> None:
        while True:
            await engine.compute(lambda: step(name))

    tasks = [asyncio.create_task(live(name)) for name in worlds]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def come(order: list[str], count: int) -> None:
    """Wait until so many steps are done."""
    while len(order) < count:
        await asyncio.sleep(0.001)


@pytest.mark.parametrize("workers", [1, 2])
async def test_a_light_world_waits_for_one_step_of_each_heavy_one(workers: int, make_engine: MakeEngine) -> None:
    engine = make_engine(workers, split_agents=1500)
    light, order = crowd(engine, 100), []
    order = list[str]()

    def step() -> None:
        light.step()
        order.append("light")

    async with heavy_load(engine, order):
        for round_ in range(3):
            await come(order, (2 * round_ + 1) * HEAVY)
            arrived = len(order)
            await engine.compute(step)
            between = Counter(order[arrived : order.index("light", arrived)])
            # those before it, each once; one that had just been picked up may have been quicker
            assert max(between.values(), default=0) <= 2
            assert sum(between.values()) <= HEAVY + 2 * workers + 2
    await engine.close()


async def test_heavy_worlds_take_turns_among_themselves(make_engine: MakeEngine) -> None:
    engine = make_engine(2, split_agents=1500)
    order: list[str] = []
    async with heavy_load(engine, order):
        await come(order, 5 * HEAVY)
    counts = Counter(order)
    assert len(counts) == HEAVY
    assert max(counts.values()) - min(counts.values()) <= 2
    await engine.close()


async def test_commands_and_reads_wait_for_no_step(make_engine: MakeEngine) -> None:
    """All threads that step are busy for as long as they like; what is not a step runs."""
    engine = make_engine(1)
    order: list[str] = []
    note: Callable[[], None] = lambda: order.append("served")  # noqa: E731
    async with heavy_load(engine, order):
        await come(order, 1)
        for _ in range(10):
            arrived = len(order)
            await engine.serve(note)
            # not behind sixty steps: at most those that end while the thread is woken
            assert order.index("served", arrived) - arrived < HEAVY // 2
    await engine.close()
