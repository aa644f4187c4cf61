"""Slow and obvious answers about shortest paths: every two vertices that see each other, and Dijkstra over them."""

from __future__ import annotations

import heapq
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import shapely

# stretches along the boundary lie on it but for rounding
GROWN = 1e-10


def shortest_length(area: Any, start: Sequence[float], goal: Sequence[float]) -> float:
    """Length of the shortest path within a closed area; infinite where there is none."""
    points = np.concatenate([[start, goal], np.unique(shapely.get_coordinates(area), axis=0)])
    first, second = np.triu_indices(len(points), 1)
    room = area.buffer(GROWN, join_style="mitre")
    shapely.prepare(room)
    seen = shapely.covers(room, shapely.linestrings(np.stack([points[first], points[second]], axis=1)))
    length = np.full((len(points), len(points)), math.inf)
    length[first[seen], second[seen]] = np.sqrt(((points[first[seen]] - points[second[seen]]) ** 2).sum(axis=1))
    length = np.minimum(length, length.T)
    best = [math.inf] * len(points)
    best[0] = 0.0
    pending = [(0.0, 0)]
    while pending:
        walked, here = heapq.heappop(pending)
        if walked > best[here]:
            continue
        for there in np.flatnonzero(walked + length[here] < best).tolist():
            best[there] = walked + float(length[here, there])
            heapq.heappush(pending, (best[there], there))
    return best[1]
