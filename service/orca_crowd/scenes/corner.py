"""Corner: a crowd that walks along a corridor with a right-angled bend, in the shape of an L."""

from __future__ import annotations

import math

import numpy as np

from orca_crowd.scenes.scene import SEED, SceneData
from orca_crowd.scenes.walkers import APART, places, walk

__all__ = ["corner"]

RIM = 0.5
LEG = 12.0
FREE = 4.0


def corner(count: int = 60, width: float = 3.0, seed: int = SEED) -> SceneData:
    """`count` walkers on their way round a corner, in a corridor of `width` metres, into the room at its end."""
    chance = np.random.default_rng(seed)
    half = 0.5 * width
    rows = int((width - 2.0 * RIM) / APART) + 1
    reach = half + FREE + APART * (math.ceil(count / rows) - 1)
    before = (-reach - RIM, -half, half, half)
    after = (-half, -half, half, LEG)
    side = 0.5 * APART * math.ceil(math.sqrt(count)) + RIM
    room = (-side, LEG - 0.1, side, LEG + 2.0 * side + FREE)
    starts = places((-reach, -half + RIM, -half - FREE, half - RIM), count, chance)
    goals = places((-side + RIM, LEG + FREE, side - RIM, room[3] - RIM), count, chance)
    return walk(
        starts,
        goals,
        seed=seed,
        time_limit=60.0 + 4.0 * count / width,
        boxes=(before, after, room),
        gate=((half, 0.5 * LEG), (-half, 0.5 * LEG)),
    )
