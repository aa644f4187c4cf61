"""Front ends on a cluster of Ray on this machine, and what tests do with the worlds behind them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import httpx
from websockets.sync.client import ClientConnection, connect

from tests.support.live_server import child_environment
from tests.support.mortal_server import MortalServer
from tests.support.ray_cluster import RayCluster

__all__ = ["COUNT", "Fronts", "fill", "heard", "make", "quiet_environment", "watch"]

COUNT = 60


class Fronts:
    """A cluster and front ends on it, all with one folder of data."""

    def __init__(self, cluster: RayCluster, folder: Path, stack: ExitStack) -> None:
        self.cluster = cluster
        self.data: Path | str = folder / "data"
        self._folder = folder
        self._stack = stack
        self.servers: list[MortalServer] = []

    def start(self, **environment: str) -> None:
        """One more front end."""
        folder = self._folder / f"front{len(self.servers)}"
        folder.mkdir()
        options = ("--engine", "ray", "--ray-address", self.cluster.address, "--data", str(self.data))
        server = MortalServer(folder, *options)
        self._stack.callback(server.close)
        server.start(ORCA_CROWD_UNREACHABLE_SECONDS="3", **environment)
        self.servers.append(server)

    @contextmanager
    def client(self, number: int) -> Iterator[httpx.Client]:
        """A client of one of them, for one test."""
        with httpx.Client(base_url=self.servers[number].client.base_url, timeout=60) as client:
            yield client


def agents() -> dict[str, Any]:
    """Agents that cross a square."""
    position = [[(7 * n) % 23 - 11.0, (11 * n) % 19 - 9.0] for n in range(COUNT)]
    return {"position": position, "goal": [[-x, -y] for x, y in position]}


def fill(client: httpx.Client, name: str) -> str:
    """Agents for a world; its path."""
    assert client.post(f"/v1/worlds/{name}/agents", json={"columns": agents()}).status_code == 201
    return f"/v1/worlds/{name}"


def make(client: httpx.Client, name: str) -> str:
    """A world with agents; its path."""
    assert client.post("/v1/worlds", json={"id": name, "time_step": 0.1}).status_code == 201
    return fill(client, name)


def watch(client: httpx.Client, path: str) -> ClientConnection:
    """A socket to the stream of a world."""
    url = f"ws://{client.base_url.host}:{client.base_url.port}{path}/stream"
    return connect(url, subprotocols=["orca-crowd.v1.json"], max_size=None)


def quiet_environment() -> dict[str, str]:
    """That of a command which reads no warnings of the libraries below as errors."""
    return {name: value for name, value in child_environment().items() if name != "PYTHONWARNINGS"}


def heard(socket: ClientConnection, kind: str) -> dict[str, Any]:
    """The next message of a type, or the next event of a kind."""
    while True:
        message: dict[str, Any] = json.loads(socket.recv(timeout=100))
        if kind in (message["type"], message.get("kind")):
            return message
