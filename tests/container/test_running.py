"""A container as an operator runs it: an arbitrary user, nothing of the root writable, a volume for what is kept."""

from __future__ import annotations

import json
import re
import shutil
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from tests.container.image import WORK, Image, say
from tests.container.room import ANY_USER, Room, Server
from tests.support.live_server import child_environment

pytestmark = [pytest.mark.container, pytest.mark.timeout(3600)]

START_SECONDS = 120.0
AGENTS = {
    "position": [[-5.0, 0.0], [5.0, 0.1], [0.0, 6.0]],
    "goal": [[5.0, 0.0], [-5.0, 0.0], [0.0, -6.0]],
}


class Caller:
    """Requests to a server, with a key or without."""

    def __init__(self, port: int, key: str | None = None) -> None:
        """Nothing is sent yet."""
        self.port = port
        self.headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {key}"} if key else {})

    def __call__(self, method: str, path: str, body: Any = None) -> Any:
        """The decoded answer; HTTPError where it is a refusal."""
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}", data, self.headers, method=method)
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.loads(answer.read())

    def until_ready(self, server: Server) -> float:
        """Seconds until /readyz answers 200."""
        begin = time.monotonic()
        while time.monotonic() < begin + START_SECONDS:
            assert not server.ended, server.said
            try:
                self("GET", "/readyz")
                return time.monotonic() - begin
            except urllib.error.HTTPError as refusal:
                refusal.close()
            except OSError:
                pass
            time.sleep(0.05)
        raise AssertionError(f"not ready after {START_SECONDS} s: {server.said}")


def read_to_the_end(socket: ClientConnection) -> None:
    """Read until the server closes."""
    while True:
        socket.recv()


def make_world(call: Caller) -> None:
    """Three agents who cross, forty steps taken."""
    call("POST", "/v1/worlds", {"id": "hall", "time_step": 0.1})
    call("POST", "/v1/worlds/hall/agents", {"columns": AGENTS})
    assert call("POST", "/v1/worlds/hall/steps", {"count": 40})["step"] == 40


def test_from_the_first_key_to_the_drain(image: Image, volume: Path, port: int, tmp_path: Path) -> None:
    environment = {"ORCA_CROWD_PORT": str(port), "ORCA_CROWD_DATA": "/data"}
    room = Room(image, data=volume, environment=environment)

    # reachable from outside without a key: refused
    refused = room.run(*image.entrypoint, *image.command)
    assert refused.returncode == 2
    assert "make a key first" in refused.stderr
    say(f"uid {ANY_USER}, read-only root, no key: exit {refused.returncode}: {refused.stderr.strip()}")

    made = room.run(*image.entrypoint, "keys", "create", "--scope", "admin")
    assert made.returncode == 0, made.stderr
    call = Caller(port, made.stdout.strip())

    # nobody answers yet, and the health check says so
    assert room.run(*image.healthcheck[1:]).returncode == 1

    with room.server(tmp_path / "first.log") as server:
        say(f"ready after {call.until_ready(server):.1f} s")
        with pytest.raises(urllib.error.HTTPError, match="401") as stranger:
            Caller(port)("GET", "/v1/worlds")
        stranger.value.close()
        checked = room.run(*image.healthcheck[1:])
        assert checked.returncode == 0, checked.stderr
        make_world(call)
        before = call("GET", "/v1/worlds/hall/digest")
        assert re.search(r"(\d+) kernels: \1 from the cache, 0 compiled", server.said)
        say(f"world, 40 steps, digest {before['sha256']}; health check exit {checked.returncode}")
        server.signal(signal.SIGKILL)
        server.wait(10)
    say("SIGKILL")

    with room.server(tmp_path / "second.log") as server:
        say(f"started again on the same volume, ready after {call.until_ready(server):.1f} s")
        after = call("GET", "/v1/worlds/hall/digest")
        assert after == before
        say(f"the same world: step {after['step']}, digest {after['sha256']}")

        # a watcher is told, and all of it is over soon
        url = f"ws://127.0.0.1:{port}/v1/worlds/hall/stream"
        key = {"Authorization": call.headers["Authorization"]}
        with connect(url, subprotocols=["orca-crowd.v1.json"], additional_headers=key) as socket:  # type: ignore[list-item]
            socket.recv()
            begin = time.monotonic()
            server.signal(signal.SIGTERM)
            with pytest.raises(ConnectionClosed) as closed:
                read_to_the_end(socket)
            code = server.wait(10)
            took = time.monotonic() - begin
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == 1012
        assert code == 0, server.said
        assert took < 10
        say(f"SIGTERM: watcher closed with {closed.value.rcvd.code}, exit code {code} after {took:.1f} s")


def test_keys_out_of_a_secret(image: Image, port: int, tmp_path: Path) -> None:
    # made elsewhere and mounted to be read, as a cluster does
    secret = WORK / "secret"
    shutil.rmtree(secret, ignore_errors=True)
    command = [sys.executable, "-m", "orca_crowd", "keys", "create", "--scope", "admin", "--file"]
    made = subprocess.run(
        [*command, str(secret / "keys.sqlite")], env=child_environment(), capture_output=True, text=True, check=True
    )
    (secret / "keys.sqlite").chmod(0o440)
    environment = {
        "ORCA_CROWD_PORT": str(port),
        "ORCA_CROWD_DATA": "none",
        "ORCA_CROWD_KEYS": "/mnt/keys.sqlite",
    }
    call = Caller(port, made.stdout.strip())
    with Room(image, shown=secret, environment=environment).server(tmp_path / "server.log") as server:
        call.until_ready(server)
        make_world(call)
        with pytest.raises(urllib.error.HTTPError, match="401") as stranger:
            Caller(port)("GET", "/v1/worlds")
        stranger.value.close()
        server.signal(signal.SIGTERM)
        assert server.wait(10) == 0
    say("keys in a folder that can only be read: let in with the key, 401 without")


@pytest.mark.parametrize("user", ["12345:12345", "2000:0"])
def test_with_nothing_that_can_be_written(image: Image, port: int, tmp_path: Path, user: str) -> None:
    # no home, no volume, no tmpfs, and no folder for shared memory
    environment = {"ORCA_CROWD_PORT": str(port), "ORCA_CROWD_HOST": "127.0.0.1"}
    room = Room(image, user=user, temporary=False, environment=environment)
    call = Caller(port)
    with room.server(tmp_path / "server.log") as server:
        ready = call.until_ready(server)
        make_world(call)
        # large enough for the workers, whose memory has no name and no folder
        call("POST", "/v1/worlds", {"id": "field", "time_step": 0.1})
        positions = [[float(x), float(y)] for x in range(40) for y in range(50)]
        call("POST", "/v1/worlds/field/agents", {"columns": {"position": positions}})
        assert call("POST", "/v1/worlds/field/steps", {"count": 3})["step"] == 3
        assert server.said.count("nothing is kept") == 1
        assert "kernel cache" not in server.said
        server.signal(signal.SIGTERM)
        assert server.wait(10) == 0
    say(f"uid {user}, nothing writable at all: ready after {ready:.1f} s, worlds of 3 and 2000 agents stepped, exit 0")


def test_kernels_for_another_processor_are_compiled_with_one_line(image: Image, port: int, tmp_path: Path) -> None:
    # the kernels in the image are of no use then, and theirs cannot be kept
    environment = {"ORCA_CROWD_PORT": str(port), "ORCA_CROWD_HOST": "127.0.0.1", "NUMBA_CPU_NAME": "x86-64-v2"}
    room = Room(image, environment=environment)
    call = Caller(port)
    with room.server(tmp_path / "server.log", ["serve", "--engine", "inline", "--workers", "1"]) as server:
        ready = call.until_ready(server)
        make_world(call)
        assert server.said.count("no kernel cache") == 1
        server.signal(signal.SIGTERM)
        assert server.wait(10) == 0
    (line,) = [line for line in server.said.splitlines() if "no kernel cache" in line]
    say(f"{line}: ready after {ready:.1f} s")
