"""Ids are chosen by the client or given, kept in order of insertion, and never used twice."""

from __future__ import annotations

import pytest

from orca_core.errors import AlreadyExists, Gone, InvalidInput, NotFound
from orca_core.geometry.registry import LAST_ID, Registry


def filled(*wanted: int | None) -> Registry[str]:
    registry: Registry[str] = Registry("wall")
    registry.insert(registry.claim(wanted), [f"{k}" for k in range(len(wanted))])
    return registry


def test_given_ids_pass_over_those_that_are_taken_or_asked_for() -> None:
    registry = filled(1, None, None, 3, None)
    assert registry.ids == [1, 0, 2, 3, 4]
    assert registry.claim([None, 5, None]) == [6, 5, 7]


def test_the_largest_id_can_be_chosen_and_does_not_lead_further() -> None:
    registry = filled(LAST_ID)
    assert registry.claim([None]) == [0]


@pytest.mark.parametrize("wanted", [-1, LAST_ID + 1, True])
def test_ids_out_of_range_are_refused(wanted: int) -> None:
    with pytest.raises(InvalidInput) as caught:
        filled(0).claim([4, wanted])
    assert [(problem.item, problem.field) for problem in caught.value.problems] == [(1, "id")]


def test_an_id_asked_for_twice_is_refused() -> None:
    with pytest.raises(InvalidInput, match="appears twice"):
        filled().claim([4, None, 4])


def test_an_id_is_never_used_again() -> None:
    registry = filled(None, None)
    registry.remove(1)
    with pytest.raises(AlreadyExists, match="wall 1 was removed"):
        registry.claim([1])
    with pytest.raises(AlreadyExists, match="wall 0 exists"):
        registry.claim([0])
    assert registry.claim([None]) == [2]


def test_missing_and_removed_ids_are_told_apart() -> None:
    registry = filled(None)
    registry.remove(0)
    for call in (registry.get, registry.remove, lambda k: registry.replace(k, "x")):
        with pytest.raises(Gone):
            call(0)
        with pytest.raises(NotFound):
            call(7)


def test_a_replaced_item_keeps_its_place() -> None:
    registry = filled(None, None, None)
    registry.replace(1, "new")
    assert registry.values() == ["0", "new", "2"]


def test_a_copy_and_its_original_do_not_see_each_other() -> None:
    registry = filled(None, None)
    before = registry.copy()
    registry.remove(0)
    registry.insert([9], ["nine"])
    assert before.ids == [0, 1]
    assert before.gone == []
    before.replace(0, "other")
    assert registry.ids == [1, 9]
    again = registry.copy()
    again.remove(9)
    assert registry.values() == ["1", "nine"]
