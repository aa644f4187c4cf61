"""Stalling: means over the window, to the step."""

from __future__ import annotations

import numpy as np

from orca_core._jit import compile_all
from orca_core.cooperative.stalling import SLOW, Stalling


def test_who_stands_is_slow_when_the_mean_is_and_not_before() -> None:
    compile_all()
    random_state = np.random.default_rng(0)
    count, window = 6, 20
    fastest = np.full(count, 1.5)
    stalling = Stalling(fastest, 0.25, window)
    seen = [np.full(count, 1.5)] * window
    none = np.zeros(count, np.uint8)
    # nobody is slow for want of getting anywhere: all go the same way
    position = np.zeros((count, 2))
    stood = np.zeros(count, np.int64)
    for step in range(200):
        # each drives and stands for stretches of its own
        drives = (step // (10 + 9 * np.arange(count))) % 2 == 0
        speed = np.where(drives, 0.4 * random_state.random(count), 0.02)
        angle = random_state.random(count)
        velocity = np.stack([speed * np.cos(angle), speed * np.sin(angle)], axis=1)
        excused = none.copy()
        excused[5] = step % 7 == 0
        position += 10.0
        found = stalling.tally(step, position, velocity, excused, fastest)
        seen.append(np.where(excused, 1.5, speed))
        mean = np.mean(seen[-window:], axis=0)
        stood = np.where((mean < SLOW) & (excused == 0), stood + 1, 0)
        assert stalling.stood.tolist() == stood.tolist()
        assert found == (stood > 0).sum()
    assert stalling.stood.max() > 10
    assert (stalling.stood == 0).any()


def test_who_begins_anew_has_to_stand_for_the_window_again() -> None:
    compile_all()
    stalling = Stalling(np.ones(2), 0.25, 20)
    still, none = np.zeros((2, 2)), np.zeros(2, np.uint8)
    first = [stalling.tally(step, still, still, none, np.ones(2)) for step in range(25)]
    # 20 steps at most 0.1 on average: after 18 of standing 2 at full speed are still in it
    assert first == [0] * 18 + [2] * 7
    stalling.begin_anew(np.array([1]), np.ones(2))
    again = Stalling(np.ones(2), 0.25, 20)
    again.restore(stalling.kept())
    for step in range(25, 43):
        assert stalling.tally(step, still, still, none, np.ones(2)) == 1
        again.tally(step, still, still, none, np.ones(2))
    assert stalling.tally(43, still, still, none, np.ones(2)) == again.tally(43, still, still, none, np.ones(2)) == 2
    assert again.stood.tolist() == stalling.stood.tolist()


def test_who_swings_to_and_fro_gets_nowhere_and_who_goes_round_a_block_does_not() -> None:
    compile_all()
    window, none, fastest = 40, np.zeros(2, np.uint8), np.ones(2)
    stalling = Stalling(fastest, 0.25, window)
    position = np.zeros((2, 2))
    stood = []
    for step in range(90):
        velocity = np.array([[0.6 if step // 4 % 2 else -0.6, 0.0], [0.6, 0.0] if step % 80 < 40 else [-0.6, 0.0]])
        position += 0.25 * velocity
        stalling.tally(step, position, velocity, none, fastest)
        stood.append(stalling.stood.tolist())
    assert [row[0] for row in stood] == [0] * window + list(range(1, 51))
    # it is back where it was for the few steps about its turn alone
    assert 0 < sum(row[1] > 0 for row in stood) < 10
