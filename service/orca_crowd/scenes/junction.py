"""Junction: two crowds come along the arms of a T, meet, and leave together through its stem."""

from __future__ import annotations

import math

import numpy as np

from orca_crowd.scenes.scene import SEED, SceneData
from orca_crowd.scenes.walkers import APART, Box, places, walk

__all__ = ["junction"]

RIM = 0.5
STEM = 12.0
FREE = 4.0


def junction(each: int = 40, width: float = 3.0, seed: int = SEED) -> SceneData:
    """`each` walkers in either arm, all of whom want into the room at the end of the stem, `width` metres wide all."""
    chance = np.random.default_rng(seed)
    half = 0.5 * width
    rows = int((width - 2.0 * RIM) / APART) + 1
    reach = half + FREE + APART * (math.ceil(each / rows) - 1)
    arms = (-reach - RIM, -half, reach + RIM, half)
    stem = (-half, -STEM, half, 0.0)
    side = 0.5 * APART * math.ceil(math.sqrt(2 * each)) + RIM
    room = (-side, -STEM - 2.0 * side - FREE, side, -STEM + 0.1)
    east: Box = (half + FREE, -half + RIM, reach, half - RIM)
    west: Box = (-reach, -half + RIM, -half - FREE, half - RIM)
    starts = np.concatenate([places(west, each, chance), places(east, each, chance)])
    goals = places((-side + RIM, room[1] + RIM, side - RIM, -STEM - FREE), 2 * each, chance)
    return walk(
        starts,
        goals,
        seed=seed,
        time_limit=60.0 + 4.0 * each / width,
        boxes=(arms, stem, room),
        gate=((half, -0.5 * STEM), (-half, -0.5 * STEM)),
    )
