"""All worlds of this server by their id: made, found, deleted, and ended together."""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Awaitable, Callable
from functools import partial

from orca_core.world import World
from orca_crowd.clock import Clock
from orca_crowd.engine.interface import Engine
from orca_crowd.errors import ApiError
from orca_crowd.journal.errors import BadJournal, JournalError, JournalFull, StoreAway
from orca_crowd.journal.recorder import Recorder, Snapshot
from orca_crowd.metrics import Metrics
from orca_crowd.protocol.guidance import asked_of
from orca_crowd.protocol.worlds import ClockBody, ForkBody, NewWorld
from orca_crowd.settings import Settings
from orca_crowd.tracing import OFF, Tracing
from orca_crowd.worlds.about import About
from orca_crowd.worlds.description import WorldDescription
from orca_crowd.worlds.hosted import ASKED, Hosted
from orca_crowd.worlds.journals import Journals
from orca_crowd.worlds.planning import PlannerPool
from orca_crowd.worlds.runner import Runner
from orca_crowd.worlds.session import Session

__all__ = ["Registry"]

log = logging.getLogger("orca_crowd")

# how often worlds that nobody uses are looked for, in seconds
SWEEP_SECONDS = 1.0


def _captured(recorder: Recorder, session: Session) -> Snapshot:
    return recorder.capture(session.world, session.memory())


class Registry:
    """Worlds by id. Lives on the event loop's thread; making a world runs in a helper thread."""

    def __init__(
        self,
        *,
        settings: Settings,
        engine: Engine,
        clock: Clock,
        metrics: Metrics,
        archive: Journals | None = None,
        tracing: Tracing = OFF,
        planners: PlannerPool | None = None,
        hosted: Hosted | None = None,
    ) -> None:
        """Start empty; `start` brings back the worlds of the archive and looks for worlds that nobody uses.

        `hosted`: it has worlds for others, who say when each comes back and how new ones are called.
        """
        self._hosted = hosted
        self._settings = settings
        self._engine = engine
        self._clock = clock
        self._metrics = metrics
        self._archive = archive
        self._tracing = tracing
        self._planners = planners
        self._runners: dict[str, Runner] = {}
        self._making: set[str] = set()
        # worlds with a journal that are not here: put away, since nobody used them
        self._away: set[str] = set()
        self._waking: dict[str, asyncio.Task[None]] = {}
        self._to_come: list[str] = []
        self._draining = False
        self._stopped = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []
        metrics.worlds.set_function(lambda: len(self._runners))
        # asked in a helper thread, while worlds come and go
        metrics.agents.set_function(lambda: sum(runner.facts.agents for runner in self.all()))
        metrics.queued.set_function(lambda: sum(runner.queued for runner in self.all()))
        metrics.queued_most.set_function(lambda: max((runner.queued for runner in self.all()), default=0))
        metrics.failed.set_function(lambda: sum(runner.state == "failed" for runner in self.all()))
        metrics.away.set_function(lambda: len(self._away))
        metrics.journal_bytes.set_function(lambda: sum(each.file.size for each in self._journals()))
        metrics.journal_log_bytes.set_function(lambda: sum(each.file.log_bytes for each in self._journals()))
        metrics.journal_replay_seconds.set_function(
            lambda: max((each.replay_seconds for each in self._journals()), default=0.0)
        )

    def open(self) -> None:
        """Take the archive for this server alone; ArchiveLocked or OSError where that cannot be."""
        if self._archive is not None:
            self._archive.open()

    def start(self, warm: Callable[[], Awaitable[None]] | None = None) -> None:
        """Bring back what the archive holds, once `warm` returns, and begin to look for worlds that nobody uses."""
        self.open()
        self._to_come = self._archive.names() if self._archive is not None else []
        self._tasks = [
            asyncio.create_task(self._bring_all_back(warm), name="return of the worlds"),
            asyncio.create_task(self._sweep(), name="sweeper of unused worlds"),
        ]

    def check_ready(self) -> None:
        """Refuse with 503 until every world of the archive is back."""
        if self._to_come:
            raise ApiError(
                "not-ready",
                f"{len(self._to_come)} worlds are still being brought back from their journals; try again in a second",
                headers={"Retry-After": "1"},
            )

    def all(self) -> list[Runner]:
        """Every world, the oldest first."""
        return list(self._runners.values())

    def _journals(self) -> list[Recorder]:
        return [runner.recorder for runner in self.all() if runner.recorder is not None]

    def get(self, name: str) -> Runner:
        """The world of this id, or 404."""
        runner = self._runners.get(name)
        if runner is None:
            raise ApiError("not-found", f"there is no world {name[:64]!r}")
        runner.last_used = self._clock.now()
        return runner

    async def create(self, body: NewWorld) -> Runner:
        """Make a world; 409 where the id is taken, 422 for what the library refuses, 507 where it cannot be kept."""
        options, defaults = asked_of(body)

        def make() -> World:
            world = self._engine.create(time_step=body.time_step, options=options, seed=body.seed)
            world.set_defaults(defaults)
            return world

        about = About(body.name, body.ttl, body.clock, body.durability or self._settings.durabilities[0])
        return await self._add(body.id, make, about)

    async def restore(self, data: bytes, name: str | None) -> Runner:
        """Make a world from a snapshot; 409 where the id is taken, 422 where the bytes are none."""
        about = About(None, None, ClockBody(mode="manual"), self._settings.durabilities[0])
        return await self._add(name, lambda: self._engine.restore(data), about)

    async def wake(self, name: str) -> None:
        """Bring a world back that was put away; nothing happens where it is here, or nowhere."""
        task = self._waking.get(name)
        if task is None and name in self._away:
            self._check_number()
            self._away.discard(name)
            task = self._waking[name] = asyncio.create_task(self.bring_back(name), name=f"return of {name}")
            task.add_done_callback(lambda _: self._waking.pop(name, None))
        if task is not None:
            # one who asked and has gone must not end it for the others
            await asyncio.shield(task)

    async def past(self, runner: Runner, step: int) -> bytes:
        """The snapshot of a world as it was when it left a step."""
        archive = self._archive
        if archive is None or runner.description.durability == "none":
            raise ApiError("not-available", f"world {runner.name!r} keeps no journal, so its past is not to be had")
        try:
            return await self._engine.serve(lambda: archive.past(runner.name, step))
        except BadJournal as error:
            raise ApiError("gone", f"the past of world {runner.name!r} cannot be read: {error}") from None
        except StoreAway as away:
            raise ApiError("not-ready", str(away), headers={"Retry-After": "1"}) from None

    async def fork(self, runner: Runner, body: ForkBody) -> Runner:
        """A new world that begins as another one was at a step."""
        data = await self.past(runner, body.step)
        about = About(body.name, None, ClockBody(mode="manual"), runner.description.durability)
        return await self._add(body.id, lambda: self._engine.restore(data), about)

    async def revive(self, name: str) -> Runner:
        """Bring a failed world back from its journal, as it was acknowledged last; 409 where it has not failed."""
        runner = self.get(name)
        if runner.state != "failed":
            raise ApiError("exists", f"world {name!r} is {runner.state}; only one that has failed is restored")
        if self._archive is None or not self._archive.has(name):
            raise ApiError("not-found", f"world {name!r} has no journal to be restored from")
        await runner.close("failed", str(runner.reason))
        self._runners.pop(name, None)
        await self.bring_back(name)
        self._metrics.restored.inc()
        return self.get(name)

    async def remove(self, name: str) -> None:
        """Delete a world and its journal: its watchers are told, what waits is refused, its id is free again."""
        runner = self.get(name)
        del self._runners[name]
        # the id is free once the file is gone
        self._making.add(name)
        try:
            await runner.close("gone", "the world was deleted")
            if self._archive is not None:
                await self._engine.serve(lambda archive=self._archive: archive.delete(name))  # type: ignore[misc]
            if self._hosted is not None:
                self._hosted.left(name)
        finally:
            self._making.discard(name)

    def knows(self, name: str) -> bool:
        """Whether a world is here, or is being made."""
        return name in self._runners or name in self._making

    async def release(self) -> None:
        """Let another process have every world, with nothing for it to compute again; watchers are told to come back.

        The journals are closed when this returns, and no world is made here any more.
        """
        self._draining = True
        room = asyncio.Semaphore(self._settings.helpers)

        async def one(runner: Runner) -> None:
            async with room:
                recorder = runner.recorder
                if recorder is not None and runner.state == "ready" and not recorder.writing:
                    snapshot = await runner.read(partial(_captured, recorder))
                    await self._engine.serve(partial(recorder.write, snapshot))
                await runner.close("restarting", "the world moves to another process")

        await asyncio.gather(*(one(runner) for runner in self.all()))

    async def drain(self) -> None:
        """Take no more work, let running slices end, and end every world."""
        self._draining = True
        self._stopped.set()
        if self._tasks:
            await asyncio.wait(self._tasks)
        if self._waking:
            await asyncio.wait(list(self._waking.values()))
        await asyncio.gather(*(runner.close("restarting", "the server is restarting") for runner in self.all()))

    def close(self) -> None:
        """Let another server have the archive."""
        if self._archive is not None:
            self._archive.close()

    async def _add(self, name: str | None, make: Callable[[], World], about: About) -> Runner:
        """Make a world away from the loop, its id reserved meanwhile."""
        name = name or (ASKED.get() if self._hosted is not None else None) or secrets.token_hex(8)
        self._check_number()
        if self._archive is not None and self._archive.has(name):
            raise ApiError("exists", f"there is a world {name!r} already; delete it first, or choose another id")

        def made() -> Session:
            session = Session.checked(name, make(), self._settings)
            if self._archive is not None and about.durability != "none":
                self._archive.begin(session, {"id": name, **about.facts()})
            return session

        return await self._bring(name, made, about)

    def _check_number(self) -> None:
        if len(self._runners) + len(self._making) + len(self._waking) >= self._settings.worlds:
            raise ApiError("limit", f"there are {self._settings.worlds} worlds, which is the limit; delete one first")

    async def _bring(self, name: str, make: Callable[[], Session], about: About) -> Runner:
        """Let a world begin to live, or to live again."""
        if self._draining:
            raise ApiError("draining", "the server is stopping and takes no more work")
        if name in self._runners or name in self._making:
            raise ApiError("exists", f"there is a world {name!r} already; delete it first, or choose another id")
        self._making.add(name)
        try:
            session = await self._engine.serve(make)
        finally:
            self._making.discard(name)
        if self._draining:
            if session.recorder is not None:
                session.recorder.file.close()
            raise ApiError("draining", "the server is stopping and takes no more work")
        runner = self._runner(session, about)
        self._runners[name] = runner
        runner.start()
        return runner

    def _runner(self, session: Session, about: About) -> Runner:
        world = session.world
        if self._planners is not None:
            session.plan_with(self._planners)
        description = WorldDescription(
            time_step=world.time_step,
            options=world.options.as_mapping(),
            seed=world.seed,
            durability=about.durability,
        )
        runner = Runner(
            session,
            description,
            engine=self._engine,
            clock=self._clock,
            settings=self._settings,
            metrics=self._metrics,
            timing=about.clock,
            tracing=self._tracing,
        )
        runner.title, runner.ttl = about.title, about.ttl
        return runner

    async def _bring_all_back(self, warm: Callable[[], Awaitable[None]] | None) -> None:
        """Worlds of the archive, a few at a time; one that cannot be had is failed, and the others are not."""
        if warm is not None:
            await warm()
        room = asyncio.Semaphore(self._settings.helpers)

        async def one(name: str) -> None:
            async with room:
                if not self._draining:
                    await self.bring_back(name)
            self._to_come.remove(name)

        await asyncio.gather(*(one(name) for name in list(self._to_come)))

    async def bring_back(self, name: str) -> None:
        """One world of the archive: as it was, or failed with the reason.

        Where it has worlds for others, one that cannot be had now is not here: JournalFull, and it is tried again.
        """
        archive = self._archive
        if archive is None:
            return
        try:
            session, facts, cut = await self._engine.serve(lambda: archive.bring_back(name, self._engine.restore))
            about = About.of(facts)
        except Exception as error:
            if self._hosted is not None and isinstance(error, JournalFull):
                raise
            # whatever a damaged file brings about is that world's own affair
            log.error(
                "world %s cannot be brought back", name, exc_info=None if isinstance(error, JournalError) else error
            )
            reason = f"its journal cannot be read: {error}" if isinstance(error, JournalError) else "its journal failed"
            lost = Session(name, World(time_step=1.0), self._settings)
            runner = self._runner(lost, About(None, None, ClockBody(mode="manual"), "process"))
            runner.fail_at_once(reason)
            self._runners[name] = runner
            return
        if cut is not None:
            self._metrics.cut.inc()
            log.warning("the journal of world %s was damaged and is cut: %s", name, cut)
        if about.clock.mode == "realtime" and self._settings.restart == "paused":
            about = About(about.title, about.ttl, ClockBody(mode="manual"), about.durability)
        if facts.get("away"):
            await self._engine.serve(lambda: session.keep(away=False))
        runner = self._runner(session, about)
        self._runners[name] = runner
        runner.start()

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
                    await self._put_away(runner)

    async def _put_away(self, runner: Runner) -> None:
        """Nobody used a world for its time to live: keep its journal alone, or delete it where it has none."""
        kept = self._archive is not None and runner.description.durability != "none"
        log.info(
            "world %s was not used for %g seconds and is %s", runner.name, runner.ttl, "put away" if kept else "deleted"
        )
        try:
            if not kept:
                await self.remove(runner.name)
            elif self._runners.pop(runner.name, None) is not None:
                self._making.add(runner.name)
                try:
                    if self._hosted is not None:
                        # whoever looks for worlds without a process is to let this one be
                        await runner.change(lambda session: session.keep(away=True))
                    await runner.close("gone", "the world was not used and is put away; ask for it and it is back")
                finally:
                    self._making.discard(runner.name)
                if self._hosted is not None:
                    self._hosted.left(runner.name)
                else:
                    self._away.add(runner.name)
        except ApiError:
            # somebody else was quicker
            return
