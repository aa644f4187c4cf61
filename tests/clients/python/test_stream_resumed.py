"""Both streams over connections that break: what they begin the next one with, and what of it shows."""

from __future__ import annotations

from typing import Any

import pytest

from orca_crowd_client import Conflict
from tests.clients.python.both_streams import watched
from tests.clients.python.messages import hello, pack_ids, problem, state, wire
from tests.clients.python.scripted import Peer, Refusal, ScriptedServer


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
