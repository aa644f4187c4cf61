"""A crowd that is sent to one point comes to exact rest round it, and goes on when the way is free again."""

from __future__ import annotations

import numpy as np
import pytest

from orca_core import Options, World
from tests.support.jams import Course, door, follow, jam, options_with, random_places, watch


def rest(world: World, steps: int = 40) -> float:
    """The mean speed over some steps, m/s."""
    speeds = []
    for _ in range(steps):
        world.step()
        velocity = world.column("velocity")
        speeds.append(np.sqrt((velocity * velocity).sum(axis=1)).mean())
    return float(np.mean(speeds))


def gathered(count: int, time_step: float, seconds: float = 90.0, seed: int = 1, **options: bool) -> Course:
    """A crowd from anywhere, sent to the origin."""
    places = random_places(count, 6.0, seed, 1.0)
    chosen = options_with("settle_crowds") if options.get("alone") else None
    return watch(jam(places, np.zeros((count, 2)), time_step=time_step, options=chosen), seconds)


@pytest.mark.parametrize("time_step", [0.25, pytest.param(1 / 60, marks=pytest.mark.soak)])
@pytest.mark.parametrize("count", [2, 3, 5, 10, 20])
def test_a_crowd_settles(count: int, time_step: float) -> None:
    course = gathered(count, time_step)
    assert rest(course.world) == 0.0, "at rest to the bit"
    statuses = course.statuses()
    # one may have come to the very point
    assert set(statuses) <= {"arrived", "arrived-crowded"}
    assert statuses.count("arrived") <= 1
    assert course.world.column("velocity").max() == 0.0
    # nobody has given up far from the crowd
    assert course.left().max() < 1.0 + 1.25 * np.sqrt(count * 0.25 / 0.7)


def test_a_crowd_presses_by_a_share_of_what_it_walks_in_a_step() -> None:
    """The depth is the relaxation's: a shorter step or a slower crowd lessens it, and the layer does not add to it."""
    places = random_places(20, 6.0, 1, 1.0)
    depths = [
        watch(jam(places, np.zeros((20, 2)), time_step=step, max_speed=speed, options=options), 9.0 / speed).deepest
        for step, speed, options in ((0.25, 1.5, None), (0.25, 1.5, Options.text()), (0.25, 0.75, None),
                                     (1 / 60, 1.5, None))
    ]  # fmt: skip
    assert 0.1 < depths[0] <= 0.25
    assert depths[0] <= depths[1] + 1e-3
    assert depths[2] < 0.5 * depths[0]
    assert depths[3] < 2e-3


def test_without_the_option_it_mills_for_ever() -> None:
    places = random_places(20, 6.0, 1, 1.0)
    course = watch(jam(places, np.zeros((20, 2)), options=options_with()), 90.0)
    assert rest(course.world) > 0.01
    assert "arrived-crowded" not in course.statuses()


def test_the_option_alone_is_enough() -> None:
    assert rest(gathered(10, 0.25, alone=True).world) == 0.0


def test_who_comes_late_settles_at_the_rim() -> None:
    course = gathered(10, 0.25)
    places = course.world.column("position").copy()
    late = {"position": np.array([(-9.0, 0.2), (0.3, 9.0)]), "goal": np.zeros((2, 2)), "max_speed": np.full(2, 1.5)}
    course.world.add_agents(late)
    later = watch(course.world, 60.0)
    assert rest(later.world) == 0.0
    assert later.statuses()[10:] == ["arrived-crowded"] * 2
    moved = later.world.column("position")[:10] - places
    assert np.sqrt((moved * moved).sum(axis=1)).max() < 1.5, "those who rest are hardly shoved about"


def test_who_has_settled_goes_on_when_those_before_it_have_gone() -> None:
    course = gathered(5, 0.25)
    nearest = int(np.argmin(course.left()))
    course.world.remove_agents([nearest])
    later = watch(course.world, 30.0)
    assert later.left().min() < 0.3, "another one takes the place"
    # and a new order is followed at once, settled or not
    some = int(later.world.ids[0])
    later.world.set_agents([some], {"goal": np.array([(12.0, 0.0)])})
    assert later.world.agent(some)["status"] == "moving"
    assert watch(later.world, 20.0).world.agent(some)["status"] == "arrived"


def test_a_queue_before_a_door_with_one_goal_beyond_does_not_settle_there() -> None:
    count = 12
    places = random_places(count, 3.0, 2, 1.0) - [6.0, 0.0]
    ways = [[(0.2, 0.0), (9.0, 0.0)]] * count
    world = jam(places, np.tile([0.2, 0.0], (count, 1)), walls=door(1.6))
    course = watch(world, 90.0, follow(ways, near=0.6))
    assert (world.column("position")[:, 0] > 5.0).all()
    assert set(course.statuses()) <= {"arrived", "arrived-crowded"}
