"""Whole numbers beside a base: the error is half a unit, the base stays, and it is renewed before that is coarse."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from orca_crowd.streaming.keyframe import Keyframes, quantised
from tests.orca_crowd.streaming.states import state

number = st.floats(-1e9, 1e9)


@given(
    arrays.arrays(np.float64, st.tuples(st.integers(0, 8), st.just(2)), elements=number),
    st.sampled_from(["int16", "int8"]),
    number,
)
def test_the_error_is_half_a_unit_and_the_unit_a_power_of_two(column: np.ndarray, precision: str, shift: float) -> None:
    base = (column + shift).astype(np.float32)
    numbers, scale = quantised(column, base, precision)
    assert numbers.dtype == np.dtype(precision)
    assert math.frexp(scale)[0] == 0.5
    told = base.astype(np.float64) + scale * numbers.astype(np.float64)
    # beside half a unit what float64 loses where it adds two numbers of this size
    assert (np.abs(told - column) <= scale / 2 + 1e-6).all()
    # no unit is twice as coarse as it must be
    if column.size and scale > 2.0**-50:
        assert np.abs(column - base).max() >= scale / 4 * np.iinfo(precision).max


def test_values_that_float32_does_not_reach_have_a_base_all_the_same() -> None:
    far = state(1, [1], velocity=[[1e300, -1e300]])
    _, base = Keyframes(steps=5, time_step=0.1).of(far)
    numbers, scale = quantised(far.columns["velocity"], base["velocity"], "int8")
    told = base["velocity"].astype(np.float64) + scale * numbers.astype(np.float64)
    assert (np.abs(told - far.columns["velocity"]) <= scale / 2).all()


def test_a_keyframe_holds_for_so_many_steps_and_for_the_same_state_always() -> None:
    keyframes = Keyframes(steps=5, time_step=0.1)
    states = [state(step, [1, 2], position=np.full((2, 2), step * 0.1)) for step in range(12)]
    assert [keyframes.of(each)[0].step for each in states] == [0] * 5 + [5] * 5 + [10] * 2
    # whoever comes late with an old state gets what went with it
    assert keyframes.of(states[3])[0].step == 0
    # and a state of the past that nobody asked about goes beside the newest
    assert keyframes.of(state(7, [1, 2]))[0].step == 10


def test_one_who_is_put_far_away_renews_it_for_all() -> None:
    keyframes = Keyframes(steps=50, time_step=0.1)
    assert keyframes.of(state(1, [1, 2]))[0].step == 1
    walked = state(2, [1, 2], position=[[0.1, 0.0], [0.0, 0.0]])
    assert keyframes.of(walked)[0].step == 1
    put = state(3, [1, 2], position=[[0.1, 0.0], [5000.0, 0.0]])
    assert keyframes.of(put)[0].step == 3
    fast = state(4, [1, 2], position=put.columns["position"], velocity=[[900.0, 0.0], [0.0, 0.0]])
    assert keyframes.of(fast)[0].step == 4
    # a step has one keyframe, whatever is done between it and the next
    again = state(4, [1, 2], position=[[0.1, 0.0], [9000.0, 0.0]])
    assert keyframes.of(again)[0].step == 4


def test_who_comes_later_gets_a_base_that_stays() -> None:
    keyframes = Keyframes(steps=50, time_step=0.1)
    keyframes.of(state(1, [5, 2], position=[[1.0, 1.0], [2.0, 2.0]]))
    keyframe, base = keyframes.of(state(2, [2, 9, 7], position=[[2.1, 2.0], [9.0, 9.0], [7.0, 7.0]]))
    assert base["position"].tolist() == [[2.0, 2.0], [9.0, 9.0], [7.0, 7.0]]
    same, later = keyframes.of(state(3, [9, 5, 7], position=[[9.1, 9.0], [1.5, 1.0], [7.2, 7.0]]))
    assert same is keyframe
    assert later["position"].tolist() == [[9.0, 9.0], [1.0, 1.0], [7.0, 7.0]]


def test_agents_who_come_and_go_do_not_make_it_grow_for_ever() -> None:
    keyframes = Keyframes(steps=10**6, time_step=0.1)
    for step in range(60):
        keyframe, _ = keyframes.of(state(step, np.arange(step * 100, step * 100 + 100)))
        assert len(keyframe) <= 1_300


@pytest.mark.parametrize("count", [0, 1])
def test_a_world_without_agents_has_one_too(count: int) -> None:
    keyframe, base = Keyframes(steps=2, time_step=0.1).of(state(1, range(count)))
    assert (keyframe.step, len(base["position"])) == (1, count)
    assert quantised(np.zeros((count, 2)), base["position"], "int8")[0].tolist() == [[0, 0]] * count
