"""Readers of parts of a world under pressure, and clients who vanish: bounded, counted, and nobody else is touched."""

from __future__ import annotations

import asyncio
import gc
import signal
import sys
import threading
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import httpx
import pytest
from websockets.asyncio.client import connect
from websockets.extensions.permessage_deflate import ClientPerMessageDeflateFactory

from orca_crowd.protocol.frames import JSON_SUBPROTOCOL, MSGPACK_SUBPROTOCOL
from orca_crowd.protocol.steps import Selection
from orca_crowd.streaming import frame
from orca_crowd.streaming.encoding import effort, encode
from orca_crowd.streaming.keyframe import Keyframes
from orca_crowd.streaming.packed import Packed
from orca_crowd.streaming.state import Known, State
from orca_crowd.streaming.subscription import FrameKey
from tests.orca_crowd.streaming.harness import Client, Served, client, eventually, serving
from tests.orca_crowd.streaming.mirror import Mirror
from tests.orca_crowd.streaming.test_pressure import CROWD, only_socket, stalling

# the middle of the line on which CROWD agents stand
MIDDLE = {"kind": "rectangle", "min": [-1e6, 3000.0], "max": [1e6, 9000.0]}


async def metric(served: Served, name: str) -> float:
    """One value of /metrics."""
    async with httpx.AsyncClient() as http:
        text = (await http.get(f"http://127.0.0.1:{served.port}/metrics")).text
    return float(next(line.split()[1] for line in text.splitlines() if line.startswith(f"{name} ")))


@pytest.mark.parametrize(
    "wanted", [{"delivery": "every", "every": 2, "interest": MIDDLE}, {"delivery": "every", "precision": "int16"}]
)
async def test_a_reader_of_a_part_who_stops_is_closed_and_what_it_was_not_sent_holds_no_state(
    wanted: dict[str, Any],
) -> None:
    async with serving(frame_queue=16, kept_steps=3, resume_seconds=0) as served:
        runner = await served.world(CROWD)
        async with stalling(served) as stopped, client(served, subprotocol=MSGPACK_SUBPROTOCOL) as good:
            await stopped.send("subscribe", **wanted)
            await good.subscribe(delivery="every", fields=["position"])
            await eventually(lambda: served.streams.statistics.subscribers == 2)
            seen = 0
            gc.collect()
            # what other tests have left behind
            before = sum(type(each) is State for each in gc.get_objects())
            while served.streams.statistics.sockets == 2:
                await runner.step({})
                seen += 1
                assert (await good.until("frame"))["step"] == seen < 2000
                # what waits for the reader who stopped are bytes; states are kept for the window alone
                assert sum(type(each) is State for each in gc.get_objects()) <= before + 3 + 2
                if served.streams.statistics.sockets == 2:
                    await runner.step({"count": 20})
                    for _ in range(20):
                        seen += 1
                        assert (await good.until("frame"))["step"] == seen
            assert served.streams.statistics.closed == {4001: 1}
            mirror = Mirror(wanted.get("precision", "float64"))
            code, reason = await stopped.closed(mirror.apply)
            assert (code, "16 frames" in reason) == (4001, True)
            # all that came before the end could be followed
            assert mirror.step > 0


async def test_a_viewer_of_a_part_who_stops_finds_the_newest_and_no_state_waits_for_it() -> None:
    async with serving(kept_steps=3) as served:
        runner = await served.world(CROWD)
        async with stalling(served) as viewer:
            await viewer.send("subscribe", window=2, interest=MIDDLE)
            mirror = Mirror()
            mirror.apply(await viewer.until("full"))
            await runner.step({"count": 200})
            here = only_socket(served)
            assert here.subscription is not None
            assert (here.subscription.waiting, len(here.subscription.on_their_way)) == (1, 2)
            for _ in range(2):
                mirror.apply(await viewer.until("frame"))
            await viewer.send("got", step=mirror.step)
            # the state that it knew is kept no more: rows for all
            mirror.apply(await viewer.until("frame"))
            assert mirror.step == 200
            read = await runner.read(lambda session: session.agents(Selection()))
            inside = [row for row, (_, y) in enumerate(read["position"].tolist()) if 3000.0 <= y <= 9000.0]
            ids = read["ids"][inside].tolist()
            assert sorted(mirror.values) == ids
            assert mirror.column("position", ids).tobytes() == read["position"][inside].tobytes()


async def test_who_joins_late_is_shown_now_though_the_steps_in_between_were_kept_by_nobody() -> None:
    async with serving() as served:
        runner = await served.world(4)
        async with client(served) as early:
            await early.subscribe()
        await eventually(lambda: not served.streams.statistics.sockets)
        for place in range(10):
            await runner.step({"count": 10})
            await runner.command(
                {"commands": [{"op": "add_agents", "agents": [{"position": [-20.0 - 5.0 * place, 0.0]}]}]}
            )
        await runner.command({"commands": [{"op": "remove_agents", "ids": [0, 5]}]})
        async with client(served) as late:
            full = await late.subscribe()
            read = await runner.read(lambda session: session.agents(Selection()))
            assert (full["step"], full["ids"], full["position"]) == (
                100,
                read["ids"].tolist(),
                read["position"].tolist(),
            )


FROZEN = """
import socket, sys, time
peer = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
peer.sendall(b"GET /v1/worlds/w/stream HTTP/1.1\\r\\nHost: x\\r\\nUpgrade: websocket\\r\\nConnection: Upgrade\\r\\n"
             b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\\r\\nSec-WebSocket-Version: 13\\r\\n"
             b"Sec-WebSocket-Protocol: orca-crowd.v1.json\\r\\n\\r\\n")
peer.recv(65536)
subscribe = b'{"type":"subscribe"}'
peer.sendall(bytes([0x81, 0x80 | len(subscribe), 0, 0, 0, 0]) + subscribe)
while True:
    peer.recv(65536)
"""


@asynccontextmanager
async def frozen_client(served: Served) -> AsyncIterator[None]:
    """A client in a process of its own that has subscribed and is then stopped: its kernel answers, it does not."""
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", FROZEN, str(served.port))
    try:
        await eventually(lambda: served.streams.statistics.subscribers == 1, 20)
        process.send_signal(signal.SIGSTOP)
        yield
    finally:
        process.kill()
        await process.wait()


async def test_a_client_that_is_frozen_is_found_and_the_count_of_subscribers_falls() -> None:
    async with serving(ping_seconds=0.3, pong_seconds=0.3) as served:
        await served.world()
        async with frozen_client(served):
            assert await metric(served, "orca_crowd_subscribers") == 1.0
            await eventually(lambda: not served.streams.statistics.sockets)
            assert await metric(served, "orca_crowd_subscribers") == 0.0
            assert await metric(served, "orca_crowd_sockets") == 0.0


async def test_compression_is_off_and_a_setting() -> None:
    for deflate in (False, True):
        async with serving(deflate=deflate) as served:
            runner = await served.world(300)
            async with connect(
                served.url(), subprotocols=[JSON_SUBPROTOCOL], extensions=[ClientPerMessageDeflateFactory()]
            ) as connection:
                viewer = Client(connection)
                await viewer.receive()
                assert bool(connection.protocol.extensions) is deflate
                full = await viewer.subscribe(delivery="every")
                mirror = Mirror()
                mirror.apply(full)
                await runner.step({"count": 3})
                for _ in range(3):
                    mirror.apply(await viewer.until("frame"))
                read = await runner.read(lambda session: session.agents(Selection()))
                assert mirror.column("position", read["ids"].tolist()).tobytes() == read["position"].tobytes()


async def test_what_takes_long_is_done_away_from_the_loop_for_everybody_who_looks_elsewhere(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    here = threading.get_ident()
    on_loop: list[float] = []
    elsewhere: list[float] = []

    def watched(state: State, key: FrameKey, known: Known | None, keyframes: Keyframes) -> tuple[Packed, Known]:
        (on_loop if threading.get_ident() == here else elsewhere).append(effort(state, key, known))
        return encode(state, key, known, keyframes)

    monkeypatch.setattr(frame, "encode", watched)
    async with serving(sockets=100) as served, AsyncExitStack() as stack:
        runner = await served.world(20_000)
        viewers = []
        for place in range(20):
            interest = {"kind": "around", "id": place * 1000, "radius": 50.0}
            precision = ("float64", "float32", "int16", "int8")[place % 4]
            subprotocol = (MSGPACK_SUBPROTOCOL, JSON_SUBPROTOCOL)[place % 2]
            viewer = await stack.enter_async_context(client(served, subprotocol=subprotocol))
            mirror = Mirror(precision)
            mirror.apply(await viewer.subscribe(interest=interest, precision=precision, delivery="every"))
            viewers.append((viewer, mirror))
        await runner.step({"count": 3})
        for viewer, mirror in viewers:
            for _ in range(3):
                mirror.apply(await viewer.until("frame"))
            assert 17 <= len(mirror.values) <= 34
    assert on_loop == []
    assert len(elsewhere) == 20 * 4
    assert served.streams.statistics.closed == {}
