"""The process of a world lets front ends in, and what they say of their callers counts."""

from __future__ import annotations

import pytest

from orca_crowd.errors import ApiError
from orca_crowd.hosting.door import FrontDoor


def test_the_word_lets_in_with_the_scope_of_the_caller() -> None:
    door = FrontDoor("word.with.dots")
    assert not door.open
    grant = door.admit("word.with.dots.control", "", 0.0, 0.0)
    assert (grant.scope, grant.worlds) == ("control", None)
    with pytest.raises(ApiError, match="needs a key with scope admin"):
        door.check(grant, "admin")
    assert door.knows(None, 0.0)


@pytest.mark.parametrize("text", [None, "", "control", "other.control", "word", "word.", "word.root", "word.control.x"])
def test_nothing_else_does(text: str | None) -> None:
    with pytest.raises(ApiError) as refused:
        FrontDoor("word").admit(text, "", 0.0, 0.0)
    assert refused.value.code == "unauthorized"
