"""The exchanges that every client is tested against are what this server says and understands."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any, get_args

import numpy as np
import pytest
from pydantic import BaseModel

from orca_crowd.protocol import bodies
from orca_crowd.protocol.agents import parse_change, parse_changes, parse_new_agents
from orca_crowd.protocol.columns import read_identifiers
from orca_crowd.protocol.commands import COMMAND_BODIES, parse_batch, parse_commands
from orca_crowd.protocol.geometry import parse_areas, parse_obstacle, parse_obstacles
from orca_crowd.protocol.reading import BadMessage, read_message
from orca_crowd.protocol.steer import parse_steer
from orca_crowd.protocol.steps import parse_step
from orca_crowd.protocol.stream import CLIENT_MESSAGES, SERVER_MESSAGES
from orca_crowd.protocol.worlds import parse_change as parse_world_change
from orca_crowd.protocol.worlds import parse_world
from orca_crowd.settings import Settings
from tests.support.exchanges.__main__ import FOLDER, files
from tests.support.exchanges.merging import Reader
from tests.support.exchanges.reading import data_of, exchanges, label

SETTINGS = Settings()
TO_SERVER = exchanges("to-server.json")
TAKEN = [entry for entry in TO_SERVER if "refused" not in entry]
REFUSED = [entry for entry in TO_SERVER if "refused" in entry]
FROM_SERVER = exchanges("from-server.json")
# what is refused while it is read shows in its answer
UNREADABLE = frozenset({"add-agents-refused"})
BODIES = [
    entry for entry in exchanges("rest.json") if entry["direction"] == "to-server" and entry["name"] not in UNREADABLE
]
STREAMS = exchanges("streams.json")

# who reads the body of a call
READERS = {
    "POST /v1/worlds": lambda body: parse_world(body, SETTINGS),
    "PATCH /v1/worlds/hall": lambda body: parse_world_change(body, SETTINGS),
    "POST /v1/worlds/hall/agents": parse_new_agents,
    "PATCH /v1/worlds/hall/agents": parse_changes,
    "PATCH /v1/worlds/hall/agents/7": lambda body: parse_change(body, 7),
    "POST /v1/worlds/hall/obstacles": parse_obstacles,
    "PUT /v1/worlds/hall/obstacles/4": lambda body: parse_obstacle(body, 4),
    "POST /v1/worlds/hall/walkable": parse_areas,
    "POST /v1/worlds/hall/steps": lambda body: parse_step(body, SETTINGS),
    "POST /v1/worlds/hall/commands": lambda body: parse_commands(body, SETTINGS),
    "POST /v1/steer": parse_steer,
}


def bits(value: Any) -> Any:
    """A value that is equal to another only where every bit is, whatever it was read from."""
    if isinstance(value, np.ndarray):
        return (str(value.dtype), value.shape, value.tobytes())
    if isinstance(value, BaseModel):
        return {name: bits(getattr(value, name)) for name in value.model_fields_set}
    if is_dataclass(value) and not isinstance(value, type):
        # the digest is of the bytes that came, which differ
        return {part.name: bits(getattr(value, part.name)) for part in fields(value) if part.name != "digest"}
    if isinstance(value, Mapping):
        return {name: bits(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [bits(part) for part in value]
    # a whole number in a place of numbers is that number
    return repr(float(value)) if type(value) in (int, float) else repr(value)


def understood(entry: dict[str, Any], data: str | bytes, subprotocol: str) -> Any:
    """What the server takes a message for, columns and commands read."""
    message = read_message(data, subprotocol)
    read = bits(message)
    if getattr(message, "commands", None) is not None:
        read["commands"] = bits(parse_batch(message.commands, SETTINGS))  # type: ignore[union-attr]
    if getattr(message, "ids", None) is not None:
        ids, faults = read_identifiers(message.ids, "ids")  # type: ignore[union-attr]
        assert faults == []
        read["ids"] = bits(ids)
    return read


def kinds(models: tuple[type[BaseModel], ...]) -> set[str]:
    """The types of messages."""
    return {get_args(model.model_fields["type"].annotation)[0] for model in models}


async def test_the_files_are_what_this_server_says() -> None:
    for name, text in (await files()).items():
        assert (FOLDER / name).read_text(encoding="utf-8") == text, f"{name}: python -m tests.support.exchanges --write"


def test_every_message_of_both_directions_is_there_in_both_encodings() -> None:
    assert {entry["message"]["type"] for entry in TAKEN} == kinds(CLIENT_MESSAGES)
    assert {entry["message"]["type"] for entry in FROM_SERVER} == kinds(SERVER_MESSAGES)
    for entries in (TO_SERVER, FROM_SERVER, exchanges("rest.json")):
        names = [(entry["name"], entry["direction"], label(entry)) for entry in entries]
        assert len(set(names)) == len(names)
        assert {label(entry) for entry in entries} == {
            f"{entry['name']}-{wire}" for entry in entries for wire in ("json", "msgpack")
        }


def test_every_command_and_kind_of_interest_is_there() -> None:
    operations = {command["op"] for entry in TAKEN for command in entry["message"].get("commands", [])}
    assert operations == set(COMMAND_BODIES)
    interests = {entry["message"]["interest"]["kind"] for entry in TAKEN if "interest" in entry["message"]}
    assert interests == {"all", "ids", "rectangle", "circle", "around"}


@pytest.mark.parametrize("entry", TAKEN, ids=label)
def test_the_server_takes_every_message_for_what_it_means(entry: dict[str, Any]) -> None:
    meant = understood(entry, json.dumps(entry["message"]), "orca-crowd.v1.json")
    assert understood(entry, data_of(entry), entry["subprotocol"]) == meant


@pytest.mark.parametrize("entry", REFUSED, ids=label)
def test_the_server_refuses_what_is_wrong(entry: dict[str, Any]) -> None:
    with pytest.raises(BadMessage) as refusal:
        read_message(data_of(entry), entry["subprotocol"])
    problem = refusal.value.problem
    assert {"code": problem.code, "field": problem.errors[0].field} == entry["refused"]


@pytest.mark.parametrize("entry", BODIES, ids=label)
def test_the_server_takes_every_body_for_what_it_means(entry: dict[str, Any]) -> None:
    read = READERS[entry["call"]]
    data = data_of(entry)
    encoding = "msgpack" if isinstance(data, bytes) else "json"
    body = bodies.decode(data if isinstance(data, bytes) else data.encode(), encoding)
    assert bits(read(body)) == bits(read(entry["message"]))


@pytest.mark.parametrize("entry", FROM_SERVER, ids=label)
def test_every_message_of_the_server_is_as_the_document_says(entry: dict[str, Any]) -> None:
    models = {kind: model for model in SERVER_MESSAGES for kind in kinds((model,))}
    read = models[entry["message"]["type"]].model_validate(entry["message"])
    assert set(entry["message"]) <= read.model_fields_set


@pytest.mark.parametrize("entry", [one for one in STREAMS if one["subprotocol"].endswith("json")], ids=label)
def test_streams_merge_by_the_rule(entry: dict[str, Any]) -> None:
    reader = Reader()
    for message in entry["messages"]:
        reader.take(json.loads(message["text"]))
        assert bits(reader.rows()) == bits(message["after"])


def test_the_streams_hold_what_is_hard() -> None:
    told = [json.loads(message["text"]) for entry in STREAMS for message in entry["messages"] if "text" in message]
    frames = [message for message in told if message["type"] == "frame"]
    assert any("ids" not in frame for frame in frames)
    assert any(frame.get("ids") == [] for frame in frames)
    assert any(frame["entered"] and frame["left"] for frame in frames)
    assert any(frame["step"] - frame["since"] > 1 for frame in frames)
    assert any(frame.get("based") for frame in frames)
    assert any(len({message.get("keyframe") for message in told if message["step"] == step}) > 1 for step in (6, 8))
    agents = [agent for entry in STREAMS for message in entry["messages"] for agent in message["after"]]
    assert any(agent["id"] == 2**53 - 1 for agent in agents)
    assert "-0.0" in {repr(number) for agent in agents for number in agent["position"]}
    assert any(agent.get("goal", 0) is None for agent in agents)
