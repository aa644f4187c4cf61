"""A front end: everything of it that the routes use."""

from __future__ import annotations

import asyncio
import logging
import os
from contextlib import suppress

from orca_crowd.clock import Clock
from orca_crowd.cluster.asking import Asking
from orca_crowd.cluster.directory import Directory
from orca_crowd.cluster.homes import Homes
from orca_crowd.cluster.upstream import Upstream, UpstreamError
from orca_crowd.engine.ray.clerks import Clerk
from orca_crowd.engine.ray.cluster import ActorAway, ClusterError, NoSuchActor
from orca_crowd.engine.ray.names import home_of_actor, is_shared, shared_by
from orca_crowd.errors import ApiError
from orca_crowd.journal.errors import StoreAway
from orca_crowd.metrics import Metrics
from orca_crowd.settings import Settings
from orca_crowd.worlds.kept import kept_of

__all__ = ["Front"]

log = logging.getLogger("orca_crowd")

# a process that does something for somebody is asked for a sign of life so often in the time that it has for one
LOOKS = 3
# how long a process may take to say which worlds it has
TOLD_SECONDS = 2.0
# how often worlds without a process are looked for
BRING_SECONDS = 5.0
# how often it is looked for whether the cluster is joined, and its worlds may be touched
JOINED_SECONDS = 0.2
# what the process of a world takes over from the environment of the front end
PASSED_ON = ("ORCA_CROWD_KERNEL_CACHE", "PYTHONPATH", "OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_SERVICE_NAME")


class Front:
    """Of one server; `start` joins the cluster, and goes on trying where that fails."""

    def __init__(self, settings: Settings, clock: Clock, metrics: Metrics) -> None:
        """Nothing happens before `start`."""
        self.settings = settings
        self.metrics = metrics
        self.clock = clock
        environment = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
        self.asking = Asking(Clerk(settings.ray_address, settings.ray_namespace), clock)
        self._kept = kept_of(settings)
        self.directory = Directory(Homes(settings, clock, self.asking, environment), metrics, self._kept)
        # why worlds of this namespace are not to be touched; None where they may be
        self._foreign: str | None = "the worlds of the cluster are not known yet"
        self._tasks: list[asyncio.Task[None]] = []

    def start(self) -> None:
        """Join the cluster."""
        self._tasks = [
            asyncio.create_task(self.asking.watch(), name="watch of the cluster"),
            asyncio.create_task(self._look_for_the_silent(), name="signs of life"),
            asyncio.create_task(self._bring_all_back(), name="return of the worlds"),
        ]

    async def close(self) -> None:
        """Leave the cluster; the worlds go on."""
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks)
        await self.directory.close()
        await self.asking.close()

    def check_ready(self) -> None:
        """Refuse with 503 while there is no cluster, or one whose worlds are shared otherwise."""
        trouble = self.asking.trouble or self._foreign
        if trouble is not None:
            raise ApiError("not-ready", trouble, headers={"Retry-After": "1"})

    async def worlds(self) -> list[str]:
        """The ids of all worlds that have a process."""
        try:
            names = await self.asking.ask("names")
        except ClusterError as lost:
            raise ApiError("not-ready", str(lost), headers={"Retry-After": "1"}) from None
        self._foreign = self._shared_otherwise(names)
        self.check_ready()
        own = {home_of_actor(name) for name in names if not is_shared(name)}
        told = await asyncio.gather(*(self._worlds_in(name) for name in names if is_shared(name)))
        return sorted(own.union(*told))

    async def _worlds_in(self, actor: str) -> list[str]:
        """The worlds of a shared process, which are known from then on; none where it gives no answer now."""
        try:
            told = await self.asking.actor(actor, "worlds", seconds=TOLD_SECONDS)
        except (NoSuchActor, ActorAway):
            return []
        self.directory.learn(actor, told)
        return list(told["worlds"])

    def _shared_otherwise(self, names: list[str]) -> str | None:
        """Two front ends that look for one world in two places would have it in both, again and again."""
        wanted = self.settings.world_processes
        found = sorted({shared_by(name) for name in names} - {wanted})
        if not found:
            return None
        return (
            f"worlds of the namespace {self.settings.ray_namespace!r} have ORCA_CROWD_WORLD_PROCESSES={found[0]}, and "
            f"this front end {wanted}: start it with the same, or with another ORCA_CROWD_RAY_NAMESPACE"
        )

    async def kept(self, world: str) -> bool:
        """Whether a world has a journal."""
        return self._kept is not None and await asyncio.to_thread(self._kept.has, world)

    async def _bring_all_back(self) -> None:
        """Worlds that have a journal and no process: after the loss of the whole cluster, or of one that made none."""
        kept = self._kept
        room = asyncio.Semaphore(self.settings.helpers)

        async def bring(name: str) -> None:
            async with room:
                try:
                    await self.directory.find(name)
                except ApiError as refusal:
                    log.warning("world %s does not come back: %s", name, refusal.detail)

        while True:
            if self.asking.trouble is None:
                with suppress(ApiError, StoreAway):
                    there = set(await self.worlds())
                    if kept is not None:
                        found = await asyncio.to_thread(kept.awake, there)
                        await asyncio.gather(*(bring(name) for name in found))
            await asyncio.sleep(BRING_SECONDS if self._foreign is None else JOINED_SECONDS)

    async def _look_for_the_silent(self) -> None:
        seconds = self.settings.unreachable_seconds
        asked: set[asyncio.Task[None]] = set()
        while True:
            await asyncio.sleep(seconds / LOOKS)
            busy: dict[str, list[Upstream]] = {}
            for upstream in self.directory.all():
                if upstream.busy:
                    busy.setdefault(upstream.place.actor, []).append(upstream)
            for upstreams in busy.values():
                task = asyncio.create_task(self._sign_of_life(upstreams, seconds))
                asked.add(task)
                task.add_done_callback(asked.discard)

    async def _sign_of_life(self, upstreams: list[Upstream], seconds: float) -> None:
        """Ask a process once for all of its worlds that somebody waits for."""
        for asked in upstreams:
            try:
                async with asked.call("GET", b"/healthz", scope="read", seconds=seconds) as answer:
                    async for _ in answer.body:
                        pass
                return
            except UpstreamError as error:
                if asked.lost is not None:
                    # this world was deleted, or is elsewhere by now, which says nothing of the others
                    continue
                for upstream in upstreams:
                    self.directory.lose(upstream, f"no sign of life: {error}")
                return
