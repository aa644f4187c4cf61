"""The command: exit codes, its one clear line, maps sent to a server, and how a server ends."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys
import time
from contextlib import ExitStack
from importlib.util import find_spec
from pathlib import Path

import httpx
import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Subprotocol

from tests.support.live_server import child_environment, live_server

MAP = "type octile\nheight 3\nwidth 4\nmap\n....\n.@@.\n....\n"


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """The command, run to its end."""
    return subprocess.run(
        [sys.executable, "-m", "orca_crowd", *arguments],
        env={**child_environment(), **environment},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_the_version_is_told() -> None:
    answer = run("--version")
    assert (answer.returncode, answer.stderr) == (0, "")
    assert answer.stdout.strip()


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.5", "example.com"])
def test_without_keys_nothing_but_loopback_is_listened_on(host: str) -> None:
    answer = run("serve", "--host", host, "--port", "0")
    assert answer.returncode == 2
    assert answer.stderr.startswith("orca-crowd: make a key first (orca-crowd keys create --scope admin), or ")
    assert len(answer.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    ("arguments", "environment"),
    [
        (["--port", "99999"], {}),
        (["--workers", "0"], {}),
        (["--engine", "threads"], {}),
        (["--nothing"], {}),
        ([], {"ORCA_CROWD_PORT": "many"}),
        ([], {"ORCA_CROWD_HEARTBEAT_SECONDS": "60"}),
    ],
)
def test_wrong_options_and_settings_are_exit_code_2(arguments: list[str], environment: dict[str, str]) -> None:
    answer = run("serve", *arguments, **environment)
    assert answer.returncode == 2, answer.stderr
    assert answer.stderr
    assert "Traceback" not in answer.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--engine", "inline", "--data", "s3://bucket/worlds"], "give --data a folder, or choose --engine ray"),
        (["--engine", "ray", "--data", "ftp://host/worlds"], "known are file://"),
    ],
)
def test_a_store_that_cannot_be_used_is_one_line(arguments: list[str], words: str) -> None:
    if "ray" in arguments and find_spec("ray") is None:
        pytest.skip("ray is not installed")
    answer = run("serve", "--port", "0", *arguments)
    assert answer.returncode == 2
    assert words in answer.stderr
    assert len(answer.stderr.splitlines()) == 1


def test_a_port_that_is_taken_is_one_line() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        answer = run("serve", "--port", str(taken.getsockname()[1]))
    assert answer.returncode == 2
    assert answer.stderr.startswith("orca-crowd: choose another --port: ")
    assert len(answer.stderr.splitlines()) == 1


def test_a_map_is_loaded(server: str, client: httpx.Client, world: str, tmp_path: Path) -> None:
    name = world.rpartition("/")[2]
    grid = tmp_path / "a.map"
    grid.write_text(MAP, encoding="ascii")
    answer = run("load", str(grid), "--world", name, "--as", "walkable", "--cell-size", "2", "--url", server)
    assert (answer.returncode, answer.stderr) == (0, "")
    assert "1 areas" in answer.stdout
    area = tmp_path / "a.geojson"
    area.write_text(json.dumps({"type": "LineString", "coordinates": [[0, 0], [1, 1]]}), encoding="utf-8")
    assert run("load", str(area), "--world", name, "--as", "obstacles", "--url", server).returncode == 0
    shown = client.get(world).json()
    assert (shown["walkable"], shown["obstacles"]) == (1, 1)
    answer = run("load", str(grid), "--world", name, "--as", "grid", "--url", server)
    assert (answer.returncode, answer.stdout) == (0, f"a.map: the grid map of world {name}\n")
    assert client.get(f"{world}/grid-map").json()["grid_map"]["rows"] == ["....", ".@@.", "...."]


def test_a_map_is_loaded_with_a_key(tmp_path: Path) -> None:
    grid = tmp_path / "a.map"
    grid.write_text(MAP, encoding="ascii")
    with live_server(tmp_path, "--engine", "inline", "--data", str(tmp_path / "kept")) as address:
        url = f"http://{address}"
        assert httpx.post(f"{url}/v1/worlds", json={"id": "hall", "time_step": 0.1}).status_code == 201
        made = {
            scope: run("keys", "create", "--scope", scope, "--data", str(tmp_path / "kept")).stdout.strip()
            for scope in ("read", "control")
        }
        load = ("load", str(grid), "--world", "hall", "--url", url)
        for key in ("", "wrong", "schl\u00fcssel", made["read"]):
            answer = run(*load, ORCA_CROWD_API_KEY=key)
            assert (answer.returncode, answer.stdout) == (2, "")
            assert answer.stderr.startswith("orca-crowd: set ORCA_CROWD_API_KEY to a key ")
            assert len(answer.stderr.splitlines()) == 1
        answer = run(*load, ORCA_CROWD_API_KEY=f"{made['control']}\n")
        assert (answer.returncode, answer.stdout) == (0, "a.map: 1 areas in world hall\n")


def test_a_map_that_is_refused_is_told(server: str, world: str, tmp_path: Path) -> None:
    name = world.rpartition("/")[2]
    broken = tmp_path / "b.map"
    broken.write_text(MAP.replace("width 4", "width 5"), encoding="ascii")
    for arguments, words in (
        ([str(broken), "--world", name, "--url", server], "line 5"),
        ([str(tmp_path / "none.map"), "--world", name, "--url", server], "none.map"),
        ([str(tmp_path / "a.png"), "--world", name, "--url", server], ".map"),
        ([str(broken), "--world", "nobody", "--url", server], "nobody"),
        ([str(broken), "--world", name, "--as", "water", "--url", server], "--as"),
    ):
        answer = run("load", *arguments)
        assert answer.returncode == 2, answer.stderr
        assert words in answer.stderr.splitlines()[0]
    answer = run("load", str(broken), "--world", name, "--url", "http://127.0.0.1:9")
    assert answer.returncode == 1
    assert answer.stderr.startswith("orca-crowd: start the server")


def start(tmp_path: Path) -> tuple[subprocess.Popen[bytes], str]:
    """A server that is ready, and its address."""
    log = tmp_path / "server.log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", "orca_crowd", "serve", "--port", "0"],
            env=child_environment(),
            stdout=output,
            stderr=output,
        )
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        assert process.poll() is None, log.read_text(encoding="utf-8")
        said = log.read_text(encoding="utf-8")
        if "http://" in said:
            address = said.partition("http://")[2].split()[0]
            try:
                if httpx.get(f"http://{address}/readyz").status_code == 200:
                    return process, address
            except httpx.TransportError:
                pass
        time.sleep(0.05)
    raise AssertionError("no server")


def end(process: subprocess.Popen[bytes]) -> None:
    """Whatever a test did, its server is gone."""
    if process.poll() is None:
        process.kill()
    process.wait()


def closing_code(stream: ClientConnection) -> int | None:
    """Read a stream to its end; the code that it was closed with."""
    try:
        while True:
            stream.recv(timeout=10)
    except ConnectionClosed as closed:
        return closed.rcvd.code if closed.rcvd is not None else None


def test_the_first_sigterm_drains_and_the_exit_code_is_0(tmp_path: Path) -> None:
    process, address = start(tmp_path)
    try:
        httpx.post(f"http://{address}/v1/worlds", json={"id": "w", "time_step": 0.1})
        rows = {"columns": {"position": [[2.0 * (k % 40), 2.0 * (k // 40)] for k in range(1600)]}}
        httpx.post(f"http://{address}/v1/worlds/w/agents", json=rows)
        with ExitStack() as stack:
            sockets = [
                stack.enter_context(
                    connect(f"ws://{address}/v1/worlds/w/stream", subprotocols=[Subprotocol("orca-crowd.v1.json")])
                )
                for _ in range(20)
            ]
            sockets[0].send(json.dumps({"type": "step", "count": 100_000}))
            process.send_signal(signal.SIGTERM)
            codes = [closing_code(stream) for stream in sockets]
        assert codes == [1012] * 20
        assert process.wait(10) == 0
    finally:
        end(process)
    assert "Traceback" not in (tmp_path / "server.log").read_text(encoding="utf-8")


def test_a_second_sigterm_exits_at_once(tmp_path: Path) -> None:
    process, address = start(tmp_path)
    try:
        # a reader who never answers the close keeps the drain waiting
        with socket.create_connection(tuple_of(address), timeout=20) as raw:
            httpx.post(f"http://{address}/v1/worlds", json={"id": "w", "time_step": 0.1})
            raw.sendall(
                b"GET /v1/worlds/w/stream HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
                b"Sec-WebSocket-Protocol: orca-crowd.v1.json\r\n\r\n"
            )
            assert raw.recv(4096).startswith(b"HTTP/1.1 101")
            process.send_signal(signal.SIGTERM)
            deadline = time.monotonic() + 5
            while time.monotonic() < deadline and process.poll() is None:
                process.send_signal(signal.SIGTERM)
                time.sleep(0.01)
            assert process.wait(5) in (0, 1)
    finally:
        end(process)


def tuple_of(address: str) -> tuple[str, int]:
    """Host and port."""
    host, _, port = address.rpartition(":")
    return host, int(port)
