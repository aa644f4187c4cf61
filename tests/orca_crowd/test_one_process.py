"""One process has the worlds, whatever the number of workers: none of a hundred requests misses them."""

from __future__ import annotations

from http.client import HTTPConnection
from pathlib import Path

import httpx
import pytest

from tests.support.live_server import live_server


def listeners(port: int) -> int:
    """How many sockets listen on a port of this machine; each belongs to one server."""
    rows = Path("/proc/net/tcp").read_text(encoding="ascii").splitlines()[1:]
    addresses = [(fields[1].rpartition(":")[2], fields[3]) for fields in map(str.split, rows)]
    # 0A is the state of a socket that listens
    return sum(1 for local, state in addresses if int(local, 16) == port and state == "0A")


def test_workers_compute_and_do_not_serve(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # what uvicorn takes for a number of server processes when it is run in other ways
    monkeypatch.setenv("WEB_CONCURRENCY", "4")
    with live_server(tmp_path, "--workers", "2") as address:
        port = int(address.rpartition(":")[2])
        assert listeners(port) == 1
        url = f"http://{address}/v1/worlds"
        assert httpx.post(url, json={"id": "w", "time_step": 0.25}).status_code == 201
        # a connection each, so that any other server would have its share of them
        for _ in range(100):
            connection = HTTPConnection(address)
            connection.request("GET", "/v1/worlds/w")
            assert connection.getresponse().status == 200
            connection.close()
        assert listeners(port) == 1
