"""A real server on a free port, in the loop of the test, and clients as others write them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import msgspec
import numpy as np
import uvicorn
from fastapi import FastAPI
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed
from websockets.typing import Subprotocol

from orca_crowd.api.support import Services
from orca_crowd.app import create_app, drain
from orca_crowd.protocol.frames import JSON_SUBPROTOCOL
from orca_crowd.protocol.worlds import parse_world
from orca_crowd.settings import Settings
from orca_crowd.streaming.server import DrainingServer, socket_options
from orca_crowd.streaming.streams import Streams
from orca_crowd.worlds.registry import Registry
from orca_crowd.worlds.runner import Runner

# nothing here takes this long; it is what a test that hangs is ended by
PATIENCE = 20.0


@dataclass
class Served:
    """A running server and what it is made of."""

    port: int
    app: FastAPI
    registry: Registry
    streams: Streams
    server: DrainingServer

    def url(self, world: str = "w") -> str:
        """The stream of a world."""
        return f"ws://127.0.0.1:{self.port}/v1/worlds/{world}/stream"

    async def world(self, agents: int = 2, name: str = "w", **body: Any) -> Runner:
        """A world in which `agents` walk along the x axis, far enough apart to be left alone."""
        values = {"id": name, "time_step": 0.1, "options": {"profile": "text"}, **body}
        runner = await self.registry.create(parse_world(values, self.app.state.services.settings))
        if agents:
            place = np.arange(float(agents))
            columns = {
                "position": np.stack([place * 0.0, place * 3.0], axis=1).tobytes(),
                "preferred_velocity": np.stack([place * 0.0 + 1.0, place * 0.0], axis=1).tobytes(),
            }
            await runner.command({"commands": [{"op": "add_agents", "columns": columns}]})
        return runner


@asynccontextmanager
async def serving(**limits: Any) -> AsyncIterator[Served]:
    """Serve until the block ends, with the given settings."""
    settings = Settings(**{"port": 0, "engine": "inline", "workers": 1, "helpers": 2, **limits})
    app = create_app(settings)
    services: Services = app.state.services
    config = uvicorn.Config(app, host="127.0.0.1", port=0, log_level="warning", **socket_options(settings))
    server = DrainingServer(config, lambda: drain(app))
    running = asyncio.create_task(server.serve(), name="server")
    try:
        while not server.started:
            await asyncio.sleep(0.005)
            if running.done():
                running.result()
        await eventually(lambda: services.warmup.ready, PATIENCE)
        port = server.servers[0].sockets[0].getsockname()[1]
        yield Served(port, app, services.registry, app.state.streams, server)
    finally:
        server.should_exit = True
        await asyncio.wait_for(running, PATIENCE)


class Client:
    """A client that knows the wire and nothing of the server's code."""

    def __init__(self, connection: ClientConnection) -> None:
        """Take an open connection."""
        self.connection = connection
        self.text = connection.subprotocol == JSON_SUBPROTOCOL

    async def send(self, kind: str, **values: Any) -> None:
        """Send one message; `return_` stands for `return`."""
        message = {"type": kind, **{name.rstrip("_"): value for name, value in values.items()}}
        await self.connection.send(json.dumps(message) if self.text else msgspec.msgpack.encode(message))

    async def receive(self) -> dict[str, Any]:
        """The next message."""
        async with asyncio.timeout(PATIENCE):
            wire = await self.connection.recv()
        return self.read(wire)

    def read(self, wire: str | bytes) -> dict[str, Any]:
        """The message in what arrived."""
        assert isinstance(wire, str) is self.text
        found: dict[str, Any] = json.loads(wire) if isinstance(wire, str) else msgspec.msgpack.decode(wire)
        return found

    async def until(self, kind: str, keep: Callable[[dict[str, Any]], None] | None = None) -> dict[str, Any]:
        """The next message of a kind; those before it go to `keep`."""
        while True:
            message = await self.receive()
            if message["type"] == kind:
                return message
            if keep is not None:
                keep(message)

    async def closed(self, keep: Callable[[dict[str, Any]], None] | None = None) -> tuple[int, str]:
        """Code and reason with which the server closes; messages before that go to `keep`."""
        try:
            while True:
                message = await self.receive()
                if keep is not None:
                    keep(message)
        except ConnectionClosed as closed:
            return (closed.rcvd.code, closed.rcvd.reason) if closed.rcvd is not None else (1006, "")

    async def subscribe(self, **values: Any) -> dict[str, Any]:
        """Subscribe and take the full."""
        await self.send("subscribe", **values)
        return await self.until("full")


@asynccontextmanager
async def client(
    served: Served, world: str = "w", subprotocol: str = JSON_SUBPROTOCOL, **options: Any
) -> AsyncIterator[Client]:
    """A connected client that has been greeted."""
    chosen = [Subprotocol(subprotocol)]
    async with connect(served.url(world), subprotocols=chosen, max_size=None, **options) as connection:
        found = Client(connection)
        assert (await found.receive())["type"] == "hello"
        yield found


async def digest(runner: Runner) -> str:
    """The bits of a world."""
    return await runner.read(lambda session: session.world.digest())


async def eventually(condition: Callable[[], bool], seconds: float = 5.0) -> None:
    """Wait for what happens soon on its own."""
    async with asyncio.timeout(seconds):
        while not condition():
            await asyncio.sleep(0.005)
