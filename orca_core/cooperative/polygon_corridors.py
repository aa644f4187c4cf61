"""Corridors on walkable polygons: what `corridors` is for the cells of a map, for worlds that have no grid.

A corridor is a region in place of cells, and its entrances are segments in place of two cells; see
orca_core.geometry.narrows for what is narrow. With agents of different radii it is looked for with the least of them
and the sum of the two largest, and `conflict` says of each pair whether it is too wide for it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from orca_core.geometry.narrows import narrows
from orca_core.surroundings import Surroundings

__all__ = ["RegionCorridors", "identify_regions"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class RegionCorridors:
    """`count` corridors: the edges of the region of corridor c are the rows `first[c]` to `first[c + 1]` of `edges`
    (m, 4), its entrances those from `mouth_first[c]` on of `mouths` (k, 4), with `inward` (k, 2) unit vectors across
    them; `width` (count,) is that at its narrowest, and `margin` what two need beside their radii to pass.
    """

    first: Integers
    edges: Floats
    mouth_first: Integers
    mouths: Floats
    inward: Floats
    width: Floats
    margin: float

    @property
    def count(self) -> int:
        """How many there are."""
        return len(self.width)

    def within(self, corridor: int, points: Floats) -> NDArray[np.bool_]:
        """Which of the points (n, 2) are in its region, by how often a ray to the right crosses an edge."""
        ax, ay, bx, by = self.edges[self.first[corridor] : self.first[corridor + 1]].T
        x, y = points[:, 0:1], points[:, 1:2]
        spans = (ay <= y) != (by <= y)
        # edges that span no height are crossed by no ray; what they are divided by does not matter
        rise = np.where(by == ay, 1.0, by - ay)
        crossed = spans & (ax + (y - ay) / rise * (bx - ax) > x)
        inside: NDArray[np.bool_] = crossed.sum(axis=1) % 2 == 1
        return inside

    def conflict(self, corridor: int, radius: float, others: Floats) -> NDArray[np.bool_]:
        """Whether an agent does not get past each of the others, of radii (m,), in this corridor."""
        narrow: NDArray[np.bool_] = 2.0 * (radius + others) + self.margin > self.width[corridor]
        return narrow

    def nearest_mouth(self, corridor: int, points: Floats) -> tuple[Integers, Floats]:
        """The entrance nearest to each of the points, counted from 0 in its corridor, and how far it is, (n,) each."""
        a, b = np.split(self.mouths[self.mouth_first[corridor] : self.mouth_first[corridor + 1]], 2, axis=1)
        along = b - a
        length = np.maximum((along * along).sum(axis=1), 1e-18)
        part = np.clip(((points[:, None] - a) * along).sum(axis=2) / length, 0.0, 1.0)
        away = a + part[:, :, None] * along - points[:, None]
        squared = (away * away).sum(axis=2)
        nearest = squared.argmin(axis=1)
        return nearest, np.sqrt(squared[np.arange(len(points)), nearest])


def identify_regions(world: Surroundings, margin: float = 0.0) -> RegionCorridors:
    """The corridors of a world as its ground, walls and agents are now."""
    radius = np.sort(world.column("radius"))
    found = []
    if len(radius) >= 2:
        found = narrows(
            world.walkable(), world.obstacles(), float(radius[0]), float(radius[-1] + radius[-2]), margin
        )  # fmt: skip
    counts = [len(one.edges) for one in found]
    mouths = [len(one.mouths) for one in found]
    return RegionCorridors(
        first=np.cumsum([0, *counts]).astype(np.int64),
        edges=np.concatenate([*(one.edges for one in found), np.empty((0, 4))]),
        mouth_first=np.cumsum([0, *mouths]).astype(np.int64),
        mouths=np.concatenate([*(one.mouths for one in found), np.empty((0, 4))]),
        inward=np.concatenate([*(one.inward for one in found), np.empty((0, 2))]),
        width=np.array([one.width for one in found]),
        margin=margin,
    )
