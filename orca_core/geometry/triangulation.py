"""Triangulation: an area cut into triangles that cover it exactly, with what lies across each edge."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import shapely
from numpy.typing import NDArray

from orca_core.geometry.overlay import parted

__all__ = ["Triangulation", "triangulated"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Triangulation:
    """Triangles over the vertices of an area; no vertex is added, so each lies on the boundary.

    `vertices` float64 (v, 2), ascending by x and then y; `triangles` int64 (t, 3), counter-clockwise; `across` int64
    (t, 3) the triangle on the other side of the edge from corner i to corner i + 1, -1 at the boundary; `component`
    int64 (t,) equal for triangles between which there is a way.
    """

    vertices: Floats
    triangles: Integers
    across: Integers
    component: Integers


def triangulated(area: Any) -> Triangulation:
    """The constrained Delaunay triangles of a MultiPolygon."""
    pieces = parted(area) if not area.is_empty else np.empty(0, object)
    if not len(pieces):
        none = np.empty((0, 3), np.int64)
        return Triangulation(np.empty((0, 2)), none, none, np.empty(0, np.int64))
    corners = shapely.get_coordinates(pieces).reshape(-1, 4, 2)[:, :3]
    vertices, index = np.unique(corners.reshape(-1, 2), axis=0, return_inverse=True)
    triangles = index.reshape(-1, 3).astype(np.int64)
    # one sense, and one order however the library gives them: by their corners, the smallest first
    a, b, c = (vertices[triangles[:, k]] for k in range(3))
    doubled = (b[:, 0] - a[:, 0]) * (c[:, 1] - a[:, 1]) - (b[:, 1] - a[:, 1]) * (c[:, 0] - a[:, 0])
    triangles = np.where((doubled < 0.0)[:, None], triangles[:, ::-1], triangles)
    first = triangles.argmin(axis=1)[:, None]
    triangles = np.take_along_axis(triangles, (first + np.arange(3)) % 3, axis=1)
    triangles = triangles[np.lexsort(triangles.T[::-1])]
    across = _across(triangles)
    return Triangulation(vertices, triangles, across, _components(across))


def _across(triangles: Integers) -> Integers:
    """The neighbour over each edge: the triangle that has it the other way round."""
    owner = {
        (corners[k], corners[(k + 1) % 3]): number
        for number, corners in enumerate(triangles.tolist())
        for k in range(3)
    }
    found = [[owner.get((corners[(k + 1) % 3], corners[k]), -1) for k in range(3)] for corners in triangles.tolist()]
    return np.array(found, np.int64).reshape(-1, 3)


def _components(across: Integers) -> Integers:
    """A number for each triangle, equal for those that hang together by edges, in order of their first triangles."""
    component = [-1] * len(across)
    rows = across.tolist()
    number = 0
    for seed in range(len(rows)):
        if component[seed] >= 0:
            continue
        component[seed] = number
        pending = [seed]
        while pending:
            for other in rows[pending.pop()]:
                if other >= 0 and component[other] < 0:
                    component[other] = number
                    pending.append(other)
        number += 1
    return np.array(component, np.int64)
