"""Precedence: the nearest goes first and stays the first, platoons are bounded, and equal ones go by their rows."""

from __future__ import annotations

import numpy as np
import pytest

from orca_core.cooperative.precedence import MOST, NOBODY, PATIENCE, Precedence

DT = 0.25
NOBODY_IN = np.empty(0, np.int64)
ALL = np.array([0, 1, 2])
SIDES = np.array([7, 8, 7])


def test_the_nearest_goes_first_and_of_equal_ones_the_lower_row() -> None:
    near = np.array([2.0, 1.0005, 1.0])
    assert Precedence(1, DT).choose(0, ALL, SIDES, near, NOBODY_IN, 0) == 2
    assert Precedence(1, DT, 0.001).choose(0, ALL, SIDES, near, NOBODY_IN, 0) == 1
    assert Precedence(1, DT, 5.0).choose(0, ALL, SIDES, near, NOBODY_IN, 0) == 0


def test_the_first_stays_the_first_while_it_comes_nearer() -> None:
    rule = Precedence(1, DT)
    assert rule.choose(0, ALL, SIDES, np.array([2.0, 1.0, 3.0]), NOBODY_IN, 0) == 1
    lapse = int(PATIENCE / DT)
    # others are nearer now
    for step in range(1, 3 * lapse):
        assert rule.choose(0, ALL, SIDES, np.array([0.1, 1.0 - 0.001 * step, 0.2]), NOBODY_IN, step) == 1
    # from here on it comes no nearer, and after a while it has lost its turn
    stood = 3 * lapse - 1
    chosen = [
        rule.choose(0, ALL, SIDES, np.array([0.1, 1.0, 0.2]), NOBODY_IN, step)
        for step in range(stood + 1, stood + lapse + 2)
    ]
    assert chosen[:-1] == [1] * lapse
    assert chosen[-1] == 0


def test_who_is_gone_is_not_the_first_any_more() -> None:
    rule = Precedence(1, DT)
    assert rule.choose(0, ALL, SIDES, np.array([2.0, 1.0, 3.0]), NOBODY_IN, 0) == 1
    assert rule.choose(0, np.array([0, 2]), SIDES, np.array([2.0, 9.0, 3.0]), NOBODY_IN, 1) == 0
    rule.enter(0, 0, 7)
    assert rule.first[0] == NOBODY


def test_those_behind_who_is_in_go_before_others_up_to_so_many() -> None:
    near, inside = np.array([2.0, 1.0, 3.0]), np.array([7])
    rule = Precedence(2, DT)
    for _ in range(MOST):
        assert not rule.tired(0, SIDES)
        rule.first[:] = NOBODY
        assert rule.choose(0, ALL, SIDES, near, inside, 0) == 0
        rule.enter(0, 0, 7)
    assert rule.tired(0, SIDES)
    assert rule.choose(0, ALL, SIDES, near, inside, 0) == 1
    # nobody waits at the other side: the platoon goes on
    assert not rule.tired(0, SIDES[[0, 2]])
    rule.first[:] = NOBODY
    assert rule.choose(0, np.array([0, 2]), SIDES, near, inside, 0) == 0
    # the other place knows nothing of it
    assert rule.passed.tolist() == [MOST, 0]


@pytest.mark.parametrize("lost", [False, True])
def test_it_goes_on_from_what_it_kept(lost: bool) -> None:
    rule, again = Precedence(1, DT), Precedence(1, DT)
    rule.choose(0, ALL, SIDES, np.array([2.0, 1.0, 3.0]), NOBODY_IN, 0)
    for name, array in again.kept().items():
        array[:] = rule.kept()[name]
    step = int(PATIENCE / DT) + int(lost)
    for one in (rule, again):
        assert one.choose(0, ALL, SIDES, np.array([2.0, 1.0, 3.0]), NOBODY_IN, step) == (0 if lost else 1)
