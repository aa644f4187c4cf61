"""Door: two crowds in two rooms, each on its way into the other room, and one door between them."""

from __future__ import annotations

import math

import numpy as np

from orca_crowd.scenes.scene import SEED, SceneData
from orca_crowd.scenes.walkers import APART, places, walk

__all__ = ["door"]

WALL = 0.2
# from the wall to the nearest place, m
FREE = 3.0
RIM = 0.6


def door(each: int = 30, width: float = 2.4, seed: int = SEED) -> SceneData:
    """`each` walkers from either side through a door of `width` metres."""
    chance = np.random.default_rng(seed)
    rows = max(3, math.ceil(math.sqrt(each)))
    half = 0.5 * APART * (rows - 1) + RIM
    depth = FREE + APART * (math.ceil(each / rows) - 1) + RIM
    wall = 0.5 * WALL
    left, right = (-wall - depth, -half, -wall, half), (wall, -half, wall + depth, half)
    gap = (-WALL, -0.5 * width, WALL, 0.5 * width)
    west = (left[0] + RIM, -half + RIM, -wall - FREE, half - RIM)
    east = (wall + FREE, -half + RIM, right[2] - RIM, half - RIM)
    starts = [places(west, each, chance), places(east, each, chance)]
    goals = [places(east, each, chance), places(west, each, chance)]
    return walk(
        np.concatenate(starts),
        np.concatenate(goals),
        seed=seed,
        time_limit=60.0 + 4.0 * each / width,
        boxes=(left, right, gap),
        gate=((0.0, -0.5 * width), (0.0, 0.5 * width)),
    )
