"""Slowing in dense crowds: a packed crowd shivers without it and is calm with it; below ten a square metre no bit."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from orca_core import Options, World
from orca_core.kernels.density import DENSE, PACKED, crowding, held_back, local_density
from tests.support.samples import samples
from tests.support.worlds import agents, box, deepest_overlap, world_of

SIDE = 3.0


def pushed(*, slowing: bool, count: int = 130, radius: float = 0.15) -> World:
    """A crowd packed into a small room, all of it pushing to the middle of one wall."""
    across = int(np.ceil(np.sqrt(count)))
    spacing = (SIDE - 2.0 * radius - 0.02) / (across - 1)
    grid = np.stack(np.meshgrid(np.arange(across), np.arange(across)), axis=-1).reshape(-1, 2)[:count]
    places = (grid - (across - 1) / 2.0) * spacing
    places += np.random.default_rng(1).uniform(-0.005, 0.005, (count, 2))
    half = SIDE / 2.0
    return world_of(
        places, time_step=0.1, goal=(half - 0.2, 0.0), radius=radius, walls=[box(-half, -half, half, half)],
        options=replace(Options.service(), slow_when_dense=slowing),
    )  # fmt: skip


def shivering(world: World, steps: int) -> float:
    """Mean change of velocity of an agent in a step (m/s), over so many steps."""
    total = 0.0
    for _ in range(steps):
        before = world.column("velocity").copy()
        world.step()
        total += float(np.hypot(*(world.column("velocity") - before).T).mean())
    return total / steps


@pytest.mark.parametrize(("count", "radius"), [(130, 0.15), (130, 0.2), (100, 0.2)])
def test_a_packed_crowd_shivers_without_and_is_calm_with_it(count: int, radius: float) -> None:
    shivers = {}
    for slowing in (False, True):
        world = pushed(slowing=slowing, count=count, radius=radius)
        world.step(samples(200))
        shivers[slowing] = shivering(world, samples(50))
        assert np.abs(world.column("position")).max() <= SIDE / 2.0
        # it buys no rest with overlaps: as deep as before, and a little
        assert deepest_overlap(world.column("position"), world.column("radius")) <= 2.0 * radius - 0.2
    if samples(200) == 200:
        assert shivers[False] > 0.01
        assert shivers[True] < 0.05 * shivers[False]


def test_below_ten_a_square_metre_no_bit_differs() -> None:
    generator = np.random.default_rng(8)
    grid = np.stack(np.meshgrid(np.arange(9), np.arange(9)), axis=-1).reshape(-1, 2) * 0.36
    columns = agents(grid + generator.uniform(-0.01, 0.01, grid.shape), goal=grid[::-1] * 2.0, radius=0.16)
    worlds = [World(time_step=0.1, options=replace(Options.service(), slow_when_dense=slowing)) for slowing in (0, 1)]
    for world in worlds:
        world.add_agents(columns)
    for _ in range(samples(40)):
        for world in worlds:
            world.step()
        assert worlds[0].digest() == worlds[1].digest()


def test_a_heap_on_one_spot_still_parts() -> None:
    world = world_of(
        np.zeros((40, 2)), time_step=0.1, radius=0.15, options=replace(Options.service(), slow_when_dense=True)
    )
    world.step(samples(100))
    if samples(100) == 100:
        position = world.column("position")
        spread = np.hypot(*(position - position.mean(axis=0)).T)
        # forty discs of that size fill a circle of 0.95 m
        assert spread.max() > 0.8


def test_the_density_and_what_it_leaves() -> None:
    # ten neighbours within half a metre
    assert local_density(10, 0.25) == pytest.approx(10.0 / (np.pi * 0.25))
    assert local_density(1, 1e-6) == 0.0
    assert local_density(5, 0.0) == np.inf
    assert (crowding(DENSE), crowding(0.5 * (DENSE + PACKED)), crowding(PACKED)) == (1.0, 0.5, 0.0)
    assert held_back(0.3, 0.4, 0.0, 1.0) == pytest.approx((0.15, 0.2))
    assert held_back(0.1, 0.1, 0.0, 1.0) == (0.0, 0.0)
