"""Who is wrong too often waits, and nobody else does."""

from __future__ import annotations

import pytest

from orca_crowd.keys.tries import REMEMBERED, FailedTries


def test_tries_run_out_and_come_back() -> None:
    tries = FailedTries(tries=3, seconds=30.0)
    for _ in range(3):
        assert tries.wait("a", 0.0) == 0.0
        tries.failed("a", 0.0)
    assert tries.wait("a", 0.0) == pytest.approx(10.0)
    assert tries.wait("b", 0.0) == 0.0
    assert tries.wait("a", 10.0) == pytest.approx(0.0)
    tries.failed("a", 10.0)
    assert tries.wait("a", 10.0) == pytest.approx(10.0)


def test_who_is_never_wrong_never_waits() -> None:
    tries = FailedTries(tries=1, seconds=60.0)
    assert all(tries.wait("a", now) == 0.0 for now in range(100))


def test_what_is_remembered_is_bounded() -> None:
    tries = FailedTries(tries=1, seconds=1e9)
    for number in range(REMEMBERED + 10):
        tries.failed(str(number), 0.0)
    assert len(tries._spent) == REMEMBERED
    assert tries.wait("0", 0.0) == 0.0
    assert tries.wait(str(REMEMBERED + 9), 0.0) > 0.0
