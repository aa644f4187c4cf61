"""Groups that keep together: nearer to each other on the way than without, all arrive, and nobody else knows."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from orca_core import Options, World
from orca_core.kernels.together import PULL, ROOM
from orca_core.simulation import Simulation
from tests.support.worlds import PROFILES, agents, world_of

profiles = pytest.mark.parametrize("options", PROFILES.values(), ids=PROFILES)

Floats = NDArray[np.float64]


def wishes(world: World) -> Floats:
    """What everybody wants in the coming step (n, 2)."""
    return np.array([world.explain(identifier)["preferred_velocity"] for identifier in world.ids])


def pulled(world: World, row: int, wish: tuple[float, float], members: list[int]) -> tuple[float, float]:
    """What the rule makes of the wish of the agent at `row`, in plain Python."""
    places = world.column("position")[members].tolist()
    count = len(members)
    middle_x, middle_y = (sum(place[axis] for place in places) / count for axis in (0, 1))
    room = ROOM * (sum(world.column("radius")[members].tolist()) / count) * math.sqrt(count)
    x, y = world.column("position")[row].tolist()
    away = math.hypot(middle_x - x, middle_y - y)
    speed = math.hypot(*wish)
    pull = PULL * speed * min(max((away - room) / room, 0.0), 1.0)
    return wish[0] + (middle_x - x) / away * pull, wish[1] + (middle_y - y) / away * pull


def party(options: Options, mode: str, **columns: object) -> World:
    """Two groups of four, far spread along the way to their goals on the right, and two who belong to nobody."""
    places = np.array([(1.9 * row, 2.3 * (row * 7 % 5)) for row in range(10)])
    goals = places + np.array([60.0, 0.0])
    world = world_of(places, options=options, time_step=0.1, goal=goals, max_speed=1.5,
                     preferred_speed=1.2, group=np.array([1, 2, 1, 2, 0, 1, 2, 1, 2, 0]),
                     group_mode=np.full(10, mode), **columns)  # fmt: skip
    Simulation(world)
    return world


def spread(world: World) -> float:
    """The mean distance of members from the middle of their group."""
    position, group = world.column("position"), world.column("group")
    found = []
    for number in (1, 2):
        members = position[group == number]
        found += np.hypot(*(members - members.mean(axis=0)).T).tolist()
    return float(np.mean(found))


def test_a_wish_is_turned_by_the_rule() -> None:
    world = party(Options.text(), "together")
    group = world.column("group")
    for row, wish in enumerate(wishes(world)):
        wanted = (1.2, 0.0)
        if group[row]:
            wanted = pulled(world, row, wanted, np.flatnonzero(group == group[row]).tolist())
        assert wish.tolist() == pytest.approx(wanted, abs=1e-9)


@profiles
def test_members_keep_together_and_all_arrive(options: Options) -> None:
    apart, together = party(options, "none"), party(options, "together")
    for world in (apart, together):
        world.step(200)
    assert spread(together) < 0.6 * spread(apart)
    together.step(900)
    assert {together.agent(identifier)["status"] for identifier in together.ids} == {"arrived"}


@profiles
def test_nobody_is_pulled_where_nobody_asked(options: Options) -> None:
    for mode in ("none", "ignore"):
        world, alone = party(options, mode), party(options, mode)
        alone.guides = []
        world.step(40)
        alone.step(40)
        assert world.digest() == alone.digest()


@profiles
def test_who_is_near_enough_keeps_its_bits(options: Options) -> None:
    """Side by side, within the room of the group: the step is the one without a group."""
    places = [(0.0, 0.0), (0.0, 1.2), (1.2, 0.0), (1.2, 1.2)]
    world = world_of(places, options=options, preferred_velocity=(1.0, 0.1), group=3,
                     group_mode=np.full(4, "together"))  # fmt: skip
    Simulation(world)
    plain = world_of(places, options=options, preferred_velocity=(1.0, 0.1))
    world.step(40)
    plain.step(40)
    assert world.digest() == plain.digest()


def test_one_alone_in_its_group_and_one_that_wants_nothing() -> None:
    world = world_of([(0.0, 0.0), (9.0, 0.0), (30.0, 0.0)],
                     preferred_velocity=np.array([(1.0, 0.0), (0.0, 0.0), (1.0, 0.0)]),
                     group=np.array([4, 4, 5]), group_mode=np.full(3, "together"))  # fmt: skip
    Simulation(world)
    found = wishes(world)
    # toward its fellow, who stands; who is alone is its own middle
    assert found[0, 0] > 1.0
    assert found[1:].tolist() == [[0.0, 0.0], [1.0, 0.0]]


def test_opposite_goals_do_not_hold_anybody_back_for_ever() -> None:
    world = world_of([(0.0, 0.0), (1.5, 0.0)], goal=np.array([(-30.0, 0.0), (31.5, 0.0)]), group=1,
                     group_mode=np.full(2, "together"))  # fmt: skip
    Simulation(world)
    events = world.step(300).events
    assert sorted(identifier for event in events for identifier in event.ids) == [0, 1]
    assert {event.kind for event in events} == {"arrived"}


@pytest.mark.parametrize("wish", [(1e200, 0.0), (1e300, -1e300), (5e-324, 0.0)])
@profiles
def test_wishes_of_any_size(options: Options, wish: tuple[float, float]) -> None:
    world = world_of([(0.0, 0.0), (9.0, 3.0)], options=options, preferred_velocity=wish, group=1,
                     group_mode=np.full(2, "together"))  # fmt: skip
    Simulation(world)
    world.step(3)
    assert np.isfinite(world.column("position")).all()


@pytest.mark.parametrize("split", [[], [1], [0, 1, 2]])
def test_same_bits_for_every_split_and_after_a_snapshot(split: list[int]) -> None:
    worlds = [party(Options.service(), "together") for _ in range(2)]
    for _ in range(30):
        worlds[0].step()
        worlds[1].step(split=split)
    assert worlds[0].digest() == worlds[1].digest()
    restored = World.restore(worlds[0].snapshot())
    Simulation(restored)
    restored.step(30)
    worlds[0].step(30)
    assert restored.digest() == worlds[0].digest()


def test_a_change_of_group_is_seen_at_once() -> None:
    world = party(Options.text(), "together")
    before = wishes(world)
    world.set_agents(world.ids, {"group_mode": np.full(10, "none")})
    assert (wishes(world) == [1.2, 0.0]).all()
    world.set_agents(world.ids, {"group_mode": np.full(10, "together")})
    assert (wishes(world) == before).all()
    world.remove_agents([0, 2])
    world.add_agents(agents([(80.0, 0.0)], group=2, group_mode=np.full(1, "together"), preferred_velocity=(1.0, 0.0)))
    world.step(5)
    assert (wishes(world) != [1.2, 0.0]).any()
