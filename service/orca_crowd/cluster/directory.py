"""Which process has a world: found by the names of its actors, asked for where there is none, given up when silent.

Nothing is kept here that another front end would miss: what is known is a memory of what the cluster says, and is asked
again as soon as a process is not what it was.
"""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from typing import Any

from orca_crowd.cluster.epochs import Epochs
from orca_crowd.cluster.homes import Homes, Told
from orca_crowd.cluster.upstream import Place, Upstream
from orca_crowd.engine.ray.cluster import ClusterError, NameTaken
from orca_crowd.engine.ray.names import is_shared
from orca_crowd.errors import ApiError
from orca_crowd.journal.errors import StoreAway
from orca_crowd.metrics import Metrics
from orca_crowd.worlds.kept import Kept

__all__ = ["Directory"]

log = logging.getLogger("orca_crowd")


class Directory:
    """Of one front end; lives on its event loop."""

    def __init__(self, homes: Homes, metrics: Metrics, kept: Kept | None) -> None:
        """Nothing is known yet; `kept` are the journals of worlds."""
        self._homes = homes
        self._kept = kept
        self._metrics = metrics
        self._epochs = Epochs()
        self._known: dict[str, Upstream] = {}
        metrics.processes.set_function(lambda: len({known.place.actor for known in list(self._known.values())}))
        self._finding: dict[str, asyncio.Task[Upstream]] = {}
        self._closing: set[asyncio.Task[None]] = set()

    def all(self) -> list[Upstream]:
        """The worlds whose process is known."""
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

    def learn(self, actor: str, told: dict[str, Any]) -> None:
        """A process has said which worlds it has: those that nobody has looked for are known now."""
        for world, life in told["worlds"].items():
            if told["state"] == "serving" and life["ready"] and world not in self._known:
                self._know(world, actor, told, life)

    def lose(self, upstream: Upstream, reason: str) -> None:
        """A process is not what it was: it is asked no more, and whoever waits for it learns now."""
        if upstream.lost is None:
            log.warning("world %s: %s", upstream.world, reason)
            self._metrics.found_again.inc()
            self._homes.fell_silent(upstream.world, upstream.place.process)
        upstream.lose(reason)
        self._forget(upstream)

    async def create(self, world: str, *, lasting: bool) -> Upstream:
        """A place for a new world, in a process of its own or one that is shared; 409 where there is one of this id.

        Who makes it first has it: whoever comes to the same place at the same time is told so by the process.
        """
        if not await self._homes.patiently(world, lambda told: self._reserve(world, told, lasting=lasting)):
            raise ApiError("exists", f"there is a world {world!r} already; delete it first, or choose another id")
        try:
            return await self.find(world)
        except BaseException:
            await self.remove(world)
            raise

    async def remove(self, world: str, *, deleted: bool = False) -> None:
        """Have no process for a world that was `deleted` there or not made; its id is free when this returns."""
        known = self._known.get(world)
        if known is not None:
            known.lose("the world was deleted")
            self._forget(known)
        try:
            # one that was deleted the process has let go of, and may have another of this id by now
            if not deleted:
                await self._homes.drop(world)
        except ClusterError as lost:
            log.warning("the process of world %s could not be told that it is at its end: %s", world, lost)

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

    async def _find(self, world: str) -> Upstream:
        return await self._homes.patiently(world, lambda told: self._found(world, told))

    async def _found(self, world: str, told: list[Told]) -> Upstream | None:
        """The newest life of a world that serves; where it has none, it is brought back, and 404 where it cannot be."""
        found = self._best(world, told)
        serving = [each for each in told if each.state == "serving"]
        if found is None and len(serving) == len(told) and all(each.life is None for each in serving):
            if not await self._has_journal(world):
                raise ApiError("not-found", f"there is no world {world[:64]!r}")
            if not serving:
                # another front end may be quicker
                with suppress(NameTaken):
                    await self._homes.make(self._homes.of(world), lasting=True)
            else:
                await self._homes.hold(serving[0].actor, world, new=False)
        return found

    async def _reserve(self, world: str, told: list[Told], *, lasting: bool) -> bool | None:
        """Have a process take a new world in; False where there is one of this id."""
        home, serving = self._homes.of(world), [each for each in told if each.state == "serving"]
        if not told:
            with suppress(NameTaken):
                await self._homes.make(home, lasting=lasting or is_shared(home))
        return await self._homes.hold(serving[0].actor, world, new=True) if serving else None

    def _best(self, world: str, told: list[Told]) -> Upstream | None:
        """The newest life that serves, if it is as new as any that was seen."""
        ready = [(each, each.life) for each in told if each.state == "serving" and each.life and each.life["ready"]]
        if not ready:
            return None
        best, life = max(ready, key=lambda each: each[1]["epoch"])
        return self._know(world, best.actor, best.facts, life)

    def _know(self, world: str, actor: str, facts: dict[str, Any], life: dict[str, Any]) -> Upstream | None:
        """Where a world is from now on, if this life of it is as new as any that was seen."""
        if not self._epochs.believed(world, life["epoch"]):
            return None
        told_of = (facts["address"], facts["token"], life["epoch"], life["created"], facts["node"], facts["pid"])
        place, known = Place(actor, *told_of), self._known.get(world)
        if known is not None:
            if known.lost is None and known.place == place:
                return known
            # somebody was quicker, and by now it is elsewhere again
            known.lose("the world lives on in another process")
            self._forget(known)
        found = self._known[world] = Upstream(world, place)
        return found

    async def _has_journal(self, world: str) -> bool:
        try:
            return self._kept is not None and await asyncio.to_thread(self._kept.has, world)
        except StoreAway as away:
            raise ApiError("not-ready", str(away), headers={"Retry-After": "1"}) from None
