"""Alone: shortest paths of agents that know of nobody, for the variants without a plan for all."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from orca_core.errors import InvalidInput, Problem
from orca_core.mapf.grid_graph import UNREACHABLE, distances, neighbours_of
from orca_core.mapf.instance import Instance

__all__ = ["own_paths"]


def own_paths(instance: Instance) -> list[NDArray[np.int64]]:
    """A shortest path of each agent, int64 (t,) of cells, near the straight line where there are several.

    Raises InvalidInput naming every agent whose goal cannot be reached.
    """
    neighbours = neighbours_of(instance.grid)
    table = distances(neighbours, instance.goals)
    ways = table[np.arange(instance.count), instance.starts]
    if (ways >= UNREACHABLE).any():
        lost = np.flatnonzero(ways >= UNREACHABLE).tolist()
        raise InvalidInput([Problem(agent, "goal", "cannot be reached: unreachable") for agent in lost])
    beside = neighbours.tolist()
    return [
        _descend(int(start), int(goal), table[agent], beside, instance.grid.width)
        for agent, (start, goal) in enumerate(zip(instance.starts.tolist(), instance.goals.tolist(), strict=True))
    ]


def _descend(
    start: int, goal: int, distance: NDArray[np.int32], beside: list[list[int]], width: int
) -> NDArray[np.int64]:
    """Down to the goal, always to the cell that is least far from the straight line among those that come nearer."""
    (sy, sx), (gy, gx) = divmod(start, width), divmod(goal, width)
    cell, path = start, [start]
    while cell != goal:
        nearer = [other for other in beside[cell] if other >= 0 and distance[other] < distance[cell]]
        cell = min(
            nearer,
            key=lambda other: (abs((other % width - sx) * (gy - sy) - (other // width - sy) * (gx - sx)), other),
        )
        path.append(cell)
    return np.array(path, np.int64)
