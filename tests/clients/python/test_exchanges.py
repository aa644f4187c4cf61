"""The exchanges of clients/conformance: the client reads what the server's encoders wrote, and means what they mean."""

from __future__ import annotations

import json
import math
from typing import Any

import msgpack
import pytest

from orca_crowd_client import ApiError, Event, Frame
from orca_crowd_client.columns import plain
from orca_crowd_client.commands import encode_commands
from orca_crowd_client.encoding import JSON, MESSAGE_PACK, Encoding
from orca_crowd_client.protocol import agents as agent_calls
from orca_crowd_client.protocol import geometry, stepping, worlds
from orca_crowd_client.protocol.call import Call, build_request, problem_document, read_answer
from orca_crowd_client.protocol.stream_state import StreamState
from orca_crowd_client.protocol.subscription import Subscription
from tests.support.exchanges.reading import data_of, exchanges, label, plain_form

TO_SERVER = [entry for entry in exchanges("to-server.json") if "refused" not in entry]
# frames are merged with the full before them, in the streams
FROM_SERVER = [entry for entry in exchanges("from-server.json") if entry["message"]["type"] != "frame"]
STREAMS = exchanges("streams.json")
REST = exchanges("rest.json")
LARGEST = 2**53 - 1


def encoding_of(entry: dict[str, Any]) -> Encoding:
    """The client's encoding for an exchange."""
    return MESSAGE_PACK if label(entry).endswith("msgpack") else JSON


def bits(value: Any) -> Any:
    """A value that is equal to another only where every bit is; a whole number is the number that it is."""
    if isinstance(value, dict):
        return {name: bits(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [bits(part) for part in value]
    if hasattr(value, "tolist"):
        return bits(value.tolist())
    if isinstance(value, int | float) and not isinstance(value, bool):
        return repr(float(value))
    return value


def decoded(data: str | bytes) -> Any:
    """What was sent, by another decoder than the client's."""
    return json.loads(data) if isinstance(data, str) else plain_form(msgpack.unpackb(data))


@pytest.mark.parametrize("entry", TO_SERVER, ids=label)
def test_what_is_sent_means_what_it_says(entry: dict[str, Any]) -> None:
    encoding, message = encoding_of(entry), entry["message"]
    # as the bodies of commands, steps and owners are made
    written = dict(message)
    if "commands" in message:
        written["commands"] = encode_commands(encoding, message["commands"])
    if "ids" in message:
        written["ids"] = encoding.identifier_column(message["ids"])
    sent = encoding.message(written)
    assert isinstance(sent, str) == (encoding is JSON)
    assert bits(decoded(sent)) == bits(message)
    # and the bytes of the exchange are read to the same
    assert bits(plain_form(encoding.decode(data_of(entry)))) == bits(message)


def test_columns_are_sent_as_bins() -> None:
    [entry] = [one for one in TO_SERVER if label(one) == "command-add-agents-in-columns-msgpack"]
    [command] = encode_commands(MESSAGE_PACK, entry["message"]["commands"])
    bins = [name for name, value in command["columns"].items() if isinstance(value, bytes)]
    assert bins == ["id", "position", "velocity", "radius", "max_neighbors"]


def opened(entry: dict[str, Any]) -> StreamState:
    """A stream that has just connected and waits for every answer."""
    stream = StreamState(encoding_of(entry), Subscription(delivery="every"))
    stream.opening()
    if entry["message"].get("key") is not None:
        stream.request("step", {"key": entry["message"]["key"]})
    return stream


@pytest.mark.parametrize("entry", FROM_SERVER, ids=label)
def test_what_the_server_says_is_read(entry: dict[str, Any]) -> None:
    message, stream = entry["message"], opened(entry)
    kind, key = message["type"], message.get("key")
    stream.receive(data_of(entry))
    if kind == "hello":
        assert stream.hello == message
    elif kind == "heartbeat":
        assert stream.heartbeat == message["step"]
    elif kind == "closing":
        closed = stream.closed(4004, "")
        assert closed is not None
        assert closed.reason == message["reason"]
    elif kind == "error":
        with pytest.raises(ApiError) as refusal:
            stream.take() if key is None else stream.answer(key)
        wanted = problem_document(message["problem"])
        assert (type(refusal.value), str(refusal.value)) == (type(wanted), str(wanted))
        assert refusal.value.errors == wanted.errors
    elif kind in ("ack", "stepped") and key is not None:
        answer: Any = stream.answer(key)
        for name in ("step", "time", "digest", "sequence"):
            assert getattr(answer, name, None) == message.get(name)
        if "agents" in message:
            found = {"ids": answer.agents.ids, **answer.agents.columns}
            assert rows(found) == rows(message["agents"])
        if "results" in message and kind == "ack":
            assert bits([plain_values(result) for result in answer.results]) == bits(message["results"])
    elif kind == "event":
        taken = stream.take()
        assert taken is not None
        event = taken[0]
        assert isinstance(event, Event)
        assert (event.kind, event.step, list(event.ids)) == (message["kind"], message["step"], message.get("ids", []))


def plain_values(result: Any) -> dict[str, Any]:
    """A result with its arrays as lists."""
    return {name: plain(value) for name, value in result.items()}


def rows(columns: dict[str, Any]) -> dict[str, Any]:
    """Columns with null, or NaN, as None in whole rows."""
    return {name: [bits(missing(row)) for row in plain(column)] for name, column in columns.items()}


def missing(row: Any) -> Any:
    """None for a row without a value."""
    parts = row if isinstance(row, list | tuple) else [row]
    return None if all(isinstance(part, float) and math.isnan(part) for part in parts) else row


@pytest.mark.parametrize("entry", STREAMS, ids=label)
def test_streams_merge_to_what_is_there(entry: dict[str, Any]) -> None:
    wanted = entry["subscription"]
    stream = StreamState(encoding_of(entry), Subscription(**wanted, delivery="every"))
    stream.opening()
    for message in entry["messages"]:
        stream.receive(data_of(message))
        taken = stream.take()
        assert taken is not None
        frame = taken[0]
        assert isinstance(frame, Frame)
        columns = rows({"id": frame.ids, **frame.columns})
        found = sorted(zip(*columns.values(), strict=True), key=lambda row: float(row[0]))
        after = [dict(zip(columns, row, strict=True)) for row in found]
        assert after == [bits(agent) for agent in message["after"]]


# the call of some exchanges, as a world makes it
CALLS: dict[str, Any] = {
    "create-world": lambda encoding, sent: worlds.create_world(**sent),
    "create-world-again": lambda encoding, sent: worlds.create_world(**sent),
    "update-world": lambda encoding, sent: worlds.update_world("hall", **sent),
    "add-agents-in-columns": lambda encoding, sent: agent_calls.add_agents(encoding, "hall", None, sent["columns"]),
    "add-agents-in-rows": lambda encoding, sent: agent_calls.add_agents(encoding, "hall", sent["agents"], {}),
    "add-agents-refused": lambda encoding, sent: agent_calls.add_agents(encoding, "hall", sent["agents"], {}),
    "set-agents-in-columns": lambda encoding, sent: agent_calls.set_agents(
        encoding, "hall", sent["ids"], sent["columns"]
    ),
    "set-agent": lambda encoding, sent: agent_calls.set_agent("hall", 7, sent),
    "agents": lambda encoding, sent: agent_calls.get_agents("hall", None, None, None, None, None),
    "agents-chosen": lambda encoding, sent: agent_calls.get_agents(
        "hall", ["position", "goal", "status", "max_neighbors"], [LARGEST, 7], None, None, "float32"
    ),
    "agent-gone": lambda encoding, sent: agent_calls.describe_agent("hall", 7),
    "add-obstacles": lambda encoding, sent: geometry.add_obstacles("hall", sent["obstacles"]),
    "set-obstacle": lambda encoding, sent: geometry.set_obstacle("hall", 4, sent),
    "obstacles": lambda encoding, sent: geometry.list_obstacles("hall"),
    "walkable": lambda encoding, sent: geometry.list_walkable("hall"),
    "remove-agents": lambda encoding, sent: agent_calls.remove_many(encoding, "hall", [0, 2**32]),
    "commands": lambda encoding, sent: stepping.run_commands(
        "hall", stepping.commands_body(encoding, sent["commands"], sent["key"])
    ),
    "digest": lambda encoding, sent: worlds.digest("hall"),
    "delete-world": lambda encoding, sent: worlds.delete_world("hall"),
}
ANSWERS = [entry for entry in REST if entry["direction"] == "from-server" and entry["name"] in CALLS]


@pytest.mark.parametrize("entry", ANSWERS, ids=label)
def test_calls_are_sent_and_answers_read(entry: dict[str, Any]) -> None:
    encoding = encoding_of(entry)
    bodies = [one for one in REST if one["direction"] == "to-server" and label(one) == label(entry)]
    call: Call[Any] = CALLS[entry["name"]](encoding, bodies[0]["message"] if bodies else {})
    request = build_request(call, encoding)
    path, _, query = entry["call"].partition("?")
    assert f"{request.method} {request.path}" == path
    assert sorted("=".join(part) for part in request.query.items()) == sorted(filter(None, query.split("&")))
    if bodies:
        assert request.content is not None
        sent = decoded(request.content if encoding is MESSAGE_PACK else request.content.decode())
        assert bits(sent) == bits(bodies[0]["message"])
    data = data_of(entry)
    content, message = data if isinstance(data, bytes) else data.encode(), entry["message"]
    if entry["status"] >= 400:
        with pytest.raises(ApiError) as refusal:
            read_answer(call, entry["status"], entry["content_type"], content)
        assert str(refusal.value) == str(problem_document(message))
        return
    answer = read_answer(call, entry["status"], entry["content_type"], content)
    if entry["name"].startswith("agents"):
        assert rows({"ids": answer.ids, **answer.columns}) == rows(
            {name: column for name, column in message.items() if name not in ("step", "time")}
        )
    for name in ("step", "sequence", "ids", "removed", "sha256"):
        if message is not None and hasattr(answer, name):
            assert bits(getattr(answer, name)) == bits(message[name])
