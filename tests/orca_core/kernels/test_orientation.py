"""The side of a line is exact where plain arithmetic is not."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from orca_core.kernels.orientation import WORK, grow, orientation, split_product
from tests.oracles import surface as oracle

numbers = st.floats(-1e9, 1e9)
points = st.tuples(numbers, numbers)


def sign(a: tuple[float, float], b: tuple[float, float], c: tuple[float, float]) -> int:
    return int(orientation(*a, *b, *c, np.empty(WORK)))


@given(points, points, points)
def test_equals_rational_arithmetic(a: tuple[float, float], b: tuple[float, float], c: tuple[float, float]) -> None:
    # where the numbers are so small that their products lose bits below the smallest double, nothing is promised
    if all(value == 0.0 or abs(value) > 1e-100 for value in (*a, *b, *c)):
        assert sign(a, b, c) == oracle.side(a, b, c)


@given(points, points, st.floats(-1.0, 2.0), st.integers(-2, 2), st.integers(-2, 2))
def test_equals_rational_arithmetic_within_rounding_of_the_line(
    a: tuple[float, float], b: tuple[float, float], t: float, up: int, right: int
) -> None:
    c = [a[0] + (b[0] - a[0]) * t, a[1] + (b[1] - a[1]) * t]
    for k, steps in enumerate((right, up)):
        for _ in range(abs(steps)):
            c[k] = math.nextafter(c[k], math.copysign(math.inf, steps))
    if all(value == 0.0 or abs(value) > 1e-100 for value in (*a, *b, *c)):
        assert sign(a, b, (c[0], c[1])) == oracle.side(a, b, c)


def test_plain_arithmetic_is_wrong_here() -> None:
    # one spacing of doubles above the diagonal: the plain determinant is zero or has the wrong sign for some of them
    wrong = 0
    for k in range(64):
        c = (0.5 + k * 2.0**-53, 0.5 + (k + 1) * 2.0**-53)
        a, b = (12.0, 12.0), (24.0, 24.0)
        plain = (a[0] - c[0]) * (b[1] - c[1]) - (a[1] - c[1]) * (b[0] - c[0])
        exact = oracle.side(a, b, c)
        wrong += np.sign(plain) != exact
        assert sign(a, b, c) == exact
    assert wrong > 0


def test_the_line_itself_is_neither_side() -> None:
    assert sign((0.0, 0.0), (10.0, 0.0), (3.3, 0.0)) == 0
    assert sign((0.0, 0.0), (3.0, 3.0), (0.1, 0.1)) == 0
    assert sign((1.0, 2.0), (1.0, 2.0), (5.0, 7.0)) == 0


@given(numbers, numbers)
def test_a_product_and_what_it_lost_are_the_product(a: float, b: float) -> None:
    if all(value == 0.0 or abs(value) > 1e-100 for value in (a, b)):
        product, loss = split_product(a, b)
        assert Fraction(product) + Fraction(loss) == Fraction(a) * Fraction(b)


@pytest.mark.parametrize("values", [[1e16, 1.0, -1e16], [0.1, 0.2, -0.3, 1e-30], [1.0] * 12])
def test_an_expansion_keeps_the_sum(values: list[float]) -> None:
    work = np.zeros(WORK)
    count = 0
    for value in values:
        count = grow(work, count, value)
    assert sum(map(Fraction, work[:count].tolist())) == sum(map(Fraction, values))
