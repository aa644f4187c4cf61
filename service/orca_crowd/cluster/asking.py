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
# after so long without an answer it is joined anew
FORGET_SECONDS = 30.0


class Asking:
    """The cluster as the event loop sees it: joined, and joined again when it is lost."""

    def __init__(self, cluster: Cluster) -> None:
        """Nothing happens before `watch` runs."""
        self.cluster = cluster
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="orca-cluster")
        # why the cluster is not to be had; None where it is
        self.trouble: str | None = "the cluster is not joined yet"
        self._joined = False
        self._seen = 0.0
        self._question: asyncio.Future[None] | None = None

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
        """One question at a time: each may hang for minutes, and a process has one connection."""
        loop = asyncio.get_running_loop()
        if not self._joined:
            if self._question is None:
                self._question = loop.run_in_executor(self._threads, self.cluster.connect)
            await self._answer("the cluster is being joined")
            self._joined = True
            self._seen = loop.time()
        if self._question is None:
            self._question = loop.run_in_executor(self._threads, self.cluster.check)
        try:
            await self._answer(f"the cluster does not answer within {CLUSTER_SECONDS:g} seconds")
        except ClusterLost:
            # another one may be there by now, under the same address
            if loop.time() - self._seen > FORGET_SECONDS:
                self._joined, self._question = False, None
            raise
        self._seen = loop.time()

    async def _answer(self, otherwise: str) -> None:
        """Wait for the question that is under way, for a moment."""
        question = self._question
        assert question is not None
        await asyncio.wait([question], timeout=CLUSTER_SECONDS)
        if not question.done():
            raise ClusterLost(otherwise)
        self._question = None
        try:
            question.result()
        except ClusterError:
            raise
        except Exception as error:
            raise ClusterLost(f"the cluster cannot be asked: {error}") from None

    async def close(self) -> None:
        """Leave the cluster."""
        await self.ask(self.cluster.close, 10.0)
        self._threads.shutdown(wait=False, cancel_futures=True)
