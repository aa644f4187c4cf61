"""Frames with the changed rows alone are merged to whole ones, with numpy and without."""

from __future__ import annotations

import random
import struct
from typing import Any

import pytest

from orca_crowd_client import Frame, ProtocolError, columns, rows
from orca_crowd_client.encoding import JSON, MESSAGE_PACK
from orca_crowd_client.protocol import keyframe
from orca_crowd_client.protocol.stream_state import StreamState
from orca_crowd_client.protocol.subscription import Subscription
from tests.clients.python.messages import hello, pack_ids, wire

Rows = dict[int, tuple[float, float]]


@pytest.fixture(params=["numpy", "lists"], autouse=True)
def installed(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine with numpy and one without."""
    if request.param == "lists":
        for module in (columns, rows, keyframe):
            monkeypatch.setattr(module, "numpy", None)


def opened(**members: Any) -> StreamState:
    """A stream that has just connected."""
    stream = StreamState(MESSAGE_PACK, Subscription(delivery="every", **members))
    stream.opening()
    stream.receive(hello())
    return stream


def told(kind: str, step: int, agents: Rows | None, *, named: bool = True, **members: Any) -> bytes | str:
    """A `full` or `frame` with these positions, radius the id and status the step."""
    agents = agents or {}
    flat = [number for pair in agents.values() for number in pair]
    message: dict[str, Any] = {"type": kind, "step": step, "time": step / 10}
    if kind == "frame":
        message |= {"since": step - 1, "entered": b"", "left": b""}
    if named:
        message["ids"] = pack_ids(list(agents))
    message["position"] = struct.pack(f"<{len(flat)}d", *flat)
    message["radius"] = struct.pack(f"<{len(agents)}d", *agents)
    message["status"] = [f"s{step}"] * len(agents)
    return wire({**message, **{name: pack_ids(ids) if isinstance(ids, list) else ids for name, ids in members.items()}})


def frame_of(stream: StreamState) -> Frame:
    """The next item, which is a frame."""
    taken = stream.take()
    assert taken is not None
    assert isinstance(taken[0], Frame)
    return taken[0]


def positions(frame: Frame) -> Rows:
    """Positions by id."""
    return {int(agent): tuple(map(float, place)) for agent, place in zip(frame.ids, frame.position, strict=True)}


def test_who_is_not_in_a_frame_is_as_before() -> None:
    stream = opened()
    stream.receive(told("full", 5, {1: (1, 1), 2: (2, 2), 3: (3, 3)}))
    stream.receive(told("frame", 6, {2: (2, 9)}))
    stream.receive(told("frame", 7, {}))
    full, second, third = (frame_of(stream) for _ in range(3))
    assert positions(second) == positions(third) == {1: (1, 1), 2: (2, 9), 3: (3, 3)}
    assert list(second.status) == list(third.status) == ["s5", "s6", "s5"]
    assert list(map(int, second.radius)) == [1, 2, 3]
    assert [[int(agent) for agent in frame.changed] for frame in (full, second, third)] == [[1, 2, 3], [2], []]
    # what a caller holds is not written to later
    assert positions(full) == {1: (1, 1), 2: (2, 2), 3: (3, 3)}
    assert not any(frame.gap for frame in (full, second, third))


def test_who_leaves_is_forgotten_and_who_enters_is_added() -> None:
    stream = opened()
    stream.receive(told("full", 5, {1: (1, 1), 2: (2, 2), 3: (3, 3)}))
    stream.receive(told("frame", 6, {9: (9, 9), 3: (3, 0)}, entered=[9], left=[1]))
    stream.receive(told("frame", 7, {}, left=[2, 3]))
    stream.receive(told("frame", 8, {1: (0, 1)}, entered=[1]))
    frames = [frame_of(stream) for _ in range(4)]
    assert [positions(frame) for frame in frames[1:]] == [
        {2: (2, 2), 3: (3, 0), 9: (9, 9)},
        {9: (9, 9)},
        {9: (9, 9), 1: (0, 1)},
    ]
    assert list(frames[3].status) == ["s6", "s8"]


def test_everybody_may_leave_and_come_back() -> None:
    stream = opened()
    stream.receive(told("full", 5, {}))
    stream.receive(told("frame", 6, {4: (4, 4)}, entered=[4]))
    stream.receive(told("frame", 7, {}, left=[4]))
    stream.receive(told("frame", 8, {4: (5, 5)}, entered=[4]))
    assert [positions(frame_of(stream)) for _ in range(4)] == [{}, {4: (4, 4)}, {}, {4: (5, 5)}]


def test_without_ids_a_frame_has_everybody_in_the_order_last_listed() -> None:
    stream = opened()
    stream.receive(told("full", 5, {7: (7, 7), 2: (2, 2)}))
    stream.receive(told("frame", 6, {1: (8, 8), 2: (9, 9)}, named=False))
    stream.receive(told("frame", 7, {2: (1, 0), 7: (2, 0)}))
    stream.receive(told("frame", 8, {1: (3, 0), 2: (4, 0)}, named=False))
    frames = [frame_of(stream) for _ in range(4)]
    assert [positions(frame) for frame in frames[1:]] == [
        {7: (8, 8), 2: (9, 9)},
        {2: (1, 0), 7: (2, 0)},
        {2: (3, 0), 7: (4, 0)},
    ]
    assert [int(agent) for agent in frames[1].changed] == [7, 2]


def test_an_order_that_was_never_told_is_not_guessed() -> None:
    stream = opened()
    stream.receive(told("full", 5, {1: (1, 1), 9: (9, 9)}))
    stream.receive(told("frame", 6, {4: (4, 4)}, entered=[4]))
    with pytest.raises(ProtocolError, match="leaves out ids that were never sent"):
        stream.receive(told("frame", 7, {1: (0, 0), 2: (0, 0), 3: (0, 0)}, named=False))


def test_changes_to_a_state_that_is_not_here_are_refused() -> None:
    stream = opened()
    stream.receive(told("full", 5, {1: (1, 1), 2: (2, 2)}))
    with pytest.raises(ProtocolError, match="builds on step 7, and the last that came is 5"):
        stream.receive(told("frame", 8, {1: (1, 0)}))
    # everybody's rows need nothing to build on
    stream.receive(told("frame", 8, {1: (1, 0), 2: (2, 0)}))
    assert [frame_of(stream).gap for _ in range(2)] == [False, True]


def test_a_random_history_ends_as_it_was_told() -> None:
    draw, stream = random.Random(4), opened()
    truth: Rows = dict.fromkeys(range(20), (0.0, 0.0))
    stream.receive(told("full", 0, truth))
    assert positions(frame_of(stream)) == truth
    for step in range(1, 200):
        left = [agent for agent in truth if draw.random() < 0.05]
        fresh = list(range(step * 30, step * 30 + draw.randrange(3)))
        truth = {agent: place for agent, place in truth.items() if agent not in left}
        changed = [agent for agent in truth if draw.random() < 0.3] + fresh
        moved = {agent: (float(step), draw.random()) for agent in changed}
        truth |= moved
        stream.receive(told("frame", step, moved, entered=fresh, left=left))
        assert positions(frame_of(stream)) == truth


INTEGERS = {"int16": "h", "int8": "b"}


def quantised(kind: str, step: int, agents: dict[int, tuple[int, int]], code: str, **members: Any) -> bytes | str:
    """A message with positions as integers; `based` maps ids to their base."""
    based: Rows = members.pop("based", {})
    flat = [number for pair in agents.values() for number in pair]
    message: dict[str, Any] = {"type": kind, "step": step, "time": step / 10, "ids": pack_ids(list(agents))}
    if kind == "frame":
        message |= {"since": step - 1, "entered": b"", "left": b""}
    message["scale"] = {"position": 0.25}
    message["position"] = struct.pack(f"<{len(flat)}{code}", *flat)
    message["radius"] = struct.pack(f"<{len(agents)}f", *agents)
    if based:
        numbers = [number for pair in based.values() for number in pair]
        message |= {"based": pack_ids(list(based)), "base": {"position": struct.pack(f"<{len(numbers)}f", *numbers)}}
    return wire({**message, **{name: pack_ids(v) if isinstance(v, list) else v for name, v in members.items()}})


@pytest.mark.parametrize("precision", ["int16", "int8"])
def test_integers_are_counted_from_a_shared_base(precision: Any) -> None:
    stream, code = opened(precision=precision), INTEGERS[precision]
    stream.receive(quantised("full", 5, {1: (-4, 0), 2: (8, 100)}, code, keyframe=3, based={1: (10, 10), 2: (20, 0.5)}))
    stream.receive(quantised("frame", 6, {2: (9, 100)}, code, keyframe=3))
    # one who enters brings its base along
    stream.receive(quantised("frame", 7, {3: (1, -1)}, code, keyframe=3, based={3: (5, 5)}, entered=[3]))
    # a new keyframe brings everybody's; who does not change keeps the value that the old one gave
    new = {1: (9.0, 10.0), 2: (20.0, 20.0), 3: (0.0, 0.0)}
    stream.receive(quantised("frame", 8, {3: (4, 4)}, code, keyframe=8, based=new))
    stream.receive(quantised("frame", 9, {1: (0, -1)}, code, keyframe=8))
    frames = [frame_of(stream) for _ in range(5)]
    assert [positions(frame) for frame in frames] == [
        {1: (9, 10), 2: (22, 25.5)},
        {1: (9, 10), 2: (22.25, 25.5)},
        {1: (9, 10), 2: (22.25, 25.5), 3: (5.25, 4.75)},
        {1: (9, 10), 2: (22.25, 25.5), 3: (1, 1)},
        {1: (9, 9.75), 2: (22.25, 25.5), 3: (1, 1)},
    ]
    assert list(map(float, frames[-1].radius)) == [1, 2, 3]


def test_integers_in_json() -> None:
    stream = StreamState(JSON, Subscription(precision="int8"))
    stream.opening()
    base = {"based": [1, 2], "base": {"position": [[1, 2], [3, 4]], "velocity": [[0, 0], [0, 1]]}}
    columns_ = {"position": [[1, 0], [0, 1]], "velocity": [[2, 0], [0, 2]]}
    body = {"step": 1, "time": 0.1, "ids": [1, 2], "keyframe": 1, "scale": {"position": 0.5, "velocity": 0.25}}
    stream.receive(wire({"type": "full", **body, **base, **columns_}, "orca-crowd.v1.json"))
    frame = frame_of(stream)
    assert positions(frame) == {1: (1.5, 2), 2: (3, 4.5)}
    assert [tuple(map(float, row)) for row in frame.velocity] == [(0.5, 0), (0, 1.5)]


def test_an_agent_without_a_base_is_not_guessed() -> None:
    stream = opened(precision="int16")
    stream.receive(quantised("full", 5, {1: (0, 0)}, "h", keyframe=3, based={1: (1, 1)}))
    with pytest.raises(ProtocolError, match="no base of agent 2 has come with keyframe 3"):
        stream.receive(quantised("frame", 6, {2: (0, 0)}, "h", keyframe=3, entered=[2]))
    with pytest.raises(ProtocolError, match="no int16 or int8 for 1 agents"):
        stream.receive(quantised("frame", 6, {1: (0, 0)}, "i", keyframe=3))
