"""A captured state is that of its moment, however the world goes on."""

from __future__ import annotations

import numpy as np

from orca_core.geometry.obstacles import Obstacle
from orca_core.geometry.walkable import WalkableArea
from orca_core.world import World


def crowd() -> World:
    """A few agents, a wall and an area."""
    world = World(time_step=0.1)
    positions = np.random.default_rng(4).uniform(2.0, 18.0, (30, 2))
    world.add_walkable([WalkableArea(((np.array([[0.0, 0.0], [20.0, 0.0], [20.0, 20.0], [0.0, 20.0]]),),))])
    world.add_obstacles([Obstacle(np.array([[5.0, 5.0], [9.0, 5.0]]))])
    world.add_agents({"position": positions, "goal": positions[::-1].copy()})
    world.step(5)
    return world


def test_a_capture_is_the_snapshot_of_its_moment() -> None:
    world = crowd()
    snapshot, captured = world.snapshot(), world.capture()
    world.step(7)
    world.set_agents(world.ids[:3], {"radius": np.full(3, 0.25)})
    world.remove_agents(world.ids[-2:])
    world.add_obstacles([Obstacle(np.array([[1.0, 1.0], [2.0, 1.0]]))])
    world.remove_obstacle(0)
    world.remove_walkable(0)
    world.set_defaults({"radius": 0.1})
    assert captured.encode().tobytes() == snapshot
    assert World.restore(snapshot).step_count == 5


def test_the_memory_of_an_earlier_one_is_used_again_where_it_fits() -> None:
    world = crowd()
    first = world.capture()
    held = {name: array for name, array in first.arrays.items() if name.startswith("agents.")}
    world.step(3)
    second = world.capture(first)
    assert second.encode().tobytes() == world.snapshot()
    assert all(second.arrays[name] is array for name, array in held.items())
    # and never the world's own
    state = world.snapshot()
    for array in held.values():
        array[:] = 0
    assert world.snapshot() == state
    # another number of agents has other arrays
    world.remove_agents(world.ids[:1])
    assert world.capture(second).encode().tobytes() == world.snapshot()
