"""Head-on: pairs that walk straight at each other, each a little off the other's line, by what keeps them apart.

With plain velocity obstacles both take the whole of the correction, and swing to and fro; where either takes half of it
they pass in one bow. How much everybody turns on its way says which it was.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from orca_crowd.scenes.scene import SEED, SceneData
from orca_crowd.scenes.walkers import walk

__all__ = ["head_on"]

# m: half of a way, and between the ways of two pairs, so that no pair is in the way of another
HALF, APART = 5.5, 2.5
# twice as wide as the walkers of other scenes, and long steps, so that to and fro can be seen: m, s, steps a second
RADIUS, TIME_STEP, RATE = 0.5, 0.25, 8.0
# m by which the two of a pair are off each other's line, at least and at most: less than they are wide
OFF = (0.06, 0.3)


def head_on(model: str = "orca", pairs: int = 5, seed: int = SEED) -> SceneData:
    """`pairs` of two walkers who change places, with one of the avoidance models `vo`, `rvo` and `orca`."""
    chance = np.random.default_rng(seed)
    line = APART * (np.arange(pairs) - 0.5 * (pairs - 1))
    off = 0.5 * chance.uniform(*OFF, pairs) * chance.choice((-1.0, 1.0), pairs)
    west = np.column_stack((np.full(pairs, -HALF), line + off))
    east = np.column_stack((np.full(pairs, HALF), line - off))
    ends = np.array([(-1.0, 1.0)])
    scene = walk(np.concatenate((west, east)), np.concatenate((west * ends, east * ends)), seed=seed, time_limit=40.0)
    return replace(
        scene,
        time_step=TIME_STEP,
        rate=RATE,
        defaults={**scene.defaults, "radius": RADIUS},
        options={**scene.options, "avoidance_model": model},
        turning=True,
    )
