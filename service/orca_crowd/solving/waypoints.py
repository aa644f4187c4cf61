"""Waypoints: the way that each agent was given after planning, as a file, a line an agent.

    id=36 (20.50,31.50) (32.50,31.50) (41.50,12.50)

The first point is the start, the last the goal.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import IO

import numpy as np
from numpy.typing import NDArray

__all__ = ["write_waypoints"]


def write_waypoints(output: IO[str], ways: Sequence[NDArray[np.float64]]) -> None:
    """Write the way of each agent, points (k, 2)."""
    for agent, way in enumerate(ways):
        points = " ".join(f"({x:.2f},{y:.2f})" for x, y in way.tolist())
        output.write(f"id={agent} {points}\n")
