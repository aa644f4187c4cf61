"""No displacement crosses a wall, and walls come, go, lie in pieces or under an agent as anybody would want them."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
import shapely

from orca_core import Options
from tests.support.worlds import PROFILES, agents, box, brute_velocities, least_gap, wall, world_of

LEAKY = replace(Options.service(), stop_at_walls=False)
FAST = [
    (10.0, 0.5, 1.0),
    (20.0, 0.1, 1.0),
    (1.5, 0.1, 0.25),
    (1000.0, 1e-6, 100.0),
    (1e9, 1e-6, 10.0),
    (3.0, 1e-6, 0.1),
]


@pytest.mark.parametrize(("max_speed", "horizon", "time_step"), FAST)
def test_a_fast_agent_stops_before_the_wall(max_speed: float, horizon: float, time_step: float) -> None:
    for toward in (1.0, -1.0):
        world = world_of(
            [(0.0, 0.0)], time_step=time_step, walls=[wall((3.0 * toward, -5.0), (3.0 * toward, 5.0))],
            max_speed=max_speed, obstacle_horizon=horizon, preferred_velocity=(max_speed * toward, 0.0),
        )  # fmt: skip
        for _ in range(12):
            world.step()
            assert world.column("position")[0, 0] * toward <= 2.5 + 1e-6
        assert world.column("position")[0, 0] * toward >= 2.0, "it does get to the wall"


@pytest.mark.parametrize(("max_speed", "horizon", "time_step"), FAST[:2])
def test_without_the_option_it_flies_through(max_speed: float, horizon: float, time_step: float) -> None:
    for options in (LEAKY, Options.text()):
        world = world_of(
            [(0.0, 0.0)], time_step=time_step, walls=[wall((3.0, -5.0), (3.0, 5.0))], options=options,
            max_speed=max_speed, obstacle_horizon=horizon, preferred_velocity=(max_speed, 0.0),
        )  # fmt: skip
        world.step(12)
        assert world.column("position")[0, 0] > 100.0


def test_a_crowd_with_short_sight_stays_in_its_box() -> None:
    generator = np.random.default_rng(1)
    places = generator.uniform(-4.0, 4.0, (40, 2))
    world = world_of(
        places, time_step=1.0, walls=[box(-5.0, -5.0, 5.0, 5.0)], radius=0.2, max_speed=30.0, obstacle_horizon=1e-3,
        time_horizon=1e-3, preferred_velocity=generator.normal(0.0, 30.0, places.shape),
    )  # fmt: skip
    for _ in range(60):
        world.step()
        world.set_agents(world.ids, {"preferred_velocity": generator.normal(0.0, 30.0, places.shape)})
        assert np.abs(world.column("position")).max() < 5.0


@pytest.mark.parametrize("place", [(0.05, 0.001), (0.5, 0.0), (2.0, 0.0)])
def test_a_wedge_lets_its_agent_out_and_not_through(place: tuple[float, float]) -> None:
    world = world_of([place], walls=[wall((0.0, 0.0), (10.0, 1.0)), wall((0.0, 0.0), (10.0, -1.0))])
    for _ in range(80):
        world.step()
        x, y = world.column("position")[0]
        assert x > 0.0
        assert abs(y) < x / 10.0
    assert x == pytest.approx(5.02, abs=0.02)


def test_the_squeezed_and_the_boxed_in_stay_within() -> None:
    between = [wall((-5.0, 0.4), (5.0, 0.4)), wall((-5.0, -0.4), (5.0, -0.4))]
    world = world_of([(0.0, 0.0)], walls=between)
    world.step(40)
    assert np.abs(world.column("position")).max() < 0.4
    assert (world.column("velocity") == 0.0).all()
    inside = np.indices((3, 3)).reshape(2, -1).T * 0.6 - 0.6
    world = world_of(inside, walls=[box(-1.25, -1.25, 1.25, 1.25)])
    for _ in range(80):
        world.step()
        assert np.abs(world.column("position")).max() <= 0.75 + 1e-6
    assert least_gap(world) > 0.5


@pytest.mark.parametrize("y", [1.0, -1.0, 0.0])
@pytest.mark.parametrize(
    ("place", "ends"),
    [
        ((0.0, 0.0), ((-1.0, 0.0), (1.0, 0.0))),
        ((0.3, 0.0), ((-1.0, 0.0), (1.0, 0.0))),
        ((-1.0, 0.0), ((-1.0, 0.0), (1.0, 0.0))),
        ((1.0, 0.0), ((-1.0, 0.0), (1.0, 0.0))),
        ((0.0, 0.5), ((0.0, -1.0), (0.0, 1.0))),
        ((0.5, 0.5), ((-1.0, -1.0), (2.0, 2.0))),
    ],
)
def test_who_stands_on_a_wall_gets_off_it_on_the_same_side_whichever_way_it_was_drawn(
    place: tuple[float, float], ends: tuple[tuple[float, float], tuple[float, float]], y: float
) -> None:
    found = []
    for drawn in (ends, ends, ends[::-1]):
        world = world_of([place], walls=[wall(*drawn)], preferred_velocity=(0.0, y))
        velocity = world.explain(0)["next"]["velocity"]
        planes = brute_velocities(world)
        world.step(1)
        assert world.column("velocity")[0].tolist() == velocity == planes[0].tolist()
        world.step(2)
        assert shapely.LineString(ends).distance(shapely.Point(world.column("position")[0])) >= 0.5 - 1e-6
        found.append(world.column("position")[0].tolist())
    assert found[0] == found[1] == found[2]
    if ends == ((-1.0, 0.0), (1.0, 0.0)) and abs(place[0]) < 1.0:
        assert found[0][1] > 0.0, "whatever is preferred"


def test_in_the_text_the_direction_of_the_wall_decides() -> None:
    above, below = (
        world_of([(0.0, 0.0)], walls=[wall(*ends)], options=Options.text())
        for ends in (((-1.0, 0.0), (1.0, 0.0)), ((1.0, 0.0), (-1.0, 0.0)))
    )
    for world in (above, below):
        world.step(3)
    assert above.column("position")[0, 1] == -below.column("position")[0, 1] == pytest.approx(0.5)


def test_a_closed_box_keeps_its_agent_and_says_so() -> None:
    for size, place in ((0.3, (0.0, 0.0)), (1.0, (0.2, 0.1))):
        world = world_of([], walls=[box(-size, -size, size, size)])
        added = world.add_agents(agents([place]))
        assert "inside-obstacle" in {notice.code for notice in added.notices}
        world.step(40)
        assert np.abs(world.column("position")).max() < size


@pytest.mark.parametrize("profile", PROFILES)
def test_a_wall_acts_at_once_and_no_longer_than_it_stands(profile: str) -> None:
    world = world_of([(0.0, 0.0)], options=PROFILES[profile])
    identifier = int(world.add_obstacles([wall((-1.0, 0.1), (1.0, 0.1))]).ids[0])
    world.step(2)
    assert world.column("position")[0, 1] == pytest.approx(-0.4, abs=1e-9)
    world.step(18)
    assert world.column("position")[0, 1] == pytest.approx(-0.4, abs=1e-9)
    world.remove_obstacle(identifier)
    world.set_agents([0], {"preferred_velocity": [(0.0, 1.0)]})
    world.step(20)
    assert world.column("position")[0, 1] == pytest.approx(4.6, abs=1e-9)


def test_a_hundred_rounds_of_coming_and_going_leave_a_world_as_fresh() -> None:
    boxes = [box(4.0 * k, 3.0, 4.0 * k + 2.0, 5.0) for k in range(4)]
    walker = {"preferred_velocity": np.array([[1.0, 0.4]])}
    used, fresh = (world_of([(-2.0, 2.0)], **walker) for _ in range(2))
    ids = [int(identifier) for identifier in used.add_obstacles(boxes).ids]
    for _ in range(100):
        for identifier in ids:
            used.remove_obstacle(identifier)
        ids = [int(used.add_obstacles([one]).ids[0]) for one in reversed(boxes)][::-1]
    fresh.add_obstacles(boxes[::-1])
    assert len(used.statics().walls) == len(fresh.statics().walls) == 16
    used.step(60)
    fresh.step(60)
    assert used.digest() == fresh.digest()
    assert len(used.snapshot()) < len(fresh.snapshot()) + 20_000


@pytest.mark.parametrize(
    ("ends", "pieces", "place", "wanted", "steps"),
    [
        (((-5.0, 0.0), (15.0, 0.0)), 20, (-4.0, 0.5), (1.0, -0.2), 40),
        (((2.0, -4.0), (2.0, 4.0)), 8, (0.0, 0.2), (1.0, 0.7), 30),
        (((0.0, -3.0), (9.0, 6.0)), 36, (-1.0, 0.0), (1.2, 0.3), 40),
    ],
)
def test_a_wall_in_pieces_is_one_wall(
    ends: tuple[tuple[float, float], tuple[float, float]],
    pieces: int,
    place: tuple[float, float],
    wanted: tuple[float, float],
    steps: int,
) -> None:
    joints = np.array(ends[0]) + (np.array(ends[1]) - ends[0]) * np.linspace(0.0, 1.0, pieces + 1)[:, None]
    whole, cut, cut_for_text = (
        world_of([place], preferred_velocity=wanted, options=options)
        for options in (Options.service(), Options.service(), Options.text())
    )
    whole.add_obstacles([wall(*ends)])
    for world in (cut, cut_for_text):
        notices = world.add_obstacles([wall(tuple(a), tuple(b)) for a, b in pairwise(joints)]).notices
        if world is cut:
            assert [notice.code for notice in notices] == ["merged"]
            assert str(pieces - 1) in notices[0].message
    for world in (whole, cut, cut_for_text):
        world.step(steps)
    assert np.abs(whole.column("position") - cut.column("position")).max() <= 1e-6
    assert np.hypot(*whole.column("velocity")[0]) > 0.9, "it slides along and does not hang"
    assert np.abs(whole.column("position") - cut_for_text.column("position")).max() > 0.1, "pieces snag in the text"


@pytest.mark.parametrize("start", [0.0, 1e-6, 0.1, 1.0])
def test_a_round_pillar_is_rounded(start: float) -> None:
    angle = 2.0 * np.pi * np.arange(16) / 16
    pillar = np.stack([np.cos(angle), np.sin(angle)], axis=1) * 2.0
    world = world_of([(-6.0, start)], goal=(6.0, 0.0), preferred_speed=1.0)
    world.add_obstacles([replace(box(0.0, 0.0, 1.0, 1.0), points=pillar)])
    world.step(300)
    assert np.hypot(*(world.column("position")[0] - [6.0, 0.0])) < 0.1
