"""Where updates are encoded: a little of it on the event loop, the rest in helper threads, several to a call.

A call of a helper thread costs the event loop about as much as the encoding of a small update, so small ones are
encoded where they are wanted. But many small ones in one turn, as when everybody looks at another part of the world,
would hold the loop as long as a large one: each turn of a world has a budget, and what is over it goes to the threads
in groups.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from orca_crowd.streaming.keyframe import Keyframes
from orca_crowd.streaming.shared import Offload
from orca_crowd.streaming.statistics import StreamStatistics

__all__ = ["Encoder"]

# budget of a turn, in units of `effort`: a unit is about a quarter of a millisecond
TURN = 1.0
# what one call of a thread does before others of the group's readers are served
GROUP = 8.0


class _Group:
    """Calls that one thread does in a row."""

    def __init__(self) -> None:
        self.calls: list[tuple[Callable[[], None], Callable[[], bool]]] = []
        self.cost = 0.0
        self.done: asyncio.Future[None] = asyncio.get_running_loop().create_future()


class Encoder:
    """What encoding needs beside the state, for one world: its keyframes, helper threads, counts."""

    def __init__(self, keyframes: Keyframes, offload: Offload, statistics: StreamStatistics) -> None:
        """`offload` runs a call in a helper thread."""
        self.keyframes = keyframes
        self.statistics = statistics
        self._offload = offload
        self._spent = 0.0
        self._groups: list[_Group] = []
        # referenced, so that nothing collects them
        self._running: set[asyncio.Task[None]] = set()

    def turn(self) -> None:
        """A new turn: the event loop has been elsewhere."""
        self._spent = 0.0

    def grant(self, cost: float) -> bool:
        """Whether something of this cost may be done on the event loop now; then it is counted."""
        if self._spent + cost > TURN:
            return False
        self._spent += cost
        return True

    def later(self, call: Callable[[], None], cost: float, wanted: Callable[[], bool]) -> asyncio.Future[None]:
        """Do it in a thread, soon, if it is `wanted` then; the future is done when it is. The call must not raise."""
        if not self._groups:
            asyncio.get_running_loop().call_soon(self._flush)
        if not self._groups or self._groups[-1].cost + cost > GROUP:
            self._groups.append(_Group())
        group = self._groups[-1]
        group.calls.append((call, wanted))
        group.cost += cost
        return group.done

    def _flush(self) -> None:
        groups, self._groups = self._groups, []
        for group in groups:
            task = asyncio.create_task(self._run(group), name="encoding")
            self._running.add(task)
            task.add_done_callback(self._running.discard)

    async def _run(self, group: _Group) -> None:
        calls = [call for call, wanted in group.calls if wanted()]

        def all_of_it() -> None:
            for call in calls:
                call()

        try:
            if calls:
                await self._offload(all_of_it)
        except BaseException as error:
            if not group.done.done():
                group.done.set_exception(error if isinstance(error, Exception) else RuntimeError("the server stops"))
                # those who wait look at it; there may be nobody
                group.done.exception()
            if not isinstance(error, Exception):
                raise
        else:
            if not group.done.done():
                group.done.set_result(None)
