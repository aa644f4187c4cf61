"""What stands before the routes: origins, CORS, limits of keys and of wrong ones, and where a server may listen."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from websockets.sync.client import connect
from websockets.typing import Subprotocol

from tests.support.guarded import WORLD, Guarded, guarded_server, rows
from tests.support.live_server import child_environment
from tests.support.mortal_server import MortalServer

FRIEND, FOE = "https://game.example", "https://elsewhere.example"


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Guarded]:
    """With few tries, few requests, and pages of a friend."""
    folder = tmp_path_factory.mktemp("guarded")
    with guarded_server(folder, failed_tries=3, requests_per_second=20, allowed_origins=f'["{FRIEND}"]') as made:
        yield made


def test_a_page_from_elsewhere_writes_nothing(guarded: Guarded) -> None:
    before = guarded.state()
    own = str(guarded.server.client.base_url).rstrip("/")
    for origin, status in ((FOE, 403), ("null", 403), (FRIEND, 201), (own, 201)):
        answer = guarded.ask("admin", "POST", f"/v1/worlds/{WORLD}/agents", json=rows(1), headers={"Origin": origin})
        assert answer.status_code == status, origin
        if status == 403:
            assert "allowed_origins" in answer.json()["detail"]
            assert guarded.state() == before
    # one that reads may be asked for from anywhere, and is kept from the page by the browser
    foreign = guarded.ask("read", "GET", "/v1/worlds", headers={"Origin": FOE})
    assert (foreign.status_code, foreign.headers.get("access-control-allow-origin")) == (200, None)


def test_browsers_are_told_what_a_friend_may(guarded: Guarded) -> None:
    asks = {"Access-Control-Request-Method": "PATCH", "Access-Control-Request-Headers": "authorization,x-request-id"}
    client = guarded.server.client
    allowed = client.options("/v1/worlds", headers={"Origin": FRIEND, **asks})
    assert (allowed.status_code, allowed.headers["access-control-allow-origin"]) == (200, FRIEND)
    assert "PATCH" in allowed.headers["access-control-allow-methods"]
    assert "access-control-allow-credentials" not in allowed.headers
    assert "access-control-allow-origin" not in client.options("/v1/worlds", headers={"Origin": FOE, **asks}).headers
    shown = guarded.ask("read", "GET", "/v1/worlds", headers={"Origin": FRIEND}).headers
    assert shown["access-control-allow-origin"] == FRIEND
    assert "x-request-id" in shown["access-control-expose-headers"].lower()
    address = guarded.address
    with connect(
        address,
        origin=FRIEND,  # type: ignore[arg-type]
        subprotocols=[Subprotocol("orca-crowd.v1.json"), Subprotocol(f"orca-crowd.key.{guarded.keys['read']}")],
    ) as socket:
        assert "hello" in str(socket.recv(timeout=10))


def test_without_a_word_there_is_no_cors(server: str) -> None:
    asks = {"Origin": FRIEND, "Access-Control-Request-Method": "POST"}
    assert "access-control-allow-origin" not in httpx.options(f"{server}/v1/worlds", headers=asks).headers
    assert "access-control-allow-origin" not in httpx.get(f"{server}/v1/worlds", headers={"Origin": FRIEND}).headers
    assert httpx.post(f"{server}/v1/worlds", headers={"Origin": FRIEND}).status_code == 403


def test_a_key_that_asks_too_often_is_told_to_wait_and_no_other(guarded: Guarded) -> None:
    guarded.keys["busy"] = guarded.store.create(scope="read", now=time.time()).text()
    statuses = []
    # twice as many as a second's at once
    for _ in range(200):
        answer = guarded.ask("busy", "GET", "/v1/worlds")
        statuses.append(answer.status_code)
        if answer.status_code == 429:
            break
    assert statuses[:40] == [200] * 40
    assert answer.status_code == 429
    assert (answer.json()["code"], answer.headers["retry-after"]) == ("limit", "1")
    assert "requests_per_second" in answer.json()["detail"]
    assert str(guarded.keys["busy"])[14:] not in answer.text
    assert guarded.ask("read", "GET", "/v1/worlds").status_code == 200
    time.sleep(1.0)
    assert guarded.ask("busy", "GET", "/v1/worlds").status_code == 200


def test_messages_of_a_key_are_counted_like_requests(guarded: Guarded) -> None:
    key = guarded.store.create(scope="control", now=time.time()).text()
    with connect(
        guarded.address,
        subprotocols=[Subprotocol("orca-crowd.v1.json")],
        additional_headers={"Authorization": f"Bearer {key}"},
    ) as stream:
        for number in range(60):
            stream.send(json.dumps({"type": "ping", "data": number}))
        refused = {"type": "hello"}
        while refused["type"] != "error":
            refused = json.loads(stream.recv(timeout=10))
        assert refused["problem"]["code"] == "limit"
        # an order is refused as well, and the connection stays
        stream.send(json.dumps({"type": "command", "commands": [], "key": "order"}))
        answer = {"type": "hello"}
        while answer.get("key") != "order":
            answer = json.loads(stream.recv(timeout=10))
        assert answer["type"] == "error"
        time.sleep(0.5)
        stream.send(json.dumps({"type": "command", "commands": [], "key": "later"}))
        while answer.get("key") != "later":
            answer = json.loads(stream.recv(timeout=10))
        assert answer["type"] == "ack"


def test_wrong_keys_are_counted_by_address(guarded: Guarded) -> None:
    """Last in this file: from then on this address waits for twenty seconds."""
    for _ in range(3):
        assert guarded.ask("wrong", "GET", "/v1/worlds").status_code == 401
    for kind in ("wrong", "read"):
        answer = guarded.ask(kind, "GET", "/v1/worlds")
        assert (answer.status_code, answer.json()["code"]) == (429, "limit")
        assert 1 <= int(answer.headers["retry-after"]) <= 20
    # who needs no key is not kept waiting
    assert guarded.ask("none", "GET", "/healthz").status_code == 200


def keys(server: MortalServer, *arguments: str) -> str:
    """The command for keys, on the folder of a server; what it says."""
    done = subprocess.run(
        [sys.executable, "-m", "orca_crowd", "keys", *arguments, "--data", str(server.data)],
        env=child_environment(),
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    return done.stdout.strip()


def test_beyond_loopback_a_server_starts_with_a_key_alone(tmp_path: Path) -> None:
    server = MortalServer(tmp_path, "--engine", "inline", "--host", "0.0.0.0")
    with pytest.raises(AssertionError, match=r"ended with 2: orca-crowd: make a key first"):
        server.start()
    server.wait()
    key = keys(server, "create", "--scope", "admin")
    assert re.fullmatch(r"orca_[0-9a-z]{8}_[0-9A-Za-z_-]{43}", key)
    try:
        client = server.start()
        assert "closed, keys wanted" in server.log
        assert client.get("/v1/worlds").status_code == 401
        bearer = {"Authorization": f"Bearer {key}"}
        assert client.get("/v1/worlds", headers=bearer).json() == {"worlds": []}
        assert key[14:] not in keys(server, "list")
        # a running server sees at once what the command does
        keys(server, "revoke", key[5:13])
        assert client.get("/v1/worlds", headers=bearer).status_code == 401
        again = keys(server, "create", "--scope", "read", "--expires", "1h")
        assert client.get("/v1/worlds", headers={"Authorization": f"Bearer {again}"}).status_code == 200
    finally:
        server.close()
