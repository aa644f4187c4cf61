"""Corridor: a passage one walker wide between two rooms, and somebody at either end who wants to the other."""

from __future__ import annotations

import math

import numpy as np

from orca_crowd.scenes.scene import SEED, SceneData
from orca_crowd.scenes.walkers import APART, places, walk

__all__ = ["corridor"]

FREE = 2.0
RIM = 0.6


def corridor(west: int = 8, east: int = 8, width: float = 0.8, length: float = 8.0, seed: int = SEED) -> SceneData:
    """`west` walkers on their way from the left room to the right one, and `east` on the way back."""
    chance = np.random.default_rng(seed)
    most = max(west, east, 1)
    rows = max(3, math.ceil(math.sqrt(most)))
    half = 0.5 * APART * (rows - 1) + RIM
    depth = FREE + APART * math.ceil(most / rows) + RIM
    end = 0.5 * length
    left, right = (-end - depth, -half, -end, half), (end, -half, end + depth, half)
    passage = (-end - 0.1, -0.5 * width, end + 0.1, 0.5 * width)
    there = (left[0] + RIM, -half + RIM, -end - FREE, half - RIM)
    here = (end + FREE, -half + RIM, right[2] - RIM, half - RIM)
    starts = [places(there, west, chance), places(here, east, chance)]
    goals = [places(here, west, chance), places(there, east, chance)]
    return walk(
        np.concatenate(starts),
        np.concatenate(goals),
        seed=seed,
        time_limit=60.0 + 10.0 * (west + east),
        boxes=(left, right, passage),
        gate=((0.0, -0.5 * width), (0.0, 0.5 * width)),
    )
