"""Answers by key: the same again, another body refused, the oldest forgotten."""

from __future__ import annotations

import numpy as np
import pytest

from orca_crowd.errors import ApiError
from orca_crowd.worlds.answers import AnswerMemory


def test_the_same_request_is_answered_the_same_and_another_is_refused() -> None:
    memory = AnswerMemory(count=10, size=10_000)
    assert memory.find("k", b"1") is None
    memory.keep("k", b"1", {"step": 5})
    assert memory.find("k", b"1") == {"step": 5}
    with pytest.raises(ApiError) as refusal:
        memory.find("k", b"2")
    assert (refusal.value.code, refusal.value.status) == ("key-reused", 409)
    memory.keep(None, b"1", {"step": 6})
    assert memory.find(None, b"1") is None


def test_the_oldest_are_forgotten_by_number_and_by_size() -> None:
    memory = AnswerMemory(count=3, size=100_000)
    for key in "abcd":
        memory.keep(key, b"1", {"step": 1})
    assert [key for key in "abcd" if memory.find(key, b"1")] == ["b", "c", "d"]
    memory.keep("large", b"1", {"position": np.zeros(12_000)})
    assert memory.find("d", b"1")
    memory.keep("larger", b"1", {"position": np.zeros(12_500)})
    assert memory.find("large", b"1") is None
    # the newest is kept whatever its size: it may be the one that is asked for again
    memory.keep("largest", b"1", {"position": np.zeros(1_000_000)})
    assert memory.find("larger", b"1") is None
    assert memory.find("largest", b"1") is not None
