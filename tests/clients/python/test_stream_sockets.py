"""Both streams over real sockets, against a server that breaks where the test wants it to."""

from __future__ import annotations

import asyncio
import struct
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest

from orca_crowd_client import (
    AsyncClient,
    Backoff,
    Client,
    Conflict,
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
from tests.clients.python.messages import event, hello, pack_ids, problem, state, wire
from tests.clients.python.scripted import Peer, Refusal, ScriptedServer

AT_ONCE = Backoff(attempts=3, first=0.0)


class Awaited:
    """The stream for threads with the methods of the one for asyncio; they block, which the server's thread allows."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> Callable[..., Any]:
        async def method(*arguments: Any, **named: Any) -> Any:
            return getattr(self._stream, name)(*arguments, **named)

        return method

    async def __aenter__(self) -> Awaited:
        self._stream.__enter__()
        return self

    async def __aexit__(self, *error: Any) -> None:
        self._stream.__exit__(*error)

    async def __aiter__(self) -> AsyncIterator[Any]:
        for item in self._stream:
            yield item

    async def frames(self) -> AsyncIterator[Any]:
        for frame in self._stream.frames():
            yield frame


@pytest.fixture(params=["threads", "asyncio"])
def opened(request: pytest.FixtureRequest) -> Callable[..., Any]:
    """Open a stream of one of the two kinds: `async with opened(server) as stream`."""

    @asynccontextmanager
    async def stream_of(server: ScriptedServer, encoding: Any = "msgpack", **options: Any) -> AsyncIterator[Any]:
        options = {"reconnect": AT_ONCE, **options}
        if request.param == "threads":
            with Client(server.url, encoding=encoding, retry=AT_ONCE, headers={"X-Who": "me"}) as client:
                async with Awaited(client.world("w").stream(**options)) as stream:
                    yield stream
        else:
            async with (
                AsyncClient(server.url, encoding=encoding, retry=AT_ONCE, headers={"X-Who": "me"}) as other,
                other.world("w").stream(**options) as stream,
            ):
                yield stream

    return stream_of


def watched(peer: Peer, step: int = 5, *, after: int | None = None) -> None:
    """Greet, take the subscription, or a `resume` after a step that is not kept, and send the whole state."""
    peer.send(hello(step))
    if after is None:
        peer.expect("subscribe")
    else:
        assert peer.expect("resume")["after_step"] == after
    peer.send(state("full", step))


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


async def test_a_broken_connection_is_made_anew_and_the_gap_shows(opened: Any) -> None:
    def first(peer: Peer) -> None:
        watched(peer)
        peer.expect("got")
        peer.drop()

    def second(peer: Peer) -> None:
        watched(peer, 9, after=5)
        peer.send(state("frame", 10, None, since=9))
        assert peer.expect("got")["step"] == 9
        peer.wait_closed()

    with ScriptedServer([first, second]) as server:
        async with opened(server) as stream:
            frames = [await stream.receive() for _ in range(3)]
        assert [(frame.step, frame.full, frame.gap) for frame in frames] == [
            (5, True, False),
            (9, True, True),
            (10, False, False),
        ]


async def test_a_resumed_connection_goes_on_without_a_gap(opened: Any) -> None:
    def first(peer: Peer) -> None:
        watched(peer)
        peer.expect("got")
        peer.drop()

    def second(peer: Peer) -> None:
        peer.send(hello(7))
        assert peer.expect("resume") == {
            "type": "resume",
            "after_step": 5,
            "fields": ["position"],
            "precision": "float64",
            "every": 1,
            "delivery": "latest",
            "window": 3,
        }
        peer.send(state("frame", 6, (1,), since=5))
        peer.send(state("frame", 7, None, since=6))
        assert [peer.expect("got")["step"] for _ in range(2)] == [6, 7]
        peer.wait_closed()

    with ScriptedServer([first, second]) as server:
        async with opened(server, fields=["position"]) as stream:
            frames = [await stream.receive() for _ in range(3)]
        assert [(frame.step, frame.full, frame.gap) for frame in frames] == [
            (5, True, False),
            (6, False, False),
            (7, False, False),
        ]
        assert frames[1].position.tolist() == [[6, 0], [5, 0]]


async def test_a_controller_is_registered_again(opened: Any) -> None:
    def acknowledged(peer: Peer, kind: str) -> None:
        key = peer.expect(kind).get("key")
        results = [{"controller": "npc", "owned": pack_ids([1])}]
        peer.send(wire({"type": "ack", "key": key, "step": 5, "sequence": 1, "results": results}))

    def first(peer: Peer) -> None:
        peer.send(hello())
        acknowledged(peer, "register")
        peer.drop()

    def second(peer: Peer) -> None:
        peer.send(hello())
        assert peer.expect("register") == {"type": "register", "controller": "npc"}
        acknowledged(peer, "own")
        peer.send(wire({"type": "error", "problem": problem("replaced", 409)}))
        peer.drop()

    def third(peer: Peer) -> None:
        # whoever was replaced does not take the name back
        peer.send(hello())
        acknowledged(peer, "disown")
        peer.wait_closed()

    with ScriptedServer([first, second, third]) as server:
        async with opened(server, watch=False) as stream:
            registered = await stream.register("npc")
            assert registered.results[0]["owned"].tolist() == [1]
            assert (await stream.own([1])).sequence == 1
            with pytest.raises(Conflict, match="replaced"):
                await stream.disown([1])
            await stream.disown([1])


async def test_unsubscribe_resume_and_ping(opened: Any) -> None:
    def act(peer: Peer) -> None:
        watched(peer)
        peer.expect("got")
        peer.expect("unsubscribe")
        ping = peer.expect("ping")
        peer.send(wire({"type": "pong", "data": ping["data"]}))
        assert peer.expect("resume")["after_step"] == 5
        peer.send(state("frame", 8, None, since=5))
        assert peer.expect("got")["step"] == 8
        assert peer.expect("got")["step"] == 7
        peer.wait_closed()

    with ScriptedServer([act]) as server:
        async with opened(server) as stream:
            await stream.receive()
            await stream.unsubscribe()
            assert await stream.ping("there", timeout=10) == "there"
            await stream.resume()
            frame = await stream.receive()
            assert (frame.step, frame.gap) == (8, True)
            await stream.got(7)


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


async def test_a_restart_is_survived(opened: Any) -> None:
    def first(peer: Peer) -> None:
        watched(peer)
        peer.send(wire({"type": "closing", "reason": "restarting"}))
        peer.close(1012)

    def second(peer: Peer) -> None:
        watched(peer, 5, after=5)
        peer.wait_closed()

    with ScriptedServer([first, Refusal(503, "not-ready"), Refusal(502, "proxy"), second]) as server:
        async with opened(server) as stream:
            frames = [await stream.receive() for _ in range(2)]
        assert [(frame.full, frame.gap) for frame in frames] == [(True, False), (True, True)]


async def test_a_slow_reader_that_was_closed_comes_back_and_sees_the_gap(opened: Any) -> None:
    def first(peer: Peer) -> None:
        watched(peer)
        peer.close(4001, "256 frames wait")

    def second(peer: Peer) -> None:
        watched(peer, 300, after=5)
        peer.wait_closed()

    with ScriptedServer([first, second]) as server:
        async with opened(server, delivery="every") as stream:
            assert [(frame.step, frame.gap) for frame in [await stream.receive(), await stream.receive()]] == [
                (5, False),
                (300, True),
            ]


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
