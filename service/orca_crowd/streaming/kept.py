"""The last steps of a watched world, for changed rows and for clients who come back.

Bounded by a number of steps and by bytes, whichever is reached first; the newest step is always kept. States share the
arrays that did not change between them, and each array is counted once.
"""

from __future__ import annotations

from collections import deque

import numpy as np

from orca_crowd.streaming.state import State
from orca_crowd.streaming.statistics import StreamStatistics

__all__ = ["Kept"]


class Kept:
    """States in the order of their steps; more than one of a step where more than one was sent to somebody."""

    def __init__(self, *, steps: int, size: int, statistics: StreamStatistics) -> None:
        """Keep at most `steps` steps and `size` bytes beside the newest."""
        self._steps = steps
        self._limit = size
        self._statistics = statistics
        self._states: deque[State] = deque()
        # by address of each array: how many states hold it
        self._holders: dict[int, int] = {}
        self._bytes = 0
        self._count = 0

    @property
    def size(self) -> int:
        """Bytes of all arrays that are kept."""
        return self._bytes

    def add(self, state: State) -> None:
        """Keep a state that is not older than the newest; the oldest go where there are too many."""
        if self._states and self._states[-1] is state:
            return
        first_of_step = not self._states or self._states[-1].step != state.step
        self._states.append(state)
        self._count += first_of_step
        self._statistics.kept_steps += first_of_step
        self._take(state)
        while self._count > 1 and (self._count > self._steps or self._bytes > self._limit):
            self._drop()

    def at(self, step: int) -> list[State]:
        """The states of a step; none when it is not kept."""
        return [state for state in self._states if state.step == step]

    def frames_after(self, step: int) -> list[State]:
        """One state for each later step: the one that its frames show, which is the first."""
        found: list[State] = []
        for state in self._states:
            if state.step > step and (not found or found[-1].step != state.step):
                found.append(state)
        return found

    def clear(self) -> None:
        """Let go of everything."""
        while self._states:
            self._drop()

    def _drop(self) -> None:
        """Let go of the oldest step."""
        step = self._states[0].step
        while self._states and self._states[0].step == step:
            self._give(self._states.popleft())
        self._count -= 1
        self._statistics.kept_steps -= 1

    def _take(self, state: State) -> None:
        before = self._bytes
        for array in _arrays(state):
            holders = self._holders.get(id(array), 0)
            self._holders[id(array)] = holders + 1
            self._bytes += 0 if holders else _size(array)
        self._statistics.kept_bytes += self._bytes - before

    def _give(self, state: State) -> None:
        before = self._bytes
        for array in _arrays(state):
            holders = self._holders[id(array)] - 1
            if holders:
                self._holders[id(array)] = holders
            else:
                del self._holders[id(array)]
                self._bytes -= _size(array)
        self._statistics.kept_bytes += self._bytes - before


def _size(array: np.ndarray) -> int:
    """Bytes of an array; of one row where all agents share it."""
    return array.nbytes if not array.size or array.strides[0] else array[:1].nbytes


def _arrays(state: State) -> list[np.ndarray]:
    return [state.ids, *state.columns.values()]
