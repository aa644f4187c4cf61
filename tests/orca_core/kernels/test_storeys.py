"""Walls that stand on some storeys: whoever is at their height meets them, and for all others they are not there."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from orca_core import InvalidInput, Obstacle, Options, WalkableArea, World
from tests.support.samples import samples
from tests.support.worlds import PROFILES, agents, box, brute_velocities, wall, world_of

profiles = pytest.mark.parametrize("options", PROFILES.values(), ids=PROFILES)

Floats = NDArray[np.float64]


def at(obstacle: Obstacle, low: float, high: float) -> Obstacle:
    """The obstacle on a storey."""
    return replace(obstacle, z_range=(low, high))


@profiles
@pytest.mark.parametrize(
    ("elevation", "height", "stops"),
    [(0.0, 2.0, True), (4.0, 2.0, False), (-3.0, 2.0, False), (-2.0, 2.0, True), (3.0, 0.0, True), (3.1, 9.0, False),
     (-5.0, 20.0, True)],
)  # fmt: skip
def test_a_wall_is_met_at_its_height_alone(elevation: float, height: float, stops: bool, options: Options) -> None:
    world = world_of([(-3.0, 0.0)], options=options, preferred_velocity=(1.0, 0.0), elevation=elevation, height=height,
                     walls=[at(wall((0.0, -9.0), (0.0, 9.0)), 0.0, 3.0)])  # fmt: skip
    free = world_of([(-3.0, 0.0)], options=options, preferred_velocity=(1.0, 0.0))
    for _ in range(40):
        world.step()
        free.step()
        if not stops:
            assert world.column("position").tobytes() == free.column("position").tobytes()
    assert (world.column("position")[0, 0] < -0.4) == stops


def test_faster_than_any_horizon_it_is_stopped_on_its_own_storey_only() -> None:
    """The rule that no move crosses a wall, and the surface that moves slide along, know heights too."""
    walls = [at(wall((0.0, -9.0), (0.0, 9.0)), 0.0, 3.0), wall((30.0, -9.0), (30.0, 9.0))]
    for surface in (False, True):
        world = world_of([(-3.0, 0.0), (-3.0, 3.0)], preferred_velocity=(9.0, 0.0), max_speed=9.0, time_horizon=1e-6,
                         obstacle_horizon=1e-6, radius=0.1, elevation=np.array([0.0, 4.0]), height=2.0, walls=walls,
                         time_step=1.0)  # fmt: skip
        if surface:
            ring = np.array([(-50, -50), (50, -50), (50, 50), (-50, 50)])
            world.add_walkable([WalkableArea(((ring,),))])
        world.step(8)
        first, second = world.column("position")[:, 0].tolist()
        assert first <= 0.0
        assert 20.0 < second <= 30.0


@profiles
def test_on_each_storey_the_bits_of_a_world_with_its_walls_alone(options: Options) -> None:
    """Two storeys in one world, and each in a world of its own, walls on both and on one and a surface for both."""
    generator = np.random.default_rng(21)
    ring = np.array([(-9, -9), (9, -9), (9, 9), (-9, 9)])
    count = samples(24)
    places, goals = generator.uniform(-8.0, 8.0, (2, 2, count, 2))
    walls: list[list[Obstacle]] = []
    for storey in range(2):
        ends = generator.uniform(-9.0, 9.0, (6, 1, 2))
        pieces = np.hstack([ends, ends + generator.normal(0.0, 2.0, ends.shape)])
        walls.append([at(Obstacle(piece), 3.0 * storey, 3.0 * storey + 2.5) for piece in pieces])
    # one that stands through both, and pieces of one line on different storeys, which must not merge
    both = wall((-1.0, -2.0), (1.0, -2.0))
    lines = [at(wall((1.0, -2.0), (3.0, -2.0)), 0.0, 2.0), at(wall((3.0, -2.0), (5.0, -2.0)), 3.0, 5.0)]

    def world_with(storeys: list[int], order: list[Obstacle]) -> World:
        world = World(time_step=0.1, options=options, seed=1)
        world.add_walkable([WalkableArea(((ring,),))])
        world.add_obstacles(order)
        for storey in storeys:
            world.add_agents({**agents(places[storey], goal=goals[storey], radius=0.3, elevation=3.0 * storey,
                                       height=1.8), "id": np.arange(count) + 100 * storey})  # fmt: skip
        return world

    together = world_with([0, 1], [*walls[0], both, *lines, *walls[1]])
    alone = [world_with([storey], [*walls[storey], both, lines[storey]]) for storey in range(2)]
    if options.merge_collinear:
        assert len(together.statics().walls) == 15
    for _ in range(samples(60)):
        together.step()
        for world in alone:
            world.step()
            rows = together.index_of(world.ids)
            for name in ("position", "velocity", "status"):
                assert together.column(name)[rows].tobytes() == world.column(name).tobytes()


def test_a_step_is_that_of_brute_force() -> None:
    generator = np.random.default_rng(31)
    count = samples(40)
    world = World(time_step=0.1)
    world.add_agents(
        agents(
            generator.uniform(-9.0, 9.0, (count, 2)),
            preferred_velocity=generator.normal(0.0, 1.0, (count, 2)),
            obstacle_horizon=generator.choice([0.1, 2.0, 5.0], count),
            elevation=generator.choice([0.0, 2.0, 4.0], count),
            height=generator.choice([0.0, 2.0, 4.0], count),
        )
    )
    ends = generator.uniform(-12.0, 12.0, (samples(60), 1, 2))
    pieces = np.hstack([ends, ends + generator.normal(0.0, 2.0, ends.shape)])
    lows = generator.choice([-1.0, 2.5, 4.0], len(pieces))
    world.add_obstacles([at(Obstacle(piece), low, low + 1.5) for piece, low in zip(pieces, lows, strict=True)])
    world.add_obstacles([box(-3.0, -3.0, 3.0, 3.0)])
    for _ in range(samples(5)):
        wanted = brute_velocities(world)
        world.step()
        assert world.column("velocity").tobytes() == wanted.tobytes()


def test_stairs_lead_from_storey_to_storey() -> None:
    """A client that says where its agent is on the stairs: it meets the walls of the one, then of the other."""
    walls = [at(wall((2.0, -9.0), (2.0, 9.0)), 0.0, 1.9), at(wall((5.0, -9.0), (5.0, 9.0)), 2.0, 4.0)]
    world = world_of([(-3.0, 0.0)], preferred_velocity=(1.0, 0.0), height=1.0, walls=walls)
    for _ in range(100):
        x = float(world.column("position")[0, 0])
        world.set_agents([0], {"elevation": [min(max(x + 1.0, 0.0), 2.0)]})
        world.step()
    assert world.column("position")[0, 0] == pytest.approx(4.5, abs=0.1)


@pytest.mark.parametrize(
    "wrong", [(3.0, 0.0), (0.0,), (0.0, np.nan), (0.0, np.inf), (0.0, 2e9), "ab", 3.0, (True, 2.0), ("1", "2")]
)
def test_a_range_that_is_none_is_refused(wrong: Any) -> None:
    world = world_of([], walls=[wall((0.0, 0.0), (1.0, 0.0))])
    before = world.snapshot()
    with pytest.raises(InvalidInput, match="z_range"):
        world.add_obstacles([replace(wall((0.0, 0.0), (1.0, 0.0)), z_range=wrong)])
    with pytest.raises(InvalidInput, match="z_range"):
        world.set_obstacle(0, replace(wall((0.0, 0.0), (1.0, 0.0)), z_range=wrong))
    assert world.snapshot() == before


def test_ranges_are_in_the_snapshot_and_only_where_there_are_any() -> None:
    plain = world_of([(0.0, 1.0)], walls=[wall((0.0, 0.0), (1.0, 0.0))])
    assert b"obstacles.range" not in plain.snapshot()
    plain.add_obstacles([at(box(2.0, 2.0, 3.0, 3.0), -0.5, 2.5)])
    restored = World.restore(plain.snapshot())
    assert [one.z_range for one in restored.obstacles()] == [None, (-0.5, 2.5)]
    assert restored.snapshot() == plain.snapshot()
    assert restored.statics().wall_range.tolist() == [[-np.inf, np.inf], *[[-0.5, 2.5]] * 4]
    restored.set_obstacle(1, box(2.0, 2.0, 3.0, 3.0))
    assert len(restored.statics().wall_range) == 0


def test_inside_an_obstacle_of_another_storey_is_not_inside() -> None:
    world = world_of([], walls=[at(box(-1.0, -1.0, 1.0, 1.0), 0.0, 2.0)])
    for elevation, codes in ((0.0, ["inside-obstacle"]), (2.5, [])):
        added = world.add_agents(agents([(0.0, 0.0)], elevation=elevation, neighbor_distance=9.0))
        assert [one.code for one in added.notices] == codes


def test_explain_tells_of_the_walls_of_its_own_storey() -> None:
    world = world_of([(-1.0, 0.0), (-1.0, 5.0)], elevation=np.array([0.0, 3.0]),
                     walls=[at(wall((0.0, -9.0), (0.0, 9.0)), 0.0, 2.0)])  # fmt: skip
    kinds = [[one["kind"] for one in world.explain(identifier)["constraints"]] for identifier in (0, 1)]
    assert kinds == [["obstacle"], []]
