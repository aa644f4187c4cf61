"""A world that fails for real, its workers killed over and over in one step, and comes back from its journal."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import httpx
import psutil
import pytest
from prometheus_client.parser import text_string_to_metric_families
from websockets.sync.client import connect
from websockets.typing import Subprotocol

from tests.orca_crowd.durability.test_drain import rest
from tests.orca_crowd.durability.test_return import digest, make
from tests.support.mortal_server import MortalServer


@pytest.fixture
def server(tmp_path: Path) -> Iterator[MortalServer]:
    """One in which every step is taken by a worker."""
    server = MortalServer(tmp_path, "--workers", "1")
    try:
        server.start(ORCA_CROWD_SMALL_AGENTS="0")
        yield server
    finally:
        server.close()


@contextmanager
def workers_killed(server: int) -> Iterator[None]:
    """SIGKILL for every worker, as soon as it is there: children of the server of forks, which stays."""
    end = threading.Event()

    def run() -> None:
        while not end.is_set():
            for child in psutil.Process(server).children():
                with suppress(psutil.NoSuchProcess):
                    for worker in child.children():
                        with suppress(ProcessLookupError):
                            os.kill(worker.pid, signal.SIGKILL)

    killer = threading.Thread(target=run)
    killer.start()
    try:
        yield
    finally:
        end.set()
        killer.join()


def until_it_fails(server: MortalServer, world: str) -> tuple[httpx.Response, dict[str, Any]]:
    """Step while workers are killed: the refusal, and the step and digest that were acknowledged last."""
    acknowledged = digest(server.client, world)
    with workers_killed(server.process.pid):
        # a step or two can be quicker than a kill
        while True:
            answer = server.client.post(f"/v1/worlds/{world}/steps", json={"return": "digest"})
            if answer.status_code != 200:
                return answer, acknowledged
            acknowledged = {"step": answer.json()["step"], "sha256": answer.json()["digest"]}


def sample(text: str, name: str) -> float:
    """One value of /metrics."""
    return next(s.value for family in text_string_to_metric_families(text) for s in family.samples if s.name == name)


def test_a_world_that_failed_comes_back_as_it_was_acknowledged(server: MortalServer) -> None:
    client = server.client
    make(client, "bad")
    make(client, "good", durability="none")
    client.post("/v1/worlds/bad/steps", json={"count": 20}).raise_for_status()
    client.patch("/v1/worlds/bad/agents/3", json={"preferred_velocity": [0.5, 0.5]}).raise_for_status()

    address = f"ws://{client.base_url.netloc.decode()}/v1/worlds/bad/stream"
    with connect(address, subprotocols=[Subprotocol("orca-crowd.v1.json")]) as watcher:
        refused, acknowledged = until_it_fails(server, "bad")
        assert (refused.status_code, refused.json()["code"]) == (503, "world-failed")
        told, code = rest(watcher)
        assert code == 4009
    problem = next(message["problem"] for message in told if message["type"] == "error")
    assert problem["code"] == "world-failed"
    assert "3 workers were lost" in problem["detail"]

    failed = client.get("/v1/worlds/bad").json()
    assert failed["state"] == "failed"
    assert failed["reason"].startswith(
        f"step {acknowledged['step']} could not be followed by another: 3 workers were lost over the leaves"
    )
    assert client.post("/v1/worlds/bad/steps", json={}).status_code == 503
    # the server stays ready, and other worlds go on
    assert client.get("/readyz").status_code == 200
    client.post("/v1/worlds/good/steps", json={"count": 3}).raise_for_status()
    metrics = client.get("/metrics").text
    assert sample(metrics, "orca_crowd_failed_worlds") == 1
    assert sample(metrics, "orca_crowd_world_failures_total") == 1
    assert sample(metrics, "orca_crowd_workers_replaced_total") >= 1

    # one call brings it back, to the bit, and it goes on
    back = client.post("/v1/worlds/bad/restore").raise_for_status().json()
    assert (back["state"], back["reason"], back["step"]) == ("ready", None, acknowledged["step"])
    assert digest(client, "bad") == acknowledged
    client.post("/v1/worlds/bad/steps", json={"count": 5}).raise_for_status()
    assert client.post("/v1/worlds/bad/restore").status_code == 409
    after = digest(client, "bad")
    metrics = client.get("/metrics").text
    assert sample(metrics, "orca_crowd_failed_worlds") == 0
    assert sample(metrics, "orca_crowd_worlds_restored_total") == 1
    assert digest(server.restart(), "bad") == after


def test_a_world_without_a_journal_cannot_come_back(server: MortalServer) -> None:
    client = server.client
    make(client, durability="none")
    until_it_fails(server, "w")
    assert client.post("/v1/worlds/w/restore").status_code == 404
    assert client.get("/v1/worlds/w").json()["state"] == "failed"
    assert client.delete("/v1/worlds/w").status_code == 204


def test_a_worker_that_hangs_is_counted(server: MortalServer) -> None:
    client = server.client
    server.kill()
    client = server.start(ORCA_CROWD_WORKER_SECONDS="2", ORCA_CROWD_SMALL_AGENTS="0")
    make(client)
    (forks,) = [child for child in psutil.Process(server.process.pid).children() if child.children()]
    (worker,) = forks.children()
    worker.suspend()
    began = time.monotonic()
    client.post("/v1/worlds/w/steps", json={"count": 3}).raise_for_status()
    assert time.monotonic() - began >= 2.0
    metrics = client.get("/metrics").text
    assert sample(metrics, "orca_crowd_workers_hung_total") == 1
    assert sample(metrics, "orca_crowd_workers_replaced_total") == 1
    assert digest(client)["step"] == 3
