"""All worlds of this server by their id: made, found, deleted, and ended together."""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Callable

from orca_core.options import Options
from orca_core.world import World
from orca_crowd.clock import Clock
from orca_crowd.engine.interface import Engine
from orca_crowd.errors import ApiError
from orca_crowd.metrics import Metrics
from orca_crowd.protocol.commands import AddAgents, AddObstacles, AddWalkable, Command
from orca_crowd.protocol.steer import SteerRequest
from orca_crowd.protocol.worlds import DURABILITIES, ClockBody, NewWorld
from orca_crowd.settings import Settings
from orca_crowd.worlds.runner import Runner
from orca_crowd.worlds.session import Session, WorldDescription

__all__ = ["Registry"]

log = logging.getLogger("orca_crowd")

# how often worlds that nobody uses are looked for, in seconds
SWEEP_SECONDS = 1.0


class Registry:
    """Worlds by id. Lives on the event loop's thread; making a world runs in a helper thread."""

    def __init__(self, *, settings: Settings, engine: Engine, clock: Clock, metrics: Metrics) -> None:
        """Start empty; `start` begins to look for worlds that nobody uses."""
        self._settings = settings
        self._engine = engine
        self._clock = clock
        self._metrics = metrics
        self._runners: dict[str, Runner] = {}
        self._making: set[str] = set()
        self._draining = False
        self._stopped = asyncio.Event()
        self._sweeper: asyncio.Task[None] | None = None
        metrics.worlds.set_function(lambda: len(self._runners))
        metrics.agents.set_function(lambda: sum(runner.facts.agents for runner in self._runners.values()))
        metrics.queued.set_function(lambda: sum(runner.queued for runner in self._runners.values()))
        metrics.failed.set_function(lambda: sum(runner.state == "failed" for runner in self._runners.values()))

    def start(self) -> None:
        """Begin to delete worlds whose time to live has run out."""
        self._sweeper = asyncio.create_task(self._sweep(), name="sweeper of unused worlds")

    def all(self) -> list[Runner]:
        """Every world, the oldest first."""
        return list(self._runners.values())

    def get(self, name: str) -> Runner:
        """The world of this id, or 404."""
        runner = self._runners.get(name)
        if runner is None:
            raise ApiError("not-found", f"there is no world {name[:64]!r}")
        runner.last_used = self._clock.now()
        return runner

    async def create(self, body: NewWorld) -> Runner:
        """Make a world; 409 where the id is taken, 422 for what the library refuses."""
        options = Options.from_mapping(body.options.model_dump(exclude_unset=True))
        defaults = body.defaults.model_dump(exclude_unset=True)

        def make() -> World:
            world = self._engine.create(time_step=body.time_step, options=options, seed=body.seed)
            world.set_defaults(defaults)
            return world

        return await self._add(body.id, make, title=body.name, ttl=body.ttl, timing=body.clock)

    async def restore(self, data: bytes, name: str | None) -> Runner:
        """Make a world from a snapshot; 409 where the id is taken, 422 where the bytes are none."""
        return await self._add(
            name, lambda: self._engine.restore(data), title=None, ttl=None, timing=ClockBody(mode="manual")
        )

    async def remove(self, name: str) -> None:
        """Delete a world: its watchers are told, what waits is refused, its id is free again."""
        runner = self.get(name)
        del self._runners[name]
        await runner.close("gone", "the world was deleted")

    async def drain(self) -> None:
        """Take no more work, let running slices end, and end every world."""
        self._draining = True
        self._stopped.set()
        if self._sweeper is not None:
            await asyncio.wait([self._sweeper])
        await asyncio.gather(*(runner.close("restarting", "the server is stopping") for runner in self.all()))

    async def steer(self, request: SteerRequest) -> dict[str, object]:
        """One step of a world that is forgotten again: `{velocity, warnings}`."""

        def once() -> dict[str, object]:
            # gone after one step, so it is not worth sharing with workers
            world = World(time_step=request.time_step, options=request.options, seed=request.seed)
            session = Session("steer", world, self._settings)
            commands: list[Command] = [
                AddObstacles(request.obstacles),
                AddWalkable(request.areas),
                AddAgents(request.agents),
            ]
            results = [result for command in commands for result in session.apply([command]).results]
            session.advance(1)
            return {
                "velocity": world.column("velocity").copy(),
                "warnings": [warning for result in results for warning in result["warnings"]],
            }

        return await self._engine.compute(once)

    async def _add(
        self, name: str | None, make: Callable[[], World], *, title: str | None, ttl: float | None, timing: ClockBody
    ) -> Runner:
        """Make a world away from the loop, its id reserved meanwhile."""
        name = name if name is not None else secrets.token_hex(8)
        if self._draining:
            raise ApiError("draining", "the server is stopping and takes no more work")
        if name in self._runners or name in self._making:
            raise ApiError("exists", f"there is a world {name!r} already; delete it first, or choose another id")
        if len(self._runners) + len(self._making) >= self._settings.worlds:
            raise ApiError("limit", f"there are {self._settings.worlds} worlds, which is the limit; delete one first")
        self._making.add(name)
        try:
            session = await self._engine.serve(lambda: Session.checked(name, make(), self._settings))
        finally:
            self._making.discard(name)
        if self._draining:
            raise ApiError("draining", "the server is stopping and takes no more work")
        world = session.world
        description = WorldDescription(
            time_step=world.time_step,
            options=world.options.as_mapping(),
            seed=world.seed,
            durability=DURABILITIES[0],
        )
        runner = Runner(
            session,
            description,
            engine=self._engine,
            clock=self._clock,
            settings=self._settings,
            metrics=self._metrics,
            timing=timing,
        )
        runner.title, runner.ttl = title, ttl
        self._runners[name] = runner
        runner.start()
        return runner

    async def _sweep(self) -> None:
        while not self._stopped.is_set():
            await self._clock.wait(self._stopped, self._clock.now() + SWEEP_SECONDS)
            now = self._clock.now()
            for runner in self.all():
                if runner.ttl is None:
                    continue
                if len(runner.listeners) > runner.attendants or runner.queued:
                    runner.last_used = now
                elif now - runner.last_used > runner.ttl:
                    log.info("world %s was not used for %g seconds and is deleted", runner.name, runner.ttl)
                    try:
                        await self.remove(runner.name)
                    except ApiError:
                        # somebody else was quicker
                        continue
