"""What a client sends, read strictly: each fault is one problem that names the field, and nothing else is raised."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from orca_crowd.errors import document
from orca_crowd.protocol.asyncapi import asyncapi_document
from orca_crowd.protocol.columns import FIELDS
from orca_crowd.protocol.frames import JSON_SUBPROTOCOL, MSGPACK_SUBPROTOCOL
from orca_crowd.protocol.reading import BadMessage, read_message
from orca_crowd.protocol.stream import (
    CLIENT_MESSAGES,
    SERVER_MESSAGES,
    AgentColumns,
    Command,
    Got,
    Ping,
    Step,
    Subscribe,
)


def refusal(data: str | bytes, subprotocol: str = JSON_SUBPROTOCOL) -> BadMessage:
    """The refusal of a message that must be refused."""
    with pytest.raises(BadMessage) as caught:
        read_message(data, subprotocol)
    told = document(caught.value.problem)
    assert told["status"] in (400, 422)
    assert told["detail"]
    return caught.value


@pytest.mark.parametrize(
    "data",
    ["", "{", "nonsense", "{'type': 'ping'}", '{"type": "ping"} {}', "[" * 10_000, "[" * 10_000 + "]" * 10_000, "\x00"],
)
def test_what_is_not_json_is_malformed(data: str) -> None:
    assert refusal(data).problem.code == "malformed"


@pytest.mark.parametrize(
    "data", [b"", b"\xc1", b"\x91" * 10_000 + b"\xc0", b"\xa1\xff", b"\xdf\xff\xff\xff\xff", b"\x01\x01"]
)
def test_what_is_not_messagepack_is_malformed(data: bytes) -> None:
    assert refusal(data, MSGPACK_SUBPROTOCOL).problem.code == "malformed"


def test_the_wrong_kind_of_message_is_malformed_and_the_right_kind_is_named() -> None:
    binary = refusal(msgspec.msgpack.encode({"type": "ping"}), JSON_SUBPROTOCOL).problem
    text = refusal('{"type": "ping"}', MSGPACK_SUBPROTOCOL).problem
    assert binary.code == text.code == "malformed"
    assert "is text" in binary.detail
    assert "is binary" in text.detail


@pytest.mark.parametrize("data", ["[]", "3", "null", '"ping"', "true"])
def test_a_message_that_is_no_map_is_invalid(data: str) -> None:
    assert refusal(data).problem.code == "invalid"


@pytest.mark.parametrize(
    ("data", "field"),
    [
        ('{"op": "nope"}', "type"),
        ('{"type": "nope"}', "type"),
        ('{"type": ["ping"]}', "type"),
        ('{"type": null}', "type"),
        ('{"type": "got"}', "step"),
        ('{"type": "got", "step": true}', "step"),
        ('{"type": "got", "step": "1"}', "step"),
        ('{"type": "got", "step": 1.0}', "step"),
        ('{"type": "got", "step": -1}', "step"),
        ('{"type": "got", "step": NaN}', "step"),
        ('{"type": "got", "step": 9223372036854775808}', "step"),
        ('{"type": "unsubscribe", "why": 1}', "why"),
        ('{"type": "subscribe", "fields": "position"}', "fields"),
        ('{"type": "subscribe", "fields": ["positon"]}', "fields"),
        ('{"type": "subscribe", "fields": ["position", "position"]}', "fields"),
        ('{"type": "subscribe", "precision": "double"}', "precision"),
        ('{"type": "subscribe", "every": 0}', "every"),
        ('{"type": "subscribe", "every": true}', "every"),
        ('{"type": "subscribe", "delivery": "sometimes"}', "delivery"),
        ('{"type": "subscribe", "window": 0}', "window"),
        ('{"type": "subscribe", "interest": {"kind": "none"}}', "interest.kind"),
        ('{"type": "subscribe", "interest": {"kind": "all", "id": 1}}', "interest.id"),
        ('{"type": "subscribe", "interest": "all"}', "interest"),
        ('{"type": "subscribe", "interest": {}}', "interest.kind"),
        ('{"type": "subscribe", "interest": {"kind": "ids"}}', "interest.ids"),
        ('{"type": "subscribe", "interest": {"kind": "ids", "ids": 3}}', "interest.ids"),
        ('{"type": "subscribe", "interest": {"kind": "ids", "ids": [true]}}', "interest.ids"),
        ('{"type": "subscribe", "interest": {"kind": "ids", "ids": [-1]}}', "interest.ids"),
        ('{"type": "subscribe", "interest": {"kind": "ids", "ids": [4, 5, 4]}}', "interest.ids"),
        ('{"type": "subscribe", "interest": {"kind": "circle", "center": [0, 0]}}', "interest.radius"),
        ('{"type": "subscribe", "interest": {"kind": "circle", "center": [0, 0], "radius": -1}}', "interest.radius"),
        ('{"type": "subscribe", "interest": {"kind": "circle", "center": [0], "radius": 1}}', "interest.center"),
        ('{"type": "subscribe", "interest": {"kind": "circle", "center": [0, 1e999], "radius": 1}}', "interest.center"),
        ('{"type": "subscribe", "interest": {"kind": "around", "id": 1, "radius": "2"}}', "interest.radius"),
        ('{"type": "subscribe", "interest": {"kind": "around", "id": 1.5, "radius": 2}}', "interest.id"),
        ('{"type": "subscribe", "interest": {"kind": "rectangle", "min": [0, 0], "max": [1, -1]}}', "interest.max"),
        ('{"type": "subscribe", "interest": {"kind": "rectangle", "min": [0, 0]}}', "interest.max"),
        ('{"type": "subscribe", "rows": "some"}', "rows"),
        ('{"type": "resume"}', "after_step"),
        ('{"type": "resume", "after_step": -1}', "after_step"),
        ('{"type": "resume", "after_step": 1, "fields": ["positon"]}', "fields"),
        ('{"type": "command"}', "commands"),
        ('{"type": "command", "commands": {}}', "commands"),
        ('{"type": "command", "commands": [], "key": 7}', "key"),
        ('{"type": "step", "count": 0}', "count"),
        ('{"type": "step", "count": "2"}', "count"),
        ('{"type": "step", "return": "everything"}', "return"),
        ('{"type": "ping", "data": {}}', "data"),
    ],
)
def test_a_message_of_the_wrong_shape_names_the_field(data: str, field: str) -> None:
    problem = refusal(data).problem
    assert problem.code == "invalid"
    assert all(f"{fault.field}.".startswith(f"{field}.") for fault in problem.errors), problem.errors
    assert problem.errors


def test_a_refused_order_keeps_its_key() -> None:
    assert refusal('{"type": "command", "key": "k1"}').key == "k1"
    assert refusal('{"type": "command", "key": 1}').key is None


def test_defaults_are_those_of_the_interface() -> None:
    message = read_message('{"type": "subscribe"}', JSON_SUBPROTOCOL)
    assert isinstance(message, Subscribe)
    assert message.model_dump() == {
        "type": "subscribe",
        "fields": ["position", "velocity"],
        "precision": "float64",
        "every": 1,
        "delivery": "latest",
        "interest": {"kind": "all"},
        "rows": "changed",
        "window": 3,
    }
    assert "window" not in message.model_fields_set


@pytest.mark.parametrize(
    ("values", "model"),
    [
        ({"type": "got", "step": 2**53 - 1}, Got),
        ({"type": "ping", "data": "x"}, Ping),
        ({"type": "command", "commands": [{"op": "x", "columns": {"position": b"\x00" * 16}}], "key": "k"}, Command),
        ({"type": "step", "count": 2, "return": "agents", "ids": b"\x00" * 8}, Step),
    ],
)
def test_whole_messages_are_read_from_messagepack(values: dict[str, Any], model: type) -> None:
    message = read_message(msgspec.msgpack.encode(values), MSGPACK_SUBPROTOCOL)
    assert isinstance(message, model)
    assert message.model_dump(by_alias=True, exclude_unset=True) == values


@given(st.binary(max_size=200))
def test_no_bytes_raise_anything_but_a_refusal(data: bytes) -> None:
    try:
        read_message(data, MSGPACK_SUBPROTOCOL)
    except BadMessage as bad:
        msgspec.json.encode(document(bad.problem))


values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


@given(
    st.sampled_from(["subscribe", "unsubscribe", "got", "command", "step", "ping", "resume"]),
    st.dictionaries(
        st.sampled_from(["fields", "precision", "every", "interest", "window", "step", "commands", "key", "data"]),
        values,
        max_size=4,
    ),
)
def test_no_values_raise_anything_but_a_refusal(kind: str, rest: dict[str, Any]) -> None:
    try:
        read_message(json.dumps({"type": kind, **rest}), JSON_SUBPROTOCOL)
    except BadMessage as bad:
        msgspec.json.encode(document(bad.problem))


def test_frames_can_hold_every_field_that_agents_have() -> None:
    assert set(AgentColumns.model_fields) == set(FIELDS)


def test_the_document_names_every_message_and_all_its_references_resolve() -> None:
    described = asyncapi_document("1.2.3")
    assert described["asyncapi"].startswith("3.")
    names = set(described["channels"]["stream"]["messages"])
    assert names == {
        *("subscribe", "resume", "unsubscribe", "got", "command", "step", "ping"),
        *("register", "unregister", "own", "disown", "ready"),
        *("hello", "full", "frame", "ack", "stepped", "event", "heartbeat", "pong", "error", "closing"),
    }
    assert len(names) == len(CLIENT_MESSAGES) + len(SERVER_MESSAGES)
    counts = {len(operation["messages"]) for operation in described["operations"].values()}
    assert counts == {len(CLIENT_MESSAGES), len(SERVER_MESSAGES)}

    def resolve(value: Any) -> int:
        if isinstance(value, list):
            return sum(map(resolve, value))
        if not isinstance(value, dict):
            return 0
        found = 0
        if isinstance(value.get("$ref"), str):
            target: Any = described
            for part in value["$ref"].removeprefix("#/").split("/"):
                target = target[part]
            found = 1
        return found + sum(map(resolve, value.values()))

    assert resolve(described) > 2 * len(names)
    # one that is left out would say that the schema and the check have parted
    schema = described["components"]["schemas"]["Subscribe"]
    assert schema["additionalProperties"] is False
    assert set(schema["properties"]) == set(Subscribe.model_fields)
    # AsyncAPI names a discriminator by a string, where OpenAPI has a map
    assert schema["properties"]["interest"]["discriminator"] == "kind"
    json.dumps(described)


@pytest.mark.parametrize("data", ["NaN", "1e999", "[1]", "{}", json.dumps("x" * 1025)])
def test_a_ping_that_cannot_be_answered_has_one_fault(data: str) -> None:
    problem = refusal(f'{{"type": "ping", "data": {data}}}', JSON_SUBPROTOCOL).problem
    (fault,) = problem.errors
    assert (fault.item, fault.field) == (None, "data")
    assert fault.message.startswith("must be a string of at most 1024 characters, ")
