"""Rounds: calls that are over in well below a millisecond, many of them in one hop to a thread and one hop back.

A hop costs more of the interpreter's time than a hundred agents' step does: a thread is woken, the lock changes hands,
and the same again on the way back. So calls that come in the same turn of the event loop go together, those that come
while a round is under way join it, and what several have brought out returns in one callback. All worlds of a rate in
one batch would be cheaper still, but the last world of a batch is as late as the whole batch takes.
"""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any, TypeVar

__all__ = ["Rounds"]

Result = TypeVar("Result")
# a future of some loop, what its call returned, and what it raised
Outcome = tuple["asyncio.Future[Any]", Any, BaseException | None]

# calls that a round has done before it tells of them, also where more wait
TOLD = 8


class Rounds:
    """A queue of calls, first come first served, and a few threads that go through it. For any number of event loops.

    A call that takes long after all keeps one thread and delays nobody else, while there is another thread.
    """

    def __init__(self, threads: int) -> None:
        """At most so many rounds at once; threads start with the first call."""
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="orca-round")
        self._threads = threads
        self._waiting: deque[tuple[Callable[[], Any], asyncio.Future[Any]]] = deque()
        self._under_way = 0
        self._change = threading.Lock()
        self._gathering: set[asyncio.AbstractEventLoop] = set()
        self._closed = False

    async def run(self, call: Callable[[], Result]) -> Result:
        """Do a call in some round: its result, or what it raised, which is the business of nobody else."""
        # the future has no name here: this frame is in the traceback of the exception that the future holds
        return await self._entered(call)

    def _entered(self, call: Callable[[], Result]) -> asyncio.Future[Result]:
        """The future of a call that now waits."""
        if self._closed:
            raise RuntimeError("no call is taken any more: the engine is closed")
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Result] = loop.create_future()
        self._waiting.append((call, future))
        if loop not in self._gathering:
            # behind everybody who has something to do in this turn of the loop, so that they are in the same round
            self._gathering.add(loop)
            loop.call_soon(self._begin, loop)
        return future

    def _begin(self, loop: asyncio.AbstractEventLoop) -> None:
        """See to it that somebody goes through the queue: one more thread, for the others may be at something long."""
        self._gathering.discard(loop)
        with self._change:
            if self._closed or not self._waiting or self._under_way == self._threads:
                return
            self._under_way += 1
        self._pool.submit(self._round)

    def _round(self) -> None:
        """Do what waits until nothing does; in a thread."""
        while True:
            done: list[Outcome] = []
            while len(done) < TOLD:
                try:
                    call, future = self._waiting.popleft()
                except IndexError:
                    break
                # who does not wait for it any more does not want it either
                if not future.cancelled():
                    done.append((future, *_outcome(call)))
                # nothing of a world is held while others are stepped
                del call, future
            _tell(done)
            del done
            with self._change:
                if not self._waiting:
                    self._under_way -= 1
                    return

    def refuse(self) -> None:
        """Take no calls any more; who waits for one that has not begun is told that it is cancelled."""
        self._closed = True
        while self._waiting:
            with suppress(IndexError):
                _, future = self._waiting.popleft()
                _on_loop(future.get_loop(), future.cancel)

    def close(self) -> None:
        """Wait for rounds under way and end the threads; away from the event loop, which they tell of their calls."""
        self.refuse()
        self._pool.shutdown(wait=True, cancel_futures=True)


def _outcome(call: Callable[[], Any]) -> tuple[Any, BaseException | None]:
    """What a call returns and what it raises. A function of its own: the traceback of an exception holds on to the
    frame that caught it, which therefore must not know the future that is to hold the exception.
    """
    try:
        return call(), None
    except StopIteration as error:
        # no future takes one
        return None, RuntimeError(f"a call ended with {error!r}")
    except BaseException as error:
        return None, error


def _tell(done: list[Outcome]) -> None:
    """Have every loop told of its calls, in one callback each."""
    by_loop: dict[asyncio.AbstractEventLoop, list[Outcome]] = {}
    for outcome in done:
        by_loop.setdefault(outcome[0].get_loop(), []).append(outcome)
    for loop, outcomes in by_loop.items():
        _on_loop(loop, _settle, outcomes)


def _on_loop(loop: asyncio.AbstractEventLoop, call: Callable[..., Any], *arguments: Any) -> None:
    """Have a loop call something; a loop that is closed has nobody left who waits."""
    with suppress(RuntimeError):
        loop.call_soon_threadsafe(call, *arguments)


def _settle(outcomes: list[Outcome]) -> None:
    """Give every future what its call brought out; on the loop's thread."""
    for future, result, error in outcomes:
        if future.done():
            continue
        if error is None:
            future.set_result(result)
        else:
            future.set_exception(error)
