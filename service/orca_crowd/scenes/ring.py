"""Ring: a corridor that ends in itself, for as many walkers as one likes, all of whom go round the same way for ever.

What the field calls the fundamental diagram, the speed of a crowd against how dense it is, wants a corridor without an
end: here everybody is always between others.
"""

from __future__ import annotations

import math

import numpy as np

from orca_core.geometry.walkable import WalkableArea
from orca_crowd.scenes.scene import SEED, SceneData
from orca_crowd.scenes.walkers import WALKER, Points, walk

__all__ = ["RING_AREA", "RING_RADIUS", "RING_WIDTH", "ring", "tangents"]

# of the middle of the corridor, m
RING_RADIUS, RING_WIDTH = 12.0, 2.0
RING_AREA = 2.0 * math.pi * RING_RADIUS * RING_WIDTH
SIDES = 128
# of walkers at the start, one beside the other
ROWS = 4
# m from those next to a wall to where they would touch it
INSET = 0.01
JITTER = 0.01


def ring(density: float, seed: int = SEED) -> SceneData:
    """A ring with `density` walkers for each square metre; raises ValueError where discs have not so much room."""
    radius = float(WALKER["radius"])
    count = round(density * RING_AREA)
    reach = 0.5 * RING_WIDTH - radius - INSET
    # rows no nearer than they stand apart along the ring
    rows = max(1, min(ROWS, round(math.sqrt(count * reach / (math.pi * RING_RADIUS)))))
    each = math.ceil(count / rows)
    if 2.0 * math.pi * (RING_RADIUS - reach) / each < 2.0 * (radius + JITTER):
        raise ValueError(f"{density:g} walkers for each square metre do not fit without touching")
    places = []
    for row in range(rows):
        away = RING_RADIUS + (2.0 * row / (rows - 1) - 1.0) * reach if rows > 1 else RING_RADIUS
        angles = (np.arange(each) + 0.5 * (row % 2)) * (2.0 * math.pi / each)
        places.append(np.column_stack((np.cos(angles), np.sin(angles))) * away)
    positions = np.concatenate(places)[:count]
    along = np.random.default_rng(seed).uniform(-JITTER, JITTER, (count, 1))
    # rounded as all that comes from a sine, which differs in the last bit between machines
    positions = np.round(positions + along * tangents(positions), 9)
    angles = np.arange(SIDES) * (2.0 * math.pi / SIDES)
    circle = np.column_stack((np.cos(angles), np.sin(angles)))
    outer, inner = (np.round(circle * (RING_RADIUS + side * 0.5 * RING_WIDTH), 9) for side in (1.0, -1.0))
    # goals are where they are: their way is told, and leads round for ever
    return walk(positions, positions, seed=seed, time_limit=60.0, walkable=[WalkableArea(((outer, inner),))])


def tangents(positions: Points) -> Points:
    """Which way is on round the ring, counter-clockwise: unit vectors (n, 2)."""
    away = np.sqrt((positions * positions).sum(axis=1))[:, None]
    onward: Points = np.column_stack((-positions[:, 1], positions[:, 0])) / away
    return onward
