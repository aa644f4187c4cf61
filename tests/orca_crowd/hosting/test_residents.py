"""Worlds come to a process and leave it, with a real registry and journals in a real folder."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from orca_crowd.api.guard import Guard
from orca_crowd.clock import ManualClock
from orca_crowd.engine.inline import InlineEngine
from orca_crowd.engine.ray.names import home_of
from orca_crowd.hosting import residents as module
from orca_crowd.hosting.door import FrontDoor
from orca_crowd.hosting.lives import Lives
from orca_crowd.hosting.residents import EMPTY_SECONDS, Residents
from orca_crowd.metrics import Metrics
from orca_crowd.protocol.worlds import parse_world
from orca_crowd.settings import Settings
from orca_crowd.worlds.hosted import Hosted
from orca_crowd.worlds.registry import Registry

HOME = "shared/1-of-1"


@dataclass
class Process:
    """What a process of worlds is made of, but for what speaks with others."""

    residents: Residents
    registry: Registry
    clock: ManualClock
    settings: Settings
    # of whom the journal has said that another process has him
    elsewhere: list[str]

    async def make(self, world: str) -> None:
        """A new world with a journal."""
        assert await self.residents.hold(world, new=True)
        await self.registry.create(parse_world({"id": world, "time_step": 0.25}, self.settings))


async def ready() -> None:
    """Kernels need not be compiled to make worlds."""


@asynccontextmanager
async def process(folder: Path, wall: float) -> AsyncIterator[Process]:
    """One that has begun at this time of day; its worlds are ended with it, and their journals stay."""
    settings = Settings(engine="ray", data=str(folder), world_processes=1, helpers=2)
    clock, metrics, engine = ManualClock(wall), Metrics(), InlineEngine(workers=1, helpers=2)
    lives = Lives(settings, HOME, clock)
    residents = Residents(lives, settings, clock)
    hosted = Hosted(lambda _: lives, FrontDoor("word"), residents.left)
    registry = Registry(settings=settings, engine=engine, clock=clock, metrics=metrics, archive=lives, hosted=hosted)
    elsewhere: list[str] = []

    async def app(*_: object) -> None:
        raise AssertionError("nobody asks anything")

    guard = Guard(app, clock=clock, epoch=residents.epoch, superseded=lives.superseded, end=elsewhere.append)
    residents.settle(registry, guard)
    registry.start()
    try:
        yield Process(residents, registry, clock, settings, elsewhere)
    finally:
        await registry.drain()
        await engine.close()


@pytest.fixture(autouse=True)
def no_quiet_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody else answers for these worlds."""
    monkeypatch.setattr(module, "QUIET_SECONDS", 0.0)


async def test_a_new_world_is_held_once_and_only_if_it_comes_to_be(tmp_path: Path) -> None:
    async with process(tmp_path, 100.0) as one:
        hold = one.residents.hold
        # whoever makes it first has it
        assert await asyncio.gather(hold("w", new=True), hold("w", new=True)) == [True, True]
        assert one.residents.epoch("w") == 100_000
        # it was refused, or whoever wanted it has died: others may have the id
        await one.residents.drop("w")
        assert one.residents.epoch("w") is None
        assert await hold("w", new=True)
        one.clock.advance(EMPTY_SECONDS / 2)
        assert await one.residents.look()
        assert "w" in one.residents.lives
        one.clock.advance(EMPTY_SECONDS)
        assert not await one.residents.look()
        assert "w" not in one.residents.lives
        # one that is there is not dropped by somebody who comes late
        await one.make("w")
        assert not await hold("w", new=True)
        await one.residents.drop("w")
        one.clock.advance(10 * EMPTY_SECONDS)
        assert await one.residents.look()
        assert one.residents.epoch("w") is not None
        assert not await hold("v", new=False)
        assert "v" not in one.residents.lives


async def test_a_world_that_is_deleted_leaves_at_once_and_its_id_is_free(tmp_path: Path) -> None:
    async with process(tmp_path, 100.0) as one:
        await one.make("w")
        await one.registry.remove("w")
        assert one.residents.epoch("w") is None
        one.clock.advance(1.0)
        await one.make("w")
        # front ends that knew the first one notice
        assert one.residents.epoch("w") == 101_000


async def test_another_process_brings_back_what_this_one_had(tmp_path: Path) -> None:
    async with process(tmp_path, 100.0) as one, process(tmp_path, 200.0) as other:
        for world in ("w", "v", "asleep"):
            assert home_of(world, 1) == HOME
            await one.make(world)
        assert (await one.registry.get("w").step({"count": 3}))["step"] == 3
        await one.registry.get("asleep").change(lambda session: session.keep(away=True))
        await other.residents.claim()
        await other.residents.bring_back(ready)
        # one that was put away comes when somebody asks for it
        assert sorted(other.residents.lives.all()) == ["v", "w"]
        assert await other.residents.hold("asleep", new=False)
        assert [other.residents.epoch(world) for world in ("w", "v", "asleep")] == [200_000] * 3
        assert other.registry.get("w").facts.step == 3
        # the first one finds out for each of them, though nobody asks it anything
        for _ in range(3):
            await one.residents.look()
        assert sorted(one.elsewhere) == ["asleep", "v", "w"]
