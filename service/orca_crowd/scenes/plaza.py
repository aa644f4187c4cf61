"""Plaza: four crowds on an open square, each on its way to the opposite side, right through one another."""

from __future__ import annotations

import math

import numpy as np

from orca_crowd.scenes.scene import SEED, SceneData
from orca_crowd.scenes.walkers import APART, places, walk

__all__ = ["plaza"]

# rows of a crowd, one behind the other
ROWS = 6
# m of open square between crowds and their goals, at least, and for each walker's root
MIDDLE, MORE = 10.0, 0.8


def plaza(count: int = 500, seed: int = SEED) -> SceneData:
    """`count` walkers in all; each is sent to the place of somebody of the opposite side."""
    chance = np.random.default_rng(seed)
    numbers = [count // 4 + (side < count % 4) for side in range(4)]
    length = APART * math.ceil(max(numbers) / ROWS)
    near = max(0.5 * length + APART, 0.5 * (MIDDLE + MORE * math.sqrt(count)))
    band = (near, -0.5 * length, near + APART * (ROWS - 1), 0.5 * length)
    # the sides in turn: east, north, west, south
    turns = [np.array([(1.0, 0.0), (0.0, 1.0)])]
    for _ in range(3):
        turns.append(turns[-1] @ np.array([(0.0, 1.0), (-1.0, 0.0)]))
    starts = [places(band, number, chance) @ turn for number, turn in zip(numbers, turns, strict=True)]
    goals = [places(band, number, chance) @ turns[side - 2] for side, number in enumerate(numbers)]
    return walk(np.concatenate(starts), np.concatenate(goals), seed=seed, time_limit=60.0 + 4.0 * near)
