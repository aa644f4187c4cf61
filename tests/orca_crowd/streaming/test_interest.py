"""Which agents an interest is about: edges belong to it, order is no matter, and equal ones are one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from pydantic import TypeAdapter

from orca_crowd.protocol import interest as models
from orca_crowd.streaming.interest import EVERYBODY, Interest, interest_of

IDS = np.array([7, 3, 9, 1])
POSITION = np.array([[0.0, 0.0], [3.0, 4.0], [-1.0, 2.0], [np.nextafter(5.0, 6.0), 0.0]])


def interest(**values: Any) -> Interest:
    """As a client asks for it."""
    return interest_of(TypeAdapter(models.Interest).validate_python(values))


@pytest.mark.parametrize(
    ("values", "chosen"),
    [
        ({"kind": "ids", "ids": [1, 7]}, [7, 1]),
        ({"kind": "ids", "ids": []}, []),
        ({"kind": "ids", "ids": np.array([9, 3]).tobytes()}, [3, 9]),
        ({"kind": "ids", "ids": [1, 2]}, [1]),
        ({"kind": "rectangle", "min": [-1.0, 0.0], "max": [3.0, 4.0]}, [7, 3, 9]),
        ({"kind": "rectangle", "min": [0.0, 0.0], "max": [0.0, 0.0]}, [7]),
        ({"kind": "circle", "center": [0.0, 0.0], "radius": 5.0}, [7, 3, 9]),
        ({"kind": "circle", "center": [0.0, 0.0], "radius": 0.0}, [7]),
        ({"kind": "circle", "center": [0.0, 0.0], "radius": 1e300}, [7, 3, 9, 1]),
        ({"kind": "around", "id": 3, "radius": 5.0}, [7, 3, 9, 1]),
        ({"kind": "around", "id": 3, "radius": 4.5}, [3, 9, 1]),
        ({"kind": "around", "id": 8, "radius": 5.0}, []),
    ],
)
def test_agents_are_chosen_in_index_order_with_the_edge(values: dict[str, Any], chosen: list[int]) -> None:
    rows = interest(**values).rows(IDS, POSITION)
    assert rows is not None
    assert IDS[rows].tolist() == chosen


def test_all_is_told_without_a_list() -> None:
    assert interest(kind="all") is EVERYBODY
    assert EVERYBODY.rows(IDS, POSITION) is None


def test_equal_interests_are_one_key() -> None:
    assert interest(kind="ids", ids=[4, 2]) == interest(kind="ids", ids=np.array([2, 4]).tobytes())
    assert (
        len({interest(kind="circle", center=[0, 0], radius=1), interest(kind="circle", center=[0.0, 0.0], radius=1.0)})
        == 1
    )
    assert interest(kind="around", id=1, radius=2) != interest(kind="around", id=2, radius=2)


def test_who_must_be_there_is_named() -> None:
    assert interest(kind="ids", ids=[4, 2]).named().tolist() == [2, 4]
    assert interest(kind="around", id=6, radius=2).named().tolist() == [6]
    assert EVERYBODY.named().tolist() == interest(kind="circle", center=[0, 0], radius=1).named().tolist() == []
