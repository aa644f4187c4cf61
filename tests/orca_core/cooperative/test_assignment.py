"""Assignment: the least sum, held against all permutations."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from orca_core.cooperative.assignment import FORBIDDEN, assign


@pytest.mark.parametrize("seed", range(6))
def test_the_sum_is_the_least(seed: int) -> None:
    random_state = np.random.default_rng(seed)
    for _ in range(10):
        rows, columns = sorted(random_state.integers(1, 6, 2).tolist())
        costs = random_state.integers(0, 9, (rows, columns)).astype(np.float64)
        costs[random_state.random(costs.shape) < 0.2] = FORBIDDEN
        sums = [float(costs[range(rows), chosen].sum()) for chosen in permutations(range(columns), rows)]
        chosen = assign(costs)
        if min(sums) >= FORBIDDEN:
            assert chosen is None
        else:
            assert chosen is not None
            assert len(set(chosen.tolist())) == rows
            assert costs[np.arange(rows), chosen].sum() == min(sums)


def test_more_than_there_are_places_for_have_none() -> None:
    assert assign(np.zeros((3, 2))) is None


def test_nobody_is_sent_past_another_in_a_corridor() -> None:
    # two stand in the second cell of a corridor, the one behind nearer to its centre
    places, centers = np.array([0.5, 1.1, 1.7]), np.arange(5) + 0.5
    chosen = assign((places[:, None] - centers) ** 2)
    assert chosen is not None
    assert chosen.tolist() == [0, 1, 2]
