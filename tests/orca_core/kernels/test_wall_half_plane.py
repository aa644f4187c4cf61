"""The half-plane of a wall by the one candidate that can win has the bits of the support form, which tries all."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from orca_core.kernels.velocity_obstacle import segment_distance_squared, segment_half_plane, wall_half_plane

coordinates = st.floats(-30.0, 30.0) | st.integers(-4, 4).map(float) | st.floats(-1e-3, 1e-3) | st.floats(-1e9, 1e9)


def bits(values: tuple[float, ...]) -> bytes:
    return np.array(values, np.float64).tobytes()


def assert_same(ax: float, ay: float, bx: float, by: float, r: float, tau: float) -> None:
    squared = segment_distance_squared(ax, ay, bx, by)
    found = wall_half_plane(ax, ay, bx, by, squared, r, tau, 0.25)
    assert bits(found) == bits(segment_half_plane(ax, ay, bx, by, r, tau, 0.25))


@given(coordinates, coordinates, coordinates, coordinates, st.sampled_from([0.0, 0.3, 0.5, 2.0]), st.floats(0.01, 20.0))
def test_any_wall(ax: float, ay: float, bx: float, by: float, r: float, tau: float) -> None:
    assert_same(ax, ay, bx, by, r, tau)


@given(st.floats(0.0, 2.0 * math.pi), st.floats(-9.0, 9.0), st.floats(-2.0, 2.0), st.floats(-16.0, 1.0))
def test_walls_that_begin_or_end_right_beside_the_agent(angle: float, along: float, start: float, power: float) -> None:
    # the nearest point is an end, within the wall, or either but for 10^power
    cosine, sine = math.cos(angle), math.sin(angle)
    for first, second in ((10.0**power, along), (-(10.0**power), along), (start, along)):
        for aside in (0.5, 0.5 + 10.0**power, 3.0):
            ends = [(t * cosine - aside * sine, t * sine + aside * cosine) for t in (first, second)]
            assert_same(*ends[0], *ends[1], 0.5, 2.0)
            assert_same(*ends[1], *ends[0], 0.5, 2.0)


@given(st.floats(-5.0, 5.0), st.floats(-5.0, 5.0), st.floats(0.0, 2.0 * math.pi), st.floats(-12.0, 0.0))
def test_walls_whose_ends_lie_in_one_direction(x: float, y: float, angle: float, power: float) -> None:
    length = 10.0**power
    assert_same(x, y, x + length * math.cos(angle), y + length * math.sin(angle), 0.3, 2.0)
    # straight ahead but for the length
    assert_same(x, y, 2.0 * x, 2.0 * y + length, 0.3, 2.0)
    assert_same(2.0 * x, 2.0 * y, x, y, 0.3, 2.0)


@pytest.mark.parametrize("scale", [1e-160, 1e-80, 1e-40, 1e-12, 1.0, 1e6, 1e9])
def test_walls_of_any_size(scale: float) -> None:
    random = np.random.default_rng(5)
    for _ in range(300):
        ends = random.normal(size=4) * scale
        assert_same(*ends.tolist(), float(random.uniform(0.0, 1.0)) * scale, float(random.uniform(0.1, 4.0)))


def test_a_wall_without_length_and_one_underfoot() -> None:
    for ends in ((1.0, 2.0, 1.0, 2.0), (0.0, 0.0, 1.0, 0.0), (-1.0, 0.0, 1.0, 0.0), (0.0, 0.0, 0.0, 0.0)):
        assert_same(*ends, 0.5, 2.0)
