"""A step against brute force, agent by agent and bit by bit, while crowds are stepped, moved, grown and thinned."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from orca_core import InvalidInput, Obstacle, Options, WalkableArea, World
from tests.support.crowds import CROWDS
from tests.support.samples import samples
from tests.support.worlds import agents, box, brute_velocities, wall, world_of

Floats = NDArray[np.float64]


def crowd(generator: np.random.Generator, count: int, places: Floats) -> dict[str, NDArray[np.generic]]:
    """Columns of agents of all sizes, sights and appetites at the places."""
    return agents(
        places,
        velocity=generator.normal(0.0, 0.8, (count, 2)),
        preferred_velocity=generator.normal(0.0, 1.0, (count, 2)),
        radius=generator.choice([0.0, 0.2, 0.5, 1.1], count),
        max_speed=generator.choice([0.0, 0.7, 1.5, 4.0], count),
        time_horizon=generator.choice([1e-6, 0.1, 2.0, 9.0], count),
        obstacle_horizon=generator.choice([1e-6, 0.1, 2.0, 9.0], count),
        neighbor_distance=generator.choice([0.0, 1e-3, 3.0, 8.0, 1e19], count),
        max_neighbors=generator.choice([0, 1, 10, 1000], count),
    )


def assert_step(world: World) -> None:
    """One step gives every agent the velocity, to the bit, that brute force says."""
    wanted = brute_velocities(world)
    position = world.column("position").copy()
    world.step()
    got = world.column("velocity")
    rows = np.flatnonzero((got.view(np.int64) != wanted.view(np.int64)).any(axis=1))
    assert len(rows) == 0, f"agents {rows.tolist()} got {got[rows].tolist()} and not {wanted[rows].tolist()}"
    assert (world.column("position").view(np.int64) == (position + wanted * world.time_step).view(np.int64)).all()


@pytest.mark.parametrize("places", CROWDS)
def test_velocities_are_those_of_brute_force(places: str) -> None:
    generator = np.random.default_rng(len(places))
    count = samples(60)
    world = World(time_step=0.1)
    world.add_agents(crowd(generator, count, CROWDS[places](generator, count)))
    for _ in range(samples(6)):
        assert_step(world)


def test_walls_and_boundaries_are_those_of_brute_force() -> None:
    generator = np.random.default_rng(11)
    count = samples(50)
    world = World(time_step=0.1)
    world.add_agents(crowd(generator, count, generator.uniform(-9.0, 9.0, (count, 2))))
    ends = generator.uniform(-12.0, 12.0, (samples(60), 1, 2))
    world.add_obstacles([Obstacle(piece) for piece in np.hstack([ends, ends + generator.normal(0.0, 2.0, ends.shape)])])
    world.add_obstacles([box(-3.0, -3.0, 3.0, 3.0), wall((0.0, 5.0), (2.0, 5.0), (4.0, 5.0), (6.0, 5.0))])
    hole = np.array([(4.0, 4.0), (6.0, 4.0), (6.0, 7.0)])
    world.add_walkable(
        [WalkableArea(((np.array([(-9, -9), (9, -9), (9, 9), (-9, 9)]), hole),), clearance=0.3, horizon=1.0)]
    )
    for _ in range(samples(5)):
        assert_step(world)


def test_what_an_earlier_step_knew_of_neighbours_decides_nothing() -> None:
    """Teleports, additions, removals, new radii, speeds and sights between steps: every guess is then wrong."""
    generator = np.random.default_rng(12)
    count = samples(50)
    world = World(time_step=0.1)
    world.add_agents(crowd(generator, count, generator.uniform(-9.0, 9.0, (count, 2))))
    for round_number in range(samples(16)):
        ids = world.ids.copy()
        some = generator.choice(ids, min(6, len(ids)), replace=False)
        if round_number % 4 == 0:
            scale = generator.choice([1e-3, 1.0, 1e3, 1e8])
            world.set_agents(some, {"position": generator.uniform(-1.0, 1.0, (len(some), 2)) * scale})
        elif round_number % 4 == 1:
            added = int(generator.integers(1, 9))
            world.add_agents(crowd(generator, added, generator.normal(0.0, 0.5, (added, 2))))
        elif round_number % 4 == 2:
            world.remove_agents(some)
        else:
            change = crowd(generator, len(some), np.zeros((len(some), 2)))
            del change["position"]
            world.set_agents(some, change)
        assert_step(world)


def test_a_change_of_order_in_space_changes_nobody() -> None:
    """Everybody moves to where a stranger stood: leaves, places and guesses are all others."""
    generator = np.random.default_rng(13)
    count = samples(60)
    world = World(time_step=0.1)
    world.add_agents(crowd(generator, count, generator.uniform(-6.0, 6.0, (count, 2))))
    for _ in range(3):
        world.set_agents(world.ids, {"position": generator.permutation(world.column("position"))})
        assert_step(world)


@pytest.mark.parametrize("options", [Options.text(), Options.service()])
def test_a_world_without_agents_steps(options: Options) -> None:
    world = World(time_step=0.1, options=options)
    assert world.step(3).step == 3
    world.add_obstacles([wall((0.0, 0.0), (1.0, 0.0))])
    world.add_walkable([WalkableArea(((np.array([(0, 0), (4, 0), (4, 4)]),),))])
    report = world.step(2)
    assert (report.step, report.events, world.agent_count) == (5, [], 0)
    world.add_agents(agents([(2.5, 1.0)]))
    world.remove_agents(world.ids)
    assert world.step().step == 6


def test_more_neighbours_may_be_asked_for_than_there_are_agents() -> None:
    world = world_of([(0, 0), (2, 0), (0, 2), (-2, 0), (0, -2)], options=Options.text(), max_neighbors=1_000_000,
                     preferred_velocity=(1.0, 0.2))  # fmt: skip
    assert_step(world)
    world.add_agents(agents(np.random.default_rng(1).uniform(-9.0, 9.0, (samples(40), 2)), max_neighbors=1_000_000))
    assert_step(world)


def test_five_thousand_walls_within_reach_of_one_agent() -> None:
    angle = np.linspace(0.0, 2.0 * np.pi, samples(5_000) + 1)
    ring = np.stack([np.cos(angle), np.sin(angle)], axis=1) * 2.0
    world = world_of([(0.1, 0.2)], options=Options.text(), preferred_velocity=(1.5, 0.0))
    world.add_obstacles([Obstacle(ring[k : k + 2]) for k in range(len(ring) - 1)])
    assert_step(world)
    assert np.hypot(*world.column("position")[0]) < 1.5


def test_the_count_of_steps_is_whole_and_not_negative() -> None:
    world = world_of([(0.0, 0.0)])
    for count in (-1, True):
        with pytest.raises(InvalidInput, match="count"):
            world.step(count)
    assert world.step(0).step == 0
