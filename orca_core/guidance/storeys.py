"""Storeys: heights at which the very same of some walls or obstacles are met, by the rule of the solver.

What stands from `low` to `high` is met by whoever has a height in common with it, ends included. Of who asks therefore
nothing counts but the lowest upper end that is not below it and the highest lower end that is not above it: these two
are its storey, and all who have the same storey meet the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from orca_core.state import AgentState

__all__ = ["BEYOND", "EVERY_HEIGHT", "Heights", "Storeys", "heights_at"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

# from the lower to the upper end (m)
Heights = tuple[float, float]
EVERY_HEIGHT: Heights = (-np.inf, np.inf)
# higher than anything can be, and a finite number, which snapshots ask for
BEYOND = 1e300


def heights_at(agents: AgentState, rows: Integers) -> Floats:
    """From where to where the agents at `rows` (m,) stand, (m, 2)."""
    low = agents.dense("elevation")[rows]
    return np.stack([low, low + agents.dense("height")[rows]], axis=1)


class Storeys:
    """The storeys that some ranges of heights make."""

    def __init__(self, ranges: Floats) -> None:
        """`ranges` (m, 2) of low and high, infinite for what stands at every height."""
        self._lows, self._highs = np.unique(ranges[:, 0]), np.unique(ranges[:, 1])
        self._any = bool(np.isfinite(ranges).any())

    def __bool__(self) -> bool:
        """Whether there are several: else everybody meets the same."""
        return self._any

    def of(self, heights: Floats) -> Floats:
        """The storeys (m, 2) of who stands at `heights` (m, 2); the storey of a storey is itself."""
        found = np.empty_like(heights)
        highs, lows = np.append(self._highs, BEYOND), np.append(-BEYOND, self._lows)
        found[:, 0] = highs[np.searchsorted(self._highs, heights[:, 0], side="left")]
        found[:, 1] = lows[np.searchsorted(self._lows, heights[:, 1], side="right")]
        return np.clip(found, -BEYOND, BEYOND, out=found)

    def alike(self, one: Floats, other: Floats) -> NDArray[np.bool_]:
        """Whether the same is met at each of these heights (m, 2) as at each of those."""
        same: NDArray[np.bool_] = (self.of(one) == self.of(other)).all(axis=1)
        return same
