"""What is told: whose bits differ, who entered, who left; everything where it cannot be known."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from orca_crowd.streaming.delta import Delta, delta_of
from orca_crowd.streaming.interest import EVERYBODY, Interest, Listed, Rectangle
from orca_crowd.streaming.state import Known, State
from tests.orca_crowd.streaming.states import state

IDS = np.array([4, 2, 9])
FIELDS = ("position", "radius")


def told(
    now: State, *before: State, interest: Interest = EVERYBODY, listed: bool = True, all_rows: bool = False
) -> Delta:
    """The delta for who knows one of the states before."""
    known = Known(tuple(each.members(interest) for each in before), listed)
    return delta_of(now, now.members(interest), known, FIELDS, all_rows=all_rows)


def shown(delta: Delta) -> Any:
    """Ids of the rows (None: left out), entered, left."""
    return None if delta.ids is None else delta.ids.tolist(), delta.entered.tolist(), delta.left.tolist()


def test_rows_are_those_with_another_bit() -> None:
    before = state(1, IDS, position=[[0.0, 1.0], [2.0, np.nan], [4.0, 5.0]], radius=[1.0, 1.0, 0.0])
    same = state(2, IDS, position=[[0.0, 1.0], [2.0, np.nan], [4.0, 5.0]], radius=[1.0, 1.0, 0.0])
    sign = state(2, IDS, position=[[0.0, 1.0], [2.0, np.nan], [4.0, 5.0]], radius=[1.0, 1.0, -0.0])
    moved = state(2, IDS, position=[[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]], radius=[1.0, 1.0, 0.0])
    velocity = state(2, IDS, position=same.columns["position"], radius=[1.0, 1.0, 0.0], velocity=np.ones((3, 2)))
    assert shown(told(same, before)) == ([], [], [])
    assert shown(told(sign, before)) == ([9], [], [])
    assert shown(told(moved, before)) == ([2], [], [])
    # nobody asked for velocities
    assert shown(told(velocity, before)) == ([], [], [])


def test_the_list_is_left_out_where_there_is_a_row_for_all_and_the_client_has_it() -> None:
    before = state(1, IDS, radius=[1.0, 1.0, 1.0])
    now = state(2, IDS, radius=[2.0, 2.0, 2.0])
    assert shown(told(now, before)) == (None, [], [])
    assert shown(told(now, before, listed=False)) == ([4, 2, 9], [], [])
    assert shown(told(before, before, all_rows=True)) == (None, [], [])


def test_who_is_added_enters_with_a_row_and_who_is_removed_leaves() -> None:
    before = state(1, [4, 2, 9], radius=[1.0, 2.0, 3.0])
    now = state(2, [4, 9, 11, 10], radius=[1.0, 3.5, 1.0, 1.0])
    delta = told(now, before)
    assert shown(delta) == ([9, 11, 10], [11, 10], [2])
    assert delta.rows is not None
    assert delta.rows.tolist() == [1, 2, 3]
    assert not delta.whole


def test_who_walks_into_the_interest_enters_though_nothing_else_of_it_changed_the_list() -> None:
    area = Rectangle((0.0, 0.0), (1.0, 1.0))
    before = state(1, IDS, position=[[0.5, 0.5], [5.0, 5.0], [0.0, 0.0]], radius=[1.0, 1.0, 1.0])
    now = state(2, IDS, position=[[0.5, 0.5], [1.0, 1.0], [0.0, -1.0]], radius=[1.0, 1.0, 1.0])
    assert shown(told(now, before, interest=area)) == ([2], [2], [9])


def test_an_interest_whose_agents_are_not_all_here() -> None:
    listed = Listed(np.array([2, 9], np.int64).tobytes())
    before = state(1, IDS, radius=[1.0, 1.0, 1.0])
    now = state(2, [4, 9], radius=[7.0, 1.0])
    assert shown(told(now, before, interest=listed)) == ([], [], [2])


def test_a_client_that_may_have_one_of_two_states_is_told_what_differs_from_either() -> None:
    first = state(1, [4, 2, 9], radius=[1.0, 1.0, 1.0])
    second = state(1, [4, 9, 12], radius=[5.0, 1.0, 1.0])
    now = state(2, [4, 9, 12], radius=[1.0, 1.0, 1.0])
    assert shown(told(now, first, second, listed=False)) == ([4, 12], [12], [2])


def test_everything_is_told_where_the_state_before_is_kept_no_more() -> None:
    before = state(1, IDS, radius=[1.0, 1.0, 1.0])
    now = state(2, IDS, radius=[1.0, 1.0, 1.0])
    known = Known((before.members(EVERYBODY),), listed=False)
    del before
    assert shown(delta_of(now, now.members(EVERYBODY), known, FIELDS, all_rows=False)) == ([4, 2, 9], [], [])


@pytest.mark.parametrize(("before", "now"), [([], [1, 2]), ([1, 2], []), ([], [])])
def test_worlds_without_agents(before: list[int], now: list[int]) -> None:
    delta = told(state(2, now, radius=np.ones(len(now))), state(1, before, radius=np.ones(len(before))))
    assert (delta.entered.tolist(), delta.left.tolist()) == (now, before)
    assert delta.whole
