"""Storeys: what stands on one floor is in nobody's way on another, for planners, sight and steps alike."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from orca_core import Obstacle, WalkableArea, World
from orca_core.formats.movingai import parse_map
from orca_core.geometry.obstacles import ObstacleSet, stands_at
from orca_core.geometry.placed_grid import PlacedGrid
from orca_core.geometry.walkable import WalkableSet
from orca_core.guidance.grid_map import GridMapPlanner
from orca_core.guidance.navmesh import NavmeshPlanner
from orca_core.guidance.planner import Path, Planner, Unreachable
from orca_core.guidance.storeys import EVERY_HEIGHT, Storeys
from orca_core.simulation import Simulation
from tests.support.ways import clearances, guide_of, pathfinders, take, yard

GROUND, UPPER = (0.0, 2.5), (3.0, 5.5)
# across a hall of 10 m by 8 m: the gap of the lower wall is at the top, that of the upper one at the bottom
HALL = [(-5, 0), (5, 0), (5, 8), (-5, 8)]
LOWER_WALL, UPPER_WALL = [(0, -1), (0, 6)], [(0, 2), (0, 9)]
START, GOAL = (-4.0, 4.0), (4.0, 4.0)
heights = st.tuples(st.integers(-3, 9), st.integers(0, 4)).map(lambda pair: (float(pair[0]), float(sum(pair))))


def building() -> World:
    """Two storeys that share a floor plan and have a wall each."""
    world = yard(rings=[HALL], time_step=0.1)
    world.add_obstacles(
        [
            Obstacle(np.array(LOWER_WALL, float), id=1, z_range=GROUND),
            Obstacle(np.array(UPPER_WALL, float), id=2, z_range=UPPER),
        ]
    )
    return world


def two(world: World, *, guidance: int = 1, max_speed: float = 1.5) -> None:
    """One agent on each storey, on the same spot and with the same goal."""
    walkers = pathfinders([START, START], [GOAL, GOAL], radius=0.3, height=1.8, max_speed=max_speed)
    world.add_agents({**walkers, "elevation": np.array([0.0, 3.2]), "guidance": np.full(2, guidance, np.uint8)})


@given(st.lists(heights, min_size=1, max_size=6), st.lists(heights, min_size=2, max_size=6))
def test_of_one_storey_are_those_only_who_meet_the_same(ranges: list, asking: list) -> None:  # type: ignore[type-arg]
    storeys = Storeys(np.array([*ranges, EVERY_HEIGHT]))
    found = storeys.of(np.array(asking))
    assert (storeys.of(found) == found).all()
    standing = [Obstacle([], z_range=one) for one in [*ranges, None]]
    for (low, high), storey in zip(asking, found.tolist(), strict=True):
        for one in standing:
            assert stands_at(one, low, high) == stands_at(one, *storey)


def test_where_all_stands_at_every_height_there_are_no_storeys() -> None:
    assert not Storeys(np.empty((0, 2)))
    assert not Storeys(np.array([EVERY_HEIGHT, EVERY_HEIGHT]))
    assert Storeys(np.array([EVERY_HEIGHT, GROUND]))


def test_two_on_two_floors_go_round_the_wall_of_their_own() -> None:
    world = building()
    two(world)
    highest, lowest = -np.inf, np.inf
    ways = []
    for _ in range(400):
        take(world, 1)
        position = world.column("position")
        assert clearances(world, position[:1], [LOWER_WALL])[0] > 0.3 - 1e-6
        assert clearances(world, position[1:], [UPPER_WALL])[0] > 0.3 - 1e-6
        highest, lowest = max(highest, position[0, 1]), min(lowest, position[1, 1])
        if world.step_count == 20:
            ways = [guide_of(world).shown(world, agent)["path"] for agent in (0, 1)]
    assert (world.column("status") == 1).all() or np.allclose(world.column("position"), GOAL, atol=0.1)
    assert highest > 6.2
    assert lowest < 1.8
    # waypoints are at the end of each one's own wall, the second one's a lane off it, and nowhere near the other's
    assert np.allclose(ways[0][:, 1], 6.3, atol=0.15)
    assert np.allclose(ways[1][:, 1], 1.7 - 0.21, atol=0.15)


def test_a_door_on_one_floor_has_the_other_plan_nothing() -> None:
    world = building()
    two(world, max_speed=0.5)
    door = world.add_obstacles([Obstacle(np.array([(0, 6), (0, 7)], float), z_range=GROUND, open=True)]).ids[0]
    take(world, 30)
    known = guide_of(world)._followers
    asked, ways = known.asked.copy(), [known.way(0), known.way(1)]
    world.open_obstacles([door], False)
    take(world, 20)
    known = guide_of(world)._followers
    assert known.asked[0] > asked[0]
    assert known.asked[1] == asked[1]
    assert not np.array_equal(known.way(0), ways[0])
    # those that it has not passed
    left = known.way(1)
    assert 0 < len(left) <= len(ways[1])
    assert np.array_equal(left, ways[1][-len(left) :])
    # the same wall on the other floor is a change as well
    world.set_obstacle(door, Obstacle(np.array([(0, 6), (0, 7)], float), z_range=UPPER))
    before = known.asked.copy()
    take(world, 20)
    assert guide_of(world)._followers.asked[0] > before[0]


def test_who_climbs_finds_its_way_on_the_storey_it_has_come_to() -> None:
    world = building()
    world.add_obstacles([Obstacle(np.array([(0, 5), (0, 9)], float), z_range=GROUND, id=9)])
    two(world)
    take(world, 20)
    assert guide_of(world).shown(world, 0)["unreachable"]["reason"] == "disconnected"
    assert guide_of(world).shown(world, 1)["unreachable"] is None
    # a little higher on the same storey nothing is another
    asked = guide_of(world)._followers.asked.copy()
    world.set_agents([0, 1], {"elevation": [0.2, 3.3]})
    take(world, 15)
    assert (guide_of(world)._followers.asked == asked).all()
    # up there it goes on by itself, and beside the goal of the other
    world.set_agents([0], {"elevation": [3.2], "goal": [(4.0, 1.5)]})
    take(world, 1)
    world.set_agents([0], {"elevation": [0.2]})
    take(world, 20)
    assert guide_of(world).shown(world, 0)["unreachable"]["reason"] == "disconnected"
    world.set_agents([0], {"elevation": [3.2]})
    take(world, 300)
    assert np.allclose(world.column("position"), [(4.0, 1.5), GOAL], atol=0.1)


def test_a_snapshot_on_the_way_goes_on_with_the_same_bits() -> None:
    world = building()
    two(world, max_speed=0.5)
    # questions are under way, and a change has not been looked at yet
    for steps, change in ((1, None), (25, Obstacle(np.array([(2, -1), (2, 5)], float), z_range=UPPER))):
        take(world, steps)
        if change is not None:
            world.add_obstacles([change])
        saved = world.snapshot()
        other = Simulation(World.restore(saved)).world
        assert other.snapshot() == saved
        for _ in range(10):
            take(world, 7)
            take(other, 7)
            assert other.digest() == world.digest()


def test_a_flow_field_is_that_of_the_storey() -> None:
    world = building()
    two(world, guidance=2)
    take(world, 2)
    highest, lowest, saved = -np.inf, np.inf, b""
    for step in range(150):
        take(world, 1)
        position = world.column("position")
        assert clearances(world, position[:1], [LOWER_WALL])[0] > 0.3 - 1e-6
        assert clearances(world, position[1:], [UPPER_WALL])[0] > 0.3 - 1e-6
        highest, lowest = max(highest, position[0, 1]), min(lowest, position[1, 1])
        if step == 30:
            saved = world.snapshot()
    assert np.allclose(world.column("position"), GOAL, atol=0.1)
    assert highest > 6.2
    assert lowest < 1.8
    again = Simulation(World.restore(saved)).world
    assert again.snapshot() == saved
    take(again, 119)
    assert again.digest() == world.digest()


def test_a_wall_of_another_floor_hides_nobody_from_who_waits_for_him() -> None:
    # two who cannot pass each other in a corridor, and between them a wall of the floor below
    def waiting(**of_the_wall: object) -> list[int]:
        world = yard(time_step=0.1, rings=[[(-5, -0.45), (5, -0.45), (5, 0.45), (-5, 0.45)]])
        world.add_obstacles([Obstacle(np.array([(0, -1), (0, 1)], float), **of_the_wall)])  # type: ignore[arg-type]
        walkers = pathfinders([(-0.45, 0), (0.45, 0)], [(4, 0), (-4, 0)], radius=0.4, elevation=3.0, height=1.8)
        world.add_agents({**walkers, "guidance": np.zeros(2, np.uint8)})
        take(world, 45)
        blocked: list[int] = world.column("blocked_by").tolist()
        return blocked

    assert waiting(z_range=GROUND) == [1, 0]
    assert waiting(z_range=UPPER) == [-1, -1]


def planners() -> list[Planner]:
    """Both kinds of planner over a hall with a wall on each storey."""
    obstacles, walkable = ObstacleSet(), WalkableSet()
    obstacles.add(
        [
            Obstacle(np.array([(5.5, 0), (5.5, 8)], float), z_range=GROUND),
            Obstacle(np.array([(5.5, 2), (5.5, 10)], float), z_range=UPPER),
            Obstacle(np.array([(8.5, 0), (8.5, 10)], float), z_range=(20.0, 21.0)),
        ]
    )
    grid = PlacedGrid(parse_map("type octile\nheight 10\nwidth 12\nmap\n" + "............\n" * 10), 1.0, (0.0, 0.0))
    walkable.add([WalkableArea((([(0, 0), (12, 0), (12, 10), (0, 10)],),))])
    return [NavmeshPlanner(walkable, obstacles), GridMapPlanner(grid, obstacles=obstacles)]


@pytest.mark.parametrize("planner", planners(), ids=["mesh", "grid"])
def test_a_planner_answers_for_the_heights_of_who_asks(planner: Planner) -> None:
    def way(low: float, high: float) -> Path | Unreachable:
        found = planner.path((2.0, 5.0), (10.0, 5.0), 0.3, heights=(low, high))
        assert isinstance(found, Path | Unreachable)
        return found

    ground, upper, between, on_stairs = way(0.0, 1.8), way(3.0, 4.8), way(2.6, 2.9), way(2.0, 3.5)
    assert isinstance(ground, Path)
    assert isinstance(upper, Path)
    assert isinstance(between, Path)
    assert max(y for _, y in ground.waypoints) > 8.0
    assert min(y for _, y in upper.waypoints) < 2.0
    assert between.length == pytest.approx(8.0)
    # both walls together leave nothing, and neither does the one on the roof
    assert isinstance(on_stairs, Unreachable)
    assert isinstance(way(19.0, 20.0), Unreachable)
    assert isinstance(planner.path((2.0, 5.0), (10.0, 5.0), 0.3), Unreachable)
    # ends count, as they do in a step
    assert way(2.5, 2.9) == ground
    assert replace(ground) == way(0.0, 1.8)
