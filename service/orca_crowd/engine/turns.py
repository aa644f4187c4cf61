"""Turns: who may use which workers, in order of arrival.

A step takes its workers for itself and gives them back when it is done. Whoever came first is served first, also
when he
wants all of them: a big world waits for the small steps before it and for none behind it, and they wait for one step of
the big world and not for all it has to do.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["Turns"]


class Turns:
    """A queue before `count` workers. Safe for threads."""

    def __init__(self, count: int) -> None:
        """All of them are free."""
        self.count = count
        self._free = set(range(count))
        self._queue: deque[object] = deque()
        self._change = threading.Condition()

    @contextmanager
    def take(self, wanted: int, preferred: int | None = None) -> Iterator[list[int]]:
        """Wait for `wanted` workers (at most all) and have them inside the block; `preferred` is among them if it is
        free.
        """
        wanted = min(wanted, self.count)
        with self._change:
            if self._queue or len(self._free) < wanted:
                self._wait(wanted)
            taken = sorted(self._free, key=lambda worker: (worker != preferred, worker))[:wanted]
            self._free.difference_update(taken)
            if self._queue:
                self._change.notify_all()
        try:
            yield taken
        finally:
            with self._change:
                self._free.update(taken)
                if self._queue:
                    self._change.notify_all()

    def _wait(self, wanted: int) -> None:
        """Stand in the queue until it is one's turn and so many are free."""
        ticket = object()
        self._queue.append(ticket)
        try:
            self._change.wait_for(lambda: self._queue[0] is ticket and len(self._free) >= wanted)
        except BaseException:
            # whoever is interrupted while he waits must not keep his place for ever
            self._queue.remove(ticket)
            self._change.notify_all()
            raise
        self._queue.popleft()
