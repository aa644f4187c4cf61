"""Keys at the stream: who may open one, which messages it may send, and what becomes of one whose key has ended."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, get_args

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Subprotocol

from orca_crowd.protocol.stream import CLIENT_MESSAGES
from tests.support.guarded import WORLD, Guarded, guarded_server

STREAM = Subprotocol("orca-crowd.v1.json")
COMMANDS = [{"op": "set_agents", "agents": [{"id": 0, "radius": 0.3}]}]
# one message of each type that is right, and the scope that it takes
MESSAGES: dict[str, tuple[str, dict[str, Any]]] = {
    "subscribe": ("read", {}),
    "resume": ("read", {"after_step": 0}),
    "unsubscribe": ("read", {}),
    "got": ("read", {"step": 0}),
    "ping": ("read", {"data": 1}),
    "command": ("control", {"commands": COMMANDS}),
    "step": ("control", {"count": 2, "commands": COMMANDS}),
    "register": ("control", {"controller": "c"}),
    "own": ("control", {"ids": [0]}),
    "disown": ("control", {"ids": [0]}),
    "unregister": ("control", {}),
    "ready": ("control", {"commands": COMMANDS}),
}


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Guarded]:
    """A server that wants keys and looks often whether they are still good."""
    with guarded_server(tmp_path_factory.mktemp("guarded"), heartbeat_seconds=1) as made:
        yield made


@contextmanager
def opened(guarded: Guarded, kind: str, *, as_subprotocol: bool = False, **options: Any) -> Iterator[ClientConnection]:
    """A stream with the key of a kind, in either of its places; its first message is read."""
    key = guarded.keys[kind]
    offered, headers = [STREAM], {}
    if as_subprotocol and key is not None:
        offered = [Subprotocol(f"orca-crowd.key.{key}"), STREAM]
    elif key is not None:
        headers = {"Authorization": f"Bearer {key}"}
    with connect(guarded.address, subprotocols=offered, additional_headers=headers, **options) as socket:
        assert json.loads(socket.recv(timeout=10))["type"] == "hello"
        yield socket


def told(socket: ClientConnection, *types: str) -> dict[str, Any]:
    """The next message of one of these types."""
    while True:
        message: dict[str, Any] = json.loads(socket.recv(timeout=10))
        if message["type"] in types:
            return message


def test_every_message_is_in_the_table() -> None:
    assert set(MESSAGES) == {get_args(model.model_fields["type"].annotation)[0] for model in CLIENT_MESSAGES}


@pytest.mark.parametrize("as_subprotocol", [False, True])
@pytest.mark.parametrize("kind", ["none", "wrong", "nonsense", "mixed", "expired", "revoked"])
def test_strangers_do_not_get_in(guarded: Guarded, kind: str, as_subprotocol: bool) -> None:
    with pytest.raises(InvalidStatus) as caught, opened(guarded, kind, as_subprotocol=as_subprotocol):
        pass
    response = caught.value.response
    assert response.status_code == 401
    assert json.loads(response.body)["code"] == "unauthorized"
    assert str(guarded.keys[kind]) not in str(response.headers) + response.body.decode()


@pytest.mark.parametrize("kind", ["read elsewhere", "control elsewhere", "admin elsewhere"])
def test_a_key_of_another_world_does_not_open_this_one(guarded: Guarded, kind: str) -> None:
    with pytest.raises(InvalidStatus) as caught, opened(guarded, kind):
        pass
    assert (caught.value.response.status_code, json.loads(caught.value.response.body)["code"]) == (403, "forbidden")


@pytest.mark.parametrize("as_subprotocol", [False, True])
@pytest.mark.parametrize("kind", ["read", "read here"])
def test_a_key_that_reads_changes_nothing(guarded: Guarded, kind: str, as_subprotocol: bool) -> None:
    before = guarded.state()
    with opened(guarded, kind, as_subprotocol=as_subprotocol) as socket:
        # the key is a subprotocol that nobody speaks, and is never sent back
        assert socket.subprotocol == STREAM
        assert socket.response is not None
        assert str(guarded.keys[kind]) not in str(socket.response.headers)
        for name, (needs, members) in MESSAGES.items():
            socket.send(json.dumps({"type": name, **members}))
            if needs == "control":
                problem = told(socket, "error", "ack", "stepped")["problem"]
                assert (problem["status"], problem["code"]) == (403, "forbidden"), name
            elif name in ("subscribe", "ping"):
                assert told(socket, "error", "full", "pong")["type"] != "error", name
    assert guarded.state() == before


@pytest.mark.parametrize("kind", ["control here", "admin"])
def test_a_key_that_controls_does_all_of_it(guarded: Guarded, kind: str) -> None:
    clock = {"clock": {"mode": "manual"}}
    with opened(guarded, kind, as_subprotocol=True) as socket:
        for name, (needs, members) in MESSAGES.items():
            if name == "ready":
                barrier = {"clock": {"mode": "barrier", "timeout": 60}}
                guarded.ask("admin", "PATCH", f"/v1/worlds/{WORLD}", json=barrier).raise_for_status()
                socket.send(json.dumps({"type": "register", "controller": "c"}))
                told(socket, "ack")
            socket.send(json.dumps({"type": name, **members}))
            if needs == "control":
                assert told(socket, "error", "ack", "stepped")["type"] != "error", name
    guarded.ask("admin", "PATCH", f"/v1/worlds/{WORLD}", json=clock).raise_for_status()


@pytest.mark.parametrize("expires", [None, 2.0])
def test_a_key_that_ends_while_a_socket_is_open(guarded: Guarded, expires: float | None) -> None:
    now = time.time()
    secret = guarded.store.create(scope="control", now=now, expires=None if expires is None else now + expires)
    guarded.keys["ends"] = secret.text()
    with opened(guarded, "ends") as giving, opened(guarded, "ends") as watching:
        giving.send(json.dumps({"type": "command", "commands": COMMANDS}))
        assert told(giving, "ack", "error")["type"] == "ack"
        before = guarded.state()
        if expires is None:
            guarded.store.revoke(secret.name, now)
        else:
            time.sleep(max(0.0, now + expires - time.time()))

        # refused at once, and let go with it, unless the server has looked at its keys in this very moment
        with suppress(ConnectionClosed):
            giving.send(json.dumps({"type": "command", "commands": COMMANDS}))
            assert told(giving, "ack", "error")["problem"]["code"] == "unauthorized"
        for socket in (giving, watching):
            with pytest.raises(ConnectionClosed) as closed:
                told(socket, "nothing")
            assert closed.value.rcvd is not None
            assert (closed.value.rcvd.code, closed.value.rcvd.reason) == (1008, "the key is not valid any more")
    assert guarded.state() == before


@pytest.mark.parametrize("origin", ["https://elsewhere.example", "null", "http://127.0.0.1:1"])
def test_a_page_from_elsewhere_opens_no_stream(guarded: Guarded, origin: str) -> None:
    with pytest.raises(InvalidStatus) as caught, opened(guarded, "admin", origin=origin):
        pass
    assert (caught.value.response.status_code, json.loads(caught.value.response.body)["code"]) == (403, "forbidden")


def test_a_page_of_the_server_does(guarded: Guarded) -> None:
    with opened(guarded, "read", origin=str(guarded.server.client.base_url).rstrip("/"), as_subprotocol=True):
        pass
