"""The cluster as a front end sees it: joined, and again when it is lost. No question waits longer than it may."""

from __future__ import annotations

import asyncio
import logging
from typing import Any, Final

from orca_crowd.clock import Clock
from orca_crowd.engine.ray.clerks import Clerk
from orca_crowd.engine.ray.cluster import ClusterError, ClusterLost

__all__ = ["Asking"]

log = logging.getLogger("orca_crowd")

# how long the cluster may take for what it does in milliseconds
CLUSTER_SECONDS: Final = 5.0
# to join it takes Ray a second, and a machine that has much else to do a minute
JOIN_SECONDS: Final = 90.0
# between two looks at the cluster, and two tries to join it
LOOK_SECONDS: Final = 1.0
# after so long without an answer it is joined anew: another one may be there under the same address
FORGET_SECONDS: Final = 30.0


class Asking:
    """What a front end knows of its cluster as a whole; single actors are the directory's."""

    def __init__(self, clerk: Clerk, clock: Clock) -> None:
        """Nothing happens before `join`, or before `watch` runs."""
        self._clerk = clerk
        self._clock = clock
        # why the cluster is not to be had; None where it is
        self.trouble: str | None = "the cluster is not joined yet"
        self._joined = False
        self._seen = 0.0

    async def ask(self, method: str, *values: Any, seconds: float = CLUSTER_SECONDS) -> Any:
        """What a method of the cluster returns; ClusterError where it refuses, ClusterLost where it does not answer."""
        return await self._clerk.ask(method, *values, seconds=seconds)

    async def actor(self, name: str, method: str, *values: Any, seconds: float) -> Any:
        """What a method of an actor returns. NoSuchActor where there is none; ActorAway where it does not answer."""
        return await self._clerk.ask("call", name, method, values, seconds, seconds=seconds + CLUSTER_SECONDS)

    async def join(self) -> None:
        """Join the cluster; ClusterLost where that cannot be done."""
        if not self._clerk.lives:
            await self._clerk.start()
        await self.ask("connect", seconds=JOIN_SECONDS)
        self._joined = True
        self._seen = self._clock.now()

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
        if not self._clerk.lives:
            self._joined = False
        if not self._joined:
            await self.join()
        try:
            await self.ask("check")
        except ClusterLost:
            if self._clock.now() - self._seen > FORGET_SECONDS:
                self._joined = False
                await self._clerk.stop()
            raise
        self._seen = self._clock.now()

    async def close(self) -> None:
        """Leave the cluster."""
        await self._clerk.stop()
