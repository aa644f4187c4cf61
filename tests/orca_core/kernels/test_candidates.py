"""Velocity obstacles: times to collision against a walk in small steps, and the choice against samples of the disc."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from orca_core.kernels.candidates import chosen_velocity, time_to_collision
from tests.support.samples import samples

Floats = NDArray[np.float64]

LIMIT, HORIZON, DT = 2.0, 2.0, 0.1


def walked(a: Floats, r: float, x: Floats) -> float:
    """The first moment within the horizon at which the distance is below r, by looking every millisecond."""
    moments = np.arange(0.0, HORIZON, 1e-3)
    inside = np.hypot(*(a[:, None] - x[:, None] * moments)) < r
    return float(moments[inside.argmax()]) if inside.any() else math.inf


def test_the_time_to_collision_is_that_of_a_walk() -> None:
    generator = np.random.default_rng(4)
    hits = 0
    for _ in range(samples(500)):
        a, r = generator.uniform(-4.0, 4.0, 2), float(generator.uniform(0.2, 1.0))
        if np.hypot(*a) <= r:
            continue
        x = generator.normal(0.0, 2.0, 2)
        found, wanted = time_to_collision(*a, r, *x, HORIZON, DT), walked(a, r, x)
        hits += wanted < math.inf
        # a graze is one or the other
        closest = np.hypot(*(a - x * min(max(a @ x / (x @ x), 0.0), HORIZON)))
        if abs(closest - r) > 2e-3:
            assert found == wanted or abs(found - wanted) <= 3e-3
    assert hits > 0


def test_an_overlap_is_over_when_a_step_ends_it() -> None:
    assert time_to_collision(0.5, 0.0, 1.0, -5.0, 0.0, HORIZON, DT) == math.inf
    assert time_to_collision(0.5, 0.0, 1.0, 0.0, 0.0, HORIZON, DT) == pytest.approx(DT * 0.5)


def crowd(generator: np.random.Generator, count: int) -> Floats:
    """Frame rows of one agent at the origin and others around it, none of whom it overlaps."""
    packed = np.empty((count + 1, 5))
    angle, distance = generator.uniform(-math.pi, math.pi, count + 1), generator.uniform(1.1, 5.0, count + 1)
    packed[:, 0], packed[:, 1] = np.cos(angle) * distance, np.sin(angle) * distance
    packed[0, :2] = 0.0
    packed[:, 2:4] = generator.normal(0.0, 1.0, (count + 1, 2))
    packed[:, 4] = 0.5
    return packed


@pytest.mark.parametrize("share", [1.0, 0.5])
@pytest.mark.parametrize("count", [1, 2, 5])
def test_no_sampled_velocity_that_hits_nobody_is_nearer_to_the_wish(count: int, share: float) -> None:
    generator = np.random.default_rng(count)
    steps = np.linspace(-LIMIT, LIMIT, 61)
    grid = np.stack(np.meshgrid(steps, steps), axis=-1).reshape(-1, 2)
    grid = grid[np.hypot(*grid.T) <= LIMIT]
    freed = 0
    for _ in range(samples(40)):
        packed = crowd(generator, count)
        wish = generator.normal(0.0, 1.0, 2)
        wish *= min(1.0, LIMIT / np.hypot(*wish))
        near = np.arange(1, count + 1)
        free, x, y = chosen_velocity(
            0, packed, near, count, HORIZON, DT, np.full(count, share), LIMIT, *wish, np.empty((0, 4)), 0, np.empty(6)
        )
        soonest = np.full(len(grid), math.inf)
        for row in packed[1:]:
            relative = (grid - packed[0, 2:4]) / share + packed[0, 2:4] - row[2:4]
            times = [time_to_collision(row[0], row[1], 1.0, *velocity, HORIZON, DT) for velocity in relative]
            soonest = np.minimum(soonest, times)
        distance = np.hypot(*(grid[soonest == math.inf] - wish).T)
        assert math.hypot(x, y) <= LIMIT * (1.0 + 1e-9)
        if free:
            freed += 1
            assert distance.min(initial=math.inf) >= math.hypot(x - wish[0], y - wish[1]) - 1e-9
        else:
            assert not len(distance)
    assert freed > 0


def test_walls_bound_the_choice() -> None:
    """The way out on the right is behind a half-plane, so the left one is taken."""
    packed = np.array([[0.0, 0.0, 1.0, 0.0, 0.5], [3.0, 0.1, -1.0, 0.0, 0.5]])
    no_wall = chosen_velocity(
        0, packed, np.array([1]), 1, HORIZON, DT, np.ones(1), LIMIT, 1.0, 0.0, np.empty((0, 4)), 0, np.empty(6)
    )
    wall = np.array([[0.0, 0.0, 0.0, 1.0]])
    bounded = chosen_velocity(
        0, packed, np.array([1]), 1, HORIZON, DT, np.ones(1), LIMIT, 1.0, 0.0, wall, 1, np.empty(6)
    )
    assert no_wall[2] < 0.0 <= bounded[2]
    assert bounded[0]
