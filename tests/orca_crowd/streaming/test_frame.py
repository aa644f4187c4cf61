"""A frame of one step: encoded once for all who know the same, and not at all when nobody wants it any more."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from orca_crowd.protocol.frames import JSON_SUBPROTOCOL
from orca_crowd.streaming.encoder import Encoder
from orca_crowd.streaming.encoding import effort
from orca_crowd.streaming.frame import SharedFrame, Update
from orca_crowd.streaming.interest import EVERYBODY, Circle
from orca_crowd.streaming.keyframe import Keyframes
from orca_crowd.streaming.state import Known, State
from orca_crowd.streaming.statistics import StreamStatistics
from orca_crowd.streaming.subscription import FrameKey
from orca_crowd.worlds.publication import Publication

KEY = FrameKey(JSON_SUBPROTOCOL, ("position", "status"), "float64")
IDS = np.arange(5000)


def state(count: int, step: int = 7, shift: float = 0.0) -> State:
    """Agents 0 to count - 1, all moved by `shift`."""
    position = np.arange(2.0 * count).reshape(count, 2) + shift
    columns = {"position": position, "velocity": position, "status": np.ones(count, np.uint8)}
    return State(Publication("w", step, step * 0.1, IDS[:count], columns, [], []))


class Later:
    """A helper thread that has not got to it yet."""

    def __init__(self) -> None:
        self.calls: list[tuple[Callable[[], Any], asyncio.Future[Any]]] = []

    def __call__(self, call: Callable[[], Any], /) -> asyncio.Future[Any]:
        done: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self.calls.append((call, done))
        return done

    async def run(self) -> None:
        """Get to all of it, and to what that brings."""
        for _ in range(20):
            await asyncio.sleep(0)
        while self.calls:
            call, done = self.calls.pop(0)
            try:
                done.set_result(call())
            except Exception as error:
                done.set_exception(error)
            for _ in range(20):
                await asyncio.sleep(0)


def encoder(later: Later) -> Encoder:
    """With a thread that is moved by hand."""
    return Encoder(Keyframes(steps=10, time_step=0.1), later, StreamStatistics())


def known_of(here: State, *, listed: bool = True) -> Known:
    """What a client knows that has been sent all of a state."""
    return Known((here.members(EVERYBODY),), listed)


def read(update: Update) -> dict[str, Any]:
    """The message."""
    assert update.packed is not None
    found: dict[str, Any] = json.loads(update.packed.wire)
    return found


async def test_a_small_frame_is_there_at_once_and_shared() -> None:
    later = Later()
    tools = encoder(later)
    before, now = state(3, 6), state(3, 7, 0.5)
    frame = SharedFrame(now, KEY, tools, patient=False)
    first = frame.bind(known_of(before))
    assert frame.bind(known_of(before)) is first
    assert later.calls == []
    assert read(first) == {
        "type": "frame",
        "step": 7,
        "time": 7 * 0.1,
        "since": 6,
        "entered": [],
        "left": [],
        "position": [[0.5, 1.5], [2.5, 3.5], [4.5, 5.5]],
        "status": ["moving"] * 3,
    }
    assert first.after == known_of(now)
    assert tools.statistics.frames_encoded == 1


async def test_readers_who_knew_other_things_know_the_same_afterwards_and_share_the_next_frame() -> None:
    tools = encoder(Later())
    old, before, now, then = state(3, 2), state(3, 6, 0.5), state(3, 7, 1.0), state(3, 8, 1.5)
    frame = SharedFrame(now, KEY, tools, patient=False)
    late, prompt, unlisted = (
        frame.bind(known_of(old)),
        frame.bind(known_of(before)),
        frame.bind(known_of(before, listed=False)),
    )
    assert [read(update)["since"] for update in (late, prompt, unlisted)] == [2, 6, 6]
    assert ["ids" in read(update) for update in (late, prompt, unlisted)] == [False, False, True]
    following = SharedFrame(then, KEY, tools, patient=False)
    updates = [following.bind(update) for update in (late, prompt, unlisted)]
    assert updates[0] is updates[1] is updates[2]
    assert tools.statistics.frames_encoded == 4


async def test_a_state_that_is_kept_no_more_gives_rows_for_all() -> None:
    tools = encoder(Later())
    known = known_of(state(3, 2))
    frame = SharedFrame(state(3, 7), KEY, tools, patient=False)
    assert known.possible[0].state is None
    assert len(read(frame.bind(known))["position"]) == 3


async def test_a_large_frame_is_waited_for_and_one_that_nobody_wants_is_never_encoded() -> None:
    later = Later()
    tools = encoder(later)
    before, now = state(5000, 6), state(5000, 7, 0.5)
    assert effort(now, KEY, known_of(before)) > 1.0
    wanted = SharedFrame(now, KEY, tools, patient=False).bind(known_of(before))
    unwanted = SharedFrame(now, KEY, tools, patient=False).bind(known_of(before))
    unwanted.release()
    assert wanted.packed is None
    called: list[int] = []
    wanted.when_ready(lambda: called.append(wanted.size))
    waiting = asyncio.create_task(wanted.wait())
    await asyncio.sleep(0)
    # one reader who goes away takes nothing from the others
    waiting.cancel()
    await later.run()
    assert called == [wanted.size]
    assert wanted.size > 0
    assert len(read(wanted)["position"]) == 5000
    assert tools.statistics.frames_encoded == 1
    assert unwanted.size == 0
    assert isinstance(unwanted.failure(), RuntimeError)


async def test_updates_that_follow_each_other_are_encoded_in_order_in_a_thread() -> None:
    later = Later()
    tools = encoder(later)
    states = [state(5000, step, step / 4) for step in range(4)]
    update: Any = known_of(states[0])
    updates = []
    for each in states[1:]:
        update = SharedFrame(each, KEY, tools, patient=False).bind(update)
        updates.append(update)
    await later.run()
    assert [read(each)["since"] for each in updates] == [0, 1, 2]
    assert updates[-1].after == known_of(states[-1])


async def test_a_fault_while_encoding_is_told_to_who_waits_and_to_nobody_else() -> None:
    now = State(Publication("w", 7, 0.7, IDS[:3], {"position": np.zeros((3, 2))}, [], []))
    tools = encoder(Later())
    update = SharedFrame(now, FrameKey(JSON_SUBPROTOCOL, ("position",), "int16"), tools, patient=False).bind(
        known_of(state(3))
    )
    assert isinstance(update.failure(), KeyError)
    with pytest.raises(KeyError):
        await update.wait()


async def test_many_small_ones_in_one_turn_do_not_hold_the_loop_and_go_to_the_threads_together() -> None:
    later = Later()
    tools = encoder(later)
    before, now = state(300, 6), state(300, 7, 0.5)
    keys = [FrameKey(JSON_SUBPROTOCOL, ("position",), "float64", Circle((0.0, 0.0), radius)) for radius in range(1, 21)]
    updates = []
    for key in keys:
        known = Known((before.members(key.interest),), listed=True)
        updates.append(SharedFrame(now, key, tools, patient=False).bind(known))
    at_once = sum(update.packed is not None for update in updates)
    assert 0 < at_once < 5
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert 0 < len(later.calls) < 5
    await later.run()
    assert all(read(update)["step"] == 7 for update in updates)
    # the next turn has a budget of its own
    tools.turn()
    assert SharedFrame(now, KEY, tools, patient=False).bind(None).packed is not None


async def test_who_comes_for_an_update_that_was_given_up_gets_another() -> None:
    later = Later()
    tools = encoder(later)
    before, now = state(5000, 6), state(5000, 7, 0.5)
    frame = SharedFrame(now, KEY, tools, patient=False)
    unwanted = frame.bind(known_of(before))
    unwanted.release()
    await later.run()
    assert unwanted.given_up
    wanted = frame.bind(known_of(before))
    await later.run()
    assert read(wanted)["step"] == 7
