"""The command itself in a process of its own, ended by a real signal while clients watch, read and do not read."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
from websockets.asyncio.client import connect
from websockets.typing import Subprotocol

from orca_crowd.protocol.frames import JSON_SUBPROTOCOL, MSGPACK_SUBPROTOCOL
from tests.orca_crowd.streaming.harness import Client

ROOT = Path(__file__).resolve().parents[3]
# a cold machine may have to compile first
START_SECONDS = 240.0


@asynccontextmanager
async def command(**environment: str) -> AsyncIterator[tuple[asyncio.subprocess.Process, int]]:
    """`orca-crowd serve` on a free port, ready; its process and its port."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "orca_crowd", "serve", "--port", "0"),
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'service'}", "COLUMNS": "200", **environment},
        stderr=asyncio.subprocess.PIPE,
    )
    assert process.stderr is not None
    rest = None
    try:
        async with asyncio.timeout(START_SECONDS):
            found = None
            while found is None:
                found = re.search(rb"http://[^\s:]+:(\d+)", await process.stderr.readline())
            rest = asyncio.create_task(process.stderr.read())
            port = int(found[1])
            async with httpx.AsyncClient() as http:
                while (await http.get(f"http://127.0.0.1:{port}/readyz")).status_code != 200:
                    await asyncio.sleep(0.05)
        yield process, port
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()
        if rest is not None:
            await rest


async def test_a_signal_tells_every_client_before_it_closes_and_the_exit_is_clean() -> None:
    async with (
        command() as (process, port),
        httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}/v1") as http,
        AsyncExitStack() as stack,
    ):
        await http.post("/worlds", json={"id": "w", "time_step": 0.1, "clock": {"mode": "realtime", "rate": 50}})
        agents = [{"position": [place % 50 * 3.0, place // 50 * 3.0], "goal": [0, 0]} for place in range(2000)]
        assert (await http.post("/worlds/w/agents", json={"agents": agents})).status_code == 201
        url = f"ws://127.0.0.1:{port}/v1/worlds/w/stream"
        endings: list[tuple[int, str, dict[str, Any]]] = []
        subscribed = asyncio.Semaphore(0)

        async def watch(subprotocol: str) -> None:
            async with connect(url, subprotocols=[Subprotocol(subprotocol)], max_size=None) as connection:
                watcher = Client(connection)
                # ten who read all of it would keep this process from reading in time what comes last
                await watcher.subscribe(every=5)
                subscribed.release()
                said: list[dict[str, Any]] = []
                code, reason = await watcher.closed(said.append)
                endings.append((code, reason, said[-1]))

        # one who asks for every frame and takes none
        stopped = stack.enter_context(socket.create_connection(("127.0.0.1", port)))
        stopped.sendall(
            b"GET /v1/worlds/w/stream HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"
            b"Sec-WebSocket-Protocol: orca-crowd.v1.json\r\n\r\n"
        )
        subscribe = b'{"type":"subscribe","delivery":"every"}'
        stopped.sendall(bytes([0x81, 0x80 | len(subscribe), 0, 0, 0, 0]) + subscribe)

        watchers = [asyncio.create_task(watch(kind)) for kind in (JSON_SUBPROTOCOL, MSGPACK_SUBPROTOCOL) * 5]
        for _ in watchers:
            await subscribed.acquire()
        process.send_signal(signal.SIGTERM)
        await asyncio.gather(*watchers)
        reason = "the server is restarting"
        assert endings == [(1012, reason, {"type": "closing", "reason": reason})] * len(watchers)
        async with asyncio.timeout(10):
            assert await process.wait() == 0


# what one more subscriber at rest may cost the server, and how many of them it is measured with
SUBSCRIBER_BYTES = 40 * 1024
AT_REST = 400


def resident(process: int) -> int:
    """Bytes that a process holds."""
    return int(Path(f"/proc/{process}/statm").read_text(encoding="ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")


async def test_a_subscriber_at_rest_takes_little_memory() -> None:
    async with (
        command() as (process, port),
        httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}/v1") as http,
        AsyncExitStack() as stack,
    ):
        await http.post("/worlds", json={"id": "w", "time_step": 0.1})
        agents = [{"position": [place % 50 * 3.0, place // 50 * 3.0]} for place in range(2000)]
        assert (await http.post("/worlds/w/agents", json={"agents": agents})).status_code == 201
        url = f"ws://127.0.0.1:{port}/v1/worlds/w/stream"

        async def watch(count: int) -> None:
            for _ in range(count):
                opening = connect(url, subprotocols=[Subprotocol(MSGPACK_SUBPROTOCOL)], compression=None)
                watcher = Client(await stack.enter_async_context(opening))
                await watcher.subscribe()

        # what the first ones bring about is not theirs
        await watch(50)
        before = resident(process.pid)
        await watch(AT_REST)
        assert (resident(process.pid) - before) / AT_REST <= SUBSCRIBER_BYTES
