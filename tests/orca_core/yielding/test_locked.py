"""Locked agents go on at exactly their velocity, whatever is around them, and the others make all the way."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from orca_core import Obstacle, Options, WalkableArea, World
from tests.support.worlds import PROFILES, agents, box, least_gap, wall, world_of

profiles = pytest.mark.parametrize("options", PROFILES.values(), ids=PROFILES)


def track(world: World, identifier: int, steps: int) -> bytes:
    """The bits of the places and velocities of an agent over some steps."""
    found = b""
    for _ in range(steps):
        world.step()
        row = int(world.index_of([identifier])[0])
        found += world.column("position")[row].tobytes() + world.column("velocity")[row].tobytes()
    return found


def encounter(options: Options, **columns: Any) -> World:
    """One who comes from the left at (1, 0), and one who wants left at (-1, 0), a little aside of head-on."""
    return world_of(
        [(-5.0, 0.05), (5.0, 0.0)],
        options=options,
        velocity=np.array([(1.0, 0.0), (0.0, 0.0)]),
        preferred_velocity=np.array([(1.0, 0.0), (-1.0, 0.0)]),
        **columns,
    )


@profiles
@pytest.mark.parametrize("dt", [0.25, 0.1, 1.0 / 60.0])
def test_the_other_takes_the_whole(options: Options, dt: float) -> None:
    world = World(time_step=dt, options=options)
    places = [(-5.0, 0.05), (5.0, 0.0)]
    wishes = np.array([(0.0, 0.0), (-1.0, 0.0)])
    columns = agents(places, velocity=np.array([(1.0, 0.0), (0.0, 0.0)]), preferred_velocity=wishes)
    world.add_agents({**columns, "locked": [True, False]})
    x = -5.0
    gap = np.inf
    for _ in range(round(12.0 / dt)):
        world.step()
        # exactly as commanded: a running sum of its own
        x += 1.0 * dt
        assert world.column("position")[0].tolist() == [x, 0.05]
        gap = min(gap, least_gap(world))
    assert 1.0 - 1e-6 <= gap < 1.2
    assert world.column("position")[1, 0] < -4.0


def geometry(world: World) -> None:
    """Walls and a walkable area right across the way."""
    world.add_obstacles([wall((0.0, -9.0), (0.0, 9.0)), box(2.0, -1.0, 4.0, 1.0)])
    world.add_walkable([WalkableArea(((np.array([(-6, -6), (-2, -6), (-2, 6), (-6, 6)]),),))])


@profiles
@pytest.mark.parametrize("with_walls", [False, True])
def test_it_has_the_bits_it_has_alone(options: Options, with_walls: bool) -> None:
    generator = np.random.default_rng(4)
    places = generator.uniform(-6.0, 6.0, (40, 2))
    locked = {**agents([(-5.3, 0.07)], velocity=(1.7, 0.013), goal=(5.0, 0.0)), "locked": [True], "id": [900]}
    alone = World(time_step=0.1, options=Options.text())
    alone.add_agents(locked)
    wanted = track(alone, 900, 80)
    crowd = World(time_step=0.1, options=options)
    if with_walls:
        geometry(crowd)
    crowd.add_agents({**agents(places, goal=-places), "id": np.arange(40)})
    crowd.add_agents(locked)
    assert track(crowd, 900, 80) == wanted
    # and the order of addition is nothing
    other = World(time_step=0.1, options=options)
    other.add_agents(locked)
    other.add_agents({**agents(places, goal=-places), "id": np.arange(40)})
    assert track(other, 900, 80) == wanted


@pytest.mark.parametrize("y", [0.0, 0.05])
@profiles
def test_an_idle_one_is_not_moved_at_all(options: Options, y: float) -> None:
    world = world_of([(-4.0, y), (0.0, 0.0)], options=options,
                     preferred_velocity=np.array([(1.0, 0.0), (0.0, 0.0)]), locked=np.array([False, True]))  # fmt: skip
    gap = np.inf
    for _ in range(60):
        world.step()
        gap = min(gap, least_gap(world))
        assert world.column("position")[1].tolist() == [0.0, 0.0]
        assert world.column("velocity")[1].tolist() == [0.0, 0.0]
    assert gap >= 1.0 - 1e-6
    if y or options.break_symmetry:
        # it gets past, exactly head-on too where symmetries are broken
        assert world.column("position")[0, 0] > 3.0


def test_without_lock_it_is_pushed_as_documented() -> None:
    world = world_of([(-4.0, 0.05), (0.0, 0.0)], options=Options.text(),
                     preferred_velocity=np.array([(1.0, 0.0), (0.0, 0.0)]))  # fmt: skip
    world.step(60)
    assert 0.4 < float(np.hypot(*world.column("position")[1])) < 1.0


def test_one_that_comes_exactly_head_on_is_passed() -> None:
    world = world_of([(-5.0, 0.0), (5.0, 0.0)], velocity=np.array([(1.0, 0.0), (0.0, 0.0)]),
                     goal=np.array([(9.0, 0.0), (-5.0, 0.0)]), locked=np.array([True, False]))  # fmt: skip
    gap = np.inf
    for _ in range(80):
        world.step()
        gap = min(gap, least_gap(world))
    assert gap >= 1.0 - 1e-6
    assert world.agent(1)["status"] == "arrived"


def test_who_follows_a_locked_one_turns_nowhere() -> None:
    world = world_of([(-2.0, 0.0), (0.0, 0.0)], velocity=np.array([(0.0, 0.0), (0.5, 0.0)]),
                     preferred_velocity=(1.0, 0.0), locked=np.array([False, True]))  # fmt: skip
    world.step(60)
    assert world.column("position")[0, 1] == 0.0
    assert least_gap(world) >= 1.0 - 1e-6


def test_the_client_drives_it() -> None:
    """A place and a velocity every step, as from a game: taken to the bit, and the others know of it at once."""
    world = world_of([(0.0, 0.0), (3.0, 0.0)], preferred_velocity=(0.0, 0.0), locked=np.array([True, False]))
    for turn in range(40):
        angle = 0.1 * turn
        place, velocity = (3.0 * np.sin(angle), 0.3), (3.0 * np.cos(angle), 0.0)
        world.set_agents([0], {"position": [place], "velocity": [velocity]})
        world.step()
        assert world.column("velocity")[0].tolist() == list(velocity)
        expected = [place[0] + velocity[0] * 0.25, place[1] + velocity[1] * 0.25]
        assert world.column("position")[0].tolist() == expected
    assert world.column("position")[1].tolist() != [3.0, 0.0]


def test_faster_than_its_own_limit_and_than_any_list_foresees() -> None:
    """A locked one crosses the crowd at a hundred times the speed of all; everybody sees it in every step."""
    generator = np.random.default_rng(8)
    places = np.vstack([[(-60.0, 0.0)], generator.uniform(-20.0, 20.0, (60, 2))])
    velocity = np.zeros_like(places)
    velocity[0] = 60.0, 0.0
    locked = np.arange(61) == 0
    told, world = (
        world_of(places, options=Options.text(), time_step=0.1, velocity=velocity, locked=locked, time_horizon=5.0,
                 neighbor_distance=8.0)
        for _ in range(2)
    )  # fmt: skip
    for _ in range(25):
        wanted = [told.explain(identifier)["program"]["velocity"] for identifier in told.ids]
        told.step()
        world.step(split=[1, 3, 6])
        assert told.column("velocity").tolist() == wanted
        assert world.digest() == told.digest()


def test_it_stalls_never_and_unlocked_it_is_one_of_us_again() -> None:
    world = world_of([(0.0, 0.0), (9.0, 0.0)], goal=np.array([(5.0, 0.0), (9.0, 5.0)]), locked=np.array([True, False]))
    events = world.step(80).events
    assert {(event.kind, *event.ids) for event in events} == {("arrived", 1)}
    assert world.agent(0)["status"] == "moving"
    world.set_agents([0], {"locked": [False]})
    world.step(40)
    assert world.agent(0)["status"] == "arrived"


def test_unlocked_off_the_surface_it_returns_as_anybody_does() -> None:
    world = world_of([(0.0, 0.0)], velocity=(1.0, 0.0), locked=True)
    world.add_walkable([WalkableArea(((np.array([(-2, -2), (2, -2), (2, 2), (-2, 2)]),),))])
    world.step(40)
    assert world.column("position")[0].tolist() == [10.0, 0.0]
    world.set_agents([0], {"locked": [False], "velocity": [(0.0, 0.0)]})
    world.step(40)
    assert world.column("position")[0].tolist() == [1.5, 0.0]


@profiles
def test_two_on_one_spot_and_one_of_them_locked(options: Options) -> None:
    world = world_of([(0.0, 0.0), (0.0, 0.0)], options=options, locked=np.array([True, False]))
    events = world.step(40).events
    assert world.column("position")[0].tolist() == [0.0, 0.0]
    if options.part_coincident:
        assert least_gap(world) >= 1.0 - 1e-6
    # told of the one that has to leave
    assert [(event.kind, event.ids, event.data["other"]) for event in events] == [("overlap", [1], [0])]


def test_two_locked_ones_go_through_each_other_in_silence() -> None:
    world = world_of([(-2.0, 0.0), (2.0, 0.0)], velocity=np.array([(1.0, 0.0), (-1.0, 0.0)]), locked=True)
    assert world.step(40).events == []
    assert world.column("position").tolist() == [[8.0, 0.0], [-8.0, 0.0]]


def test_a_door_leaf_of_locked_agents_lets_nobody_through() -> None:
    """Externally driven bodies side by side are a wall that moves."""
    leaf = [(0.0, -2.0 + 0.5 * k) for k in range(9)]
    world = world_of([*leaf, (-3.0, 0.1)], preferred_velocity=np.array([*[(0.0, 0.0)] * 9, (1.0, 0.0)]),
                     locked=np.array([*[True] * 9, False]), radius=0.4)  # fmt: skip
    world.add_obstacles([Obstacle([(0.0, -9.0), (0.0, -2.0)]), Obstacle([(0.0, 2.0), (0.0, 9.0)])])
    world.step(60)
    assert world.column("position")[9, 0] < -0.7
    world.set_agents(list(range(9)), {"velocity": np.tile([(0.0, 1.0)], (9, 1))})
    world.step(60)
    assert world.column("position")[9, 0] > 1.0
