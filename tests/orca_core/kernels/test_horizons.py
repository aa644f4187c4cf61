"""For how long agents avoid others on their way, against the same said with whole arrays."""

from __future__ import annotations

import numpy as np

from orca_core.kernels.horizons import shorten_horizons

TARGET, NARROW = 0, 1


def test_nobody_looks_farther_than_to_where_it_turns() -> None:
    chance = np.random.default_rng(3)
    count, cell_size = 200, 2.0
    longest, speed = chance.uniform(0.5, 9.0, count), chance.uniform(0.0, 2.0, count)
    speed[:5] = 0.0
    position, seen = chance.uniform(0.0, 20.0, (count, 2)), chance.uniform(0.0, 20.0, (count, 3))
    walk, taken = chance.integers(0, 2, (count, 2)), chance.integers(0, 2, count).astype(np.uint8)
    horizon = np.full(count, 1.25)
    arguments = (count, cell_size, longest, speed, position, seen, TARGET, walk, NARROW, taken, horizon)
    assert shorten_horizons(*arguments)
    away, fast = seen[:, :2] - position, np.maximum(speed, 1e-6)
    until = np.sqrt((away * away).sum(axis=1)) / fast
    least = np.minimum(longest, cell_size / fast)
    wanted = np.where(walk[:, NARROW] != 0, least, np.minimum(np.maximum(until, least), longest))
    assert np.allclose(horizon, np.where(taken != 0, 1.25, wanted), rtol=1e-12, atol=0.0)
    # a second look changes nothing
    assert not shorten_horizons(*arguments)
