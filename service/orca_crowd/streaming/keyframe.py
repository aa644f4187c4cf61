"""The values beside which int16 and int8 are told: shared by all watchers of a world, renewed now and then.

A keyframe is where agents were at one step, rounded to float32. A message tells position and velocity as whole numbers
times a scale on top of that; the scale is the smallest power of two with which the numbers of that message fit, so the
error is at most half of it. Who is added later gets a base when a message first needs one.

A keyframe is renewed after a number of steps, and earlier when somebody is farther from its base than agents walk in
that time, since one agent put elsewhere would make the scale coarse for all.
"""

from __future__ import annotations

import math
import threading
from typing import Any

import numpy as np
from numpy.typing import NDArray

from orca_crowd.streaming.state import State

__all__ = ["BASED", "Keyframe", "Keyframes", "quantised"]

# the columns that are told beside a base
BASED = ("position", "velocity")

Column = NDArray[np.float32]

# agents that are gone cost room: how many of them a keyframe may hold beside those who are here
SPARE = 1_000
# no scale is finer than this: far below the rounding of the base
FINEST = -60


class Keyframe:
    """Base values by id. Rows are only ever added, under the lock of `Keyframes`."""

    __slots__ = ("__weakref__", "_columns", "_ids", "_newest", "step")

    def __init__(self, state: State) -> None:
        """Take the values of a state."""
        self.step = state.step
        self._ids = state.ids
        self._columns = {name: _rounded(state.columns[name]) for name in BASED}
        # the ids that were asked for last, and the columns in their order
        self._newest: tuple[NDArray[np.int64], dict[str, Column]] = (self._ids, self._columns)

    def __len__(self) -> int:
        """How many agents have a base."""
        return len(self._ids)

    def base(self, state: State) -> dict[str, Column]:
        """Base columns (n, 2) in the order of the agents of a state; who has no base yet gets one from it."""
        if self._newest[0] is state.ids:
            return self._newest[1]
        missing = ~np.isin(state.ids, self._ids)
        if missing.any():
            self._ids = np.concatenate([self._ids, state.ids[missing]])
            self._columns = {
                name: np.concatenate([column, _rounded(state.columns[name][missing])])
                for name, column in self._columns.items()
            }
        order = np.argsort(self._ids, kind="stable")
        rows = order[np.searchsorted(self._ids, state.ids, sorter=order)]
        self._newest = (state.ids, {name: column[rows] for name, column in self._columns.items()})
        return self._newest[1]


class Keyframes:
    """The keyframe that goes with each state; from any thread."""

    def __init__(self, *, steps: int, time_step: float) -> None:
        """Renew after `steps` steps of `time_step` seconds."""
        self._steps = steps
        self._time_step = time_step
        self._current: Keyframe | None = None
        self._lock = threading.Lock()

    def of(self, state: State) -> tuple[Keyframe, dict[str, Column]]:
        """The keyframe of a state, always the same, and its base columns in the order of the state's agents."""
        with self._lock:
            if state.keyframe is None:
                current = self._current
                # a step names one keyframe for ever, so there is at most one of each, and none of the past
                if current is None or (state.step > current.step and self._outlived(current, state)):
                    current = self._current = Keyframe(state)
                state.keyframe = current
            return state.keyframe, state.keyframe.base(state)

    def _outlived(self, current: Keyframe, state: State) -> bool:
        if state.step - current.step >= self._steps or len(current) > 2 * len(state.ids) + SPARE:
            return True
        if not len(state.ids):
            return False
        base = current.base(state)
        fastest = float(state.columns["max_speed"].max())
        position = state.columns["position"]
        walked = 2.0 * self._steps * self._time_step * fastest + 1e-6 * float(np.abs(position).max())
        return (
            float(np.abs(position - base["position"]).max()) > walked
            or float(np.abs(state.columns["velocity"] - base["velocity"]).max()) > 4.0 * fastest
        )


def _rounded(column: NDArray[np.float64]) -> Column:
    """A column as float32; what float32 does not reach is at its end."""
    furthest = float(np.finfo(np.float32).max)
    return column.clip(-furthest, furthest).astype(np.float32)


def quantised(column: NDArray[np.float64], base: Column, precision: str) -> tuple[NDArray[Any], float]:
    """Whole numbers (n, 2), int16 or int8, and their scale: base + scale · number is the column within scale / 2."""
    dtype = np.dtype(precision)
    offset = column - base
    largest = float(np.abs(offset).max()) if offset.size else 0.0
    # frexp gives the next power of two that is not below
    exponent = math.frexp(largest / float(np.iinfo(dtype).max))[1] if largest > 0.0 else FINEST
    scale = math.ldexp(1.0, max(exponent, FINEST))
    # dividing by a power of two loses nothing
    return np.rint(offset / scale).astype(dtype), scale
