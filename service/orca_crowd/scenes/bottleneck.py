"""Bottleneck: a crowd in front of a narrow passage, as in the experiments by which crowds are judged."""

from __future__ import annotations

import math

import numpy as np

from orca_crowd.scenes.scene import SEED, SceneData
from orca_crowd.scenes.walkers import APART, places, walk

__all__ = ["bottleneck"]

# of the crowd at the start, m: as dense as people gather, about three for each square metre in a lattice of
WAITING = 0.6
RIM = 0.4
FREE = 3.0


def bottleneck(
    count: int = 60, width: float = 1.2, length: float = 2.8, before: float = 5.0, seed: int = SEED
) -> SceneData:
    """`count` walkers, waiting close together in a corridor `before` metres wide, 3 m before a passage of `width`."""
    chance = np.random.default_rng(seed)
    half = 0.5 * before
    rows = int((before - 2.0 * RIM) / WAITING + 1e-9) + 1
    depth = WAITING * (math.ceil(count / rows) - 1)
    waiting = (-FREE - depth, -half + RIM, -FREE, half - RIM)
    side = 0.5 * APART * math.ceil(math.sqrt(count)) + RIM
    room = (length, -side, length + FREE + 2.0 * side, side)
    return walk(
        places(waiting, count, chance, apart=WAITING),
        places((length + FREE, -side + RIM, room[2] - RIM, side - RIM), count, chance),
        seed=seed,
        time_limit=60.0 + 3.0 * count / width,
        boxes=((waiting[0] - RIM, -half, 0.0, half), (-0.1, -0.5 * width, length + 0.1, 0.5 * width), room),
        gate=((0.0, -0.5 * width), (0.0, 0.5 * width)),
    )
