"""A stream's state machine: frames, gaps, credit, answers, and what each end of a connection means."""

from __future__ import annotations

import json
import struct
from typing import Any

import pytest

from orca_crowd_client import (
    Acknowledged,
    BufferFull,
    CannotEncode,
    Event,
    Frame,
    InvalidRequest,
    ProtocolError,
    Stepped,
    WorldFailed,
    WorldGone,
)
from orca_crowd_client.encoding import JSON, MESSAGE_PACK
from orca_crowd_client.protocol import stream_state
from orca_crowd_client.protocol.stream_state import StreamState
from orca_crowd_client.protocol.subscription import Subscription
from tests.clients.python.messages import event, hello, problem, state, unwire, wire


def opened(subscription: Subscription | None = None) -> StreamState:
    """A stream that has just connected."""
    stream = StreamState(MESSAGE_PACK, subscription or Subscription())
    stream.opening()
    stream.receive(hello())
    return stream


def frame_of(stream: StreamState) -> Frame:
    """The next item, which is a frame."""
    taken = stream.take()
    assert taken is not None
    assert isinstance(taken[0], Frame)
    return taken[0]


def test_a_connection_begins_with_the_subscription() -> None:
    stream = StreamState(MESSAGE_PACK, Subscription(["position", "status"], "float32", 2, "every", {"kind": "all"}, 5))
    assert [unwire(message) for message in stream.opening()] == [
        {
            "type": "subscribe",
            "fields": ["position", "status"],
            "precision": "float32",
            "every": 2,
            "delivery": "every",
            "interest": {"kind": "all"},
            "window": 5,
        }
    ]


def test_what_is_left_out_is_the_servers_to_choose() -> None:
    (message,) = StreamState(JSON, Subscription()).opening()
    assert isinstance(message, str)
    assert "fields" not in json.loads(message)
    assert "interest" not in json.loads(message)


def test_full_then_frames_with_the_ids_of_the_one_before() -> None:
    stream = opened()
    stream.receive(state("full", 5))
    stream.receive(state("frame", 6, None, since=5))
    stream.receive(state("frame", 7, (2, 3), since=6, entered=[3], left=[1]))
    first, second, third = (frame_of(stream) for _ in range(3))
    assert stream.take() is None
    assert [(frame.step, frame.time, frame.full, frame.since) for frame in (first, second, third)] == [
        (5, 0.5, True, None),
        (6, 0.6, False, 5),
        (7, 0.7, False, 6),
    ]
    assert [frame.ids.tolist() for frame in (first, second, third)] == [[1, 2], [1, 2], [2, 3]]
    assert (third.entered.tolist(), third.left.tolist()) == ([3], [1])
    assert (first.entered.tolist(), first.left.tolist()) == ([], [])
    assert second.position.tobytes() == struct.pack("<4d", 6, -0.0, 6, -0.0)
    assert not any(frame.gap for frame in (first, second, third))


def test_a_column_that_was_not_asked_for_is_named() -> None:
    stream = opened()
    stream.receive(state("full", 5))
    frame = frame_of(stream)
    with pytest.raises(AttributeError, match="no column 'velocity' but position: ask for it with fields="):
        _ = frame.velocity
    assert repr(frame) == "Frame(step=5, time=0.5, 2 agents, fields=position)"


@pytest.mark.parametrize(
    ("every", "steps", "gaps"),
    [
        (1, [(0, None), (1, 0), (2, 1)], [False, False, False]),
        # a newer frame took the place of two
        (1, [(0, None), (3, 0), (4, 3)], [False, True, False]),
        # every fifth step from a start between two of them
        (5, [(7, None), (10, 7), (15, 10)], [False, False, False]),
        (5, [(7, None), (15, 7), (20, 15)], [False, True, False]),
        # the server skips to a whole state
        (1, [(0, None), (1, 0), (9, None)], [False, False, True]),
        # a frame that builds on one that never came
        (1, [(0, None), (2, 1)], [False, True]),
        # the same step once more, as after a new subscription
        (1, [(4, None), (4, None), (5, 4)], [False, False, False]),
    ],
)
def test_a_gap_shows(every: int, steps: list[tuple[int, int | None]], gaps: list[bool]) -> None:
    stream = opened(Subscription(every=every))
    for step, since in steps:
        stream.receive(state("full" if since is None else "frame", step, since=since))
    assert [frame_of(stream).gap for _ in steps] == gaps


def test_credit_is_given_when_a_frame_is_taken() -> None:
    stream = opened()
    stream.receive(state("full", 5))
    stream.receive(event("arrived", 6, ids=[1]))
    stream.receive(state("frame", 6, since=5))
    given = []
    while (taken := stream.take()) is not None:
        given.append(None if taken[1] is None else unwire(taken[1]))
    assert given == [{"type": "got", "step": 5}, None, {"type": "got", "step": 6}]


def test_delivery_every_needs_no_credit() -> None:
    stream = opened(Subscription(delivery="every"))
    stream.receive(state("full", 5))
    taken = stream.take()
    assert taken is not None
    assert taken[1] is None


def test_a_frame_of_an_earlier_connection_gives_no_credit_on_the_next() -> None:
    stream = opened()
    stream.receive(state("full", 5))
    assert stream.closed(1006, "") is None
    stream.opening()
    stream.receive(state("full", 2))
    old, new = stream.take(), stream.take()
    assert old is not None
    assert new is not None
    # the new connection never sent step 5, so acknowledging it would be an error
    assert old[1] is None
    assert new[1] is not None
    assert unwire(new[1]) == {"type": "got", "step": 2}


def test_after_a_reconnect_it_goes_on_after_the_last_frame() -> None:
    stream = opened()
    stream.receive(state("full", 5))
    stream.receive(state("frame", 6, (1,), since=5))
    (message,) = stream.opening()
    assert unwire(message)["type"] == "resume"
    assert unwire(message)["after_step"] == 6
    stream.receive(hello(8))
    stream.receive(state("frame", 7, (2,), since=6))
    frames = [frame_of(stream) for _ in range(3)]
    assert [(frame.full, frame.gap) for frame in frames] == [(True, False), (False, False), (False, False)]
    assert frames[-1].position.tolist() == [[6, 0], [7, 0]]


def test_a_subscription_that_was_not_answered_is_made_again() -> None:
    stream = opened()
    stream.receive(state("full", 5))
    stream.subscribe(Subscription(fields=["radius"]))
    # one that was on its way is of the subscription before
    stream.receive(state("frame", 6, None, since=5))
    (message,) = stream.opening()
    assert unwire(message)["type"] == "subscribe"
    # its answer counts, however many went unanswered over the connection before
    stream.receive(state("full", 7))
    assert unwire(stream.opening()[0])["after_step"] == 7
    # nothing is watched while it is paused
    stream.unsubscribe()
    assert stream.opening() == []


def test_without_a_subscription_there_is_nothing_to_resume() -> None:
    with pytest.raises(ValueError, match="no subscription to resume"):
        StreamState(MESSAGE_PACK, None).resume()


def test_a_full_after_a_reconnect_is_a_gap() -> None:
    stream = opened()
    stream.receive(state("full", 5))
    stream.opening()
    stream.receive(hello(5))
    stream.receive(state("full", 5))
    stream.receive(state("frame", 6, None, since=5))
    frames = [frame_of(stream) for _ in range(3)]
    assert [(frame.full, frame.gap) for frame in frames] == [(True, False), (True, True), (False, False)]


def test_ids_that_were_never_sent_are_not_guessed() -> None:
    stream = opened()
    with pytest.raises(ProtocolError, match="leaves out ids that were never sent"):
        stream.receive(state("frame", 6, None, since=5))


def test_float32_frames() -> None:
    stream = opened(Subscription(precision="float32"))
    stream.receive(state("full", 3, code="f"))
    frame = frame_of(stream)
    assert frame.position.dtype == "float32"
    assert frame.position.tolist() == [[3.0, -0.0], [3.0, -0.0]]


def test_events() -> None:
    stream = opened()
    stream.receive(event("arrived", 6, ids=[1, 2]))
    stream.receive(event("late", 7, behind=3))
    stream.receive(event("removed", 8, ids=struct.pack("<q", 2**53 - 1)))
    items = [taken[0] for taken in (stream.take(), stream.take(), stream.take()) if taken is not None]
    assert items == [
        Event("arrived", 6, (1, 2), {}),
        Event("late", 7, (), {"behind": 3}),
        Event("removed", 8, (2**53 - 1,), {}),
    ]


def test_answers_find_their_requests_by_key() -> None:
    stream = opened()
    stream.request("command", {"commands": [], "key": "a"})
    stream.request("step", {"count": 1, "key": "b"})
    assert (stream.answer("a"), stream.answer("b")) == (None, None)
    stream.receive(wire({"type": "stepped", "key": "b", "step": 1, "time": 0.1, "events": []}))
    assert stream.answer("a") is None
    assert stream.answer("b") == Stepped(1, 0.1)
    stream.receive(wire({"type": "ack", "key": "a", "step": 1, "results": [{"warnings": []}]}))
    assert stream.answer("a") == Acknowledged(1, ({"warnings": []},))
    assert stream.answer("a") is None


def test_a_refusal_with_a_key_is_raised_where_it_was_asked() -> None:
    stream = opened()
    stream.request("command", {"commands": [], "key": "a"})
    stream.receive(wire({"type": "error", "problem": problem("invalid"), "key": "a"}))
    assert stream.take() is None
    with pytest.raises(InvalidRequest):
        stream.answer("a")


@pytest.mark.parametrize("read", ["take", "answer"])
def test_a_refusal_without_a_key_is_raised_once_to_whoever_reads(read: str) -> None:
    stream = opened()
    stream.receive(wire({"type": "error", "problem": problem("invalid")}))
    look: Any = stream.take if read == "take" else lambda: stream.answer("a")
    with pytest.raises(InvalidRequest):
        look()
    assert look() is None


def test_what_was_not_answered_is_sent_again_the_same() -> None:
    stream = opened()
    first = [stream.request("command", {"commands": [], "key": "a"}), stream.request("step", {"count": 2, "key": "b"})]
    stream.receive(wire({"type": "ack", "key": "a", "step": 0, "results": []}))
    assert stream.opening()[1:] == first[1:]
    # what nobody waits for any more is not
    stream.forget("b")
    assert len(stream.opening()) == 1


def test_an_answer_that_nobody_waits_for_is_not_kept() -> None:
    stream = opened()
    stream.request("step", {"count": 2, "key": "b"})
    stream.forget("b")
    stream.receive(wire({"type": "stepped", "key": "b", "step": 1, "time": 0.1, "events": []}))
    assert stream.answer("b") is None


def test_a_request_that_cannot_travel_is_not_remembered() -> None:
    stream = opened()
    with pytest.raises(CannotEncode):
        stream.request("step", {"count": object(), "key": "b"})
    assert len(stream.opening()) == 1


def test_a_stream_that_does_not_watch_keeps_no_events() -> None:
    stream = StreamState(MESSAGE_PACK, None)
    assert stream.opening() == []
    stream.receive(event("arrived", 6, ids=[1]))
    assert stream.take() is None


def test_unread_frames_have_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream_state, "UNREAD_LIMIT", 3)
    stream = opened(Subscription(delivery="every"))
    stream.receive(state("full", 0))
    for step in (1, 2):
        stream.receive(state("frame", step, since=step - 1))
    with pytest.raises(BufferFull, match="3 frames and events wait unread"):
        stream.receive(state("frame", 3, since=2))
    # nothing of what waits is lost, and what did not fit shows
    stream.receive(wire({"type": "heartbeat", "step": 3}))
    frames = [frame_of(stream) for _ in range(3)]
    assert [frame.step for frame in frames] == [0, 1, 2]
    stream.receive(state("frame", 4, since=3))
    assert frame_of(stream).gap


@pytest.mark.parametrize("code", [1001, 1006, 1011, 1012, 4001])
def test_these_ends_are_worth_another_try(code: int) -> None:
    stream = opened()
    stream.receive(wire({"type": "closing", "reason": "restarting"}))
    assert stream.closed(code, "") is None


def test_these_are_not() -> None:
    stream = opened()
    stream.receive(wire({"type": "closing", "reason": "the world was deleted"}))
    error = stream.closed(4004, "")
    assert isinstance(error, WorldGone)
    assert error.reason == "the world was deleted"
    assert isinstance(opened().closed(4009, "it broke"), WorldFailed)
    for code in (1000, 1008, 1009, 4321):
        ended = opened().closed(code, "")
        assert ended is not None
        assert ended.code == code


def test_only_more_than_a_greeting_is_progress() -> None:
    stream = opened()
    assert not stream.progress
    stream.receive(wire({"type": "heartbeat", "step": 1}))
    assert stream.progress
    assert stream.heartbeat == 1
    stream.opening()
    assert not stream.progress


def test_a_message_of_a_later_server_is_passed_over() -> None:
    stream = opened()
    stream.receive(wire({"type": "weather", "sun": True}))
    assert stream.take() is None


@pytest.mark.parametrize(
    "data",
    [
        b"\xc1",
        "text",
        wire({"step": 1}),
        b"\x93\x01\x02\x03",
        wire({"type": "frame", "step": 1}),
        wire({"type": "full", "step": 1, "time": 0.1, "ids": struct.pack("<q", 1), "position": b"\0" * 7}),
        wire({"type": "error"}),
        wire({"type": "event", "step": 1}),
    ],
    ids=["no encoding", "text", "no type", "no map", "no ids", "half a column", "no problem", "no kind"],
)
def test_what_is_no_message_says_so(data: bytes | str) -> None:
    with pytest.raises(ProtocolError):
        opened().receive(data)
