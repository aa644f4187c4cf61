"""Readers who stop, bursts, many sockets: every queue is bounded, nobody waits for another, no loss in silence."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.typing import Subprotocol

from orca_crowd.protocol.columns import FIELDS
from orca_crowd.protocol.frames import JSON_SUBPROTOCOL, MSGPACK_SUBPROTOCOL
from orca_crowd.protocol.steps import Selection
from orca_crowd.streaming import hub
from orca_crowd.streaming import socket as sockets
from orca_crowd.streaming.encoding import effort
from orca_crowd.streaming.socket import Socket
from orca_crowd.streaming.state import State
from orca_crowd.streaming.transport import StreamProtocol
from orca_crowd.worlds.runner import Runner
from tests.orca_crowd.streaming.harness import PATIENCE, Client, Served, client, eventually, serving

# frames of this many agents are large beside what kernels hold for a connection
CROWD = 4000
FRAME_BYTES = CROWD * 32


@asynccontextmanager
async def stalling(served: Served, subprotocol: str = MSGPACK_SUBPROTOCOL) -> AsyncIterator[Client]:
    """A client whose library takes one message and then reads nothing until it is asked."""
    raw = socket.socket()
    raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    raw.setblocking(False)
    await asyncio.get_running_loop().sock_connect(raw, ("127.0.0.1", served.port))
    connection: ClientConnection = await connect(
        served.url(),
        sock=raw,
        subprotocols=[Subprotocol(subprotocol)],
        max_queue=1,
        max_size=None,
        ping_interval=None,
        close_timeout=0.1,
    )
    try:
        found = Client(connection)
        assert (await found.receive())["type"] == "hello"
        yield found
    finally:
        connection.transport.abort()
        await connection.wait_closed()


def only_socket(served: Served) -> Socket:
    """The server's side of the only connection."""
    (of_the_world,) = served.streams._hubs.values()
    (found,) = of_the_world.watchers
    assert isinstance(found, Socket)
    return found


def connections(served: Served) -> list[StreamProtocol]:
    """Every WebSocket connection that the server still holds, closed ones that linger included."""
    return [each for each in served.server.server_state.connections if isinstance(each, StreamProtocol)]


async def test_a_reader_of_every_step_who_stops_is_closed_and_others_miss_nothing() -> None:
    async with serving(frame_queue=16) as served:
        runner = await served.world(CROWD)
        async with stalling(served) as stopped, client(served, subprotocol=MSGPACK_SUBPROTOCOL) as good:
            await stopped.send("subscribe", delivery="every")
            await good.subscribe(delivery="every")
            await eventually(lambda: served.streams.statistics.fulls_encoded == 2)
            step = 0
            while served.streams.statistics.sockets == 2:
                await runner.step({})
                step += 1
                assert (await good.until("frame"))["step"] == step
                assert step < 1000, "the reader who stopped was never closed"
            assert served.streams.statistics.closed == {4001: 1}
            assert served.streams.statistics.subscribers == 1
            # what is still held for it is what the connection had taken, not the queue
            held = [each for each in connections(served) if each.close_sent]
            assert [each.buffered < 2 * FRAME_BYTES for each in held] == [True]

            # when it reads again it finds every step up to the end, and why it ended
            seen: list[int] = []
            code, reason = await stopped.closed(lambda message: seen.append(message["step"]))
            assert (code, "16 frames" in reason) == (4001, True)
            assert seen == list(range(len(seen)))
            await runner.step({})
            assert (await good.until("frame"))["step"] == step + 1
        await eventually(lambda: not connections(served))


async def test_a_reader_of_the_latest_who_stops_is_kept_and_then_finds_the_newest() -> None:
    async with serving() as served:
        runner = await served.world(CROWD)
        async with stalling(served) as viewer:
            await viewer.send("subscribe", window=3)
            await eventually(lambda: served.streams.statistics.fulls_encoded == 1)
            for _ in range(100):
                await runner.step({})
            here = only_socket(served)
            assert here.subscription is not None
            assert here.subscription.waiting == 1
            assert len(here.subscription.on_their_way) <= 3
            assert served.streams.statistics.frames_sent <= 3
            full = await viewer.until("full")
            before = full["step"]
            old = []
            for _ in range(3):
                frame = await viewer.until("frame")
                assert frame["since"] == before < frame["step"]
                before = frame["step"]
                old.append(frame["step"])
            await viewer.send("got", step=old[-1])
            newest = await viewer.until("frame")
            assert (newest["step"], newest["since"]) == (100, old[-1])
            assert served.streams.statistics.closed == {}


async def test_without_got_the_latest_flows_to_who_reads_and_stops_for_who_does_not() -> None:
    async with serving() as served:
        runner = await served.world(CROWD)
        async with stalling(served) as viewer:
            await viewer.send("subscribe")
            await viewer.until("full")
            for step in range(1, 31):
                await runner.step({})
                assert (await viewer.until("frame"))["step"] == step
            for _ in range(50):
                await runner.step({})
            here = only_socket(served)
            assert here.subscription is not None
            assert here.subscription.waiting == 1
            assert len(here.subscription.on_their_way) == 3
            seen = []
            while not seen or seen[-1] < 80:
                seen.append((await viewer.until("frame"))["step"])
            # three that were on their way, at most three that its library had taken, then the newest
            assert seen[:3] == [31, 32, 33]
            assert seen == sorted(set(seen))
            assert seen[-1] == 80
            assert len(seen) <= 7


async def test_a_manual_world_waits_for_who_reads_every_step_slowly_and_not_for_who_has_stopped(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with serving(frame_queue=4) as served:
        runner = await served.world(CROWD)
        async with stalling(served) as slow:
            # half a megabyte each, so that kernels hold a few of them only
            await slow.subscribe(delivery="every", fields=list(FIELDS))
            # slower than the steps; how much slower decides the machine too, which may have much else to do
            monkeypatch.setattr(hub, "PATIENCE_SECONDS", PATIENCE)
            monkeypatch.setattr(sockets, "PATIENCE_SECONDS", PATIENCE)
            stepping = asyncio.create_task(runner.step({"count": 40}))
            for step in range(1, 41):
                assert (await slow.until("frame"))["step"] == step
                await asyncio.sleep(0.03)
            await stepping
            assert served.streams.statistics.closed == {}
            # now it stops: the world waits a moment once, then goes on without it
            monkeypatch.undo()
            await runner.step({"count": 60})
            assert served.streams.statistics.closed == {4001: 1}


async def test_a_burst_of_acknowledgements_evicts_nobody() -> None:
    async with serving() as served:
        await served.world(1)
        async with stalling(served, JSON_SUBPROTOCOL) as player:
            for place in range(200):
                move = {"op": "set_agents", "agents": [{"id": 0, "preferred_velocity": [place / 200, 0.0]}]}
                await player.send("command", commands=[move], key=str(place))
            acks = [await player.until("ack") for _ in range(200)]
            assert [ack["key"] for ack in acks] == [str(place) for place in range(200)]
            assert served.streams.statistics.closed == {}


async def test_replies_that_nobody_reads_close_the_socket() -> None:
    async with serving(reply_queue=32) as served:
        await served.world()
        async with stalling(served, JSON_SUBPROTOCOL) as player:
            data = "x" * 1000
            count = 0
            while served.streams.statistics.sockets and count < 50_000:
                await player.send("ping", data=data)
                count += 1
            assert served.streams.statistics.closed == {4001: 1}
            seen: list[str] = []
            code, reason = await player.closed(lambda message: seen.append(message["data"]))
            assert (code, "32 replies" in reason) == (4001, True)
            assert set(seen) == {data}


async def test_many_messages_in_one_piece_evict_nobody_who_reads() -> None:
    async with serving(reply_queue=32) as served:
        await served.world()
        async with client(served) as player:
            for place in range(2000):
                # not awaited one by one: written at once, read by the server in pieces of many
                player.connection.protocol.send_text(b'{"type": "nope"}' if place % 2 else b'{"type": "ping"}')
            player.connection.transport.write(b"".join(player.connection.protocol.data_to_send()))
            answers = [(await player.receive())["type"] for _ in range(2000)]
            assert sorted(answers) == ["error"] * 1000 + ["pong"] * 1000


async def test_opening_subscribing_and_closing_leaves_nothing() -> None:
    async with serving(resume_seconds=0) as served:
        runner = await served.world()

        async def cycle(place: int) -> None:
            async with client(served) as viewer:
                await viewer.send("subscribe", delivery="every" if place % 2 else "latest")
                if place % 3:
                    await viewer.until("full")
                if place % 5 == 0:
                    viewer.connection.transport.abort()

        await cycle(1)
        await eventually(lambda: not served.streams.statistics.sockets)
        tasks = len(asyncio.all_tasks())
        for start in range(0, 200, 20):
            await asyncio.gather(*(cycle(start + place) for place in range(20)))
        statistics = served.streams.statistics
        await eventually(lambda: not statistics.sockets and len(asyncio.all_tasks()) <= tasks)
        assert statistics.subscribers == 0
        assert not served.streams._hubs
        assert not runner.listeners
        assert not runner.gates
        assert not runner.endings
        await eventually(lambda: not connections(served))


async def test_a_frame_is_encoded_once_for_all_who_asked_for_the_same() -> None:
    kinds: list[dict[str, Any]] = [
        {"fields": ["position", "velocity"], "delivery": "every"},
        {"fields": ["velocity", "position"], "delivery": "every"},
        {"fields": ["position"], "delivery": "every"},
        {"fields": ["position"], "precision": "float32", "delivery": "every"},
        {"fields": ["position"], "every": 4, "delivery": "every"},
    ]
    async with serving() as served, AsyncExitStack() as stack:
        runner = await served.world(5)
        viewers = []
        for kind in kinds:
            for subprotocol in (JSON_SUBPROTOCOL, MSGPACK_SUBPROTOCOL) * 2:
                viewer = await stack.enter_async_context(client(served, subprotocol=subprotocol))
                await viewer.subscribe(**kind)
                viewers.append((viewer, kind))
        await runner.step({"count": 40})
        for viewer, kind in viewers:
            for step in range(kind.get("every", 1), 41, kind.get("every", 1)):
                assert (await viewer.until("frame"))["step"] == step
        # three distinct sets of columns in two subprotocols; the fifth kind has its own, since what is told of every
        # fourth step is what changed in four
        assert served.streams.statistics.frames_encoded == (40 * 3 + 10) * 2
        assert served.streams.statistics.fulls_encoded == len(viewers)
        assert served.streams.statistics.frames_sent == 2 * 2 * (4 * 40 + 10)


async def test_large_frames_are_encoded_away_from_the_loop_and_are_the_same() -> None:
    async with serving() as served:
        runner = await served.world(CROWD)
        async with client(served) as viewer:
            await viewer.subscribe(fields=["position", "status"], delivery="every")
            here = only_socket(served)
            assert here.subscription is not None
            assert effort(State(await runner.snapshot_publication()), here.subscription.key, None) > 1.0
            await runner.step({"count": 3})
            frames = [await viewer.until("frame") for _ in range(3)]
            read = await runner.read(lambda session: session.agents(Selection(("position", "status"))))
            assert [frame["step"] for frame in frames] == [1, 2, 3]
            assert frames[-1]["position"] == read["position"].tolist()
            assert frames[-1]["status"] == read["status"]


async def test_a_client_is_told_before_frames_that_its_library_may_refuse() -> None:
    async with serving() as served:
        await served.world(40_000)
        async with client(served, subprotocol=MSGPACK_SUBPROTOCOL) as viewer:
            await viewer.send("subscribe")
            event = await viewer.until("event")
            assert event["kind"] == "large-frame"
            assert event["bytes"] > 40_000 * 32
            assert (await viewer.receive())["type"] == "full"


async def test_who_joins_in_the_middle_of_a_run_sees_every_step_from_its_full_on() -> None:
    async with serving() as served:
        runner = await served.world(50)

        async def join(place: int) -> None:
            async with client(served, subprotocol=MSGPACK_SUBPROTOCOL) as viewer:
                await asyncio.sleep(place * 0.01)
                last = (await viewer.subscribe(delivery="every"))["step"]
                while last < 400:
                    frame = await viewer.until("frame")
                    assert (frame["since"], frame["step"]) == (last, last + 1)
                    last += 1

        await asyncio.gather(runner.step({"count": 400}), *(join(place) for place in range(12)))


async def test_a_subscribe_that_a_busy_world_refuses_leaves_no_subscription() -> None:
    async with serving(command_queue=1) as served:
        runner = await served.world(50)
        entered, open_gate = asyncio.Event(), asyncio.Event()

        async def gate() -> None:
            entered.set()
            await open_gate.wait()

        async with client(served) as viewer:
            # the world stands before a step, and its queue is full
            runner.gates.add(gate)
            running = [asyncio.create_task(runner.step({}))]
            await entered.wait()
            running.append(asyncio.create_task(runner.step({})))
            await eventually(lambda: runner.queued == 1)
            await viewer.send("subscribe", delivery="every")
            assert (await viewer.until("error"))["problem"]["code"] == "busy"
            assert served.streams.statistics.subscribers == 0
            open_gate.set()
            await asyncio.gather(*running)
            full = await viewer.subscribe(delivery="every")
            assert full["step"] == 2


async def test_an_order_is_carried_out_though_its_client_has_gone() -> None:
    async with serving() as served:
        runner = await served.world(50)
        async with client(served) as player:
            await player.send("step", count=300)
            await eventually(lambda: runner.facts.step > 0)
            player.connection.transport.abort()
        await eventually(lambda: runner.facts.step == 300)
        assert not served.streams.statistics.sockets
        await eventually(lambda: not served.streams._shared.orders)


async def test_a_client_who_answers_no_ping_is_found_and_let_go_of() -> None:
    async with serving(ping_seconds=0.1, pong_seconds=0.1) as served:
        runner: Runner = await served.world(CROWD)
        async with stalling(served) as frozen:
            await frozen.send("subscribe", delivery="every")
            await eventually(lambda: served.streams.statistics.subscribers == 1)
            # more than the kernel takes, so that nothing can be sent any more, and less than the queue
            for _ in range(100):
                await runner.step({})
            await eventually(lambda: not served.streams.statistics.sockets)
            await eventually(lambda: not connections(served))
            assert served.streams.statistics.subscribers == 0


async def test_heartbeats_do_not_heap_up_for_who_has_stopped() -> None:
    async with serving(heartbeat_seconds=0.02) as served:
        runner = await served.world(CROWD)
        async with stalling(served) as viewer:
            await viewer.send("subscribe", fields=list(FIELDS), window=1024)
            await viewer.until("full")
            here = only_socket(served)
            assert here._transport is not None
            # the kernel may take more a moment after it took none: then there is another frame, until a heartbeat waits
            async with asyncio.timeout(PATIENCE):
                while not len(here._outbox):
                    await (runner.step({}) if here._transport.takes() else asyncio.sleep(0.005))
            # one waits at most, while many are due; none where the kernel has just taken what was before it
            waiting = []
            for _ in range(50):
                await asyncio.sleep(0.01)
                waiting.append(len(here._outbox))
            assert max(waiting) <= 1
