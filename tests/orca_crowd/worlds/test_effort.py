"""How many steps fit a slice, and which are taken together with those of other worlds."""

from __future__ import annotations

import pytest

from orca_crowd.settings import Settings
from orca_crowd.worlds.effort import Effort


def test_nothing_is_known_before_the_first_step() -> None:
    effort = Effort(Settings())
    assert effort.slice_count(1000) == 1
    assert not effort.brief(1, 0)


@pytest.mark.parametrize(
    ("seconds", "steps", "left", "count"),
    [(0.001, 1, 1000, 20), (0.004, 4, 1000, 20), (0.001, 1, 7, 7), (5.0, 1, 1000, 1), (0.0, 3, 1000, 1)],
)
def test_a_slice_has_as_many_steps_as_fit_but_at_least_one(seconds: float, steps: int, left: int, count: int) -> None:
    effort = Effort(Settings(slice_seconds=0.02))
    effort.took(seconds, steps)
    assert effort.slice_count(left) == count


def test_brief_are_few_quick_steps_of_a_small_world() -> None:
    effort = Effort(Settings(small_agents=100))
    effort.took(0.0003, 1)
    assert effort.brief(1, 99)
    assert effort.brief(3, 99)
    assert not effort.brief(4, 99)
    assert not effort.brief(1, 100)
    effort.took(0.002, 1)
    assert not effort.brief(1, 10)
