"""Controllers in processes of their own, one of which is stopped, woken and killed while the other goes on."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import httpx
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Subprotocol

from tests.orca_crowd.conftest import MakeWorld
from tests.support.live_server import child_environment

# waited for in each step that a controller misses, in seconds: long against a step, short for a test
TIMEOUT = 0.75
# nothing here takes this long; it is what a test that hangs is ended by
PATIENCE = 30.0

# says that it is ready and waits for the step, for ever; one line once it is registered
CONTROLLER = """
import json, sys
from websockets.sync.client import connect

with connect(sys.argv[1], subprotocols=["orca-crowd.v1.json"]) as socket:
    socket.send(json.dumps({"type": "register", "controller": sys.argv[2]}))
    while True:
        message = json.loads(socket.recv())
        if message["type"] == "ack":
            print("registered", flush=True)
        if message["type"] in ("ack", "stepped"):
            socket.send(json.dumps({"type": "ready"}))
"""


@contextmanager
def controller(url: str, name: str) -> Iterator[subprocess.Popen[bytes]]:
    """A registered controller in a process of its own, until the block ends."""
    process = subprocess.Popen(
        [sys.executable, "-c", CONTROLLER, url, name], env=child_environment(), stdout=subprocess.PIPE
    )
    with process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == b"registered\n"
            yield process
        finally:
            process.kill()


def step(socket: ClientConnection) -> tuple[int, list[str]]:
    """Be ready and take part in one step: its number, and who was waited for no longer."""
    socket.send(json.dumps({"type": "ready"}))
    while True:
        message = json.loads(socket.recv(PATIENCE))
        assert message["type"] in ("event", "stepped"), message
        if message["type"] == "stepped":
            missed = [event["controllers"] for event in message["events"] if event["kind"] == "barrier-timeout"]
            return message["step"], [name for names in missed for name in names]


def test_a_stopped_controller_costs_its_timeout_and_a_dead_one_nothing(
    server: str, client: httpx.Client, make_world: MakeWorld
) -> None:
    world = make_world(clock={"mode": "barrier", "timeout": TIMEOUT})
    url = f"{server.replace('http', 'ws')}{world}/stream"
    with connect(url, subprotocols=[Subprotocol("orca-crowd.v1.json")]) as socket:
        assert json.loads(socket.recv(PATIENCE))["type"] == "hello"
        with controller(url, "other") as process:
            socket.send(json.dumps({"type": "register", "controller": "this"}))
            while json.loads(socket.recv(PATIENCE))["type"] != "ack":
                continue
            taken = [step(socket) for _ in range(10)]
            assert [names for _, names in taken] == [[]] * 10

            # it may have said that it is ready for the next step before it was stopped
            process.send_signal(signal.SIGSTOP)
            step(socket)
            stopped = [step(socket) for _ in range(3)]
            assert [names for _, names in stopped] == [["other"]] * 3
            assert stopped[-1][0] == taken[-1][0] + 4

            # woken it takes part again, from the next step on
            process.send_signal(signal.SIGCONT)
            deadline = time.monotonic() + PATIENCE
            while step(socket)[1]:
                assert time.monotonic() < deadline
            assert [step(socket)[1] for _ in range(10)] == [[]] * 10

            # its connection ends with it, and nobody waits any more
            process.kill()
            process.wait()
            alone = [step(socket) for _ in range(10)]
            assert [names for _, names in alone] == [[]] * 10
    metrics = client.get("/metrics").text
    assert "orca_crowd_barrier_timeouts_total" in metrics
    # with the last one gone the world stands
    at = client.get(world).json()["step"]
    time.sleep(2 * TIMEOUT)
    assert client.get(world).json()["step"] == at >= alone[-1][0]
