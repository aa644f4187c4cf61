"""Calls into the cluster from the event loop: each in a thread, none waited for longer than a moment.

Ray's own calls block, some of them for minutes where the head of the cluster is gone. A thread that hangs is left
behind, and whoever asks meanwhile is told that the cluster does not answer.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from orca_crowd.engine.ray.cluster import ActorAway, Cluster, ClusterError, ClusterLost

__all__ = ["Asking"]

log = logging.getLogger("orca_crowd")

Result = TypeVar("Result")

THREADS = 8
# how long the cluster may take for what it does in milliseconds
CLUSTER_SECONDS = 5.0
# between two looks at the cluster, and two tries to join it
LOOK_SECONDS = 1.0


class Asking:
    """The cluster as the event loop sees it: joined, and joined again when it is lost."""

    def __init__(self, cluster: Cluster) -> None:
        """Nothing happens before `watch` runs."""
        self.cluster = cluster
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="orca-cluster")
        # why the cluster is not to be had; None where it is
        self.trouble: str | None = "the cluster is not joined yet"
        self._joining: asyncio.Future[None] | None = None

    async def ask(self, call: Callable[[], Result], seconds: float = CLUSTER_SECONDS) -> Result:
        """What a call of the cluster returns; ClusterLost where it takes too long."""
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(seconds):
                return await loop.run_in_executor(self._threads, call)
        except TimeoutError:
            raise ClusterLost(f"the cluster does not answer within {seconds:g} seconds") from None

    async def actor(self, name: str, method: str, *values: Any, seconds: float) -> Any:
        """What a method of an actor returns. NoSuchActor where there is none; ActorAway where it does not answer."""
        begun = await self.ask(lambda: self.cluster.begin(name, method, *values))
        try:
            async with asyncio.timeout(seconds):
                return await asyncio.wrap_future(begun)
        except TimeoutError:
            raise ActorAway(f"actor {name!r} does not answer within {seconds:g} seconds") from None
        except ClusterError:
            raise
        except Exception as error:
            raise self.cluster.told(error) from None

    async def watch(self) -> None:
        """Join the cluster and look at it again and again, until cancelled."""
        while True:
            try:
                await self._look()
            except ClusterError as error:
                if self.trouble is None:
                    log.warning("%s", error)
                self.trouble = str(error)
            else:
                if self.trouble is not None:
                    log.info("the cluster answers")
                self.trouble = None
            await asyncio.sleep(LOOK_SECONDS)

    async def _look(self) -> None:
        if self._joining is None:
            loop = asyncio.get_running_loop()
            self._joining = loop.run_in_executor(self._threads, self.cluster.connect)
        # one try at a time: Ray's own can take minutes, and a process has one connection
        await asyncio.wait([self._joining], timeout=CLUSTER_SECONDS)
        if not self._joining.done():
            raise ClusterLost("the cluster is being joined")
        if self._joining.exception() is not None:
            joining, self._joining = self._joining, None
            joining.result()
        elif not any(node.alive for node in await self.ask(self.cluster.nodes)):
            raise ClusterLost("no node of the cluster is alive")

    async def close(self) -> None:
        """Leave the cluster."""
        await self.ask(self.cluster.close, 10.0)
        self._threads.shutdown(wait=False, cancel_futures=True)
