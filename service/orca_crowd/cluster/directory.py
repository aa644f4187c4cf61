"""Which process has a world: found by the names of its actors, asked for where there is none, given up when silent.

Nothing is kept here that another front end would miss: what is known is a memory of what the cluster says, and is asked
again as soon as a process is not what it was.
"""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

from orca_crowd.clock import Clock
from orca_crowd.cluster.asking import Asking
from orca_crowd.cluster.epochs import Epochs
from orca_crowd.cluster.upstream import Place, Upstream
from orca_crowd.engine.ray.actor import ActorOrder
from orca_crowd.engine.ray.cluster import ActorAway, ClusterError, NameTaken, Needs, NoSuchActor
from orca_crowd.engine.ray.names import PLACES, actor_name, other_place
from orca_crowd.errors import ApiError
from orca_crowd.journal.errors import StoreAway
from orca_crowd.metrics import Metrics
from orca_crowd.settings import Settings
from orca_crowd.worlds.kept import Kept

__all__ = ["Directory"]

log = logging.getLogger("orca_crowd")

# what runs in the process of a world; above this layer, so it is named
HOST: Final = "orca_crowd.hosting.host:start"
# how long one question to a process that is being made may take, and the time before the next one
QUESTION_SECONDS: Final = 2.0
PAUSE_SECONDS: Final = 0.05
# how long the death of an actor that was killed may take to be known everywhere
DEATH_SECONDS: Final = 5.0


@dataclass(frozen=True)
class Told:
    """What one actor says of itself; `state` is starting, waiting or serving."""

    actor: str
    state: str
    facts: dict[str, Any]


class Directory:
    """Of one front end; lives on its event loop."""

    def __init__(
        self,
        settings: Settings,
        clock: Clock,
        metrics: Metrics,
        asking: Asking,
        environment: dict[str, str],
        kept: Kept | None,
    ) -> None:
        """Nothing is known yet; `environment` is that of the processes of worlds, `kept` their journals."""
        self._settings = settings
        self._kept = kept
        self._clock = clock
        self._metrics = metrics
        self._asking = asking
        self._environment = environment
        self._needs = Needs(settings.world_processors, settings.world_memory, settings.placement)
        self._epochs = Epochs()
        self._known: dict[str, Upstream] = {}
        metrics.processes.set_function(lambda: len(self._known))
        # processes that have fallen silent, by their world, until it is found again
        self._fallen: dict[str, int] = {}
        self._finding: dict[str, asyncio.Task[Upstream]] = {}
        self._closing: set[asyncio.Task[None]] = set()

    def all(self) -> list[Upstream]:
        """The processes that are known."""
        return list(self._known.values())

    async def find(self, world: str) -> Upstream:
        """The process that serves a world; 404 where there is no world, 503 where it does not come back in time."""
        known = self._known.get(world)
        if known is not None and known.lost is None:
            return known
        task = self._finding.get(world)
        if task is None:
            task = self._finding[world] = asyncio.create_task(self._find(world), name=f"search for {world}")
            task.add_done_callback(lambda _: self._finding.pop(world, None))
        # one who asked and has gone must not end it for the others
        return await asyncio.shield(task)

    def lose(self, upstream: Upstream, reason: str) -> None:
        """A process is not what it was: it is asked no more, and whoever waits for it learns now."""
        if upstream.lost is None:
            log.warning("world %s: %s", upstream.world, reason)
            self._metrics.found_again.inc()
            self._fallen[upstream.world] = upstream.place.process
        upstream.lose(reason)
        self._forget(upstream)

    async def create(self, world: str, *, lasting: bool) -> Upstream:
        """A new process for a new world; 409 where there is one of this name."""
        try:
            if await self._names_of(world):
                raise ApiError("exists", f"there is a world {world!r} already; delete it first, or choose another id")
            await self._make(world, lasting=lasting)
        except NameTaken:
            raise ApiError("exists", f"a world {world!r} is being made; choose another id") from None
        except ClusterError as lost:
            raise _not_ready(lost) from None
        try:
            return await self.find(world)
        except BaseException:
            await self.remove(world)
            raise

    async def remove(self, world: str) -> None:
        """End the process of a world for good; its id is free when this returns."""
        known = self._known.get(world)
        if known is not None:
            known.lose("the world was deleted")
            self._forget(known)
        try:
            for name in await self._names_of(world):
                await self._asking.ask("end", name, True)
            until = self._clock.now() + DEATH_SECONDS
            while await self._names_of(world) and self._clock.now() < until:
                await asyncio.sleep(PAUSE_SECONDS)
        except ClusterError as lost:
            log.warning("the process of world %s could not be ended: %s", world, lost)

    async def close(self) -> None:
        """Let go of every connection; the worlds go on."""
        for task in self._finding.values():
            task.cancel()
        for upstream in self.all():
            upstream.lose("the front end stops")
            self._forget(upstream)
        if self._closing:
            await asyncio.wait(self._closing)

    # inside

    def _forget(self, upstream: Upstream) -> None:
        if self._known.get(upstream.world) is upstream:
            del self._known[upstream.world]
        closing = asyncio.create_task(upstream.close())
        self._closing.add(closing)
        closing.add_done_callback(self._closing.discard)

    async def _names_of(self, world: str) -> list[str]:
        """The actors that a world has now."""
        found: list[str] = await self._asking.ask("existing", [actor_name(world, place) for place in PLACES])
        return found

    async def _make(self, world: str, *, lasting: bool, place: str = PLACES[0]) -> None:
        order = ActorOrder(
            world=world,
            place=place,
            run=HOST,
            settings=self._world_settings(),
            environment=self._environment,
        )
        await self._asking.ask("make", actor_name(world, place), order, self._needs, lasting)

    def _world_settings(self) -> dict[str, Any]:
        """Those of the front end, with the folder by its whole name: the process of a world is somewhere else."""
        folder, store = self._settings.folder, self._settings.store
        kept = store or ("none" if folder is None else str(folder.absolute()))
        return self._settings.model_copy(update={"data": kept}).model_dump(mode="json")

    async def _find(self, world: str) -> Upstream:
        settings = self._settings
        until = self._clock.now() + settings.return_seconds
        # since when a process says nothing at all
        silent: dict[str, float] = {}
        said = "it is not there"
        while True:
            try:
                told = await self._told(world, silent)
                found = self._best(world, told)
                if found is not None:
                    return found
                if told and not silent and all(each.state == "waiting" for each in told):
                    # whoever wanted to move the world has gone, and so has its process
                    await self._asking.actor(told[0].actor, "take", False, seconds=QUESTION_SECONDS)
                if not told and not silent and not await self._bring(world):
                    raise ApiError("not-found", f"there is no world {world[:64]!r}")
                await self._give_up_the_silent(world, silent)
                said = ", ".join(f"{each.actor} is {each.state}" for each in told) or "its process is being made"
            except ClusterError as error:
                said = str(error)
            if self._clock.now() >= until:
                raise ApiError(
                    "not-ready",
                    f"world {world!r} did not come back within {settings.return_seconds:g} seconds: {said}",
                    headers={"Retry-After": "1"},
                )
            await asyncio.sleep(PAUSE_SECONDS)

    async def _told(self, world: str, silent: dict[str, float]) -> list[Told]:
        """What the actors of a world say; one that says nothing is noted with the moment of its first silence."""
        told = []
        names = await self._names_of(world)
        for name in list(silent):
            if name not in names:
                del silent[name]
        for name in names:
            asked = self._clock.now()
            try:
                facts = await self._asking.actor(name, "describe", QUESTION_SECONDS, seconds=2 * QUESTION_SECONDS)
            except NoSuchActor:
                silent.pop(name, None)
            except ActorAway:
                silent.setdefault(name, asked)
            else:
                silent.pop(name, None)
                told.append(Told(name, facts["state"], facts))
        return told

    def _best(self, world: str, told: list[Told]) -> Upstream | None:
        """The newest life that serves, if it is as new as any that was seen."""
        serving = [each for each in told if each.state == "serving"]
        if not serving:
            return None
        best = max(serving, key=lambda each: each.facts["epoch"])
        facts = best.facts
        if not self._epochs.believed(world, facts["epoch"]):
            return None
        told_of = (facts[name] for name in ("address", "token", "epoch", "created", "node", "pid"))
        found = Upstream(world, Place(best.actor, *told_of))
        self._known[world] = found
        self._fallen.pop(world, None)
        return found

    async def _bring(self, world: str) -> bool:
        """Have a world that has a journal and no process come back; False where it has none."""
        try:
            if self._kept is None or not await asyncio.to_thread(self._kept.has, world):
                return False
        except StoreAway as away:
            raise ApiError("not-ready", str(away), headers={"Retry-After": "1"}) from None
        # another front end may be quicker
        with suppress(NameTaken):
            await self._make(world, lasting=True)
        return True

    async def _give_up_the_silent(self, world: str, silent: dict[str, float]) -> None:
        """Let another process take a world over from one that the cluster believes to live and that says nothing.

        Not the same anew: a process that is frozen does not die of being told to, and Ray would wait for that.
        """
        patience = self._settings.unreachable_seconds + QUESTION_SECONDS
        for name, since in list(silent.items()):
            now = self._clock.now()
            if now - since <= patience:
                continue
            process = await self._asking.ask("process_of", name)
            if process is None:
                # it is being made, which takes as long as it takes
                silent[name] = now
                continue
            # the very process that has fallen silent, or one that may just have begun to live
            fallen = self._fallen.get(world)
            if process != fallen:
                self._fallen[world] = process
                silent[name] = now
                continue
            log.warning("actor %s says nothing, and another takes its world over", name)
            with suppress(NameTaken):
                await self._make(world, lasting=True, place=other_place(name.rpartition("/")[2]))
            await self._asking.ask("end", name, True)
            del silent[name], self._fallen[world]


def _not_ready(error: ClusterError) -> ApiError:
    return ApiError("not-ready", str(error), headers={"Retry-After": "1"})
