"""Corridors on walkable polygons: what `corridors` is for the cells of a map, for worlds that have no grid.

A corridor is a region in place of cells, and its entrances are segments in place of two cells; see
orca_core.geometry.narrows for what is narrow. With agents of different radii it is looked for with the least of them
and the sum of the two largest, and `conflict` says of each pair whether it is too wide for it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from orca_core.geometry.narrows import narrows
from orca_core.surroundings import Surroundings

__all__ = ["RegionCorridors", "deciding_radii", "identify_regions"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


PARTS = ("first", "edges", "mouth_first", "mouths", "inward", "width")


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

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """All of it as arrays by name."""
        return {**{name: getattr(self, name) for name in PARTS}, "margin": np.array([self.margin])}

    @classmethod
    def from_arrays(cls, kept: Mapping[str, NDArray[Any]]) -> RegionCorridors:
        """What `to_arrays` told; raises KeyError or ValueError where the arrays do not agree."""
        made = cls(**{name: kept[name].copy() for name in PARTS}, margin=float(kept["margin"][0]))
        for first, rows in ((made.first, made.edges), (made.mouth_first, made.mouths)):
            whole = len(first) == made.count + 1 and first[0] == 0 and first[-1] == len(rows) and rows.shape[1:] == (4,)
            if not whole or (np.diff(first) < 1).any():
                raise ValueError("parts of corridors are not as many as they should be")
        if made.inward.shape != (len(made.mouths), 2):
            raise ValueError("entrances of corridors have no direction")
        return made

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
        length = np.maximum(along[:, 0] * along[:, 0] + along[:, 1] * along[:, 1], 1e-18)
        out = points[:, None] - a
        part = np.clip((out[:, :, 0] * along[:, 0] + out[:, :, 1] * along[:, 1]) / length, 0.0, 1.0)
        away = part[:, :, None] * along - out
        squared = away[:, :, 0] * away[:, :, 0] + away[:, :, 1] * away[:, :, 1]
        nearest = squared.argmin(axis=1)
        return nearest, np.sqrt(squared[np.arange(len(points)), nearest])


def deciding_radii(world: Surroundings) -> Floats:
    """The least radius and the sum of the two largest, float64 (2,); zeros where there are no two agents."""
    radius = world.column("radius")
    if len(radius) < 2:
        return np.zeros(2)
    largest = np.partition(radius, len(radius) - 2)[-2:]
    return np.array([float(radius.min()), float(largest[0]) + float(largest[1])])


def identify_regions(world: Surroundings, margin: float = 0.0) -> RegionCorridors:
    """The corridors of a world as its ground, walls and agents are now; doors that stand open are no walls."""
    least, pair = deciding_radii(world).tolist()
    found = narrows(world.walkable(), world.obstacle_set.acting(), least, pair, margin) if pair > 0.0 else []
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
