"""Ring: a corridor that ends in itself, for as many walkers as one likes, all of whom go round the same way for ever.

What the field calls the fundamental diagram, the speed of a crowd against how dense it is, wants a corridor without an
end: here everybody is always between others.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from orca_core.geometry.walkable import WalkableArea
from orca_crowd.scenes.scene import SEED, SceneData
from orca_crowd.scenes.walkers import WALKER, Points, walk

__all__ = ["RING_AREA", "RING_RADIUS", "RING_WIDTH", "ring", "tangents"]

# of the middle of the corridor, m
RING_RADIUS, RING_WIDTH = 12.0, 2.0
RING_AREA = 2.0 * math.pi * RING_RADIUS * RING_WIDTH
SIDES = 128
# of walkers at the start, one beside the other; of narrower ones as many more
ROWS = 4
# m from those next to a wall to where they would touch it
INSET = 0.01
JITTER = 0.01
# how fast people walk who are not hindered, m/s: mean and deviation (Weidmann 1993), and what walkers can do
FREE_SPEED, DEVIATION, SLOWEST, FASTEST = 1.34, 0.26, 0.8, 1.6


def ring(density: float, seed: int = SEED, radius: float = float(WALKER["radius"])) -> SceneData:
    """A ring with `density` walkers for each square metre; raises ValueError where discs have not so much room."""
    count = round(density * RING_AREA)
    reach = 0.5 * RING_WIDTH - radius - INSET
    rows = round(ROWS * float(WALKER["radius"]) / radius)
    each = math.ceil(count / rows)
    if 2.0 * math.pi * (RING_RADIUS - reach) / each < 2.0 * (radius + JITTER):
        raise ValueError(f"{density:g} walkers for each square metre do not fit without touching")
    places = []
    for row in range(rows):
        away = RING_RADIUS + (2.0 * row / (rows - 1) - 1.0) * reach
        angles = (np.arange(each) + 0.5 * (row % 2)) * (2.0 * math.pi / each)
        places.append(np.column_stack((np.cos(angles), np.sin(angles))) * away)
    positions = np.concatenate(places)[:count]
    chance = np.random.default_rng(seed)
    along = chance.uniform(-JITTER, JITTER, (count, 1))
    speeds = np.clip(chance.normal(FREE_SPEED, DEVIATION, count), SLOWEST, FASTEST)
    # rounded as all that comes from a sine, which differs in the last bit between machines
    positions = np.round(positions + along * tangents(positions), 9)
    angles = np.arange(SIDES) * (2.0 * math.pi / SIDES)
    circle = np.column_stack((np.cos(angles), np.sin(angles)))
    outer, inner = (np.round(circle * (RING_RADIUS + side * 0.5 * RING_WIDTH), 9) for side in (1.0, -1.0))
    # goals are where they are: their way is told, and leads round for ever
    data = walk(positions, positions, seed=seed, time_limit=60.0, walkable=[WalkableArea(((outer, inner),))])
    return replace(
        data,
        columns={**data.columns, "preferred_speed": np.round(speeds, 9)},
        defaults={**data.defaults, "radius": radius},
    )


def tangents(positions: Points) -> Points:
    """Which way is on round the ring, counter-clockwise: unit vectors (n, 2)."""
    away = np.sqrt((positions * positions).sum(axis=1))[:, None]
    onward: Points = np.column_stack((-positions[:, 1], positions[:, 0])) / away
    return onward
