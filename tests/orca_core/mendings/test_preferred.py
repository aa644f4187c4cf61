"""Preferred velocities of any finite size, goals that are reached in one step or stood on, and places far out."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from orca_core import Options
from tests.support.worlds import PROFILES, world_of

UNCLAMPED = replace(Options.service(), clamp_preferred_velocity=False)
# beyond this a square overflows
HUGE = [(1e154, 1e154), (1e200, 0.0), (1e308, 1e308), (-1.7976931348623157e308, 0.0), (0.0, -1e160), (-3e307, 4e307)]


@pytest.mark.parametrize("preferred", HUGE)
def test_a_huge_preferred_velocity_is_clamped_in_its_direction(preferred: tuple[float, float]) -> None:
    world = world_of([(0.0, 0.0)], preferred_velocity=preferred)
    world.step()
    x, y = world.column("velocity")[0].tolist()
    assert abs(math.hypot(x, y) - 1.5) <= math.ulp(1.5)
    largest = max(map(abs, preferred))
    assert x * (preferred[1] / largest) == pytest.approx(y * (preferred[0] / largest), abs=1e-15)
    assert x * (preferred[0] / largest) + y * (preferred[1] / largest) > 0.0


def test_any_size_and_direction_gets_the_maximum_speed() -> None:
    generator = np.random.default_rng(1)
    angle = generator.uniform(0.0, 2.0 * np.pi, 500)
    size = 10.0 ** generator.uniform(0.5, 307.0, 500)
    wanted = np.stack([np.cos(angle), np.sin(angle)], axis=1) * size[:, None]
    world = world_of(np.zeros((500, 2)), preferred_velocity=wanted, max_neighbors=0)
    world.step()
    speed = np.hypot(*world.column("velocity").T)
    assert np.abs(speed - 1.5).max() <= 3.0 * math.ulp(1.5)
    assert np.abs(world.column("velocity") / 1.5 - wanted / size[:, None]).max() < 1e-14


@pytest.mark.parametrize("preferred", [(5e-324, 0.0), (-1e-310, 1e-300), (0.0, 0.0), (-0.0, 0.0)])
def test_a_tiny_preferred_velocity_is_taken_as_it_is(preferred: tuple[float, float]) -> None:
    world = world_of([(0.0, 0.0)], preferred_velocity=preferred)
    world.step()
    assert tuple(world.column("velocity")[0].tolist()) == preferred


@pytest.mark.parametrize("size", [1e-3, 1.0, 1.6, 1e10, 1e70])
def test_what_overflows_nowhere_keeps_the_bits_of_the_text(size: float) -> None:
    generator = np.random.default_rng(2)
    places, wanted = generator.uniform(-4.0, 4.0, (20, 2)), generator.normal(0.0, 1.0, (20, 2)) * size
    worlds = [world_of(places, preferred_velocity=wanted, options=options) for options in PROFILES.values()]
    for world in worlds:
        world.step(10)
    assert worlds[0].digest() == worlds[1].digest()


def test_without_the_option_a_huge_preferred_velocity_stands() -> None:
    world = world_of([(0.0, 0.0)], preferred_velocity=(1e200, 0.0), options=UNCLAMPED)
    world.step()
    assert world.column("velocity")[0].tolist() == [0.0, 0.0]


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("offset", [(0.0, 0.0), (1e-320, 0.0), (0.0, -5e-324)])
def test_who_stands_on_his_goal_has_arrived_at_the_first_step(profile: str, offset: tuple[float, float]) -> None:
    for place in ((3.0, 4.0), (0.0, 0.0)):
        world = world_of([place], goal=np.add(place, offset), options=PROFILES[profile])
        events = world.step().events
        assert [(event.kind, event.ids) for event in events] == [("arrived", [0])]
        assert world.step(9).events == []
        assert world.column("position")[0].tolist() == list(place)
        assert world.column("velocity")[0].tolist() == [0.0, 0.0]
        assert world.agent(0)["status"] == "arrived"


@pytest.mark.parametrize("profile", PROFILES)
def test_a_near_goal_is_reached_in_one_step_and_kept(profile: str) -> None:
    world = world_of([(0.0, 0.0)], goal=(0.1, 0.0), preferred_speed=1.0, options=PROFILES[profile])
    world.step()
    x = world.column("position")[0, 0]
    assert 0.1 - 1e-9 <= x <= 0.1
    for _ in range(100):
        world.step()
        assert world.column("velocity")[0].tolist() == [0.0, 0.0]
        assert world.column("position")[0, 0] == x
    # clearing leaves nothing of the order
    world.set_agents([0], {}, cleared={"goal": np.array([True])})
    assert world.agent(0)["goal"] is None
    assert world.agent(0)["preferred_velocity"] == [0.0, 0.0]
    world.step()
    assert world.column("position")[0, 0] == x


def test_the_way_to_a_goal_never_overshoots() -> None:
    generator = np.random.default_rng(3)
    goals = generator.normal(0.0, 3.0, (200, 2))
    world = world_of(np.zeros((200, 2)), goal=goals, preferred_speed=1.0, max_neighbors=0)
    distance = np.hypot(*goals.T)
    while (world.column("status") != 2).any():
        world.step()
        left = np.hypot(*(goals - world.column("position")).T)
        assert (left < distance).any()
        assert (left <= distance).all()
        assert ((goals - world.column("position")) * goals).sum(axis=1).min() >= -1e-9
        distance = left
        assert world.step_count < 100
    assert distance.max() <= 1e-9


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("origin", [1e3, 1e6, 1e9 - 8.0, -1e9 + 8.0])
def test_a_crowd_far_from_the_origin_behaves_as_one_at_it(origin: float, profile: str) -> None:
    """Two cross; what differs is no more than the spacing of doubles there explains."""
    places, wanted = np.array([(-3.0, 0.1), (3.0, -0.1)]), np.array([[1.0, 0.0], [-1.0, 0.0]])
    near, far = (
        world_of(places + np.array([at, 0.0]), preferred_velocity=wanted, options=PROFILES[profile])
        for at in (0.0, origin)
    )
    near.step(20)
    far.step(20)
    offset = far.column("position") - [origin, 0.0]
    assert np.abs(offset - near.column("position")).max() <= 40.0 * np.spacing(abs(origin))


@pytest.mark.parametrize("origin", [(1e9, 1e9), (-1e9, 1e9)])
def test_the_corner_of_the_permitted_world_is_as_good_a_place(origin: tuple[float, float]) -> None:
    inward = -np.sign(origin)
    places = np.array([origin + inward * [1.0, 1.0], origin + inward * [7.0, 1.25]])
    world = world_of(places, goal=places[::-1].copy(), preferred_speed=1.0)
    world.step(60)
    assert np.abs(world.column("position") - places[::-1]).max() < 0.1
