"""Watching the phases of a world times each once a step and changes nothing."""

from __future__ import annotations

from itertools import count

import pytest

from orca_crowd.bench.contenders import Ours
from orca_crowd.bench.phases import PHASES, watch
from orca_crowd.bench.scenes import Scene


def test_every_phase_that_there_is_is_timed() -> None:
    ours = Ours(Scene(40, 3), "service")
    ticks = count()
    taken = watch(ours.world, lambda: float(next(ticks)))
    ours.run(4)
    assert set(taken) <= set(PHASES)
    called = {phase: seconds for phase, seconds in taken.items() if seconds}
    assert {"prepare", "solve", "advance", "finish"} <= set(called)
    # once a step each; advance holds solve, which takes two ticks of its own
    assert {phase: set(seconds) for phase, seconds in called.items()} == {
        "prepare": {1.0}, "solve": {1.0}, "advance": {3.0}, "finish": {1.0}
    }  # fmt: skip
    assert all(len(seconds) == 4 for seconds in called.values())


def test_a_phase_that_a_world_has_not_is_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(PHASES, "dreaming", ("_dreamer", "dream"))
    monkeypatch.setitem(PHASES, "guessing", ("_solver", "guess_nothing"))
    ours = Ours(Scene(40), "service")
    taken = watch(ours.world)
    ours.run(1)
    assert not {"dreaming", "guessing"} & set(taken)
    assert taken["solve"]


def test_watching_leaves_the_bits_alone() -> None:
    watched, plain = Ours(Scene(40, 3), "service"), Ours(Scene(40, 3), "service")
    watch(watched.world)
    watched.run(10)
    plain.run(10)
    assert watched.world.digest() == plain.world.digest()
