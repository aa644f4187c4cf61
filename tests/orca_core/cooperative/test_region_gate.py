"""Corridors on walkable polygons, and agents of the same and of different radii that take turns at them."""

from __future__ import annotations

import numpy as np
import pytest

from orca_core.cooperative.polygon_corridors import identify_regions
from orca_core.cooperative.region_gate import RegionGate
from orca_core.geometry.narrows import narrows
from orca_core.geometry.obstacles import Obstacle
from orca_core.geometry.walkable import WalkableArea
from orca_core.simulation import Simulation
from orca_core.world import World


def two_rooms(width: float = 1.0) -> WalkableArea:
    """Two rooms of 6 by 6 with a corridor of length 6 between their middles."""
    low, high = 3.0 - 0.5 * width, 3.0 + 0.5 * width
    left = [(0, 0), (6, 0), (6, low), (12, low), (12, 0), (18, 0)]
    right = [(18, 6), (12, 6), (12, high), (6, high), (6, 6), (0, 6)]
    return WalkableArea(polygons=((np.array(left + right, np.float64),),))


def crowd(radii: list[float], *, gate: bool, width: float = 1.0) -> tuple[World, RegionGate | None]:
    """Half of them in each room, bound for where somebody of the other half is; the others beside each other."""
    count = len(radii) // 2
    west = [(1.0 + 1.3 * (k // 4), 1.0 + 1.3 * (k % 4)) for k in range(count)]
    east = [(18.0 - x, y) for x, y in west]
    world = World(time_step=0.1)
    world.add_walkable([two_rooms(width)])
    world.add_agents(
        {
            "position": west + east,
            "goal": east + west,
            "radius": radii,
            "max_speed": np.full(len(radii), 1.0),
            "goal_tolerance": np.full(len(radii), 0.1),
            "guidance": ["path"] * len(radii),
        }
    )
    Simulation(world)
    if not gate:
        return world, None
    layer = RegionGate(world)
    # behind who finds ways
    world.guides.insert(2, layer)
    return world, layer


def walked(world: World, steps: int) -> tuple[int, float]:
    """How many arrive in so many steps, and the least gap between two."""
    radius = world.column("radius")
    together = radius[:, None] + radius
    gap, there = np.inf, np.zeros(len(radius), np.bool_)
    for _ in range(steps):
        world.step()
        position = world.column("position")
        away = position[:, None] - position
        gap = min(gap, float((np.sqrt((away * away).sum(axis=2)) - together + 9.0 * np.eye(len(radius))).min()))
        left = position - world.population.state["goal"]
        there = (left * left).sum(axis=1) < 0.15**2
        if there.all():
            break
    return int(there.sum()), gap


def test_what_is_narrow_between_two_wide_places_is_a_corridor() -> None:
    found = narrows([two_rooms()], [], 0.3, 0.6)
    assert len(found) == 1
    corridor = found[0]
    assert corridor.width == pytest.approx(1.0, abs=1e-3)
    assert corridor.inward.round(3).tolist() == [[1.0, 0.0], [-1.0, 0.0]]
    # entered where the larger disc can be no more, just inside the rooms
    assert 5.5 < corridor.mouths[0, 0] < 6.0
    assert 12.0 < corridor.mouths[1, 0] < 12.5


@pytest.mark.parametrize(
    ("radius", "pair", "margin", "width"),
    [(0.2, 0.4, 0.0, 1.0), (0.3, 0.49, 0.0, 1.0), (0.6, 1.2, 0.0, 1.0), (0.3, 0.6, 0.0, 1.25)],
    ids=["both-fit", "just", "nobody-fits", "wider"],
)
def test_where_two_pass_or_nobody_does_there_is_none(radius: float, pair: float, margin: float, width: float) -> None:
    assert narrows([two_rooms(width)], [], radius, pair, margin) == []


def test_a_margin_makes_more_of_it_narrow_and_walls_do_too() -> None:
    assert narrows([two_rooms(1.25)], [], 0.3, 0.6) == []
    assert len(narrows([two_rooms(1.25)], [], 0.3, 0.6, margin=0.1)) == 1
    hall = WalkableArea(polygons=((np.array([(0.0, 0.0), (20.0, 0.0), (20.0, 6.0), (0.0, 6.0)]),),))
    blocks = [
        Obstacle(points=np.array(ring, np.float64), closed=True)
        for ring in (
            [(9, 0), (11, 0), (11, 2.6), (9, 2.6)],
            [(9, 3.4), (11, 3.4), (11, 6), (9, 6)],
        )
    ]
    assert narrows([hall], [], 0.3, 0.6) == []
    found = narrows([hall], blocks, 0.3, 0.6)
    assert [one.width for one in found] == [pytest.approx(0.8, abs=1e-3)]
    # a dead end is none
    assert narrows([hall], [blocks[0], Obstacle(points=np.array([(9, 3.0), (9, 6.0)]), closed=False)], 0.3, 0.6) == []


def test_points_of_a_region() -> None:
    world, _ = crowd([0.3] * 4, gate=False)
    corridors = identify_regions(world)
    assert corridors.count == 1
    points = np.array([[9.0, 3.0], [9.0, 3.15], [9.0, 3.3], [5.0, 3.0], [11.5, 3.0], [30.0, 3.0]])
    assert corridors.within(0, points).tolist() == [True, True, False, False, True, False]
    mouth, distance = corridors.nearest_mouth(0, np.array([[4.0, 3.0], [14.0, 3.0]]))
    assert mouth.tolist() == [0, 1]
    assert distance.tolist() == pytest.approx([1.92, 1.92], abs=0.02)


@pytest.mark.parametrize("count", [4, 8])
def test_agents_without_a_grid_take_turns_and_arrive(count: int) -> None:
    world, _ = crowd([0.3] * count, gate=False)
    # twice as long as it takes the few with turns
    there, _ = walked(world, 660)
    assert there < count
    world, layer = crowd([0.3] * count, gate=True)
    assert layer is not None
    there, gap = walked(world, 900)
    assert there == count
    # the walls of the text give way by what a step is long, the agents do not
    assert gap > -0.002
    assert layer.triggers > 0


def test_small_ones_pass_each_other_where_a_large_one_takes_its_turn() -> None:
    # two of 0.15 get past each other in a corridor of 1.0, one of 0.4 and anybody do not
    world, layer = crowd([0.15] * 4, gate=True)
    assert layer is not None
    assert layer.corridors.count == 0
    radii = [0.4, 0.15, 0.4, 0.15]
    world, layer = crowd(radii, gate=True)
    assert layer is not None
    corridors = layer.corridors
    assert corridors.count == 1
    assert corridors.conflict(0, 0.15, np.array([0.15, 0.4])).tolist() == [False, True]
    there, gap = walked(world, 900)
    assert there == 4
    assert gap > -0.002
    world, _ = crowd(radii, gate=False)
    assert walked(world, 600)[0] < 4


def test_two_small_ones_that_meet_wait_for_nobody_though_there_are_large_ones() -> None:
    world, layer = crowd([0.4, 0.15, 0.4, 0.15], gate=True)
    assert layer is not None
    # the large ones stay where they are
    world.set_agents(world.ids[[0, 2]], {"goal": world.column("position")[[0, 2]]})
    for _ in range(260):
        world.step()
    assert layer.triggers == 0
    goal, position = world.population.state["goal"][[1, 3]], world.column("position")[[1, 3]]
    assert np.abs(goal - position).max() < 0.2


def test_who_comes_and_who_goes_is_known() -> None:
    world, layer = crowd([0.3] * 6, gate=True)
    assert layer is not None
    for _ in range(80):
        world.step()
    world.remove_agents(world.ids[:2])
    world.add_agents({"position": [[2.0, 5.0]], "goal": [[16.0, 5.0]], "radius": [0.3], "guidance": ["path"]})
    for _ in range(80):
        world.step()
    assert len(layer.inside) == len(layer.waits_at) == world.agent_count == 5
    again = RegionGate(world)
    again.put_back(layer.kept())
    assert all(np.array_equal(array, again.kept()[name]) for name, array in layer.kept().items())
