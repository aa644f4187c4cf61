"""Headings against the trigonometry that kernels do without: cosine and sine, turning on the spot, the wedge."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from orca_core.kernels.turning import FREE, cosine_sine, direction, gather_bodies, turned, wedge_rows
from tests.support.samples import samples

angles = st.floats(-math.pi, math.pi)
turns = st.floats(0.0, math.pi / 2)


def between(one: tuple[float, float], other: tuple[float, float]) -> float:
    """The angle between two directions (rad)."""
    return abs(math.atan2(one[0] * other[1] - one[1] * other[0], one[0] * other[0] + one[1] * other[1]))


def towards(angle: float) -> tuple[float, float]:
    """A direction of length one as `direction` makes it."""
    x, y = direction(math.cos(angle), math.sin(angle), 0.0, 0.0)
    return float(x), float(y)


def test_cosine_and_sine_are_those_of_mathematics_to_the_last_bits() -> None:
    for angle in np.linspace(0.0, math.pi / 2, samples(20_001)).tolist():
        cosine, sine = cosine_sine(angle)
        assert abs(cosine - math.cos(angle)) <= 4e-16
        assert abs(sine - math.sin(angle)) <= 4e-16


def test_what_a_body_can_do_in_a_step() -> None:
    order = np.arange(5)
    rates = np.array([-1.0, 0.0, 2.0, 20.0, 40.0])
    bodies = np.empty((5, 4))
    gather_bodies(0, 5, order, 0.1, np.array([-1.0, 0.0, 2.0, 3.0, 4.0]), rates, np.zeros(5), bodies)
    assert bodies[0].tolist() == [math.inf, FREE, 0.0, 0.0]
    assert bodies[1].tolist() == [0.0, 1.0, 0.0, 0.0]
    assert bodies[2, 0] == 0.2
    assert 0.0 <= 0.2 - math.atan2(bodies[2, 2], bodies[2, 1]) <= 1e-12
    # beyond a right angle the set would not be convex; from half a turn on there is no limit
    assert abs(bodies[3, 1]) < 1e-15
    assert bodies[4, 1] == FREE


@given(angles, angles, turns)
def test_on_the_spot_it_turns_towards_its_wish_and_no_farther_than_it_can(
    facing: float, wanted: float, turn: float
) -> None:
    cosine, sine = cosine_sine(turn)
    heading, wish = towards(facing), towards(wanted)
    x, y = turned(*heading, 3.0 * wish[0], 3.0 * wish[1], cosine, sine)
    assert abs(math.hypot(x, y) - 1.0) <= 1e-15
    assert between(heading, (x, y)) <= turn + 1e-7
    # what is left to turn is what was there less the turn
    assert abs(between((x, y), wish) - max(between(heading, wish) - turn, 0.0)) <= 1e-7


def test_one_that_wants_straight_back_turns_to_its_right() -> None:
    cosine, sine = cosine_sine(0.25)
    assert turned(1.0, 0.0, -2.0, 0.0, cosine, sine) == pytest.approx((cosine, -sine), abs=1e-15)


def test_without_a_heading_or_a_limit_it_faces_its_wish_at_once() -> None:
    assert turned(0.0, 0.0, 0.0, -2.0, 1.0, 0.0) == (0.0, -1.0)
    assert turned(1.0, 0.0, 0.0, 5.0, FREE, 0.0) == (0.0, 1.0)
    assert turned(1.0, 0.0, 0.0, 0.0, 0.5, 0.5) == (1.0, 0.0)


@given(angles, st.floats(1e-9, math.pi / 2), angles, st.floats(0.0, 3.0))
def test_the_wedge_holds_what_a_body_can_turn_to(facing: float, turn: float, way: float, speed: float) -> None:
    planes = np.empty((3, 4))
    heading = towards(facing)
    count = wedge_rows(*heading, *cosine_sine(turn), planes)
    assert count in (1, 3)
    velocity = np.array(towards(way)) * speed
    distance = ((velocity - planes[:count, :2]) * planes[:count, 2:]).sum(axis=1).min()
    angle = between(heading, towards(way))
    assert distance >= -1e-12 if angle <= turn else distance <= 1e-12
    # braking is never forbidden
    assert (np.array(heading) * speed * planes[:count, 2:]).sum(axis=1).min() >= -1e-12


def test_a_body_without_a_limit_or_a_heading_has_no_wedge() -> None:
    planes = np.empty((3, 4))
    assert wedge_rows(1.0, 0.0, FREE, 0.0, planes) == 0
    assert wedge_rows(0.0, 0.0, 1.0, 0.0, planes) == 0
