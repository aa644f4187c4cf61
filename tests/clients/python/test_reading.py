"""What answers and messages have in common, read the same from either encoding."""

from __future__ import annotations

import struct

from orca_crowd_client.protocol.reading import read_event


def test_the_columns_of_an_event_are_the_same_from_lists_and_from_bins() -> None:
    head = {"type": "event", "kind": "overlap", "step": 3}
    lists = read_event({**head, "ids": [1, 2], "other": [2, 1], "depth": [0.5, 0.25]})
    bins = {"ids": struct.pack("<2q", 1, 2), "other": struct.pack("<2q", 2, 1), "depth": struct.pack("<2d", 0.5, 0.25)}
    assert read_event({**head, **bins}) == lists
    assert (lists.ids, dict(lists.data)) == ((1, 2), {"other": (2, 1), "depth": (0.5, 0.25)})


def test_an_event_without_agents_keeps_what_else_it_says() -> None:
    event = read_event({"type": "event", "kind": "barrier-timeout", "step": 7, "controllers": ["a"]})
    assert (event.kind, event.step, event.ids, dict(event.data)) == ("barrier-timeout", 7, (), {"controllers": ["a"]})
