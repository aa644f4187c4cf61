"""The engine inside the server's own process: steps in a few threads, since the kernels release the interpreter's lock.

Steps and everything else have threads apart, so that sixty long steps in a row delay no command and no read. An
alternative was one pool with priorities; two pools need no scheduler of our own, and the operating system shares the
cores.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import partial
from typing import TypeVar

from orca_core.options import Options
from orca_core.world import World
from orca_crowd.engine.rounds import Rounds

__all__ = ["InlineEngine"]

Result = TypeVar("Result")


class InlineEngine:
    """Threads of this process."""

    def __init__(self, *, workers: int, helpers: int, rounds: int | None = None, name: str = "inline") -> None:
        """Prepare the pools; threads start with the first call. `rounds` at once of brief calls, else one a worker.

        `name` is what the server says of its engine.
        """
        self.name = name
        self._workers = ThreadPoolExecutor(workers, thread_name_prefix="orca-step")
        self._helpers = ThreadPoolExecutor(helpers, thread_name_prefix="orca-help")
        self._rounds = Rounds(rounds or workers)

    @property
    def restarts(self) -> int:
        """No worker that could be lost."""
        return 0

    @property
    def hung(self) -> int:
        """No worker that could be given up."""
        return 0

    @property
    def cold(self) -> int:
        """No worker that could come without its kernels."""
        return 0

    def start(self) -> None:
        """Nothing to start: threads begin with the first call."""

    def create(self, *, time_step: float, options: Options, seed: int) -> World:
        """Make an empty world."""
        return World(time_step=time_step, options=options, seed=seed)

    def restore(self, data: bytes) -> World:
        """Make the world of a snapshot."""
        return World.restore(data)

    async def compute(self, call: Callable[[], Result], *, brief: bool = False) -> Result:
        """Run steps in one of the workers, or in a round with others."""
        # what the log and a trace tell of is what whoever asks is at
        within = partial(copy_context().run, call)
        if brief:
            return await self._rounds.run(within)
        return await asyncio.get_running_loop().run_in_executor(self._workers, within)

    async def serve(self, call: Callable[[], Result]) -> Result:
        """Run anything else in one of the helpers."""
        return await asyncio.get_running_loop().run_in_executor(self._helpers, copy_context().run, call)

    async def close(self) -> None:
        """Wait for what runs, away from the loop, and end the threads."""
        self._rounds.refuse()
        await asyncio.to_thread(self._shut)

    def _shut(self) -> None:
        self._workers.shutdown(wait=True, cancel_futures=True)
        self._helpers.shutdown(wait=True, cancel_futures=True)
        self._rounds.close()
