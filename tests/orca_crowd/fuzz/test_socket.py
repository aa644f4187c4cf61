"""Messages of any kind over a socket: it stays open or closes as documented, and a refusal changes nothing."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from typing import Any

import httpx
import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect
from websockets.typing import Subprotocol

from tests.support.mortal_server import MortalServer, mortal_server

JSON, MSGPACK = Subprotocol("orca-crowd.v1.json"), Subprotocol("orca-crowd.v1.msgpack")
# a closing handshake that says why; 1006 and 1011 would be faults
DOCUMENTED = frozenset({1000, 1001, 1003, 1007, 1008, 1009})
ANSWERS = frozenset({"ack", "stepped", "full", "error"})

numbers = st.one_of(
    st.integers(-(2**64), 2**65), st.floats(), st.sampled_from([0, 1, 2**53 - 1, 2**53, -1, 1e309, float("nan"), -0.0])
)
scalars = st.one_of(st.none(), st.booleans(), numbers, st.text(max_size=8), st.sampled_from(["NaN", "1", "all"]))
values = st.recursive(
    scalars,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(st.text(max_size=6), inner, max_size=3)),
    max_leaves=8,
)

# messages that could be right, with one member or another that is not
points = st.lists(st.one_of(st.floats(-1e10, 1e10), numbers), min_size=1, max_size=3)
agents = st.dictionaries(
    st.sampled_from(["position", "velocity", "goal", "radius", "max_speed", "id", "raduis", "max_neighbors"]),
    st.one_of(points, numbers, scalars),
    max_size=4,
)
commands = st.one_of(
    st.fixed_dictionaries({"op": st.just("add_agents"), "agents": st.lists(agents, max_size=3)}),
    st.fixed_dictionaries({"op": st.just("set_agents"), "agents": st.lists(agents, max_size=3)}),
    st.fixed_dictionaries({"op": st.just("remove_agents"), "ids": st.lists(numbers, max_size=3)}),
    st.fixed_dictionaries(
        {"op": st.just("add_obstacles"), "obstacles": st.lists(st.fixed_dictionaries({"points": st.lists(points)}))}
    ),
    st.dictionaries(st.sampled_from(["op", "ids", "id"]), values, max_size=3),
)
TYPES = "subscribe unsubscribe got command step register unregister own disown ready resume ping nope"
MEMBERS = "fields precision every delivery interest window step key count expected_step controller ids"
types = st.sampled_from(TYPES.split())
members = st.dictionaries(st.sampled_from(MEMBERS.split()), values, max_size=3)
messages = st.one_of(
    st.builds(lambda kind, rest: {"type": kind, **rest}, types, members),
    st.builds(
        lambda kind, batch: {"type": kind, "commands": batch},
        st.sampled_from(["command", "step", "ready"]),
        st.one_of(st.lists(commands, max_size=3), values),
    ),
    values,
)
# bytes of no encoding, and texts that are almost one
garbage = st.one_of(st.binary(max_size=40), st.text(max_size=40), st.sampled_from(["{", "[]", "[" * 10_000, "null"]))


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MortalServer]:
    """A real one, with a journal, in which no message can ask for minutes of work."""
    with ExitStack() as stack:
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("ORCA_CROWD_STEPS_PER_REQUEST", "5")
            patch.setenv("ORCA_CROWD_AGENTS_PER_WORLD", "300")
            running = stack.enter_context(mortal_server(tmp_path_factory.mktemp("fuzz"), "--engine", "inline"))
        client = running.client
        client.post("/v1/worlds", json={"id": "w", "time_step": 0.25}).raise_for_status()
        rows = [{"position": [2.0 * n, 0.0], "goal": [0.0, 5.0]} for n in range(6)]
        client.post("/v1/worlds/w/agents", json={"agents": rows}).raise_for_status()
        yield running
        assert "Traceback" not in running.log


def state(client: httpx.Client) -> list[Any]:
    """What the world is, with its place in the order of all changes, and its digest."""
    return [client.get(f"/v1/worlds/w{end}").raise_for_status().json() for end in ("", "/digest")]


def packed(value: Any) -> bytes:
    """MessagePack where it can be, which ends at integers of 64 bits."""
    try:
        return msgspec.msgpack.encode(value)
    except (OverflowError, UnicodeEncodeError):
        return b"\xc1"


def told(server: MortalServer, protocol: Subprotocol, message: str | bytes) -> tuple[list[dict[str, Any]], int | None]:
    """All that is said to a message and a ping behind it, and the code with which the socket was closed, if it was."""
    decode = json.loads if protocol == JSON else msgspec.msgpack.decode
    ping = {"type": "ping", "data": "mark"}
    address = server.client.base_url
    url = f"ws://{address.host}:{address.port}/v1/worlds/w/stream"
    found: list[dict[str, Any]] = []
    with connect(url, subprotocols=[protocol], compression=None, close_timeout=1) as socket:
        try:
            socket.recv(timeout=10)
            socket.send(message)
            socket.send(json.dumps(ping) if protocol == JSON else msgspec.msgpack.encode(ping))
            # the answer to the ping says that the socket lives
            while not found or (found[-1]["type"], found[-1].get("data")) != ("pong", "mark"):
                found.append(decode(socket.recv(timeout=10)))
            # what takes a step is answered behind it
            if not any(each["type"] in ANSWERS for each in found):
                with suppress(TimeoutError):
                    found.append(decode(socket.recv(timeout=0.05)))
        except ConnectionClosed as closed:
            return found, closed.rcvd.code if closed.rcvd is not None else 1006
    return found, None


def conversation(server: MortalServer, protocol: Subprotocol, message: str | bytes) -> None:
    """One message over a socket of its own, and what it may not do."""
    before = state(server.client)
    found, code = told(server, protocol, message)
    assert code is None or code in DOCUMENTED, (message, code)
    errors = [each for each in found if each["type"] == "error"]
    assert [each for each in errors if each["problem"]["status"] >= 500] == [], message
    if errors:
        assert state(server.client) == before, (message, found)


def check(server: MortalServer, examples: int) -> None:
    """So many conversations in either subprotocol."""

    @settings(max_examples=examples, deadline=None, suppress_health_check=list(HealthCheck), database=None)
    @given(st.lists(st.one_of(messages, messages, garbage), min_size=1, max_size=3))
    def talk(said: list[Any]) -> None:
        for each in said:
            for protocol in (JSON, MSGPACK):
                if isinstance(each, (str, bytes)):
                    conversation(server, protocol, each)
                else:
                    conversation(server, protocol, json.dumps(each) if protocol == JSON else packed(each))

    talk()


def test_no_message_is_a_fault_of_the_server_and_no_refusal_a_change(server: MortalServer) -> None:
    check(server, 60)
    assert server.process.poll() is None


@pytest.mark.soak
def test_the_same_for_longer(server: MortalServer) -> None:
    check(server, 3_000)
