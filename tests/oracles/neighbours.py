"""Oracle of the neighbours: everybody is looked at, sorted by (squared distance, index), and the first few are taken.

Plain Python floats, one subtraction and two products a pair, as the text has them. Shares no code with the kernels.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["nearest_agents"]

Floats = NDArray[np.float64]


def nearest_agents(position: Floats, row: int, neighbor_distance: float, most: int) -> list[tuple[float, int]]:
    """The neighbours of the agent at `row` among positions (n, 2), as (squared distance, index) in their order."""
    x, y = position[row].tolist()
    found = []
    for index, (other_x, other_y) in enumerate(position.tolist()):
        dx, dy = other_x - x, other_y - y
        squared = dx * dx + dy * dy
        if index != row and squared < neighbor_distance * neighbor_distance:
            found.append((squared, index))
    return sorted(found)[:most]
