"""What the server arranges for its process: room for all the sockets that it allows."""

from __future__ import annotations

import os
import re
import resource
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import httpx

from tests.support.live_server import _ready_address, child_environment

SOFT, HARD = 256, 4096
SOCKETS, WORLDS = 1000, 200


@contextmanager
def many_files() -> Iterator[None]:
    """Let this process hold the other ends."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def limit_of(pid: int) -> int:
    """The soft limit of open files of a process."""
    found = re.search(r"Max open files\s+(\d+)", Path(f"/proc/{pid}/limits").read_text(encoding="ascii"))
    assert found is not None
    return int(found.group(1))


def descriptors_of(pid: int, awaited: int) -> int:
    """How many files a process has open, once it holds more than `awaited`: the kernel connects before it accepts."""
    until = time.monotonic() + 30.0
    while (used := len(os.listdir(f"/proc/{pid}/fd"))) <= awaited and time.monotonic() < until:
        time.sleep(0.05)
    return used


def test_a_thousand_sockets_and_two_hundred_worlds_fit_where_few_files_are_allowed(tmp_path: Path) -> None:
    log = tmp_path / "server.log"
    command = f"ulimit -Sn {SOFT}; ulimit -Hn {HARD}; exec {sys.executable} -m orca_crowd serve --port 0 --workers 2"
    with log.open("wb") as output:
        server = subprocess.Popen(["sh", "-c", command], env=child_environment(), stdout=output, stderr=output)
    try:
        address = _ready_address(server, log)
        assert limit_of(server.pid) == HARD
        host, port = address.split(":")
        with many_files(), ExitStack() as stack, httpx.Client(base_url=f"http://{address}", timeout=60) as client:
            columns = {"position": [[2.0 * (k % 10), 2.0 * (k // 10)] for k in range(100)]}
            for number in range(WORLDS):
                assert client.post("/v1/worlds", json={"id": f"w{number}", "time_step": 0.1}).status_code == 201
                assert client.post(f"/v1/worlds/w{number}/agents", json={"columns": columns}).status_code < 300
            for _ in range(SOCKETS):
                stack.enter_context(socket.create_connection((host, int(port)), timeout=60))
            assert client.post("/v1/worlds/w7/steps", json={"count": 3}).json()["step"] == 3
            used = descriptors_of(server.pid, SOCKETS)
        # worlds of this size share a few blocks of memory
        assert SOCKETS < used < SOCKETS + 150
        server.send_signal(signal.SIGTERM)
        assert server.wait(15) == 0
    finally:
        server.kill()
        server.wait()
    assert "open files" not in log.read_text(encoding="utf-8")


def alone(code: str) -> str:
    """What some code says in a process of its own."""
    command = [sys.executable, "-W", "error", "-c", code]
    done = subprocess.run(command, env=child_environment(), capture_output=True, text=True, timeout=60, check=True)
    return done.stdout + done.stderr


def test_a_limit_that_is_too_low_is_said() -> None:
    said = alone(
        "import resource; resource.setrlimit(resource.RLIMIT_NOFILE, (100, 300))\n"
        "from orca_crowd.commands.room import raise_descriptor_limit\n"
        "print(raise_descriptor_limit(2000), resource.getrlimit(resource.RLIMIT_NOFILE))"
    )
    assert "300 (300, 300)" in said
    assert "at most 300 files can be open" in said
    assert "2000" in said
