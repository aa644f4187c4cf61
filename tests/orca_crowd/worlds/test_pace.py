"""Deadlines of a realtime world: absolute, made up within a bound, the rest given up and told."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from orca_crowd.worlds.pace import Pace


def test_nothing_is_due_before_the_first_period_has_passed() -> None:
    pace = Pace(rate=20, catch_up=5, now=100.0)
    assert pace.next_deadline() == 100.05
    assert pace.due(100.0) == (0, 0)
    assert pace.due(100.0499) == (0, 0)
    assert pace.due(100.05) == (1, 0)
    assert pace.due(100.05) == (0, 0)


def test_what_is_missed_beyond_the_bound_is_given_up_for_good() -> None:
    pace = Pace(rate=20, catch_up=5, now=0.0)
    assert pace.due(3.0) == (5, 55)
    assert pace.due(3.0) == (0, 0)
    assert pace.due(3.05) == (1, 0)
    assert pace.due(3.3) == (5, 0)


@given(
    rate=st.floats(0.01, 1000),
    start=st.floats(0, 1e6),
    waits=st.lists(st.floats(0, 5), max_size=50),
    catch_up=st.integers(1, 10),
)
def test_every_deadline_is_counted_once(rate: float, start: float, waits: list[float], catch_up: int) -> None:
    pace = Pace(rate, catch_up, start)
    now, taken, given_up = start, 0, 0
    for wait in waits:
        now += wait
        steps, lost = pace.due(now)
        assert 0 <= steps <= catch_up
        assert lost == 0 or steps == catch_up
        taken, given_up = taken + steps, given_up + lost
        # waking at the deadline is never too early
        assert pace.next_deadline() > now
    assert abs(taken + given_up - (now - start) * rate) <= 1 + 1e-6


@given(rate=st.floats(0.1, 1000), start=st.floats(0, 1e6))
def test_who_wakes_at_each_deadline_takes_one_step_each(rate: float, start: float) -> None:
    pace = Pace(rate, 5, start)
    for _ in range(100):
        assert pace.due(pace.next_deadline()) == (1, 0)
