"""Whose agents are whose, against the obvious table."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from orca_crowd.errors import ApiError
from orca_crowd.worlds.ownership import Ownership

NAMES = ("a", "b", "c")


def ids(*values: int) -> np.ndarray:
    """An id column."""
    return np.array(values, np.int64)


def test_what_nobody_owns_is_everybodys() -> None:
    ownership = Ownership()
    ownership.check(ids(1, 2), None)
    ownership.check(ids(1, 2), "a")
    ownership.give(ids(5), "a")
    ownership.check(ids(1, 2), None)
    ownership.check(ids(5, 1), "a")


def test_a_refusal_names_each_agent_and_its_owner() -> None:
    ownership = Ownership()
    ownership.give(ids(5, 3), "a")
    ownership.give(ids(4), "b")
    with pytest.raises(ApiError) as refusal:
        ownership.check(ids(1, 5, 4), None)
    assert (refusal.value.code, refusal.value.status) == ("owned", 403)
    assert [fault.item for fault in refusal.value.errors] == [1, 2]
    assert [fault.message for fault in refusal.value.errors] == ["agent 5 is owned by 'a'", "agent 4 is owned by 'b'"]
    assert "agent 5 is owned by 'a' and 1 more" in refusal.value.detail


def test_what_was_kept_can_be_put_back() -> None:
    ownership = Ownership()
    ownership.give(ids(1), "a")
    kept = ownership.keep()
    ownership.give(ids(2), "b")
    ownership.forget(ids(1))
    ownership.put_back(kept)
    assert ownership.owned("a").tolist() == [1]
    assert ownership.owned("b").tolist() == []


calls = st.tuples(
    st.sampled_from(["give", "take_back", "forget", "check"]),
    st.lists(st.integers(0, 9), max_size=6, unique=True),
    st.sampled_from(NAMES),
)


@given(st.lists(calls, max_size=30))
def test_it_is_the_obvious_table(orders: list[tuple[str, list[int], str]]) -> None:
    ownership, table = Ownership(), dict[int, str]()
    for order, values, name in orders:
        foreign = [value for value in values if table.get(value, name) != name]
        column = ids(*values)
        if order == "forget":
            ownership.forget(column)
            for value in values:
                table.pop(value, None)
        elif foreign:
            with pytest.raises(ApiError) as refusal:
                getattr(ownership, order)(column, name)
            assert [values[fault.item] for fault in refusal.value.errors if fault.item is not None] == foreign
        else:
            getattr(ownership, order)(column, name)
            for value in values:
                if order == "give":
                    table[value] = name
                elif order == "take_back":
                    table.pop(value, None)
        for each in NAMES:
            assert ownership.owned(each).tolist() == sorted(value for value in table if table[value] == each)
    # names that own nothing do not pile up
    assert set(ownership._numbers) == set(table.values())
