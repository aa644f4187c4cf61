"""The clerk of a process, as its event loop sees it: started, asked, and another in the place of one that died."""

from __future__ import annotations

import asyncio
import itertools
import pickle
import sys
from contextlib import suppress
from typing import Any, Final

from orca_crowd.engine.ray.clerk import LENGTH
from orca_crowd.engine.ray.cluster import ClusterLost

__all__ = ["Clerk"]

END_SECONDS: Final = 8.0


class Clerk:
    """One process that speaks with Ray; lives on one event loop."""

    def __init__(self, address: str, namespace: str) -> None:
        """Nothing is started before `start`."""
        self._command = [sys.executable, "-m", "orca_crowd.engine.ray.clerk", address, namespace]
        self._process: asyncio.subprocess.Process | None = None
        self._reading: asyncio.Task[None] | None = None
        self._numbers = itertools.count()
        self._asked: dict[int, asyncio.Future[Any]] = {}

    @property
    def lives(self) -> bool:
        """Whether there is a process to ask."""
        return self._reading is not None and not self._reading.done()

    async def start(self) -> None:
        """Start the process, or another one."""
        await self.stop()
        pipe = asyncio.subprocess.PIPE
        # signals to the group of the server are not for it: the server's end is its own
        self._process = await asyncio.create_subprocess_exec(
            # what Ray says of itself is in its own logs, and a page long when it aborts
            *self._command,
            stdin=pipe,
            stdout=pipe,
            stderr=asyncio.subprocess.DEVNULL,
            start_new_session=True,
        )
        self._reading = asyncio.create_task(self._read(self._process), name="answers of the clerk")

    async def ask(self, method: str, *values: Any, seconds: float) -> Any:
        """What a method of the cluster returns; ClusterError, and ClusterLost where there is no answer in time."""
        process = self._process
        if process is None or process.stdin is None or not self.lives:
            raise ClusterLost("nobody speaks with the cluster at the moment")
        number = next(self._numbers)
        answer = self._asked[number] = asyncio.get_running_loop().create_future()
        data = pickle.dumps((number, method, values))
        try:
            process.stdin.write(LENGTH.pack(len(data)) + data)
            async with asyncio.timeout(seconds):
                return await answer
        except TimeoutError:
            raise ClusterLost(f"the cluster does not answer within {seconds:g} seconds") from None
        finally:
            self._asked.pop(number, None)

    async def stop(self) -> None:
        """End the process; what it was asked is not answered."""
        process, self._process = self._process, None
        if process is None:
            return
        if process.stdin is not None:
            process.stdin.close()
        try:
            async with asyncio.timeout(END_SECONDS):
                await process.wait()
        except TimeoutError:
            with suppress(ProcessLookupError):
                process.kill()
            await process.wait()
        if self._reading is not None:
            await asyncio.wait([self._reading])

    async def _read(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdout is not None
        try:
            while True:
                (length,) = LENGTH.unpack(await process.stdout.readexactly(LENGTH.size))
                number, error, value = pickle.loads(await process.stdout.readexactly(length))
                answer = self._asked.get(number)
                if answer is None or answer.done():
                    continue
                if error is not None:
                    answer.set_exception(error)
                else:
                    answer.set_result(value)
        except asyncio.IncompleteReadError:
            for answer in self._asked.values():
                if not answer.done():
                    answer.set_exception(ClusterLost("who spoke with the cluster has ended, as its node may have"))
