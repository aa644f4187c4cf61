"""Corridors on walkable polygons, and agents of the same and of different radii that take turns at them."""

from __future__ import annotations

import numpy as np
import pytest

from orca_core.cooperation import COOPERATION_STATES
from orca_core.cooperative.corridor_turns import CorridorTurns
from orca_core.cooperative.polygon_corridors import identify_regions
from orca_core.cooperative.region_gate import RegionGate
from orca_core.errors import InvalidInput, SnapshotError
from orca_core.geometry.narrows import narrows
from orca_core.geometry.obstacles import Obstacle
from orca_core.geometry.walkable import WalkableArea
from orca_core.options import Options
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
    world = World(time_step=0.1, options=Options.from_mapping({"profile": "text", "corridor_turns": gate}))
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
    return world, gate_of(world)


def gate_of(world: World) -> RegionGate | None:
    """The turns of a world that has them."""
    return next(guide for guide in world.guides if isinstance(guide, CorridorTurns)).gate


def drifted(world: World, steps: int) -> list[set[int]]:
    """Who waited at any time, and for whom; what the columns say is what the gate says."""
    waited, whom = set(), set()
    for _ in range(steps):
        world.step()
        gate = gate_of(world)
        assert gate is not None
        drift = world.column("cooperation") == COOPERATION_STATES.index("drift")
        assert np.array_equal(drift, gate.waits_at >= 0)
        assert (world.column("waits_for")[~drift] == -1).all()
        waited |= set(world.ids[drift].tolist())
        whom |= set(world.column("waits_for")[drift].tolist())
    return [waited, whom]


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
    there, gap = walked(world, 660)
    # and of few, who get through, some have been pressed into each other
    assert there < count or gap < -0.02
    world, layer = crowd([0.3] * count, gate=True)
    assert layer is not None
    there, gap = walked(world, 900)
    assert there == count
    # the walls of the text give way by what a step is long, the agents do not
    assert gap > -0.002


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
    there, gap = walked(world, 400)
    assert there == 4
    assert gap > -0.002
    world, _ = crowd(radii, gate=False)
    assert walked(world, 400)[0] < 4


def test_two_small_ones_that_meet_wait_for_nobody_though_there_are_large_ones() -> None:
    world, layer = crowd([0.4, 0.15, 0.4, 0.15], gate=True)
    assert layer is not None
    # the large ones stay where they are
    world.set_agents(world.ids[[0, 2]], {"goal": world.column("position")[[0, 2]]})
    assert drifted(world, 260) == [set(), set()]
    goal, position = world.population.state["goal"][[1, 3]], world.column("position")[[1, 3]]
    assert np.abs(goal - position).max() < 0.2


def test_who_waits_for_whom_is_told() -> None:
    world, _ = crowd([0.3] * 4, gate=True)
    waited, whom = drifted(world, 400)
    # one waits at least, for one of the others, and explain says the same of the coming step
    assert waited <= {0, 1, 2, 3} >= whom - {-1}
    assert waited
    assert whom - {-1}


def test_who_comes_and_who_goes_is_known_and_looking_changes_nothing() -> None:
    digests = []
    for looks in (False, True):
        world, _ = crowd([0.3] * 6, gate=True)
        world.step(80)
        world.remove_agents(world.ids[:2])
        if looks:
            world.explain(4)
        world.add_agents({"position": [[2.0, 5.0]], "goal": [[16.0, 5.0]], "radius": [0.3], "guidance": ["path"]})
        wall = world.add_obstacles([Obstacle(points=np.array([(9.0, 2.5), (9.0, 3.5)]), closed=False)]).ids
        if looks:
            world.explain(4)
        world.remove_obstacle(int(wall[0]))
        world.step(80)
        layer = gate_of(world)
        assert layer is not None
        assert len(layer.inside) == len(layer.waits_at) == world.agent_count == 5
        digests.append(world.snapshot())
    assert digests[0] == digests[1]


def test_a_world_that_is_brought_back_goes_on_with_the_same_bits() -> None:
    world, _ = crowd([0.3] * 6, gate=True)
    # before the first step, in the midst of it, and with other ground that nobody has looked at yet
    door = Obstacle(points=np.array([(9.0, 2.4), (9.0, 3.6)]), closed=False)
    for steps in (0, 90, 60):
        world.step(steps)
        if steps == 60:
            world.add_obstacles([door])
        other = World.restore(world.snapshot())
        Simulation(other)
        assert other.snapshot() == world.snapshot()
        for _ in range(40):
            world.step()
            other.step()
        assert other.snapshot() == world.snapshot()


def test_corridors_are_found_anew_where_the_ground_or_the_radii_are_others() -> None:
    world, layer = crowd([0.3] * 4, gate=True)

    def count() -> int:
        world.step()
        gate = gate_of(world)
        assert gate is not None
        return gate.corridors.count

    assert count() == 1
    assert gate_of(world) is layer
    # what decides nothing changes nothing: another goal, and a third agent as large as the others
    world.set_agents([0], {"goal": [[16.0, 1.0]]})
    world.add_agents({"position": [[5.0, 5.5]], "radius": [0.3]})
    assert count() == 1
    assert gate_of(world) is layer
    # small ones pass each other, and large ones among them do not
    world.set_agents(world.ids, {"radius": np.full(5, 0.2)})
    assert count() == 0
    assert (world.column("waits_for") == -1).all()
    world.set_agents([2], {"radius": [0.4]})
    assert count() == 1
    # a door that is shut leaves two dead ends, and one that stands open leaves a corridor
    (door,) = world.add_obstacles([Obstacle(points=np.array([(9.0, 2.4), (9.0, 3.6)]), closed=False)]).ids.tolist()
    assert count() == 0
    world.open_obstacles([door])
    assert count() == 1
    (area,) = world.walkable()
    world.set_walkable(int(area.id or 0), two_rooms(2.0))
    assert count() == 0


def test_a_margin_is_an_option() -> None:
    for margin, corridors in ((0.0, 0), (0.1, 1)):
        world, _ = crowd([0.3] * 4, gate=True, width=1.25)
        options = {**world.options.as_mapping(), "corridor_margin": margin}
        other = World(time_step=0.1, options=Options.from_mapping(options))
        other.add_walkable(world.walkable())
        other.add_agents({"position": world.column("position"), "radius": [0.3] * 4})
        Simulation(other)
        gate = gate_of(other)
        assert gate is not None
        assert gate.corridors.count == corridors


def test_what_is_no_option_is_refused_by_name() -> None:
    for wrong in ({"corridor_turns": 1}, {"corridor_margin": -0.1}, {"corridor_margin": True}):
        with pytest.raises(InvalidInput, match=f"options.{next(iter(wrong))}"):
            Options.from_mapping(wrong)
    both = {"corridor_turns": True, "cooperation": {"variant": "corca"}}
    with pytest.raises(InvalidInput, match="corridor_turns: must be false in a world with guidance"):
        Options.from_mapping(both)


def test_a_snapshot_whose_corridors_do_not_agree_is_refused() -> None:
    world, _ = crowd([0.3] * 4, gate=True)
    world.step(5)
    kept = dict(next(guide for guide in world.guides if isinstance(guide, CorridorTurns)).kept())
    for name, wrong in (
        ("inside", np.full(4, 1, np.int64)),
        ("waits_at", np.full(3, -1, np.int64)),
        ("corridors_first", np.array([0, 3], np.int64)),
        ("corridors_inward", np.zeros((1, 2))),
    ):
        with pytest.raises(SnapshotError, match="corridors"):
            CorridorTurns.of(world, {**kept, name: wrong})
    assert CorridorTurns.of(world, kept).kept().keys() == kept.keys()
