"""Who is told of as blocked: those who wait for each other in vain, and nobody else."""

from __future__ import annotations

import numpy as np

from orca_core import Options, World
from tests.support.jams import LAYER, Course, corridor, jam, options_with, watch
from tests.support.worlds import agents, wall


def blocked(course: Course) -> dict[int, float]:
    """When each was told of."""
    return course.first("blocked")


def test_a_stand_off_is_told_of_once_with_who_and_how_long() -> None:
    world = jam([(-3.0, 0.0), (3.0, 0.01)], [(5.0, 0.0), (-5.0, 0.0)], walls=corridor(1.2),
                options=options_with("detect_blocked"))  # fmt: skip
    course = watch(world, 40.0)
    events = [event for event in course.events if event.kind == "blocked"]
    assert sum(len(event.ids) for event in events) == 2
    assert course.statuses() == ["blocked", "blocked"]
    told = {identifier: (other, waited) for event in events for identifier, other, waited in
            zip(event.ids, event.data["other"], event.data["waited"], strict=True)}  # fmt: skip
    assert {identifier: other for identifier, (other, _) in told.items()} == {0: 1, 1: 0}
    assert all(3.0 <= waited < 5.0 for _, waited in told.values())
    # a new order makes a new beginning
    world.set_agents([0], {"goal": np.array([(-8.0, 0.0)])})
    assert world.agent(0)["status"] == "moving"
    assert watch(world, 20.0).statuses() == ["arrived", "arrived"]


def test_no_false_alarm() -> None:
    """Who waits less than three seconds, stands before a wall, has arrived, or wants nothing, is not blocked."""
    options = options_with(*(name for name in LAYER if name != "replan_jams"))
    world = jam([(-1.2, 0.0), (20.0, 0.0), (30.0, 0.0), (40.0, 0.0), (41.0, 0.0)],
                [(9.0, 0.0), (20.0, 0.0), (36.0, 0.0), (40.0, 0.0), (41.0, 0.0)],
                walls=[wall((33.0, -4.0), (33.0, 4.0))], options=options)  # fmt: skip
    # one that stands in the way for two and a half seconds
    world.add_agents(agents([(0.0, 0.0)], preferred_velocity=(0.0, 0.0)))
    world.add_obstacles([wall((-2.0, 0.55), (2.0, 0.55)), wall((-2.0, -0.55), (2.0, -0.55))])
    early = watch(world, 2.5)
    assert not blocked(early)
    world.set_agents([5], {"goal": np.array([(9.0, 3.0)])})
    course = watch(world, 30.0)
    assert not blocked(course)
    assert world.agent(2)["status"] == "stalled", "a wall is in the way, nobody is, and nobody leads it round"


def test_a_queue_that_moves_is_not_blocked() -> None:
    """Ten in a row behind one that walks slowly: they wait for it, and it is on its way."""
    world = jam([(-1.1 * k, 0.0) for k in range(10)], [(14.0, 0.0)] * 10, walls=corridor(1.2, end=30.0),
                options=options_with("detect_blocked"))  # fmt: skip
    world.set_agents([0], {"preferred_speed": np.array([0.2])})
    course = watch(world, 30.0)
    assert world.column("waiting").max() > 12, "they do wait"
    assert not blocked(course)


def test_who_stands_behind_a_thin_wall_is_not_in_the_way() -> None:
    world = jam([(0.0, 0.55), (0.0, -0.55)], [(0.0, -9.0), (0.0, 9.0)], walls=[wall((-9.0, 0.0), (9.0, 0.0))],
                options=options_with("detect_blocked", "courtesy", "back_out"))  # fmt: skip
    course = watch(world, 20.0)
    assert course.statuses() == ["stalled", "stalled"]
    assert not blocked(course)
    assert (world.column("yielding") == 0).all()


def test_who_is_off_is_off() -> None:
    world = World(time_step=0.25, options=Options.text())
    assert not any(getattr(world.options, name) for name in ("courtesy", "back_out", "settle_crowds", "bias_blocked"))
