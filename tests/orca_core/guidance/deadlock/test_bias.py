"""Who has waited prefers to go faster: alone enough where pressure resolves a jam, not in a stand-off."""

from __future__ import annotations

import numpy as np

from tests.support.jams import Course, corridor, door, follow, jam, options_with, random_places, watch

COUNT = 5


def through_a_door(seed: int, *names: str) -> Course:
    """Five from either side through a door of 0.8 m, who prefer half of what they could do: a minute of it."""
    left = random_places(COUNT, 2.5, seed, 0.7) - np.array([4.5, 0.0])
    right = random_places(COUNT, 2.5, seed + 10, 0.7) + np.array([4.5, 0.0])
    ends = np.array([(5.0 + 1.1 * (k % 3), 1.1 * (k // 3) - 1.6) for k in range(COUNT)])
    ways = [[(-0.4, 0.0), (0.4, 0.0), tuple(end)] for end in ends]
    ways += [[(0.4, 0.0), (-0.4, 0.0), tuple(end)] for end in ends * np.array([-1.0, 1.0])]
    speeds = {"radius": 0.25, "preferred_speed": 0.8, "max_speed": 1.6, "obstacle_horizon": 0.5, "goal_tolerance": 0.2}
    world = jam(
        np.concatenate([left, right]), [way[0] for way in ways], walls=door(0.8), time_step=0.1,
        options=options_with(*names), **speeds,
    )  # fmt: skip
    return watch(world, 60.0, follow(ways, near=0.5))


def test_it_alone_brings_crowds_through_that_stand_without_it() -> None:
    without, biased = (
        [through_a_door(seed, *names) for seed in (1, 4, 5)] for names in ((), ("bias_blocked",))
    )  # fmt: skip
    there = [sum(int((course.left() < 0.25).sum()) for course in courses) for courses in (without, biased)]
    assert there[0] <= 15, "half of thirty at the most"
    assert there[1] >= 24
    assert max(course.deepest for course in biased) <= max(course.deepest for course in without) + 1e-3


def test_whoever_has_no_velocity_but_zero_has_none_by_wanting_more() -> None:
    """The nearest point of a cone of velocities to a wish is zero for every length of it."""
    world = jam([(-3.0, 0.0), (3.0, 0.01)], [(15.0, 0.0), (-15.0, 0.0)], walls=corridor(1.2), preferred_speed=0.5,
                options=options_with("bias_blocked"))  # fmt: skip
    assert watch(world, 40.0).left().min() > 10.0
