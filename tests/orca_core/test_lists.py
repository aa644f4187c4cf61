"""Candidate lists that are kept over steps: whatever happens meanwhile, a step is that of brute force to the bit."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from orca_core import Options, World
from tests.support.worlds import brute_velocities

Change = Callable[[World, np.random.Generator], None]


def crowd(count: int, speed: float = 1.5, options: Options | None = None) -> World:
    """A crowd at one agent per 4 m², each with somewhere to go."""
    generator = np.random.default_rng(count)
    side = 2.0 * np.sqrt(count)
    world = World(time_step=0.1, options=options or Options.text())
    world.add_agents(
        {
            "position": generator.uniform(0.0, side, (count, 2)),
            "preferred_velocity": generator.normal(0.0, 1.2, (count, 2)),
            "max_speed": np.where(np.arange(count) % 37 == 0, 8.0 * speed, speed),
            "neighbor_distance": np.full(count, 5.0),
        }
    )
    return world


def everybody(name: str, values: Callable[[np.random.Generator, int], object]) -> Change:
    """A change of one column of everybody."""

    def change(world: World, generator: np.random.Generator) -> None:
        world.set_agents(world.ids.copy(), {name: values(generator, world.agent_count)})

    return change


CHANGES: dict[str, Change] = {
    "nothing": lambda world, generator: None,
    "more neighbours": everybody("max_neighbors", lambda g, n: g.integers(10, 25, n)),
    "as many as are listed": everybody("max_neighbors", lambda g, n: np.full(n, 28)),
    "more than are listed": everybody("max_neighbors", lambda g, n: np.full(n, 60)),
    "none and some": everybody("max_neighbors", lambda g, n: g.integers(0, 3, n)),
    "farther sight": everybody("neighbor_distance", lambda g, n: g.uniform(0.0, 30.0, n)),
    "other speeds": everybody("max_speed", lambda g, n: g.uniform(0.0, 20.0, n)),
    "other velocities": everybody("velocity", lambda g, n: g.normal(0.0, 1.0, (n, 2))),
    "other radii": everybody("radius", lambda g, n: g.uniform(0.0, 1.0, n)),
}


@pytest.mark.parametrize("name", CHANGES)
def test_lists_prove_what_they_say_in_every_step(name: str) -> None:
    generator = np.random.default_rng(7)
    world = crowd(150)
    for step in range(20):
        if step in (3, 4, 11):
            CHANGES[name](world, generator)
        wanted = brute_velocities(world)
        world.step()
        assert np.array(world.column("velocity")).tobytes() == np.ascontiguousarray(wanted).tobytes()


def test_lists_are_kept_while_nobody_is_placed() -> None:
    world = crowd(400)
    world.step(2)
    made = world._solver["list_radius"][:400].copy()
    world.step()
    # the same lists still, or this test would show nothing
    assert (world._solver["list_radius"][:400] == made).mean() > 0.5
