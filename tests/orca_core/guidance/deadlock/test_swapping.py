"""Two whose goals lie in a passage neither can share, each behind the other's, change their order where it ends."""

from __future__ import annotations

import numpy as np
import pytest

from orca_core import WalkableArea, World
from orca_core.simulation import Simulation
from orca_crowd.scenes.walkers import Box, floor
from tests.support.jams import Course, corridor, jam, options_with, watch

PLACES, GOALS = [(-5.0, 0.0), (5.0, 0.01)], [(5.0, 0.0), (-5.0, 0.0)]
LEFT, RIGHT = (-14.0, -3.0, -10.0, 3.0), (10.0, -3.0, 14.0, 3.0)
SOAK = pytest.mark.soak


def on(*boxes: Box, time_step: float = 0.25, guidance: str = "straight") -> World:
    """The two on a floor of rectangles."""
    world = jam(PLACES, GOALS, time_step=time_step)
    world.add_walkable([floor(boxes)])
    world.set_agents([0, 1], {"guidance": np.array([guidance, guidance], object)})
    return world


def passage(width: float, end: float = 10.1) -> Box:
    """From -10 to 10 and a little more, so that it overlaps the rooms."""
    return -end, -width / 2, end, width / 2


def no_room(course: Course) -> list[tuple[list[int], list[int]]]:
    """Who was told that there is none, and with whom."""
    return [(event.ids, event.data["other"]) for event in course.events if event.kind == "no-way-past"]


@pytest.mark.parametrize("width", [1.2, 1.6, 1.9, 2.0])
@pytest.mark.parametrize("time_step", [0.25, pytest.param(0.1, marks=SOAK),
                                       pytest.param(1 / 60, marks=SOAK)])  # fmt: skip
def test_both_arrive_in_a_corridor_that_is_open(width: float, time_step: float) -> None:
    course = watch(jam(PLACES, GOALS, walls=corridor(width), time_step=time_step), 75.0)
    assert course.statuses() == ["arrived", "arrived"]
    assert course.deepest <= 1e-3
    assert not no_room(course)
    assert {0, 1} == course.first("blocked").keys(), "told of before"


@pytest.mark.parametrize("guidance", ["straight", "path", pytest.param("flow", marks=SOAK)])
def test_both_arrive_between_two_rooms(guidance: str) -> None:
    course = watch(on(LEFT, RIGHT, passage(1.2), guidance=guidance), 75.0)
    assert course.statuses() == ["arrived", "arrived"]
    assert course.deepest <= 1e-3


def test_where_one_end_is_shut_they_change_places_at_the_other() -> None:
    """The first to try takes the other to the end that is shut: it gives up, and the other takes it to the room."""
    course = watch(on(RIGHT, passage(1.2), time_step=0.1), 100.0)
    assert course.statuses() == ["arrived", "arrived"]
    assert course.deepest <= 1e-3
    assert not no_room(course), "there was room"


@pytest.mark.parametrize("width", [1.2, 1.9, 2.0])
def test_where_there_is_no_room_they_are_told_and_stop(width: float) -> None:
    world = on(passage(width, 10.0))
    course = watch(world, 100.0)
    assert no_room(course) == [([0, 1], [1, 0])]
    assert course.deepest <= 1e-3
    assert sorted(course.statuses()) == ["arrived", "blocked"]
    assert world.column("velocity").max() == 0.0, "and rest"
    # until one of them is sent elsewhere
    world.set_agents([1], {"goal": np.array([(9.0, 0.0)])})
    world.set_agents([0], {"goal": np.array([(-9.0, 0.0)])})
    ends = watch(world, 60.0).world.column("position")[:, 0]
    assert (ends[0] < ends[1]) == (course.world.column("position")[0, 0] < course.world.column("position")[1, 0])


def test_without_backing_out_there_is_no_swap() -> None:
    world = jam(PLACES, GOALS, walls=corridor(1.2), options=options_with("detect_blocked", "courtesy"))
    course = watch(world, 60.0)
    assert course.statuses() == ["blocked", "blocked"]
    assert not world.column("swapping").any()


@pytest.mark.parametrize("stage", [1, 2, 3, 4])
def test_a_snapshot_in_the_middle_of_a_swap_goes_on_with_the_same_bits(stage: int) -> None:
    world = jam(PLACES, GOALS, walls=corridor(1.2))
    for _ in range(300):
        world.step()
        if (world.column("swapping") == stage).any():
            break
    else:
        pytest.fail("there is no such stage")
    again = Simulation(World.restore(world.snapshot())).world
    for _ in range(120):
        world.step()
        again.step()
    assert again.snapshot() == world.snapshot()
    assert (world.column("status") == 2).all()


@pytest.mark.parametrize("stage", [1, 2, 3])
def test_one_of_a_swap_may_be_removed(stage: int) -> None:
    for gone in (0, 1):
        world = jam(PLACES, GOALS, walls=corridor(1.2))
        for _ in range(300):
            world.step()
            if (world.column("swapping") == stage).any():
                break
        world.remove_agents([gone])
        course = watch(world, 30.0)
        assert world.column("swapping").tolist() == [0]
        # whoever was outside the corridor goes straight, and may not find in again
        assert course.left().max() < 0.1 or stage > 1


def test_three_in_one_closed_corridor_are_told_of() -> None:
    world = jam([(-5.0, 0.0), (5.0, 0.01), (8.0, 0.0)], [(5.0, 0.0), (-5.0, 0.0), (-2.0, 0.0)])
    side = 0.6
    ring = np.array([(-10.0, -side), (10.0, -side), (10.0, side), (-10.0, side)])
    world.add_walkable([WalkableArea(((ring,),))])
    course = watch(world, 120.0)
    assert course.deepest <= 0.1
    assert course.first("blocked")


@pytest.mark.parametrize("west", [2, pytest.param(3, marks=SOAK)])
def test_three_and_more_find_an_order(west: int) -> None:
    """Pair by pair, and whoever was pushed out of the corridor and beside it is led round its wall."""
    places = [*((-3.0 - 1.5 * k, 0.0) for k in range(west)), (3.0, 0.01)]
    goals = [*((3.0 + 1.5 * (west - 1 - k), 0.0) for k in range(west)), (-3.0, 0.0)]
    course = watch(jam(places, goals, walls=corridor(1.2), time_step=0.1), 180.0)
    assert course.left().max() < 0.1
    assert course.deepest <= 0.01
