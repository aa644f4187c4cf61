"""Watching the phases of a world times each once a step and changes nothing."""

from __future__ import annotations

from itertools import count

from orca_crowd.bench.contenders import Ours
from orca_crowd.bench.phases import PHASES, watch
from orca_crowd.bench.scenes import Scene


def test_every_phase_is_timed_once_a_step() -> None:
    ours = Ours(Scene(40, 3), "service")
    ticks = count()
    taken = watch(ours.world, lambda: float(next(ticks)))
    ours.run(4)
    assert list(taken) == list(PHASES)
    assert taken == {phase: [1.0] * 4 for phase in PHASES}


def test_watching_leaves_the_bits_alone() -> None:
    watched, plain = Ours(Scene(40, 3), "service"), Ours(Scene(40, 3), "service")
    watch(watched.world)
    watched.run(10)
    plain.run(10)
    assert watched.world.digest() == plain.world.digest()
