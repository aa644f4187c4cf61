"""The layer changes no bit where nobody is in trouble; where somebody is it gives the same bits however computed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from orca_core import World
from orca_core.simulation import Simulation
from tests.determinism.scene import outcome, scene
from tests.support.jams import corridor, jam, options_with, random_places, watch

ROOT = Path(__file__).resolve().parents[4]


def crowded(time_step: float = 0.1) -> World:
    """Two crowds in a corridor that both cannot pass, and a few with one goal: everything the layer does is done."""
    left = [(-4.0 - 1.1 * k, 0.05 * (k % 3)) for k in range(5)]
    right = [(4.0 + 1.1 * k, -0.04 * (k % 2)) for k in range(5)]
    heap = random_places(6, 2.0, 4, 1.0) + np.array([0.0, 14.0])
    goals = [(13.0, 0.0 + k) for k in range(5)] + [(-13.0, 0.0 + k) for k in range(5)] + [(0.0, 14.0)] * 6
    return jam([*left, *right, *heap.tolist()], goals, walls=corridor(1.3, end=6.0), time_step=time_step)


def test_the_bits_of_a_scene_without_deadlocks_are_those_without_the_layer() -> None:
    assert outcome(Simulation(scene()).world)["digest"] == outcome(scene())["digest"]


def test_two_crossing_flows_have_the_same_bits_with_the_layer_and_without() -> None:
    east = [(-16.0 + 2.7 * (k % 4), 2.7 * (k // 4) - 4.0) for k in range(16)]
    north = [(2.7 * (k // 4) - 3.9, -17.3 + 2.7 * (k % 4)) for k in range(16)]
    goals = [(x + 30.0, y) for x, y in east] + [(x, y + 30.0) for x, y in north]
    ends = []
    for options in (options_with(), None):
        course = watch(jam([*east, *north], goals, time_step=0.1, options=options), 25.0)
        assert course.left().max() < 0.5
        ends.append(course.world.digest())
    assert ends[0] == ends[1]


@pytest.mark.parametrize("cuts", [[1], [1, 2]])
def test_no_split_changes_a_bit(cuts: list[int]) -> None:
    whole, cut = crowded(), crowded()
    events = whole.step(400).events
    assert {"blocked", "arrived-crowded"} <= {event.kind for event in events}
    assert cut.step(400, split=cuts).events == events
    assert cut.digest() == whole.digest()


def test_a_snapshot_in_the_middle_of_a_jam_goes_on_with_the_same_bits() -> None:
    world = crowded()
    yielded = 0
    for _ in range(8):
        world.step(50)
        yielded += int((world.column("yielding") != 0).sum())
        again = Simulation(World.restore(world.snapshot())).world
        again.step(50)
        ahead = Simulation(World.restore(world.snapshot())).world
        ahead.explain(3)
        ahead.step(50)
        assert ahead.digest() == again.digest()
        straight = Simulation(World.restore(world.snapshot())).world
        for _ in range(50):
            straight.step()
        assert straight.snapshot() == again.snapshot()
    assert yielded > 0


def test_interpreted_and_compiled_agree() -> None:
    code = (
        "from tests.orca_core.guidance.deadlock.test_bits import crowded\n"
        "world = crowded(0.25)\nworld.step(60)\n"
        "print(world.digest(), (world.column('yielding') != 0).sum() + (world.column('status') == 4).sum())"
    )
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": str(ROOT)}
    said = subprocess.run([sys.executable, "-c", code], env=environment, check=True, capture_output=True, text=True,
                          timeout=280)  # fmt: skip
    digest, busy = said.stdout.split()
    world = crowded(0.25)
    world.step(60)
    assert digest == world.digest()
    assert int(busy) > 0


def test_a_snapshot_from_before_the_layer_has_it_off() -> None:
    world = jam([(0.0, 0.0), (3.0, 0.0)], [(3.0, 0.0), (0.0, 0.0)], options=options_with())
    header = world.snapshot()
    for name in ("settle_crowds", "courtesy"):
        assert name.encode() in header
    restored = World.restore(header)
    assert restored.options == options_with()


def test_an_agent_that_is_yielded_to_may_be_removed() -> None:
    world = crowded()
    while not (world.column("yields_to") >= 0).any():
        world.step()
    world.remove_agents(np.unique(world.column("yields_to")[world.column("yields_to") >= 0]))
    world.step(100)
    assert np.isfinite(world.column("position")).all()
