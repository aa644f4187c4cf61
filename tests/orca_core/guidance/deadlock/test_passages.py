"""Passages that two cannot share: who waited longest goes first, the other waits or backs out, and nobody is hurt."""

from __future__ import annotations

import numpy as np
import pytest

from orca_core import WalkableArea, World
from tests.support.jams import corridor, door, follow, jam, options_with, random_places, watch
from tests.support.worlds import wall

PAIR = [[(0.3, 0.0), (4.0, 0.7)], [(0.3, 0.0), (4.0, -0.7)]]


def at_a_door(width: float, time_step: float, *names: str) -> tuple[World, float, float]:
    """Two that come to a door side by side: the world after half a minute, how deep they were in each other, and the
    lesser x of both.
    """
    options = options_with(*names) if names != ("all",) else None
    world = jam([(-2.0, 1.0), (-2.0, -1.0)], [(0.3, 0.0)] * 2, walls=door(width), time_step=time_step, options=options)
    course = watch(world, 30.0, follow(PAIR))
    return world, course.deepest, float(world.column("position")[:, 0].min())


@pytest.mark.parametrize("time_step", [0.25, pytest.param(1 / 60, marks=pytest.mark.soak)])
@pytest.mark.parametrize("width", [1.2, 1.6, 2.2])
def test_two_at_a_door_get_through_one_after_the_other(width: float, time_step: float) -> None:
    _, deepest, last = at_a_door(width, time_step, "all")
    assert last > 0.5
    assert deepest <= 1e-3


@pytest.mark.parametrize("width", [1.2, 1.6])
def test_courtesy_alone_lets_them_through(width: float) -> None:
    assert at_a_door(width, 0.25)[2] < 0.0, "without it they stand for ever"
    assert at_a_door(width, 0.25, "courtesy")[2] > 0.5


@pytest.mark.parametrize("width", [1.2, 1.9, 2.0, 2.1, 2.5])
@pytest.mark.parametrize("closed", [False, True])
def test_goals_inside_a_corridor(width: float, *, closed: bool) -> None:
    """There is no order of passing with both goals inside: whoever cannot pass is told of within ten seconds, whatever
    is made of it later.
    """
    goals = [(5.0, 0.0), (-5.0, 0.0)]
    world = jam([(-5.0, 0.0), (5.0, 0.01)], goals, walls=() if closed else corridor(width))
    if closed:
        side = width / 2
        ring = np.array([(-10.0, -side), (10.0, -side), (10.0, side), (-10.0, side)])
        world.add_walkable([WalkableArea(((ring,),))])
    course = watch(world, 100.0)
    assert course.deepest <= 1e-3
    if width > 2.0:
        assert course.left().max() < 0.1
        return
    blocked = course.first("blocked")
    assert blocked.keys() == {0, 1}
    assert max(blocked.values()) < 10.0
    first = next(event for event in course.events if event.kind == "blocked")
    assert first.ids == [0, 1]
    assert first.data["other"] == [1, 0]
    assert min(first.data["waited"]) >= 3.0


@pytest.mark.parametrize("width", [1.2, 1.6, 2.0])
def test_one_backs_out_of_a_corridor_for_the_other(width: float) -> None:
    places, goals = [(-5.0, 0.0), (5.0, 0.01)], [(15.0, 0.0), (-15.0, 0.0)]
    stuck = watch(jam(places, goals, walls=corridor(width), options=options_with()), 60.0)
    assert stuck.left().max() > 10.0
    for options in (options_with("back_out"), None):
        course = watch(jam(places, goals, walls=corridor(width), options=options), 60.0)
        assert course.left().max() < 0.1
        assert course.deepest <= 1e-3
    # the longer wait decides, then who has been here longest
    assert course.first("arrived")[0] < course.first("arrived")[1]


@pytest.mark.parametrize(("west", "east"), [(2, 1), (3, 1), (4, 2)])
@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.soak), pytest.param(3, marks=pytest.mark.soak)])
def test_those_in_line_back_out_in_order(west: int, east: int, seed: int) -> None:
    """Rows from both ends meet in a corridor one wide, and want out of it at the other end each."""
    random = np.random.default_rng(seed)
    rows = [(-1.0 - 1.1 * k, 0.0) for k in range(west)] + [(1.0 + 1.1 * k, 0.0) for k in range(east)]
    goals = [(13.0 + 1.5 * (k // 3), 1.5 * (k % 3 - 1)) for k in range(west)]
    goals += [(-13.0 - 1.5 * (k // 3), 1.5 * (k % 3 - 1)) for k in range(east)]
    places = np.array(rows) + random.uniform(-0.03, 0.03, (west + east, 2))
    course = watch(jam(places, goals, walls=corridor(1.2), time_step=0.1), 50.0)
    assert course.left().max() < 0.1
    assert course.deepest <= 0.01


@pytest.mark.parametrize("each", [1, 2])
@pytest.mark.parametrize("onward", [1, 2])
def test_three_rows_meet_in_a_junction_one_wide(each: int, onward: int) -> None:
    """From every arm of a T they want out of the next arm."""
    half, arm = 0.6, 8.0
    walls = [wall((-arm, half), (arm, half)),
             *(wall((side * arm, -half), (side * half, -half)) for side in (-1.0, 1.0)),
             *(wall((side * half, -half), (side * half, -arm)) for side in (-1.0, 1.0))]  # fmt: skip
    arms = np.array([(-1.0, 0.0), (1.0, 0.0), (0.0, -1.0)])
    # nobody is exactly in the middle
    places = [arms[a] * (1.5 + 1.1 * k) + (0.01 * a, -0.02 * a) for a in range(3) for k in range(each)]
    ends = arms[(np.arange(3) + onward) % 3]
    goals = [ends[a] * (arm + 3.0) + 1.5 * k * ends[a][::-1] for a in range(3) for k in range(each)]
    world = jam(places, goals, walls=walls, time_step=0.1)
    world.set_agents(world.ids, {"guidance": np.array(["path"] * len(places), object)})
    course = watch(world, 40.0)
    assert course.left().max() < 0.1
    assert course.deepest <= 0.01


@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.soak), pytest.param(3, marks=pytest.mark.soak)])
@pytest.mark.parametrize("width", [1.2, 1.8])
def test_two_crowds_change_sides_through_a_door(width: float, seed: int) -> None:
    count = 12
    left = random_places(count, 2.5, seed, 0.7) - np.array([4.5, 0.0])
    right = random_places(count, 2.5, seed + 10, 0.7) + np.array([4.5, 0.0])
    ends = np.array([(5.0 + 1.1 * (k % 3), 1.1 * (k // 3) - 1.6) for k in range(count)])
    goals = np.concatenate([ends, ends * np.array([-1.0, 1.0])])
    speeds = {"radius": 0.25, "preferred_speed": 1.3, "max_speed": 1.6, "obstacle_horizon": 0.5, "goal_tolerance": 0.2}
    world = jam(np.concatenate([left, right]), goals, walls=door(width), time_step=0.1, **speeds)
    # whoever is pushed away from the door finds it again
    world.set_agents(world.ids, {"guidance": np.array(["path"] * 2 * count, object)})
    course = watch(world, 120.0)
    assert course.left().max() < 0.25
