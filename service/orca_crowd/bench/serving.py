"""Serving: a real server in a process of its own, and the few calls on it that the benchmarks need, in MessagePack."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from typing import Any

import httpx
import msgspec
import numpy as np
from numpy.typing import NDArray
from websockets.asyncio.client import ClientConnection, connect

from orca_crowd.bench.contenders import scene_columns
from orca_crowd.bench.scenes import Scene
from orca_crowd.bench.start import child_environment, free_port, until_answer
from orca_crowd.protocol.frames import MSGPACK_SUBPROTOCOL

__all__ = ["Remote", "Server", "columns_of", "decoded", "serving", "serving_process", "socket"]

MEDIA_TYPE = "application/msgpack"
# who has not answered by then has failed
PATIENCE = 60.0
LARGEST_MESSAGE = 2**26


@dataclass(frozen=True)
class Server:
    """A server that is ready: `host:port`, and the number of its process."""

    address: str
    process: int


@contextmanager
def serving(engine: str, workers: int) -> Iterator[str]:
    """A server with this engine; yields `host:port` once it is ready, and ends it. Raises RuntimeError with its log."""
    with serving_process(engine, workers) as server:
        yield server.address


@contextmanager
def serving_process(engine: str, workers: int, **settings: object) -> Iterator[Server]:
    """The same with other settings, named as in settings.py; yields the process too."""
    port = free_port()
    command = [sys.executable, "-m", "orca_crowd", "serve", "--port", str(port)]
    command += ["--engine", engine, "--workers", str(workers)]
    environment = child_environment()
    environment |= {f"ORCA_CROWD_{name.upper()}": str(value) for name, value in settings.items()}
    begin = time.perf_counter()
    with (
        tempfile.TemporaryFile("w+b") as log,
        subprocess.Popen(command, env=environment, stdout=log, stderr=log) as server,
    ):
        try:
            try:
                until_answer(f"http://127.0.0.1:{port}/readyz", begin, server)
            except RuntimeError as error:
                log.seek(0)
                raise RuntimeError(f"{error}: {log.read().decode(errors='replace').strip()}") from None
            yield Server(f"127.0.0.1:{port}", server.pid)
        finally:
            server.terminate()
            try:
                server.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                server.kill()


def columns_of(scene: Scene) -> dict[str, bytes]:
    """The scene's agents as the wire has them: bins of little-endian float64."""
    columns: dict[str, NDArray[np.float64]] = {**scene_columns(scene), "goal": scene.goals}
    return {name: np.ascontiguousarray(column, dtype="<f8").tobytes() for name, column in columns.items()}


class Remote:
    """A server under measurement, asked one thing at a time."""

    def __init__(self, address: str, durability: str | None = None) -> None:
        """`address` is `host:port`; nothing is sent. Worlds are made with a durability, left out, the server's."""
        self.address = address
        self._durability = {} if durability is None else {"durability": durability}
        self._http = httpx.AsyncClient(
            base_url=f"http://{address}",
            headers={"Content-Type": MEDIA_TYPE, "Accept": MEDIA_TYPE},
            timeout=PATIENCE,
        )

    async def __aenter__(self) -> Remote:
        """Open."""
        return self

    async def __aexit__(self, *_: object) -> None:
        """Close the connections."""
        await self._http.aclose()

    async def call(self, method: str, path: str, body: Any = None) -> Any:
        """One request; its decoded answer. Raises RuntimeError for a refusal."""
        content = None if body is None else msgspec.msgpack.encode(body)
        answer = await self._http.request(method, path, content=content)
        if answer.status_code >= 400:
            raise RuntimeError(f"{method} {path} was answered with {answer.status_code}: {answer.text}")
        return msgspec.msgpack.decode(answer.content) if answer.content else None

    async def create(self, scene: Scene) -> str:
        """A world with the scene's agents, stepped by hand; its id."""
        return (await self.create_with_ids(scene))[0]

    async def create_with_ids(self, scene: Scene) -> tuple[str, bytes]:
        """The same; the ids of its agents too, a bin of int64."""
        world = await self.call("POST", "/v1/worlds", {"time_step": scene.time_step, **self._durability})
        identifier = str(world["id"])
        added = await self.call("POST", f"/v1/worlds/{identifier}/agents", {"columns": columns_of(scene)})
        return identifier, added["ids"]

    async def counted(self, name: str) -> float:
        """A count of /metrics by its name."""
        answer = await self._http.get("/metrics")
        lines = [line.split() for line in answer.text.splitlines() if not line.startswith("#")]
        found = [float(words[1]) for words in lines if words[0] == name]
        if not found:
            raise RuntimeError(f"/metrics has no {name}")
        return found[0]


@asynccontextmanager
async def socket(address: str, world: str) -> AsyncIterator[ClientConnection]:
    """The stream of a world in MessagePack, greeted already."""
    async with connect(
        f"ws://{address}/v1/worlds/{world}/stream",
        subprotocols=[MSGPACK_SUBPROTOCOL],  # type: ignore[list-item]
        compression=None,
        max_size=LARGEST_MESSAGE,
        open_timeout=PATIENCE,
    ) as connection:
        decoded(await connection.recv())
        yield connection


def decoded(message: str | bytes) -> dict[str, Any]:
    """A message of the server; raises RuntimeError where it is an error."""
    assert isinstance(message, bytes)
    found: dict[str, Any] = msgspec.msgpack.decode(message)
    if found["type"] == "error":
        raise RuntimeError(f"the server refused a message: {found['problem']}")
    return found
