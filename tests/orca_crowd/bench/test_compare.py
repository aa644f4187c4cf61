"""Blocks are taken in turn and timed without what prepares them; ratios come from pairs."""

from __future__ import annotations

import gc

import numpy as np
import pytest
from numpy.typing import NDArray

from orca_crowd.bench.compare import Timings, in_turn, ratios, spread


class Bench:
    """A clock that only the contenders move, and what they did, in order."""

    def __init__(self) -> None:
        self.now = 0.0
        self.done: list[tuple[str, int]] = []

    def clock(self) -> tuple[float, float]:
        return self.now, 2.0 * self.now


class Slow:
    """A contender that takes `cost` seconds a step and ten to prepare."""

    def __init__(self, name: str, cost: float, bench: Bench) -> None:
        self.name = name
        self.cost = cost
        self.bench = bench

    def prepare(self) -> None:
        self.bench.now += 10.0
        self.bench.done.append((f"prepare {self.name}", 0))

    def run(self, steps: int) -> None:
        assert not gc.isenabled() or self.bench.now < 100.0
        self.bench.now += steps * self.cost
        self.bench.done.append((self.name, steps))

    def positions(self) -> NDArray[np.float64]:
        return np.zeros((0, 2))

    def velocities(self) -> NDArray[np.float64]:
        return np.zeros((0, 2))


def test_blocks_come_in_turn_and_the_first_place_goes_round() -> None:
    bench = Bench()
    contenders = [Slow("a", 1.0, bench), Slow("b", 4.0, bench)]
    timings = [Timings("a"), Timings("b")]
    taken: list[int] = []
    in_turn(contenders, timings, blocks=3, block=2, warm_up=3, clock=bench.clock, advance=taken.append)
    steps = [entry for entry in bench.done if not entry[0].startswith("prepare")]
    warm_up, measured = steps[:4], steps[4:]
    assert warm_up == [("a", 2), ("a", 1), ("b", 2), ("b", 1)]
    assert [name for name, _ in measured] == ["a", "b", "b", "a", "a", "b"]
    assert sum(taken) == sum(count for _, count in steps)
    # every run was prepared right before, and that is in no timing
    assert all(bench.done[i - 1] == (f"prepare {name}", 0) for i, (name, _) in enumerate(bench.done) if len(name) == 1)
    assert timings[0].processor == pytest.approx([1.0, 1.0, 1.0])
    assert timings[1].processor == pytest.approx([4.0, 4.0, 4.0])
    assert timings[1].wall == pytest.approx([8.0, 8.0, 8.0])


def test_the_collector_rests_while_blocks_are_timed_and_comes_back_when_one_fails() -> None:
    bench = Bench()

    class Failing(Slow):
        def run(self, steps: int) -> None:
            assert not gc.isenabled()
            raise RuntimeError("broken")

    with pytest.raises(RuntimeError, match="broken"):
        in_turn([Failing("a", 1.0, bench)], [Timings("a")], blocks=1, block=1, warm_up=0, clock=bench.clock)
    assert gc.isenabled()


def test_ratios_come_from_pairs_not_from_medians() -> None:
    # a machine that slows down threefold: every pair agrees although the medians lie elsewhere
    ours = Timings("ours", processor=[1.0, 1.0, 3.0])
    other = Timings("other", processor=[2.0, 2.0, 6.0])
    assert ratios(ours, other) == [0.5, 0.5, 0.5]
    other.processor = [2.0, 5.0, 3.0]
    assert ratios(ours, other) == pytest.approx([0.5, 0.2, 1.0])
    assert spread(ratios(ours, other))["median"] == pytest.approx(0.5)


def test_a_contender_in_another_process_brings_its_own_times() -> None:
    class Elsewhere(Slow):
        def run(self, steps: int) -> tuple[float, float]:  # type: ignore[override]
            super().run(steps)
            return 0.25 * steps, 0.75 * steps

    bench, timing = Bench(), Timings("a")
    in_turn([Elsewhere("a", 9.0, bench)], [timing], blocks=2, block=3, warm_up=0, clock=bench.clock)
    assert timing.processor == [0.25, 0.25]
    assert timing.wall == [0.75, 0.75]


def test_each_contender_may_have_a_warm_up_of_its_own() -> None:
    bench = Bench()
    contenders = [Slow("a", 1.0, bench), Slow("b", 1.0, bench)]
    in_turn(contenders, [Timings("a"), Timings("b")], blocks=1, block=2, warm_up=[0, 5], clock=bench.clock)
    steps = [entry for entry in bench.done if not entry[0].startswith("prepare")]
    assert steps == [("b", 2), ("b", 2), ("b", 1), ("a", 2), ("b", 2)]


def test_ratios_on_the_wall_are_those_of_the_wall() -> None:
    one = Timings("one", processor=[1.0], wall=[8.0])
    two = Timings("two", processor=[1.0], wall=[5.0])
    assert ratios(one, two) == [1.0]
    assert ratios(one, two, by="wall") == [1.6]


def test_blocks_that_are_no_pairs_are_refused() -> None:
    with pytest.raises(ValueError, match="ours has 1 blocks and other has 2"):
        ratios(Timings("ours", processor=[1.0]), Timings("other", processor=[1.0, 2.0]))


def test_spread_and_rate_of_a_contender() -> None:
    seconds = [float(value) for value in range(1, 12)]
    assert spread(seconds) == {"median": 6.0, "p10": 2.0, "p90": 10.0}
    facts = Timings("ours", processor=seconds, wall=[2.0 * value for value in seconds]).facts(3_000_000)
    assert facts["microseconds_per_agent_step"]["median"] == pytest.approx(2.0)
    assert facts["agent_steps_per_second"] == pytest.approx(500_000.0)
    assert facts["milliseconds_per_step"] == pytest.approx(6_000.0)
    assert facts["wall_over_processor"] == pytest.approx(2.0)
    assert facts["seconds_per_step"] == seconds
