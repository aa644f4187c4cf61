"""Exact head-on pairs and N-fold rings pass, at every time step, and only where such a symmetry is."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from orca_core import Options, World
from tests.support.worlds import least_gap, wall, world_of

TIME_STEPS = [0.25, 0.1, 1 / 60, 0.01, 0.001]
UNBROKEN = replace(Options.service(), break_symmetry=False)


def head_on(time_step: float, options: Options | None = None, turn: float = 0.0) -> World:
    """Two agents ten metres apart, each sent to where the other stands, along a line at an angle."""
    ends = np.array([[-5.0 * np.cos(turn), -5.0 * np.sin(turn)], [5.0 * np.cos(turn), 5.0 * np.sin(turn)]])
    return world_of(ends, time_step=time_step, goal=ends[::-1].copy(), preferred_speed=1.0, options=options)


def ring(count: int, time_step: float, options: Options | None = None) -> World:
    """Agents on a circle of radius 5 (as much more as they need room), each sent to the opposite side."""
    angle = 2.0 * np.pi * np.arange(count) / count
    places = np.stack([np.cos(angle), np.sin(angle)], axis=1) * max(5.0, count / 2.0)
    return world_of(
        places, time_step=time_step, goal=-places, preferred_speed=1.0, neighbor_distance=20.0, max_neighbors=20,
        options=options,
    )  # fmt: skip


def passing(world: World, seconds: float) -> tuple[bool, float]:
    """Whether all come within 0.1 of their goals in time, and the least distance of two on the way."""
    least = np.inf
    while world.time < seconds:
        world.step()
        least = min(least, least_gap(world))
        offset = world.column("goal") - world.column("position")
        if np.sqrt((offset * offset).sum(axis=1)).max() < 0.1:
            return True, least
    return False, least


@pytest.mark.parametrize("time_step", TIME_STEPS)
def test_an_exact_head_on_pair_passes(time_step: float) -> None:
    arrived, least = passing(head_on(time_step), 60.0)
    assert arrived
    assert least >= 1.0 - 1e-6


@pytest.mark.parametrize("turn", [0.5 * np.pi, np.pi, 0.25 * np.pi, 0.3, 2.2])
def test_along_any_line(turn: float) -> None:
    arrived, least = passing(head_on(0.1, turn=turn), 60.0)
    assert arrived
    assert least >= 1.0 - 1e-6


@pytest.mark.parametrize("time_step", [0.25, 1 / 60])
@pytest.mark.parametrize("count", [2, 3, 4, 5, 6, 7, 8, 9, 10, 12])
def test_an_exact_ring_passes(count: int, time_step: float) -> None:
    arrived, least = passing(ring(count, time_step), 90.0)
    assert arrived
    assert least >= 1.0 - 1e-3


def test_pairs_side_by_side_and_a_queue_pass() -> None:
    """Six pairs on parallel lines, and three in a row that meet three in a row."""
    lanes = np.repeat(np.arange(6) * 6.0, 2)
    ends = np.stack([np.tile([-5.0, 5.0], 6), lanes], axis=1)
    arrived, least = passing(world_of(ends, goal=ends * [-1.0, 1.0], preferred_speed=1.0), 60.0)
    assert arrived
    assert least >= 1.0 - 1e-6
    row = np.array([[-9.0, 0.0], [-7.0, 0.0], [-5.0, 0.0], [5.0, 0.0], [7.0, 0.0], [9.0, 0.0]])
    arrived, least = passing(world_of(row, goal=row[[5, 4, 3, 2, 1, 0]], preferred_speed=1.0), 90.0)
    assert arrived
    assert least >= 1.0 - 1e-3


def test_a_pair_that_keeps_its_preferred_velocity_passes() -> None:
    world = world_of([(-5.0, 0.0), (5.0, 0.0)], preferred_velocity=np.array([[1.0, 0.0], [-1.0, 0.0]]))
    world.step(80)
    assert world.column("position")[0, 0] > 5.0
    assert world.column("position")[1, 0] < -5.0


def test_two_runs_are_equal_and_two_seeds_are_not() -> None:
    runs = [ring(5, 0.25) for _ in range(2)]
    other = World(time_step=0.25, options=Options.service(), seed=1)
    other.add_agents(
        {name: runs[0].column(name) for name in ("position", "goal", "preferred_speed", "neighbor_distance")}
    )
    for world in (*runs, other):
        world.step(20)
    assert runs[0].digest() == runs[1].digest()
    assert other.digest() != runs[0].digest()


@pytest.mark.parametrize("time_step", TIME_STEPS[:3])
def test_without_the_option_the_pair_stands_as_the_text_says(time_step: float) -> None:
    world = head_on(time_step, UNBROKEN)
    world.step(int(60.0 / time_step))
    (ax, ay), (bx, by) = world.column("position")
    assert (ax, ay) == (-bx, by)
    assert 0.5 - 1e-6 <= bx < 0.6
    assert ay == 0.0


@pytest.mark.parametrize("nudge", [1e-3, 0.05, 0.7])
def test_where_nothing_is_symmetric_the_bits_are_those_of_the_text(nudge: float) -> None:
    ends = np.array([[-5.0, 0.0], [5.0, nudge], [0.0, 4.0], [0.3, -4.0]])
    goals = np.array([[5.0, 0.0], [-5.0, 0.0], [0.2, -4.0], [0.0, 5.0]])
    worlds = [world_of(ends, goal=goals, preferred_speed=1.0, options=o) for o in (Options.service(), Options.text())]
    for world in worlds:
        world.step(60)
    assert worlds[0].digest() == worlds[1].digest()


def test_one_agent_among_those_who_stand_is_not_turned() -> None:
    """Somebody at rest beside the way is no mirror image of anybody."""
    places = np.array([[-6.0, 0.0], [0.0, 0.8], [3.0, -0.7]])
    goals = np.array([[6.0, 0.1], [0.0, 0.8], [3.0, -0.7]])
    worlds = [world_of(places, goal=goals, preferred_speed=1.0, options=o) for o in (Options.service(), Options.text())]
    for world in worlds:
        world.step(80)
    assert worlds[0].digest() == worlds[1].digest()


def test_a_turn_that_does_not_help_ends() -> None:
    # two meet where neither can pass: turning aside for ever would be a circle where there is room for one
    world = World(time_step=0.25, options=Options.service())
    world.add_obstacles([wall((-9.0, 0.6), (9.0, 0.6)), wall((-9.0, -0.6), (9.0, -0.6))])
    world.add_agents({"position": [(-3.0, 0.0), (3.0, 0.0)], "goal": [(5.0, 0.0), (-5.0, 0.0)]})
    world.step(60)
    began = world.column("turning_since").copy()
    assert (world.column("turning_until") > world.step_count).all()
    world.step(200)
    assert (world.column("turning_until") <= world.step_count).all()
    assert np.array_equal(world.column("turning_since"), began)
