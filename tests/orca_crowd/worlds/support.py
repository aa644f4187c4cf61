"""Sessions and runners without a web server: a clock that stands still, an engine with one thread each."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from orca_crowd.clock import Clock, ManualClock
from orca_crowd.engine.inline import InlineEngine
from orca_crowd.metrics import Metrics
from orca_crowd.protocol.worlds import parse_world
from orca_crowd.settings import Settings
from orca_crowd.worlds.publication import Publication
from orca_crowd.worlds.registry import Registry
from orca_crowd.worlds.runner import Runner

__all__ = ["Worlds", "crowd", "record", "running"]

TWO = {
    "op": "add_agents",
    "agents": [{"id": 1, "position": [0, 0], "goal": [9, 0]}, {"id": 2, "position": [9, 0.1], "goal": [0, 0]}],
}


@dataclass
class Worlds:
    """A registry and what surrounds it."""

    registry: Registry
    clock: Any
    metrics: Metrics
    settings: Settings

    async def make(self, name: str = "w", **members: Any) -> Runner:
        """A world with time step 0.25."""
        return await self.registry.create(parse_world({"id": name, "time_step": 0.25, **members}, self.settings))

    def sample(self, name: str) -> float:
        """The value of a metric."""
        value = self.metrics.registry.get_sample_value(name)
        assert value is not None, name
        return value


@asynccontextmanager
async def running(clock: Clock | None = None, **limits: Any) -> AsyncIterator[Worlds]:
    """Worlds until the end of the block; afterwards no task and no thread is left."""
    settings = Settings(**{"engine": "inline", "workers": 1, "helpers": 1, **limits})
    clock = clock if clock is not None else ManualClock()
    metrics = Metrics()
    engine = InlineEngine(workers=1, helpers=1)
    registry = Registry(settings=settings, engine=engine, clock=clock, metrics=metrics)
    registry.start()
    try:
        yield Worlds(registry, clock, metrics, settings)
    finally:
        await registry.drain()
        await engine.close()


def record(runner: Runner) -> list[Publication]:
    """Listen to a runner; what it says from now on."""
    heard: list[Publication] = []
    runner.listeners.add(heard.append)
    return heard


async def crowd(worlds: Worlds, name: str = "w", **members: Any) -> Runner:
    """A world with two agents on their way to each other."""
    runner = await worlds.make(name, **members)
    await runner.command({"commands": [TWO]})
    return runner
