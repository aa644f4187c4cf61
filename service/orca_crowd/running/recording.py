"""Recording: who was where, frame by frame, and the ground they walked on; what pictures are drawn from.

Agents are neither added nor removed while a scene is run, so a recording is one array. Positions are kept in float32,
finer than any picture.
"""

from __future__ import annotations

import colorsys
import math
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from orca_core.world import World
from orca_crowd.running.refusal import Unusable

__all__ = ["HUES", "Recording", "check_size"]

Floats = NDArray[np.float64]
# bytes that a recording may take
MOST_BYTES = 2_000_000_000
# share of the drawn box that is left free around everything
MARGIN = 0.03
# of how many strokes a side of an open door is drawn
STROKES = 5
# colours there are, one for each direction in which agents went; those of one hue are of one lightness
HUES = tuple(
    (round(255 * red), round(255 * green), round(255 * blue))
    for red, green, blue in (colorsys.hls_to_rgb(k / 24.0, 0.47, 0.62) for k in range(24))
)


def check_size(agents: int, frames: int) -> None:
    """Unusable where a recording of so many frames would not fit."""
    size = 8 * agents * frames
    if size > MOST_BYTES:
        raise Unusable(
            f"use a larger --every: {frames:,} frames of {agents:,} agents are {size / 1e9:.1f} GB, and a picture or "
            f"an animation may hold {MOST_BYTES / 1e9:g}"
        )


def _strokes(line: Floats) -> list[Floats]:
    """A line (k, 2) as an open door is drawn: each side in strokes, with gaps as long between them."""
    parts = np.linspace(0.0, 1.0, 2 * STROKES)[:, None]
    points = [a + (b - a) * parts for a, b in pairwise(line)]
    return [side[2 * k : 2 * k + 2] for side in points for k in range(STROKES)]


@dataclass
class Recording:
    """What is drawn. `walls` are lines (k, 2), `solids` rings (k, 2) of obstacles that are filled, `areas` polygons of
    rings (k, 2) with the outer one first.
    """

    title: str
    time_step: float
    radii: Floats
    walls: list[Floats]
    solids: list[Floats]
    areas: list[list[Floats]]
    attribution: str | None = None
    steps: list[int] = field(default_factory=list)
    frames: list[NDArray[np.float32]] = field(default_factory=list)

    @classmethod
    def of(cls, world: World, title: str, attribution: str | None = None) -> Recording:
        """An empty recording of a world."""
        walls, solids = [], []
        for obstacle in world.obstacles():
            points = np.asarray(obstacle.points, np.float64)
            line = np.vstack([points, points[:1]]) if obstacle.closed else points
            walls += _strokes(line) if obstacle.open else [line]
            # a line that ends where it began is that of a room
            solids += [points] if obstacle.closed and not obstacle.open else []
        polygons = (polygon for area in world.walkable() for polygon in area.polygons)
        areas = [[np.asarray(ring, np.float64) for ring in polygon] for polygon in polygons]
        radii = np.array(world.column("radius"), np.float64)
        return cls(title, world.time_step, radii, walls, solids, areas, attribution)

    def add(self, world: World) -> None:
        """Where everybody is now."""
        self.steps.append(world.step_count)
        self.frames.append(np.array(world.column("position"), np.float32))

    def thinned(self, most: int) -> Recording:
        """The same with at most so many frames, the first and the last among them."""
        if len(self.steps) <= most:
            return self
        chosen = np.unique(np.linspace(0, len(self.steps) - 1, most).round().astype(int)).tolist()
        ground = (self.title, self.time_step, self.radii, self.walls, self.solids, self.areas, self.attribution)
        return Recording(*ground, [self.steps[k] for k in chosen], [self.frames[k] for k in chosen])

    def hues(self) -> NDArray[np.int64]:
        """The colour of each agent (n,), an index into HUES: the direction from its first place to its last."""
        way = self.frames[-1].astype(np.float64) - self.frames[0]
        turn = np.arctan2(way[:, 1], way[:, 0]) / (2.0 * math.pi)
        return (np.floor(turn * len(HUES)).astype(np.int64)) % len(HUES)

    def box(self) -> tuple[float, float, float, float]:
        """What there is to see: min x, min y, max x, max y, with a margin around it."""
        corners = [points for points in (*self.walls, *(ring for area in self.areas for ring in area)) if len(points)]
        if len(self.radii):
            reach = float(self.radii.max())
            for frame in self.frames:
                corners.append(np.array([frame.min(axis=0) - reach, frame.max(axis=0) + reach], np.float64))
        if not corners:
            return -1.0, -1.0, 1.0, 1.0
        everything = np.vstack(corners)
        low, high = everything.min(axis=0), everything.max(axis=0)
        margin = MARGIN * max(float((high - low).max()), 1.0)
        return (*(low - margin).tolist(), *(high + margin).tolist())
