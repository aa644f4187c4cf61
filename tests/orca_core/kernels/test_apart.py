"""Apart: whatever velocities there are, no two discs meet in a step, and whoever is far from all that is left alone."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from orca_core._jit import compile_all
from orca_core.kernels.apart import hold_apart

Floats = NDArray[np.float64]

compile_all()
WIDTH = HEIGHT = 12


def held(
    before: Floats, velocity: Floats, radius: Floats, dt: float = 0.25, size: float = 1.0
) -> tuple[int, Floats, Floats, NDArray[np.uint8]]:
    """How many were held, velocities and positions afterwards, and who was."""
    velocity = velocity.copy()
    position = before + velocity * dt
    who = np.zeros(len(before), np.uint8)
    head, chain = np.empty(WIDTH * HEIGHT, np.int64), np.empty(len(before), np.int64)
    count = hold_apart(len(before), dt, size, WIDTH, radius, before, velocity, position, head, chain, who)
    assert count == who.sum()
    return count, velocity, position, who


def nearest(before: Floats, velocity: Floats, radius: Floats, dt: float) -> float:
    """The least gap between two discs at any of many times of the step."""
    least = np.inf
    for time in np.linspace(0.0, dt, 41):
        places = before + velocity * time
        apart = np.linalg.norm(places[:, None] - places[None], axis=2) - (radius[:, None] + radius[None])
        np.fill_diagonal(apart, np.inf)
        least = min(least, float(apart.min()))
    return least


def test_two_that_would_meet_go_half_of_the_gap_each() -> None:
    before = np.array([[3.0, 3.0], [3.7, 3.0], [9.0, 9.0]])
    velocity = np.array([[1.0, 0.0], [-1.0, 0.0], [1.0, 0.0]])
    radius = np.full(3, 0.3)
    count, after, position, who = held(before, velocity, radius)
    assert count == 2
    assert who.tolist() == [1, 1, 0]
    assert position[:2, 0] == pytest.approx([3.05, 3.65])
    assert nearest(before, after, radius, 0.25) >= 0.0
    # nothing of who is far away is touched
    assert (after[2] == velocity[2]).all()
    assert (position[2] == before[2] + velocity[2] * 0.25).all()


def test_who_comes_upon_one_that_cannot_move_stops_before_it() -> None:
    before, velocity = np.array([[3.0, 3.0], [3.74, 3.0]]), np.array([[0.0, 0.0], [-0.7, 0.1]])
    radius = np.full(2, 0.3)
    count, after, _, _ = held(before, velocity, radius)
    assert count == 2
    # shorter, and in the same direction
    assert 0.0 < -after[1, 0] < 0.7
    assert after[1, 0] * 0.1 + after[1, 1] * 0.7 == pytest.approx(0.0, abs=1e-12)
    assert nearest(before, after, radius, 0.25) >= 0.0


def test_who_runs_into_one_that_is_held_is_held_too() -> None:
    # the second would be out of the third's way, but is held by the first
    before = np.array([[3.0, 3.0], [3.65, 3.0], [4.3, 3.0]])
    velocity = np.array([[0.0, 0.0], [-1.0, 0.0], [-1.0, 0.0]])
    radius = np.full(3, 0.3)
    count, after, _, _ = held(before, velocity, radius)
    assert count == 3
    assert nearest(before, after, radius, 0.25) >= 0.0


def test_two_that_pass_through_each_other_within_the_step_meet() -> None:
    before, velocity = np.array([[3.0, 3.0], [4.0, 3.0]]), np.array([[4.0, 0.0], [-4.0, 0.0]])
    radius = np.full(2, 0.1)
    count, after, _, _ = held(before, velocity, radius, dt=0.5)
    assert count == 2
    assert nearest(before, after, radius, 0.5) >= 0.0


def test_who_overlaps_already_may_part_and_come_no_nearer() -> None:
    before = np.array([[3.0, 3.0], [3.5, 3.0]])
    radius = np.full(2, 0.3)
    _, apart, _, _ = held(before, np.array([[-0.5, 0.0], [0.5, 0.2]]), radius)
    assert apart.tolist() == [[-0.5, 0.0], [0.5, 0.2]]
    _, nearer, _, _ = held(before, np.array([[0.5, 0.0], [-0.5, 0.2]]), radius)
    assert not nearer.any()


@pytest.mark.parametrize("size", [1.0, 0.5])
def test_no_two_of_many_meet(size: float) -> None:
    chance = np.random.default_rng(3)
    for _ in range(30):
        spots = np.stack(np.meshgrid(np.arange(6), np.arange(6)), axis=-1).reshape(-1, 2)
        radius = chance.uniform(0.1, 0.3, len(spots)) * size
        before = (spots * 0.7 + 0.5 + chance.uniform(-0.04, 0.04, spots.shape)) * size
        velocity = chance.uniform(-1.5, 1.5, spots.shape) * size
        count, after, position, who = held(before, velocity, radius, size=size)
        assert count
        assert nearest(before, after, radius, 0.25) >= -1e-12
        assert (after[who == 0] == velocity[who == 0]).all()
        assert np.array_equal(position, before + after * 0.25)


def test_a_negative_radius_is_nobodys() -> None:
    before = np.array([[3.0, 3.0], [3.7, 3.0], [5.0, 5.0], [5.7, 5.0]])
    velocity = np.array([[1.0, 0.0], [-1.0, 0.0], [1.0, 0.0], [-1.0, 0.0]])
    count, after, position, who = held(before, velocity, np.array([0.3, -1.0, 0.3, 0.3]))
    assert (count, who.tolist()) == (2, [0, 0, 1, 1])
    assert (after[:2] == velocity[:2]).all()
    assert (position[:2] == before[:2] + velocity[:2] * 0.25).all()
