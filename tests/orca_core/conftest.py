"""What long computations other tests ask for begins here: these tests keep one core busy and wait for no clock."""

from __future__ import annotations

import pytest

from tests.support.lane import Lane


@pytest.fixture(scope="session", autouse=True)
def _beside(lane: Lane) -> None:
    """Let the lane begin."""
