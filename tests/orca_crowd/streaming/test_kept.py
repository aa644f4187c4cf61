"""The kept steps are bounded by number and by bytes, and an array that states share is counted once."""

from __future__ import annotations

import numpy as np

from orca_crowd.streaming.kept import Kept
from orca_crowd.streaming.state import State
from orca_crowd.streaming.statistics import StreamStatistics
from tests.orca_crowd.streaming.states import state

IDS = np.arange(100)
RADIUS = np.ones(100)
SPEED = np.ones(100)


def moved(step: int) -> State:
    """Positions of its own (1,600 bytes) beside what all share."""
    position = np.full((100, 2), float(step))
    return state(step, IDS, position=position, velocity=position, radius=RADIUS, max_speed=SPEED)


def kept(**bounds: int) -> Kept:
    """With room for everything unless told otherwise."""
    return Kept(**({"steps": 1000, "size": 10**9} | bounds), statistics=StreamStatistics())


def test_shared_arrays_are_counted_once() -> None:
    subject = kept()
    for step in range(5):
        subject.add(moved(step))
    assert subject.size == 5 * 1600 + 3 * 800


def test_the_oldest_step_goes_by_number() -> None:
    subject = kept(steps=3)
    for step in range(10):
        subject.add(moved(step))
    assert [each.step for each in subject.frames_after(-1)] == [7, 8, 9]
    assert subject.at(6) == []
    assert subject.size == 3 * 1600 + 3 * 800


def test_the_oldest_step_goes_by_bytes_and_the_newest_never() -> None:
    subject = kept(size=2 * 1600 + 3 * 800)
    for step in range(10):
        subject.add(moved(step))
    assert [each.step for each in subject.frames_after(-1)] == [8, 9]
    tiny = kept(size=0)
    tiny.add(moved(1))
    tiny.add(moved(2))
    assert [each.step for each in tiny.frames_after(-1)] == [2]


def test_two_states_of_a_step_are_one_step_and_its_frames_show_the_first() -> None:
    subject = kept(steps=2)
    first, second, third = moved(1), moved(1), moved(2)
    for each in (first, first, second, third):
        subject.add(each)
    assert subject.at(1) == [first, second]
    assert subject.frames_after(0) == [first, third]
    subject.add(moved(3))
    assert subject.at(1) == []


def test_letting_go_of_everything_leaves_nothing_counted() -> None:
    statistics = StreamStatistics()
    subject = Kept(steps=4, size=10**9, statistics=statistics)
    for step in range(6):
        subject.add(moved(step))
    assert (statistics.kept_steps, statistics.kept_bytes) == (4, subject.size)
    subject.clear()
    assert (statistics.kept_steps, statistics.kept_bytes, subject.size) == (0, 0, 0)
