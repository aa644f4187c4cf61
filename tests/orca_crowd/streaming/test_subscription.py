"""Which frame a reader is sent next: newest or every, an honest `since`, credit, joining without gap or double."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest

from orca_crowd.streaming.subscription import FrameKey, FrameOverflow, Subscription, UnsentStep

KEY = FrameKey("orca-crowd.v1.json", ("position",), "float64")


@dataclass
class Sent:
    """An update reduced to what a subscription looks at: its step, and that of the one before it."""

    step: int
    since: int
    size: int = 10
    wanted: int = 1

    @property
    def outcome(self) -> int:
        """What the client knows then."""
        return self.step

    def release(self) -> None:
        self.wanted -= 1
        assert self.wanted >= 0


@dataclass
class Held:
    """A frame reduced to what a subscription looks at."""

    step: int
    bound: list[Sent] = field(default_factory=list)

    def bind(self, previous: int | Sent, /) -> Sent:
        self.bound.append(Sent(self.step, previous.step if isinstance(previous, Sent) else previous))
        return self.bound[-1]


def subscription(**changes: Any) -> Subscription[int, Sent]:
    """With every frame due and room for eight, for a client that knows step 0."""
    given_values = {
        "every": 1,
        "delivery": "latest",
        "window": 3,
        "explicit_credit": True,
        "frame_limit": 8,
        "byte_limit": 1000,
        "known": 0,
    }
    return Subscription(KEY, **(given_values | changes))


def send(subject: Subscription[int, Sent]) -> tuple[int, int] | None:
    """Step and since of the next frame, sent."""
    update = subject.take()
    if update is None:
        return None
    subject.sent(update)
    return update.step, update.since


def test_latest_keeps_the_newest_only_and_since_shows_the_gap() -> None:
    subject = subscription(known=4)
    frames = [Held(step) for step in (5, 6, 7)]
    for frame in frames:
        subject.offer(frame)
    assert send(subject) == (7, 4)
    assert send(subject) is None
    # a frame that is replaced is not encoded
    assert [len(frame.bound) for frame in frames] == [0, 0, 1]
    assert subject.replaced == 2
    subject.offer(Held(8))
    assert send(subject) == (8, 7)


def test_every_leaves_nothing_out_and_overflows_by_frames() -> None:
    subject = subscription(delivery="every")
    for step in range(1, 9):
        subject.offer(Held(step))
    overflowing = Held(9)
    with pytest.raises(FrameOverflow, match="8 frames"):
        subject.offer(overflowing)
    assert overflowing.bound == []
    assert [send(subject) for _ in range(8)] == [(step, step - 1) for step in range(1, 9)]
    assert subject.on_their_way == ()


def test_every_overflows_by_bytes_too() -> None:
    subject = subscription(delivery="every", byte_limit=15)
    subject.offer(Held(1))
    subject.offer(Held(2))
    with pytest.raises(FrameOverflow, match="15 bytes"):
        subject.offer(Held(3))


def test_only_steps_divisible_by_every_are_due() -> None:
    subject = subscription(every=3)
    assert [step for step in range(10) if subject.due(step)] == [0, 3, 6, 9]


def test_the_window_holds_back_until_the_client_has_got_a_frame() -> None:
    subject = subscription(window=2)
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


def test_a_full_goes_first_and_is_not_counted_in_the_window() -> None:
    full = Sent(4, -1)
    subject = subscription(window=1, known=full, first=full)
    subject.offer(Held(5))
    assert send(subject) == (4, -1)
    assert full.wanted == 0
    assert send(subject) == (5, 4)
    assert subject.on_their_way == (5,)


def test_who_goes_on_from_a_step_gets_what_follows_it() -> None:
    subject = subscription(delivery="every", known=3, newest_sent=3)
    subject.got(3)
    for step in (4, 5):
        subject.offer(Held(step))
    assert [send(subject) for _ in range(3)] == [(4, 3), (5, 4), None]


def test_a_ping_follows_where_half_of_the_window_is_on_its_way() -> None:
    subject = subscription(window=3, explicit_credit=False)
    asked = []
    for step in range(1, 4):
        subject.offer(Held(step))
        send(subject)
        asked.append(subject.wants_ping())
    assert asked == [False, True, True]
    single = subscription(window=1, explicit_credit=False)
    single.offer(Held(1))
    send(single)
    assert single.wants_ping()
    assert not subscription().wants_ping()
    assert not subscription(delivery="every", explicit_credit=False).wants_ping()


def test_every_needs_no_credit() -> None:
    subject = subscription(delivery="every", window=1)
    for step in range(1, 6):
        subject.offer(Held(step))
        assert send(subject) == (step, step - 1)


def test_answered_pings_are_credit_until_the_client_gives_its_own() -> None:
    subject = subscription(window=1, explicit_credit=False)
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
    subject.offer(Held(3))
    send(subject)
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


def test_closing_lets_go_of_every_frame() -> None:
    full = Sent(0, -1)
    subject = subscription(delivery="every", known=full, first=full)
    frames = [Held(step) for step in range(1, 5)]
    for frame in frames:
        subject.offer(frame)
    subject.close()
    assert [frame.bound[0].wanted for frame in frames] == [0, 0, 0, 0]
    assert full.wanted == 0
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
