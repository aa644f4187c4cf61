"""Agents on one spot part in opposite directions, the same in every run, however close to one spot they are."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from orca_core import Options, World
from tests.support.worlds import agents, brute_velocities, least_gap, world_of

GAPS = [0.0, 5e-324, 1e-300, 1e-200, 1e-160, 1e-151]
TOGETHER = replace(Options.service(), part_coincident=False)


def heap(count: int, gap: float = 0.0) -> np.ndarray:
    """Positions (count, 2) of agents `gap` apart on a line."""
    return np.stack([np.arange(count) * gap, np.zeros(count)], axis=1)


def steps_until_apart(world: World, most: int = 20) -> int:
    """Steps until nobody overlaps, at most `most`."""
    for step in range(most):
        world.step()
        if least_gap(world) >= 1.0 - 1e-6:
            return step + 1
    raise AssertionError(f"after {most} steps the least distance is {least_gap(world)}")


@pytest.mark.parametrize("gap", GAPS)
@pytest.mark.parametrize("count", [2, 3, 5, 12])
def test_a_heap_parts_and_comes_to_rest_where_it_was(count: int, gap: float) -> None:
    world = world_of(heap(count, gap))
    steps_until_apart(world)
    world.step(40)
    assert least_gap(world) >= 1.0 - 1e-6
    assert np.isfinite(world.column("position")).all()
    assert np.hypot(*world.column("position").mean(axis=0)) <= 1.0
    assert (world.column("velocity") == 0.0).all()


@pytest.mark.parametrize("gap", GAPS)
def test_a_pair_that_wants_apart_gets_apart_and_on(gap: float) -> None:
    world = world_of(heap(2, gap), preferred_velocity=np.array([[1.0, 0.0], [-1.0, 0.0]]))
    steps_until_apart(world)
    world.step(38)
    assert np.abs(world.column("velocity")).tolist() == [[1.0, 0.0], [1.0, 0.0]]
    assert abs(world.column("position")[:, 0]).min() > 5.0


def test_a_pair_parts_in_opposite_directions() -> None:
    world = world_of(heap(2))
    world.step()
    first, second = world.column("velocity")
    assert np.hypot(*first) > 0.0
    assert (first == -second).all()


def test_directions_come_from_seed_and_ids_alone() -> None:
    def run(seed: int, ids: list[int], time_step: float = 0.25) -> bytes:
        world = World(time_step=time_step, options=Options.service(), seed=seed)
        world.add_agents({**agents(heap(3)), "id": ids})
        world.step()
        return world.column("velocity").tobytes()

    assert run(0, [0, 1, 2]) == run(0, [0, 1, 2])
    assert run(0, [0, 1, 2]) != run(1, [0, 1, 2])
    assert run(0, [0, 1, 2]) != run(0, [7, 8, 9])
    assert run(2**53 - 1, [2**53 - 1, 0, 2**32]) == run(2**53 - 1, [2**53 - 1, 0, 2**32])


def test_a_large_heap_parts_too() -> None:
    world = world_of(heap(200), time_step=0.1, max_neighbors=20)
    world.step(600)
    assert least_gap(world) >= 1.0 - 1e-3


def test_heaps_of_different_sizes_and_of_no_size() -> None:
    world = world_of(heap(4), radius=np.array([0.2, 1.0, 0.0, 0.5]))
    world.step(40)
    position, radius = world.column("position"), world.column("radius")
    for one in range(4):
        for other in range(one):
            distance = np.hypot(*(position[one] - position[other]))
            assert distance >= (radius[one] + radius[other]) * (1.0 - 1e-6)
    points = world_of(heap(3), radius=0.0)
    points.step(5)
    assert np.isfinite(points.column("position")).all()


def test_without_the_option_the_text_holds() -> None:
    world = world_of(heap(2), options=TOGETHER)
    world.step(40)
    position = world.column("position")
    assert (position[0] == position[1]).all(), "the text sends a coincident pair off together"


@pytest.mark.parametrize("gap", [1e-100, 1e-12, 0.3, 1.0])
def test_a_pair_with_a_direction_keeps_the_bits_of_the_text(gap: float) -> None:
    world = world_of(heap(3, gap), velocity=np.array([[0.1, 0.0], [0.0, 0.2], [0.0, 0.0]]))
    plain = world_of(heap(3, gap), velocity=np.array([[0.1, 0.0], [0.0, 0.2], [0.0, 0.0]]), options=Options.text())
    world.step(10)
    plain.step(10)
    assert world.digest() == plain.digest()


def test_explain_tells_the_direction_that_the_step_takes() -> None:
    world = world_of(heap(4))
    wanted = brute_velocities(world)
    world.step()
    assert (world.column("velocity") == wanted).all()
