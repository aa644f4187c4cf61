"""Apart: what keeps discs from meeting in a step, for a guide of a run or of a world; see orca_core.kernels.apart."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from orca_core.cooperation import COOPERATIVE
from orca_core.kernels.apart import hold_apart
from orca_core.state import BY_NAME

if TYPE_CHECKING:
    from orca_core.cooperative.frame import Frame
    from orca_core.state import AgentState

__all__ = ["NONE", "Apart", "kept_radii"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

# who has one of these otherwise looks through some, or is looked through, and may lie upon them
PLAIN = ("locked", "avoidance", "layer", "mask", "elevation", "height", "group_mode", "quality", "caught")
# the radius of whom nobody is kept apart from
NONE = -1.0
# so much is kept of the radius of an agent that keeps nothing beside it. Discs that are kept apart whole touch and hold
# each other up for long: through a gap of one cell a third fewer get, and a crowd without a fallback locks itself up.
# What overlaps a little the solver drives apart by itself
KEPT = 0.98


class Apart:
    """Looks at all agents of a guide, cell by cell."""

    def __init__(self, frame: Frame, count: int) -> None:
        """So many agents on a map."""
        self._size, self._width = frame.cell_size, frame.grid.width
        self._head, self._chain = np.empty(frame.grid.free.size, np.int64), np.empty(count, np.int64)
        # who was held in the last step
        self.held = np.zeros(count, np.uint8)

    def hold(self, dt: float, radius: Floats, before: Floats, velocity: Floats, position: Floats) -> int:
        """Make velocities and positions (n, 2) such that no two discs of `radius` (n,) have met in a step of `dt` that
        began at `before` (n, 2); returns how many were held. A negative radius is nobody's.
        """
        return int(
            hold_apart(
                len(self.held), dt, self._size, self._width, radius, before, velocity, position, self._head,
                self._chain, self.held,
            )
        )  # fmt: skip


def kept_radii(agents: AgentState, rows: Integers) -> Floats:
    """What is kept apart of the discs of these agents, radii (m,); negative of those that follow no plan, or that do
    not see and are not seen as all others are.
    """
    plain = agents["guidance"][rows] == COOPERATIVE
    for name in PLAIN:
        plain &= agents[name][rows] == BY_NAME[name].empty
    return np.where(plain, KEPT * agents["radius"][rows], NONE)
