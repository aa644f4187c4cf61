"""A key that asks too often waits; others do not."""

from __future__ import annotations

import pytest

from orca_crowd.keys.buckets import REMEMBERED, Buckets


def test_a_burst_then_a_rate() -> None:
    buckets = Buckets(rate=10.0, burst=3.0)
    assert [buckets.take("a", 0.0) for _ in range(4)] == [0.0, 0.0, 0.0, pytest.approx(0.1)]
    assert buckets.take("b", 0.0) == 0.0
    # a refusal costs nothing: who waits as told gets in
    assert buckets.take("a", 0.1) == 0.0
    assert sum(buckets.take("a", 1.0 + n / 10.0) == 0.0 for n in range(20)) == 20


def test_a_rest_does_not_fill_beyond_the_burst() -> None:
    buckets = Buckets(rate=10.0, burst=3.0)
    assert [buckets.take("a", 1e6) == 0.0 for _ in range(4)] == [True, True, True, False]


def test_what_is_remembered_is_bounded() -> None:
    buckets = Buckets(rate=1.0, burst=1.0)
    for number in range(REMEMBERED + 5):
        buckets.take(str(number), 0.0)
    assert len(buckets._held) == REMEMBERED
