"""What a relay tells the next process of a world, message by message; no sockets."""

from __future__ import annotations

import json

import msgspec
import pytest

from orca_crowd.protocol.frames import JSON_SUBPROTOCOL, MSGPACK_SUBPROTOCOL, encode_message
from orca_crowd.streaming.remembered import RELAY_KEY, Remembered, kind_of


def told(memory: Remembered, **message: object) -> bool:
    """A message of the client; whether it is passed on."""
    data = json.dumps(message)
    return memory.passes(memory.hear(data), data)


def answered(memory: Remembered, **message: object) -> bool:
    """A message of the server; whether it is for the client."""
    data = json.dumps(message).replace(" ", "").encode()
    return memory.answered(data, kind_of(data))


@pytest.mark.parametrize("subprotocol", [JSON_SUBPROTOCOL, MSGPACK_SUBPROTOCOL])
@pytest.mark.parametrize("more", [0, 20])
def test_the_kind_of_a_message_is_its_first_member(subprotocol: str, more: int) -> None:
    wire = encode_message({"type": "stepped", **{f"m{n}": n for n in range(more)}}, subprotocol)
    assert kind_of(wire.encode() if isinstance(wire, str) else wire) == b"stepped"
    assert kind_of(b"\x81\xa4step\x01") == b""


def test_a_subscription_is_told_again_with_what_a_resume_changed() -> None:
    memory = Remembered(JSON_SUBPROTOCOL)
    assert told(memory, type="subscribe", fields=["position"], every=2)
    assert told(memory, type="resume", after_step=7, every=3)
    (again,) = memory.again()
    assert json.loads(again) == {"type": "subscribe", "fields": ["position"], "every": 3}
    assert told(memory, type="unsubscribe")
    assert list(memory.again()) == []


def test_orders_with_a_key_are_sent_again_and_others_are_given_up() -> None:
    memory = Remembered(MSGPACK_SUBPROTOCOL)
    orders = [
        msgspec.msgpack.encode({"type": "step", "key": key, "count": 1} if key else {"type": "step"})
        for key in ("one", None, "two", None)
    ]
    for order in orders:
        assert memory.passes(memory.hear(order), order)
    for key in ("one", None):
        answer = msgspec.msgpack.encode({"type": "stepped", **({"key": key} if key else {})})
        assert memory.answered(answer, kind_of(answer))
    assert memory.give_up_the_uncertain() == 1
    assert list(memory.again()) == [orders[2]]


def test_the_answer_to_a_controller_that_is_told_again_is_for_nobody() -> None:
    memory = Remembered(JSON_SUBPROTOCOL)
    assert told(memory, type="register", controller="c", key="mine")
    assert answered(memory, type="ack", key="mine", step=0, results=[])
    (again,) = memory.again()
    assert json.loads(again) == {"type": "register", "controller": "c", "key": RELAY_KEY}
    assert not answered(memory, type="ack", key=RELAY_KEY, step=0, results=[])
    assert answered(memory, type="error", problem={})


def test_acknowledgements_of_frames_of_another_process_are_left_out() -> None:
    memory = Remembered(JSON_SUBPROTOCOL)
    told(memory, type="subscribe")
    assert told(memory, type="got", step=3)
    list(memory.again())
    assert not told(memory, type="got", step=4)
    assert answered(memory, type="full", step=5)
    assert not told(memory, type="got", step=4)
    assert told(memory, type="got", step=5)


def test_what_cannot_be_read_is_passed_on_for_the_world_to_refuse() -> None:
    memory = Remembered(JSON_SUBPROTOCOL)
    for data in ("{", '{"type": 7}', "[]", '{"type": "step", "key": 1}'):
        assert memory.passes(memory.hear(data), data)
    assert list(memory.again()) == []
