"""SIGTERM: not ready at once, journals closed, watchers told and closed with 1012, exit code 0, nothing lost."""

from __future__ import annotations

import json
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Subprotocol

from orca_crowd.journal.file import JournalFile
from tests.orca_crowd.durability.test_return import digest, make
from tests.support.mortal_server import MortalServer, mortal_server

# of a server that ends, SIGTERM to exit
SECONDS = 10.0


@pytest.fixture
def server(tmp_path: Path) -> Iterator[MortalServer]:
    """With workers, as users have it."""
    with mortal_server(tmp_path, "--workers", "2") as running:
        yield running


@contextmanager
def watch(client: httpx.Client, world: str, **options: Any) -> Iterator[ClientConnection]:
    """A subscriber of every step."""
    address = f"ws://{client.base_url.netloc.decode()}/v1/worlds/{world}/stream"
    with connect(address, subprotocols=[Subprotocol("orca-crowd.v1.json")], **options) as socket:
        socket.send(json.dumps({"type": "subscribe", "delivery": "every", "fields": ["position", "velocity", "goal"]}))
        yield socket


def rest(socket: ClientConnection) -> tuple[list[dict[str, Any]], int | None]:
    """What still comes, and the code that it ends with."""
    messages = []
    try:
        while True:
            messages.append(json.loads(socket.recv(timeout=SECONDS)))
    except ConnectionClosed as closed:
        return messages, closed.rcvd.code if closed.rcvd is not None else None


class Asked(threading.Thread):
    """A request under way; `answers` are all that it gets, one after another, until it is refused."""

    def __init__(self, client: httpx.Client, path: str, *bodies: dict[str, Any]) -> None:
        super().__init__()
        self._url = f"{client.base_url}{path}"
        self._bodies = bodies
        self.answers: list[httpx.Response] = []

    def run(self) -> None:
        """Ask until refused or cut off."""
        with httpx.Client(timeout=30) as client, suppress(httpx.TransportError):
            for body in self._bodies:
                self.answers.append(client.post(self._url, json=body))
                if self.answers[-1].status_code != 200:
                    return


def test_a_drain_under_load_loses_nothing(server: MortalServer) -> None:
    client = server.client
    make(client, "live", clock={"mode": "realtime", "rate": 60})
    make(client, "long", agents=1600)
    make(client, "busy")
    with ExitStack() as stack:
        watchers = [
            stack.enter_context(watch(client, name)) for name in ("live", "live", "long", "busy") for _ in range(5)
        ]
        # a long request under way, and many short ones with keys, of which some are answered
        long = Asked(client, "/v1/worlds/long/steps", {"count": 100_000, "key": "long"})
        adds = [
            {"commands": [{"op": "add_agents", "agents": [{"position": [20 + k, 20]}]}], "key": f"k{k}"}
            for k in range(5000)
        ]
        short = Asked(client, "/v1/worlds/busy/commands", *adds)
        long.start()
        short.start()
        while len(short.answers) < 20 or digest(client, "long")["step"] < 3:
            time.sleep(0.01)

        process, began = server.process, time.monotonic()
        process.send_signal(signal.SIGTERM)
        ended = [rest(socket) for socket in watchers]
        code = server.wait()
        took = time.monotonic() - began
        long.join()
        short.join()

    assert (code, took < SECONDS) == (0, True), (took, server.log)
    assert [closed for _, closed in ended] == [1012] * len(watchers)
    for messages, _ in ended:
        assert messages[-1] == {"type": "closing", "reason": "the server is restarting"}
    assert "Traceback" not in server.log

    # who waited is told, and how far the steps came
    (cut,) = long.answers
    assert (cut.status_code, cut.json()["code"]) == (503, "draining")
    acknowledged = [answer.json() for answer in short.answers if answer.status_code == 200]
    assert short.answers[-1].status_code == 503 or len(short.answers) == len(acknowledged)

    # whole files, with nothing in a log
    worlds = server.data / "worlds"
    assert sorted(path.name for path in worlds.iterdir()) == ["busy.sqlite", "live.sqlite", "long.sqlite"]
    seen = max(message["step"] for messages, _ in ended[:10] for message in messages if message["type"] == "frame")
    with closing(JournalFile(worlds / "live.sqlite")) as journal:
        assert journal.step >= seen
        stood = journal.step

    client = server.start(ORCA_CROWD_RESTART="paused")
    assert digest(client, "long")["step"] == cut.json()["step"]
    assert digest(client, "live")["step"] == stood
    assert client.get("/v1/worlds/busy").json()["sequence"] == 1 + len(acknowledged)
    # the same keys again have their effect once, and what was not done yet is done
    assert client.post("/v1/worlds/busy/commands", json=adds[0]).json() == acknowledged[0]
    assert client.post("/v1/worlds/busy/commands", json=adds[len(acknowledged)]).json()["sequence"] == 2 + len(
        acknowledged
    )


def test_it_is_not_ready_while_it_drains(server: MortalServer) -> None:
    client = server.client
    make(client, agents=1600)
    # a reader who does not read keeps the end waiting for a moment
    with watch(client, "w", max_queue=1):
        steps = Asked(client, "/v1/worlds/w/steps", {"count": 100_000})
        steps.start()
        while digest(client)["step"] < 3:
            time.sleep(0.01)
        server.process.send_signal(signal.SIGTERM)
        refused = []
        with suppress(httpx.TransportError):
            while True:
                refused.append((client.get("/readyz").status_code, client.get("/healthz").status_code))
        assert server.wait() == 0
        steps.join()
    assert set(refused) <= {(503, 200), (200, 200)}
    assert (503, 200) in refused, refused


def test_a_second_signal_ends_it_at_once_and_loses_nothing(server: MortalServer) -> None:
    client = server.client
    make(client, agents=1600)
    make(client, "other")
    before = digest(client, "other")
    # a reader who does not read keeps the end waiting for a moment
    with watch(client, "w", max_queue=1):
        steps = Asked(client, "/v1/worlds/w/steps", {"count": 100_000})
        steps.start()
        while digest(client)["step"] < 3:
            time.sleep(0.01)
        server.process.send_signal(signal.SIGTERM)
        time.sleep(0.05)
        began = time.monotonic()
        server.process.send_signal(signal.SIGTERM)
        assert server.wait() == 1
        assert time.monotonic() - began < 3.0
        steps.join()
    assert "stopped before everything was closed" in server.log
    assert digest(server.start(), "other") == before
