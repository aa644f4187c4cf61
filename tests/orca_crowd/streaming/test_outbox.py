"""Replies wait in order and are never dropped; both bounds say so when they are reached."""

from __future__ import annotations

import pytest

from orca_crowd.streaming.outbox import Outbox, OutboxOverflow


def test_messages_come_out_in_the_order_they_went_in() -> None:
    outbox = Outbox(message_limit=10, byte_limit=1000)
    for wire in ("one", b"two", "three"):
        outbox.put(wire)
    assert [outbox.take() for _ in range(4)] == ["one", b"two", "three", None]
    assert outbox.size == 0


def test_one_message_too_many_is_refused_and_what_waits_stays() -> None:
    outbox = Outbox(message_limit=200, byte_limit=1000)
    for place in range(200):
        outbox.put(str(place % 10))
    with pytest.raises(OutboxOverflow, match="200"):
        outbox.put("x")
    assert len(outbox) == 200
    assert [outbox.take() for _ in range(200)] == [str(place % 10) for place in range(200)]
    outbox.put("x")


def test_bytes_are_bounded_but_the_only_message_always_fits() -> None:
    outbox = Outbox(message_limit=10, byte_limit=100)
    outbox.put("x" * 5000)
    with pytest.raises(OutboxOverflow, match="100 bytes"):
        outbox.put("y")
    assert outbox.size == 5000
    outbox.take()
    outbox.put("y" * 60)
    outbox.put("y" * 40)
    with pytest.raises(OutboxOverflow):
        outbox.put("y")


def test_clearing_forgets_everything() -> None:
    outbox = Outbox(message_limit=1, byte_limit=100)
    outbox.put("x")
    outbox.clear()
    assert (len(outbox), outbox.size, outbox.take()) == (0, 0, None)
    outbox.put("y")
