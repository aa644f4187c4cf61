"""Which frame a reader is sent next: newest or every, an honest `since`, credit, joining without gap or double."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orca_crowd.streaming.subscription import FrameKey, FrameOverflow, Subscription, UnsentStep

KEY = FrameKey("orca-crowd.v1.json", ("position",), "float64")


@dataclass
class Held:
    """A frame reduced to what a subscription looks at."""

    step: int
    size: int = 10
    wanted: int = 0

    def hold(self) -> None:
        self.wanted += 1

    def release(self) -> None:
        self.wanted -= 1
        assert self.wanted >= 0


def subscription(**changes: Any) -> Subscription[Held]:
    """With every frame due and room for eight."""
    given_values = {
        "every": 1,
        "delivery": "latest",
        "window": 3,
        "explicit_credit": True,
        "frame_limit": 8,
        "byte_limit": 1000,
    }
    return Subscription(KEY, **(given_values | changes))


def send(subject: Subscription[Held]) -> tuple[int, int] | None:
    """Step and since of the next frame, sent."""
    taken = subject.take()
    if taken is None:
        return None
    frame, since = taken
    frame.release()
    return frame.step, since


def test_latest_keeps_the_newest_only_and_since_shows_the_gap() -> None:
    subject = subscription()
    subject.start(4)
    frames = [Held(step) for step in (5, 6, 7)]
    for frame in frames:
        subject.offer(frame)
    assert send(subject) == (7, 4)
    assert send(subject) is None
    assert [frame.wanted for frame in frames] == [0, 0, 0]
    assert subject.replaced == 2
    subject.offer(Held(8))
    assert send(subject) == (8, 7)


def test_every_leaves_nothing_out_and_overflows_by_frames() -> None:
    subject = subscription(delivery="every")
    subject.start(0)
    for step in range(1, 9):
        subject.offer(Held(step))
    overflowing = Held(9)
    with pytest.raises(FrameOverflow, match="8 frames"):
        subject.offer(overflowing)
    assert overflowing.wanted == 0
    assert [send(subject) for _ in range(8)] == [(step, step - 1) for step in range(1, 9)]
    assert subject.on_their_way == ()


def test_every_overflows_by_bytes_too() -> None:
    subject = subscription(delivery="every", byte_limit=15)
    subject.start(0)
    subject.offer(Held(1))
    subject.offer(Held(2))
    with pytest.raises(FrameOverflow, match="15 bytes"):
        subject.offer(Held(3))


def test_only_steps_divisible_by_every_are_due() -> None:
    subject = subscription(every=3)
    assert [step for step in range(10) if subject.due(step)] == [0, 3, 6, 9]


def test_the_window_holds_back_until_the_client_has_got_a_frame() -> None:
    subject = subscription(window=2)
    subject.start(0)
    sent = []
    for step in range(1, 7):
        subject.offer(Held(step))
        sent.append(send(subject))
    assert sent == [(1, 0), (2, 1), None, None, None, None]
    assert subject.on_their_way == (1, 2)
    subject.got(1)
    # the newest, and not the four that were left out
    assert send(subject) == (6, 2)
    subject.got(6)
    assert subject.on_their_way == ()


def test_full_is_not_counted_in_the_window() -> None:
    subject = subscription(window=1)
    subject.start(0)
    subject.offer(Held(1))
    assert send(subject) == (1, 0)


def test_every_needs_no_credit() -> None:
    subject = subscription(delivery="every", window=1)
    subject.start(0)
    for step in range(1, 6):
        subject.offer(Held(step))
        assert send(subject) == (step, step - 1)


def test_answered_pings_are_credit_until_the_client_gives_its_own() -> None:
    subject = subscription(window=1, explicit_credit=False)
    subject.start(0)
    subject.offer(Held(1))
    assert send(subject) == (1, 0)
    subject.offer(Held(2))
    assert send(subject) is None
    subject.answered(1)
    assert send(subject) == (2, 1)
    subject.got(1)
    subject.offer(Held(3))
    subject.answered(2)
    assert send(subject) is None
    subject.got(2)
    assert send(subject) == (3, 2)


def test_got_for_what_was_never_sent_is_refused_and_changes_nothing() -> None:
    subject = subscription(explicit_credit=False)
    with pytest.raises(UnsentStep, match="no frame"):
        subject.got(0)
    subject.start(3)
    with pytest.raises(UnsentStep, match="newest is 3"):
        subject.got(4)
    assert not subject.explicit_credit
    subject.got(3)
    assert subject.explicit_credit


def test_got_for_a_frame_of_the_subscription_before_is_no_mistake() -> None:
    subject = subscription(newest_sent=9)
    subject.got(9)
    with pytest.raises(UnsentStep):
        subject.got(10)


@given(st.integers(0, 12), st.integers(0, 12), st.sampled_from(["latest", "every"]))
def test_between_full_and_frames_no_step_is_missing_or_doubled(snapshot: int, ready: int, delivery: str) -> None:
    """Steps 1 to 12 happen; the snapshot is of one of them, and `full` is ready at that one or later."""
    ready = max(ready, snapshot)
    subject = subscription(delivery=delivery, frame_limit=20, window=20)
    seen: list[tuple[int, int]] = []
    for step in range(1, 13):
        subject.offer(Held(step))
        if step == ready:
            subject.start(snapshot)
        while (sent := send(subject)) is not None:
            seen.append(sent)
    if ready == 0:
        subject.start(0)
        while (sent := send(subject)) is not None:
            seen.append(sent)
    # each frame follows the one that it says it follows, the first one the full
    last = snapshot
    for step, since in seen:
        assert since == last < step
        last = step
    if delivery == "every":
        assert [step for step, _ in seen] == list(range(snapshot + 1, 13))
    elif snapshot < 12:
        assert last == 12


def test_closing_lets_go_of_every_frame() -> None:
    subject = subscription(delivery="every")
    frames = [Held(step) for step in range(1, 5)]
    for frame in frames:
        subject.offer(frame)
    subject.close()
    assert [frame.wanted for frame in frames] == [0, 0, 0, 0]
    assert subject.waiting == 0


def test_more_than_half_full_is_crowded() -> None:
    subject = subscription(delivery="every")
    for step in range(1, 5):
        subject.offer(Held(step))
    assert not subject.crowded()
    subject.offer(Held(5))
    assert subject.crowded()
    latest = subscription()
    latest.offer(Held(1))
    assert not latest.crowded()
