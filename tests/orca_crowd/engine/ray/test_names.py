"""Which process has a world follows from its id alone, the same on every machine and in every release."""

from __future__ import annotations

from collections import Counter

import pytest

from orca_crowd.engine.ray.names import PLACES, actor_name, home_of, home_of_actor, is_shared, other_place, shared_by


def test_a_world_of_its_own_is_called_as_it_is() -> None:
    assert home_of("plaza", 0) == "plaza"
    assert not is_shared("plaza")
    assert shared_by(actor_name("plaza", "a")) == 0


def test_worlds_that_share_are_spread_alike() -> None:
    counts = Counter(home_of(f"match-{number}", 8) for number in range(8_000))
    assert sorted(counts) == [f"shared/{number}-of-8" for number in range(1, 9)]
    # a fair coin stays within four deviations
    assert all(abs(count - 1_000) < 120 for count in counts.values())
    # front ends of all releases look in the same place: the CRC-32 of the id, whose check value is 0xCBF43926
    assert home_of("123456789", 16) == f"shared/{0xCBF43926 % 16 + 1}-of-16"


@pytest.mark.parametrize("home", ["plaza", "shared/3-of-8"])
def test_names_are_read_back(home: str) -> None:
    for place in PLACES:
        assert home_of_actor(actor_name(home, place)) == home
        assert other_place(other_place(place)) == place
    assert {other_place(place) for place in PLACES} == set(PLACES)


def test_how_many_share_stands_in_the_name() -> None:
    assert shared_by(actor_name(home_of("plaza", 12), "b")) == 12
