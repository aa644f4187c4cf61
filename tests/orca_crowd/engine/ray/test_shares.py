"""Shares by pace: together they are everything, whatever the paces."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orca_crowd.engine.ray.shares import cuts_of, smoothed

PACES = st.lists(st.none() | st.floats(1e-3, 1e9), min_size=1, max_size=8)


@given(st.integers(0, 10_000), PACES)
def test_shares_are_all_leaves_in_order(leaves: int, paces: list[float | None]) -> None:
    cuts = cuts_of(leaves, paces)
    assert len(cuts) == len(paces) + 1
    assert cuts[0] == 0
    assert cuts[-1] == leaves
    assert cuts == sorted(cuts)


@pytest.mark.parametrize(
    ("paces", "cuts"),
    [
        ([None], [0, 100]),
        ([None, None], [0, 50, 100]),
        ([3.0, 1.0], [0, 75, 100]),
        ([1.0, 3.0, None], [0, 16, 66, 100]),
    ],
)
def test_who_is_faster_gets_more(paces: list[float | None], cuts: list[int]) -> None:
    assert cuts_of(100, paces) == cuts


def test_a_pace_follows_what_was_measured() -> None:
    pace = smoothed(None, 100, 1.0)
    assert pace == 100.0
    for _ in range(50):
        pace = smoothed(pace, 100, 0.5)
    assert pace == pytest.approx(200.0)
    assert smoothed(None, 5, 0.0) > 0.0
