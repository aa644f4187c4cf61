"""Agents and worlds that come and go while everything runs: nothing is seen half, nothing is left, all replays."""

from __future__ import annotations

import json
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx
import psutil
import pytest
from typer.testing import CliRunner
from websockets.sync.client import connect
from websockets.typing import Subprotocol

from orca_crowd.__main__ import app
from tests.support.leaks import shared_memory
from tests.support.mortal_server import MortalServer, mortal_server

JSON = Subprotocol("orca-crowd.v1.json")
AGENTS, BATCH = 300, 20
WORLDS = 80
SECONDS = 2.0


@pytest.fixture
def server(tmp_path: Path) -> Iterator[MortalServer]:
    """One on an empty folder."""
    with mortal_server(tmp_path, "--engine", "inline") as running:
        yield running


def stream_of(client: httpx.Client, world: str) -> str:
    """The address of a world's stream."""
    return f"ws://{client.base_url.host}:{client.base_url.port}/v1/worlds/{world}/stream"


def rows(number: int, count: int) -> list[dict[str, Any]]:
    """New agents, on their way to somewhere else."""
    return [
        {"position": [(number * 7 + n) % 40 * 1.5, n * 1.5], "goal": [30.0, 15.0], "radius": 0.3} for n in range(count)
    ]


class Crowd:
    """A stepper, and somebody who takes agents out and puts as many in, in one batch, again and again."""

    def __init__(self, address: httpx.URL) -> None:
        """Begin nothing yet."""
        self._address = address
        self.over = threading.Event()
        self.steps = 0
        self.gone: list[int] = []
        self.failed: list[str] = []

    def client(self) -> httpx.Client:
        """A connection of its own."""
        return httpx.Client(base_url=self._address, timeout=60)

    def step(self) -> None:
        """One step after another, each the next."""
        with self.client() as client:
            while not self.over.is_set():
                answer = client.post("/v1/worlds/w/steps", json={"expected_step": self.steps})
                if answer.status_code != 200:
                    self.failed.append(answer.text)
                    return
                self.steps += 1

    def churn(self) -> None:
        """The oldest go."""
        with self.client() as client:
            ids = client.get("/v1/worlds/w/agents?fields=radius").json()["ids"]
            number = 0
            while not self.over.wait(0.005):
                number += 1
                out = {"op": "remove_agents", "ids": ids[:BATCH]}
                put = {"op": "add_agents", "agents": rows(number, BATCH)}
                answer = client.post("/v1/worlds/w/commands", json={"commands": [out, put]})
                if answer.status_code != 200:
                    self.failed.append(answer.text)
                    return
                self.gone += ids[:BATCH]
                ids = ids[BATCH:] + answer.json()["results"][1]["ids"]


def test_agents_come_and_go_while_the_world_steps(server: MortalServer) -> None:
    client = server.client
    client.post("/v1/worlds", json={"id": "w", "time_step": 0.1}).raise_for_status()
    client.post("/v1/worlds/w/agents", json={"agents": rows(0, AGENTS)}).raise_for_status()
    crowd = Crowd(client.base_url)
    threads = [threading.Thread(target=crowd.step), threading.Thread(target=crowd.churn)]
    told: Counter[int] = Counter()
    present: set[int] = set()
    with connect(stream_of(client, "w"), subprotocols=[JSON], compression=None, max_size=2**26) as socket:
        socket.send(json.dumps({"type": "subscribe", "delivery": "every", "fields": ["position"]}))
        for thread in threads:
            thread.start()
        deadline = time.monotonic() + SECONDS
        while time.monotonic() < deadline or not crowd.gone:
            message = json.loads(socket.recv(timeout=30))
            if message["type"] == "full":
                present = set(message["ids"])
            elif message["type"] == "frame":
                present = (present | set(message["entered"])) - set(message["left"])
                assert set(message.get("ids", present)) <= present
            elif message["type"] == "event" and message["kind"] == "removed":
                told.update(message["ids"])
            if message["type"] in ("full", "frame"):
                # never the half of a batch
                assert len(present) == AGENTS
        crowd.over.set()
        for thread in threads:
            thread.join(60)
        assert crowd.failed == []
        # what happened last is told with the step that follows
        client.post("/v1/worlds/w/steps").raise_for_status()
        while sum(told.values()) < len(crowd.gone):
            message = json.loads(socket.recv(timeout=30))
            if message["type"] == "event" and message["kind"] == "removed":
                told.update(message["ids"])
    assert told == Counter(crowd.gone), "each is named once"
    assert client.get("/v1/worlds/w").json()["step"] == crowd.steps + 1

    before = client.get("/v1/worlds/w/digest").json()
    assert server.restart().get("/v1/worlds/w/digest").json() == before
    server.stop()
    done = CliRunner().invoke(app, ["replay", str(server.data / "worlds" / "w.sqlite")])
    assert done.exit_code == 0, done.output
    assert before["sha256"] in done.output


def test_worlds_that_came_and_went_leave_nothing(server: MortalServer) -> None:
    client = server.client
    process = psutil.Process(server.process.pid)

    def live(number: int) -> None:
        name = f"w{number}"
        client.post("/v1/worlds", json={"id": name, "time_step": 0.1}).raise_for_status()
        client.post(f"/v1/worlds/{name}/agents", json={"agents": rows(number, 10)}).raise_for_status()
        with connect(stream_of(client, name), subprotocols=[JSON], compression=None) as socket:
            socket.send(json.dumps({"type": "subscribe"}))
            while json.loads(socket.recv(timeout=30))["type"] != "full":
                pass
        client.post(f"/v1/worlds/{name}/steps", json={"count": 2}).raise_for_status()

    def end(number: int) -> None:
        client.delete(f"/v1/worlds/w{number}").raise_for_status()

    # what as many have left is the server's own: threads, buffers, code, what the allocator keeps for the next
    for number in range(WORLDS):
        live(number)
    for number in range(WORLDS):
        end(number)
    time.sleep(0.3)
    held, memory, threads = process.num_fds(), process.memory_info().rss, process.num_threads()
    shared = shared_memory()
    for number in range(WORLDS):
        live(number)
    assert process.num_fds() >= held + WORLDS
    for number in range(WORLDS):
        end(number)
    deadline = time.monotonic() + 20.0
    while process.num_fds() > held + 2 and time.monotonic() < deadline:
        time.sleep(0.1)
    assert process.num_fds() <= held + 2
    assert process.num_threads() <= threads + 2
    assert process.memory_info().rss <= 1.1 * memory
    assert shared_memory() <= shared
    assert list((server.data / "worlds").iterdir()) == []
    with closing(client.get("/v1/worlds")) as answer:
        assert answer.json() == {"worlds": []}
