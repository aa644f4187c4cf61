"""Both streams over real sockets, against a server that breaks where the test wants it to."""

from __future__ import annotations

import asyncio
import struct
import threading
from typing import Any

import pytest

from orca_crowd_client import (
    AsyncClient,
    Client,
    ConnectionFailed,
    Event,
    Frame,
    InvalidRequest,
    MessageTooLarge,
    NotFound,
    StreamClosed,
    TimedOut,
    Unavailable,
    WorldFailed,
    WorldGone,
    commands,
)
from tests.clients.python.both_streams import watched
from tests.clients.python.messages import event, hello, problem, state, wire
from tests.clients.python.scripted import Peer, Refusal, ScriptedServer


async def test_frames_events_and_credit(opened: Any) -> None:
    def act(peer: Peer) -> None:
        watched(peer)
        peer.send(event("arrived", 6, ids=[2]), state("frame", 6, None, since=5))
        assert peer.expect("got")["step"] == 5
        assert peer.expect("got")["step"] == 6
        peer.wait_closed()

    with ScriptedServer([act]) as server:
        async with opened(server, fields=["position"]) as stream:
            items = [await stream.receive() for _ in range(3)]
        assert [type(item) for item in items] == [Frame, Event, Frame]
        assert [item.step for item in items] == [5, 6, 6]
        assert items[2].position.tobytes() == struct.pack("<4d", 6, -0.0, 6, -0.0)
        (request,) = server.handshakes
        assert request.path == "/v1/worlds/w/stream"
        assert request.headers["X-Who"] == "me"
        assert request.headers["Sec-WebSocket-Protocol"] == "orca-crowd.v1.msgpack"


async def test_json(opened: Any) -> None:
    def act(peer: Peer) -> None:
        assert isinstance(peer.connection.recv(), str)
        full = {"type": "full", "step": 1, "time": 0.1, "ids": [4], "position": [[0.1, -0.0]]}
        peer.send(wire(full, "orca-crowd.v1.json"))
        peer.wait_closed()

    with ScriptedServer([act]) as server:
        async with opened(server, encoding="json") as stream:
            frame = await stream.receive()
        assert frame.position.tobytes() == struct.pack("<2d", 0.1, -0.0)


async def test_frames_alone(opened: Any) -> None:
    def act(peer: Peer) -> None:
        watched(peer)
        peer.send(event("arrived", 6, ids=[2]), state("frame", 6, None, since=5))
        peer.wait_closed()

    with ScriptedServer([act]) as server:
        async with opened(server) as stream:
            steps = []
            async for frame in stream.frames():
                steps.append(frame.step)
                if len(steps) == 2:
                    break
        assert steps == [5, 6]


async def test_a_step_whose_answer_was_lost_is_asked_again_with_its_key(opened: Any) -> None:
    asked = []

    def first(peer: Peer) -> None:
        peer.send(hello())
        asked.append(peer.expect("step"))
        peer.drop()

    def second(peer: Peer) -> None:
        peer.send(hello())
        asked.append(peer.expect("step"))
        key = asked[-1]["key"]
        peer.send(wire({"type": "stepped", "key": key, "step": 3, "time": 0.3, "digest": "ab", "events": []}))
        peer.wait_closed()

    with ScriptedServer([first, second]) as server:
        async with opened(server, watch=False) as stream:
            stepped = await stream.step(3, expected_step=0, return_="digest")
        assert (stepped.step, stepped.digest) == (3, "ab")
        assert asked[0] == asked[1]


async def test_commands_are_acknowledged_or_refused_where_they_were_asked(opened: Any) -> None:
    def act(peer: Peer) -> None:
        watched(peer)
        asked = peer.expect("command")
        assert asked["commands"] == [{"op": "remove_agents", "ids": struct.pack("<q", 4)}]
        # frames and events that come in between wait for whoever iterates
        peer.send(state("frame", 6, None, since=5), event("removed", 6, ids=[4]))
        peer.send(wire({"type": "ack", "key": asked["key"], "step": 6, "results": [{"warnings": []}]}))
        peer.send(wire({"type": "error", "key": peer.expect("command")["key"], "problem": problem("invalid")}))
        peer.wait_closed()

    with ScriptedServer([act]) as server:
        async with opened(server) as stream:
            acknowledged = await stream.command([commands.remove_agents([4])])
            assert (acknowledged.step, acknowledged.results) == (6, ({"warnings": []},))
            with pytest.raises(InvalidRequest):
                await stream.command([commands.remove_agents([4])])
            assert [(await stream.receive()).step for _ in range(3)] == [5, 6, 6]


@pytest.mark.parametrize(("code", "kind"), [(4004, WorldGone), (4009, WorldFailed), (1000, StreamClosed)])
async def test_the_end_of_a_world_ends_the_stream(opened: Any, code: int, kind: type[StreamClosed]) -> None:
    def act(peer: Peer) -> None:
        watched(peer)
        peer.send(wire({"type": "closing", "reason": "the world was deleted"}))
        peer.close(code)

    with ScriptedServer([act]) as server:
        async with opened(server) as stream:
            assert (await anext(aiter(stream))).step == 5
            # and stays so
            for _ in range(2):
                with pytest.raises(kind, match="the world was deleted"):
                    await anext(aiter(stream))
        assert len(server.handshakes) == 1


async def test_an_unknown_world_is_not_tried_again(opened: Any) -> None:
    with ScriptedServer([Refusal(404, "not-found")]) as server:
        with pytest.raises(NotFound):
            async with opened(server):
                pass
        assert len(server.handshakes) == 1


async def test_a_failed_world_is_not_tried_again(opened: Any) -> None:
    with ScriptedServer([Refusal(503, "world-failed")]) as server:
        with pytest.raises(Unavailable):
            async with opened(server):
                pass
        assert len(server.handshakes) == 1


async def test_the_tries_are_bounded(opened: Any) -> None:
    def act(peer: Peer) -> None:
        peer.send(hello())
        peer.drop()

    with ScriptedServer([act] * 4) as server:
        async with opened(server) as stream:
            with pytest.raises(ConnectionFailed, match="ws://127"):
                await stream.receive()
        assert len(server.handshakes) == 4


async def test_a_message_over_max_size_is_told_and_not_asked_for_again(opened: Any) -> None:
    def act(peer: Peer) -> None:
        peer.send(hello())
        peer.expect("subscribe")
        peer.send(state("full", 5, range(1000)))
        peer.wait_closed()

    with ScriptedServer([act]) as server:
        async with opened(server, max_size=10_000) as stream:
            with pytest.raises(MessageTooLarge, match="larger than max_size"):
                await stream.receive()
        assert len(server.handshakes) == 1


async def test_waiting_can_have_an_end_and_go_on(opened: Any) -> None:
    go = threading.Event()

    def act(peer: Peer) -> None:
        peer.send(hello())
        peer.expect("subscribe")
        go.wait(10)
        peer.send(state("full", 5))
        peer.wait_closed()

    with ScriptedServer([act]) as server:
        async with opened(server) as stream:
            with pytest.raises(TimedOut, match=r"within 0\.02 s"):
                await stream.receive(timeout=0.02)
            go.set()
            assert (await stream.receive(timeout=10)).step == 5


async def test_a_refused_subscription_is_raised_and_can_be_mended(opened: Any) -> None:
    def act(peer: Peer) -> None:
        peer.send(hello())
        assert peer.expect("subscribe")["fields"] == ["raduis"]
        peer.send(wire({"type": "error", "problem": problem("invalid")}))
        assert peer.expect("subscribe")["fields"] == ["radius"]
        peer.send(state("full", 5))
        peer.wait_closed()

    with ScriptedServer([act]) as server:
        async with opened(server, fields=["raduis"]) as stream:
            with pytest.raises(InvalidRequest):
                await stream.receive()
            await stream.subscribe(fields=["radius"])
            assert (await stream.receive()).step == 5


async def test_two_tasks_share_a_stream() -> None:
    def act(peer: Peer) -> None:
        watched(peer)
        for step in range(6, 9):
            key = peer.expect_next("step")["key"]
            peer.send(state("frame", step, None, since=step - 1))
            peer.send(wire({"type": "stepped", "key": key, "step": step, "time": step / 10, "events": []}))
        peer.wait_closed()

    with ScriptedServer([act]) as server:
        async with (
            AsyncClient(server.url) as client,
            client.world("w").stream(delivery="every") as stream,
            asyncio.TaskGroup() as group,
        ):
            seen: list[int] = []

            async def watch() -> None:
                async for frame in stream.frames():
                    seen.append(frame.step)

            watching = group.create_task(watch())
            stepped = [(await stream.step()).step for _ in range(3)]
            assert stepped == [6, 7, 8]
            while len(seen) < 4:
                await asyncio.sleep(0)
            # closing ends the iterator of the other task without an error
            await stream.close()
            await watching
        assert seen == [5, 6, 7, 8]


async def test_a_cancelled_wait_loses_nothing() -> None:
    go = threading.Event()

    def act(peer: Peer) -> None:
        peer.send(hello())
        peer.expect("subscribe")
        peer.expect("step")
        go.wait(10)
        peer.send(state("full", 5))
        peer.wait_closed()

    with ScriptedServer([act]) as server:
        async with AsyncClient(server.url) as client, client.world("w").stream() as stream:
            with pytest.raises(TimedOut):
                await stream.step(timeout=0.02)
            waiting = asyncio.create_task(stream.receive())
            await asyncio.sleep(0)
            waiting.cancel()
            with pytest.raises(asyncio.CancelledError):
                await waiting
            go.set()
            assert (await stream.receive(timeout=10)).step == 5


def test_closing_from_another_thread_ends_the_iterator() -> None:
    def act(peer: Peer) -> None:
        watched(peer)
        peer.wait_closed()

    with ScriptedServer([act]) as server, Client(server.url) as client, client.world("w").stream() as stream:
        seen = []
        for item in stream:
            seen.append(item.step)
            threading.Thread(target=stream.close).start()
        assert seen == [5]
