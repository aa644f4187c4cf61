"""Ranking a few candidates: by (squared distance, index) to the last tie, however many there are and however far."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from orca_core.kernels.neighbours import thin_out
from orca_core.kernels.ranking import COUNTED, FAR, rank
from tests.support.samples import samples

ROOM = 64


def ranked(distances: NDArray[np.float64], order: NDArray[np.int64], largest: float) -> list[tuple[float, int]]:
    """What `rank` makes of candidates at the places 0, 1, ... in a row with leftovers behind them."""
    count = len(distances)
    distance, place = np.full(ROOM, -1.0), np.full(ROOM, 7, np.int64)
    distance[:count], place[:count] = distances, np.arange(count)
    near_distance, near_place = np.empty(ROOM), np.empty(ROOM, np.int64)
    scratch = np.empty(ROOM, np.int64), np.empty(COUNTED, np.int64)
    found = rank(distance, place, scratch[0], count, largest, order, scratch[1], near_distance, near_place)
    return [(float(near_distance[c]), int(order[near_place[c]])) for c in range(found)]


@pytest.mark.parametrize("kinds", ["apart", "two alike", "few values", "one spot", "beyond", "last bit"])
@pytest.mark.parametrize("count", [0, 1, 2, 9, COUNTED - 1, COUNTED, COUNTED + 1, 40])
def test_the_order_is_that_of_distance_then_index(count: int, kinds: str) -> None:
    generator = np.random.default_rng(count)
    for _ in range(samples(50)):
        distances = generator.uniform(0.0, 25.0, count)
        if kinds == "two alike" and count > 1:
            distances[generator.integers(count)] = distances[generator.integers(count)]
        elif kinds == "few values":
            distances = np.floor(distances / 6.0)
        elif kinds == "one spot":
            distances[:] = 0.0
        elif kinds == "beyond":
            distances *= FAR
        elif kinds == "last bit":
            distances = np.nextafter(np.full(count, 9.0), np.where(distances < 12.0, 0.0, 99.0))
        order = generator.permutation(ROOM)
        largest = float(distances.max(initial=0.0))
        wanted = sorted((float(distance), int(order[place])) for place, distance in enumerate(distances))
        assert ranked(distances, order, largest) == wanted


def test_the_nearest_are_among_those_left_and_few_enough_are() -> None:
    generator = np.random.default_rng(3)
    for _ in range(samples(200)):
        count = int(generator.integers(COUNTED + 1, 60))
        k = int(generator.integers(1, COUNTED + 1))
        distances = generator.uniform(0.0, 25.0, count)
        distance, place = distances.copy(), np.arange(count)
        left, bound = thin_out(distance, place, count, k, COUNTED, 25.0)
        assert k <= left
        assert set(np.argsort(distances)[:k]) <= set(place[:left].tolist())
        assert sorted(place[:left]) == np.flatnonzero(distances <= bound).tolist()
        assert (distance[:left] == distances[place[:left]]).all()
        assert left <= COUNTED or bound == 25.0


def test_nobody_is_dropped_where_all_are_equally_far() -> None:
    distance, place = np.full(30, 4.0), np.arange(30)
    assert thin_out(distance, place, 30, 10, COUNTED, 4.0) == (30, 4.0)
    assert place.tolist() == list(range(30))
