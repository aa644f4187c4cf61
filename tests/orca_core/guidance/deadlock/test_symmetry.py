"""Exact symmetries pass with the whole layer on, at every time step, and the same way each time."""

from __future__ import annotations

import numpy as np
import pytest

from tests.support.jams import jam, watch


@pytest.mark.parametrize("time_step", [0.25, 0.1, 1 / 60, pytest.param(0.01, marks=pytest.mark.soak),
                                       pytest.param(0.001, marks=pytest.mark.soak)])  # fmt: skip
def test_a_head_on_pair_passes(time_step: float) -> None:
    course = watch(jam([(-5.0, 0.0), (5.0, 0.0)], [(5.0, 0.0), (-5.0, 0.0)], time_step=time_step), 60.0)
    assert course.left().max() < 0.1
    assert course.deepest <= 1e-6
    assert {event.kind for event in course.events} == {"arrived"}


@pytest.mark.parametrize("time_step", [0.25, pytest.param(1 / 60, marks=pytest.mark.soak)])
@pytest.mark.parametrize("count", [3, 4, 5, 6, 8, 10])
def test_a_ring_changes_sides(count: int, time_step: float) -> None:
    angle = np.arange(count) * 2.0 * np.pi / count
    places = 5.0 * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    ends = []
    for _ in range(2):
        course = watch(jam(places, -places, time_step=time_step, neighbor_distance=20.0, max_neighbors=20), 90.0)
        assert course.left().max() < 0.1
        assert course.deepest <= 1e-3
        ends.append(course.world.digest())
    assert ends[0] == ends[1]
