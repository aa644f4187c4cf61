"""The client against the exchanges of clients/conformance: what it reads, writes and merges, in both encodings."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from typing import Any

import httpx
import msgpack
import pytest

from orca_crowd_client import (
    Acknowledged,
    ApiError,
    Client,
    Event,
    Frame,
    Obstacle,
    Stepped,
    WalkableArea,
    World,
    commands,
)
from orca_crowd_client.encoding import JSON, MESSAGE_PACK, Encoding
from orca_crowd_client.protocol.stepping import commands_body, controller_body, ready_body, step_body
from orca_crowd_client.protocol.stream_state import StreamState
from orca_crowd_client.protocol.subscription import Subscription
from tests.support.exchanges.reading import data_of, exchanges, label, plain_form

ENCODINGS: dict[str, Encoding] = {"orca-crowd.v1.json": JSON, "orca-crowd.v1.msgpack": MESSAGE_PACK}
BIG = 2**53 - 1
SLANTED = commands.set_agents([0, BIG], preferred_velocity=[(1.5, 0.0), (-0.0, -1.5)])


def of_client(value: Any) -> Any:
    """What the client gives, as the JSON form has it: arrays as lists, a row without a value as None."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, list | tuple):
        if value and all(isinstance(part, float) and math.isnan(part) for part in value):
            return None
        return [of_client(part) for part in value]
    return None if isinstance(value, float) and math.isnan(value) else value


def same(one: Any, other: Any) -> bool:
    """Whether two values are equal to the bit, an integer and the float of its size being the same."""
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(same(*pair) for pair in zip(one, other, strict=True))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[name], other[name]) for name in one)
    if isinstance(one, int | float) and isinstance(other, int | float) and not isinstance(one, bool):
        return struct.pack("<d", one) == struct.pack("<d", other)
    return bool(one == other)


# ---- merging


@pytest.mark.parametrize("entry", exchanges("streams.json"), ids=label)
def test_frames_are_merged_to_what_is_known(entry: dict[str, Any]) -> None:
    asked = {name: value for name, value in entry["subscription"].items() if name != "type"}
    stream = StreamState(ENCODINGS[entry["subprotocol"]], Subscription(**asked))
    stream.opening()
    for message in entry["messages"]:
        stream.receive(data_of(message))
        taken = stream.take()
        assert taken is not None
        frame = taken[0]
        assert isinstance(frame, Frame)
        rows = [
            {"id": int(agent), **{name: of_client(frame[name][row]) for name in frame.columns}}
            for row, agent in enumerate(frame.ids)
        ]
        assert same(sorted(rows, key=lambda row: row["id"]), message["after"])


# ---- from the server


@pytest.mark.parametrize("entry", exchanges("from-server.json"), ids=label)
def test_messages_of_the_server_are_read(entry: dict[str, Any]) -> None:
    message, state = entry["message"], StreamState(ENCODINGS[entry["subprotocol"]], Subscription())
    state.opening()
    kind, key = message["type"], message.get("key")
    if key is not None:
        state.request("command", {"key": key})
    if kind == "frame":
        # those build on others and are in streams.json as well
        assert state.encoding.decode(data_of(entry))["since"] == message["since"]
        return
    state.receive(data_of(entry))
    if kind == "error":
        with pytest.raises(ApiError) as refusal:
            state.answer(key or "any")
        problem = message["problem"]
        assert (refusal.value.status, refusal.value.code, refusal.value.detail) == (
            problem["status"],
            problem["code"],
            problem["detail"],
        )
        assert [vars(fault) for fault in refusal.value.errors] == problem["errors"]
    elif kind in ("ack", "stepped") and key is not None:
        check_answer(state.answer(key), message)
    elif kind == "event":
        taken = state.take()
        assert taken is not None
        assert isinstance(taken[0], Event)
        check_event(taken[0], message)
    elif kind == "full":
        taken = state.take()
        assert taken is not None
        assert taken[0].step == message["step"]
    elif kind == "hello":
        assert state.hello == message
    elif kind == "heartbeat":
        assert state.heartbeat == message["step"]


def check_answer(answer: Any, message: dict[str, Any]) -> None:
    """An `ack` or `stepped` is what the message says."""
    assert isinstance(answer, Acknowledged | Stepped)
    assert (answer.step, answer.sequence) == (message["step"], message.get("sequence"))
    results = [{name: of_client(value) for name, value in result.items()} for result in answer.results]
    assert results == message.get("results", [])
    if isinstance(answer, Stepped):
        assert (answer.time, answer.digest) == (message["time"], message.get("digest"))
        assert answer.events_left_out == message.get("events_left_out", False)
        assert len(answer.events) == len(message["events"])
        for event, told in zip(answer.events, message["events"], strict=True):
            check_event(event, told)
        assert (answer.agents is None) == ("agents" not in message)
        if answer.agents is not None:
            shown = {"ids": answer.agents.ids, **answer.agents.columns}
            wanted = {name: value for name, value in message["agents"].items() if name not in ("step", "time")}
            assert same({name: of_client(value) for name, value in shown.items()}, wanted)


def check_event(event: Event, message: dict[str, Any]) -> None:
    """An event is what the message says."""
    assert (event.kind, event.step, list(event.ids)) == (message["kind"], message["step"], message.get("ids", []))
    rest = {name: value for name, value in message.items() if name not in ("type", "kind", "step", "ids")}
    assert same({name: plain_form(of_client(value), name) for name, value in event.data.items()}, rest)


# ---- to the server


def subscribed(**members: Any) -> Callable[[Encoding], Any]:
    """A `subscribe`."""
    return lambda encoding: Subscription(**members).message()


def asked(kind: str, body: Callable[..., Any], *arguments: Any, **members: Any) -> Callable[[Encoding], Any]:
    """A request with a body that the client makes."""
    return lambda encoding: {"type": kind, **body(encoding, *arguments, **members)}


ORDERED = {"return_": "agents", "fields": ["position", "velocity", "status"], "ids": [0, BIG], "commands": [SLANTED]}
NONE = {"commands": None, "fields": None, "ids": None}
WRITTEN: dict[str, Callable[[Encoding], Any]] = {
    "subscribe": subscribed(),
    "subscribe-ids": subscribed(interest={"kind": "ids", "ids": [0, BIG]}),
    "subscribe-rectangle": subscribed(interest={"kind": "rectangle", "min": (-10.0, -0.0), "max": (10.0, 20.5)}),
    "subscribe-circle": subscribed(
        fields=["position"], interest={"kind": "circle", "center": (1.5, 2.0), "radius": 30.0}
    ),
    "subscribe-around": subscribed(interest={"kind": "around", "id": BIG, "radius": 12.5}),
    "subscribe-int16": subscribed(fields=["position", "velocity", "radius"], precision="int16"),
    "subscribe-int8": subscribed(precision="int8"),
    "resume": lambda encoding: Subscription().message(12),
    "resume-on-a-new-socket": lambda encoding: Subscription(fields=["position"], delivery="every").message(12),
    "command-set-and-remove-agents": asked(
        "command",
        commands_body,
        [
            SLANTED,
            {
                "op": "set_agents",
                "agents": [{"id": 7, "goal": None}, {"id": 0, "radius": 0.4, "preferred_speed": None}],
            },
            commands.remove_agents([7]),
        ],
        "a2",
    ),
    "step": asked("step", step_body, 1, expected_step=None, key=None, return_="none", **NONE),
    "step-tight-loop": asked("step", step_body, 2, expected_step=40, key="s1", **ORDERED),
    "step-digest": asked("step", step_body, 1, expected_step=None, key="s2", return_="digest", **NONE),
    "register": asked("register", controller_body, "c1", controller="team-a"),
    "unregister": asked("unregister", controller_body, None),
    "own": asked("own", controller_body, "c2", ids=[0, BIG]),
    "disown": asked("disown", controller_body, "c3", ids=[0]),
    "ready": asked("ready", ready_body, None, key=None, return_="none", **NONE),
    "ready-with-orders": asked("ready", ready_body, 41, key="r1", **ORDERED),
}
# members that may be written though they are left out in the exchange: their defaults
DEFAULTS = {
    "precision": "float64",
    "every": 1,
    "delivery": "latest",
    "window": 3,
    "rows": "changed",
    "count": 1,
    "return": "none",
}


@pytest.mark.parametrize("entry", exchanges("to-server.json"), ids=label)
def test_messages_to_the_server_mean_the_same(entry: dict[str, Any]) -> None:
    encoding, wanted = ENCODINGS[entry["subprotocol"]], entry["message"]
    # the encodings read what is in the exchange
    assert same(plain_form(encoding.decode(data_of(entry))), wanted)
    if entry["name"] not in WRITTEN:
        return
    sent = plain_form(encoding.decode(encoding.message(WRITTEN[entry["name"]](encoding))))
    if "key" not in wanted:
        # the client makes one for every request
        sent.pop("key", None)
    more = {name: value for name, value in sent.items() if name not in wanted}
    assert more == {name: DEFAULTS[name] for name in more}
    less = {name: value for name, value in wanted.items() if name not in sent}
    assert less == {name: DEFAULTS[name] for name in less}
    assert same({name: sent[name] for name in sent if name in wanted}, {n: wanted[n] for n in wanted if n in sent})


# ---- REST

ROWS = [
    {"position": (-0.0, 2.5), "goal": (3.0, 4.0), "preferred_speed": 1.25, "goal_tolerance": 0.01},
    {"id": 7, "position": (9.0, 9.0), "preferred_velocity": (1.0, -0.0), "max_speed": 2.0, "time_horizon": 3.0},
    {"position": (20.0, 0.5), "obstacle_horizon": 1.0, "neighbor_distance": 12.5, "max_neighbors": 5},
]
SQUARE = {"type": "Polygon", "coordinates": [[[0.0, 0.0], [9.0, 0.0], [9.0, 9.0], [0.0, 9.0], [0.0, 0.0]]]}
CALLS: dict[str, Callable[[World, Client], Any]] = {
    "describe-world": lambda world, client: world.describe(),
    "update-world": lambda world, client: world.update(name="Plaza"),
    "add-agents-in-rows": lambda world, client: world.add_agents(ROWS),
    "set-agents-in-columns": lambda world, client: world.set_agents(
        [0, BIG], preferred_velocity=[(1.5, 0.0), (-0.0, -1.5)]
    ),
    "set-agent": lambda world, client: world.set_agent(7, goal=(9.0, -0.0)),
    "agents": lambda world, client: world.agents(),
    "agents-chosen": lambda world, client: world.agents(
        fields=["position", "goal", "status", "max_neighbors"], ids=[BIG, 7], precision="float32"
    ),
    "agent": lambda world, client: world.agent(BIG),
    "agent-not-found": lambda world, client: world.agent(12345),
    "explain": lambda world, client: world.explain(7),
    "add-obstacles": lambda world, client: world.add_obstacles(
        [Obstacle([(-2.0, 2.0), (2.0, 2.0)]), Obstacle([(0.0, 0.0), (1.0, 0.0), (1.0, 1.0)], closed=True, id=4)]
    ),
    "set-obstacle": lambda world, client: world.set_obstacle(4, Obstacle([(-2.0, 2.0), (2.0, 2.0)])),
    "obstacles": lambda world, client: world.obstacles(),
    "add-walkable": lambda world, client: world.add_walkable([{"id": 3, "geometry": SQUARE}]),
    "walkable": lambda world, client: world.walkable(),
    "remove-walkable": lambda world, client: world.remove_walkable(3),
    "steps": lambda world, client: world.step(
        2, expected_step=0, return_="agents", fields=["position", "goal", "status"], key="s1"
    ),
    "steps-refused": lambda world, client: world.step(expected_step=7),
    "agent-gone": lambda world, client: world.agent(7),
    "digest": lambda world, client: world.digest(),
    "remove-agents": lambda world, client: world.remove_agents([0, 4294967296]),
    "steer": lambda world, client: client.steer(
        time_step=0.25, agents=[{"position": (0.0, 0.0), "preferred_velocity": (-0.0, 1.0)}]
    ),
    "delete-world": lambda world, client: world.delete(),
}
REST = [entry for entry in exchanges("rest.json") if entry["name"] in CALLS]


@pytest.mark.parametrize("answer", [entry for entry in REST if entry["direction"] == "from-server"], ids=label)
def test_calls_and_answers_of_rest(answer: dict[str, Any]) -> None:
    media_type, wanted = answer["media_type"], answer["message"]
    asking = [
        entry
        for entry in REST
        if (entry["name"], entry["media_type"], entry["direction"]) == (answer["name"], media_type, "to-server")
    ]
    seen: list[httpx.Request] = []

    def serve(request: httpx.Request) -> httpx.Response:
        seen.append(request)
        body = answer.get("text", "").encode() if "text" in answer else bytes.fromhex(answer.get("bytes", ""))
        kind = answer.get("content_type")
        return httpx.Response(answer["status"], content=body, headers={} if kind is None else {"Content-Type": kind})

    encoding = "msgpack" if "msgpack" in media_type else "json"
    with Client("http://test", encoding=encoding, transport=httpx.MockTransport(serve)) as client:
        call = CALLS[answer["name"]]
        if answer["status"] >= 400:
            with pytest.raises(ApiError) as refusal:
                call(client.world("hall"), client)
            assert (refusal.value.status, refusal.value.code) == (wanted["status"], wanted["code"])
            assert [vars(fault) for fault in refusal.value.errors] == wanted["errors"]
        else:
            check_result(call(client.world("hall"), client), wanted)
    (request,) = seen
    method, path = answer["call"].split(" ")
    url = httpx.URL("http://test" + path)
    assert (request.method, request.url.path, request.url.params) == (method, url.path, url.params)
    if asking:
        sent = plain_form(decoded(request.content, media_type))
        missing = {"count": 1, "return": "none", "closed": False} | ({"key": sent["key"]} if "key" in sent else {})
        told = asking[0]["message"]
        assert same({**sent}, {**{name: missing[name] for name in sent if name not in told}, **told})


def decoded(content: bytes, media_type: str) -> Any:
    """A body, by a reader of its own."""
    return msgpack.unpackb(content) if "msgpack" in media_type else JSON.decode(content)


def check_result(result: Any, wanted: Any) -> None:
    """What a call gives holds what the answer says, for every member that it has."""
    if wanted is None:
        assert result is None
    elif isinstance(result, dict):
        assert same(plain_form(result), wanted)
    elif isinstance(result, list):
        kept = wanted["obstacles"] if isinstance(result[0], Obstacle) else wanted["areas"]
        for one, told in zip(result, kept, strict=True):
            assert one.id == told["id"]
            if isinstance(one, Obstacle):
                assert same(of_client(one.points), told["points"])
            else:
                assert isinstance(one, WalkableArea)
                assert one.geometry == told["geometry"]
    elif hasattr(result, "tolist"):
        assert same(of_client(result), wanted["velocity"])
    else:
        members = {name: value for name, value in wanted.items() if name not in ("events", "results", "agents")}
        for name, value in members.items():
            found = getattr(result, name)
            if name == "warnings":
                found, value = [vars(notice) for notice in found], list(value)
            assert same(of_client(found), value), name
        if isinstance(result, Stepped) and result.agents is not None:
            assert same(of_client(result.agents.position), wanted["agents"]["position"])
