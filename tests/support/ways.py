"""Worlds whose agents find their ways, as tests make them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from orca_core import Obstacle, Options, WalkableArea, World
from orca_core.guidance.follow import Follow
from orca_core.report import Event
from orca_core.simulation import Simulation
from tests.support.worlds import agents

__all__ = ["PILLARS", "U_TRAP", "clearances", "guide_of", "hall", "pathfinders", "send", "take", "yard"]

# open to the left
U_TRAP = ([(0, -3), (0, 3)], [(0, 3), (-4, 3)], [(0, -3), (-4, -3)])
# a room in a room, with a door at the right, and walls that stand free
PILLARS = ([(4, 4), (16, 4)], [(16, 4), (16, 9)], [(16, 11), (16, 16)], [(16, 16), (4, 16)], [(4, 16), (4, 4)])


def pathfinders(position: ArrayLike, goal: ArrayLike, **columns: Any) -> dict[str, Any]:
    """Columns of agents with guidance `path`."""
    return agents(position, goal=goal, guidance=np.uint8(1), **columns)


def yard(
    walls: Sequence[ArrayLike] = (), rings: Sequence[ArrayLike] = (), *, time_step: float = 0.25, **options: Any
) -> World:
    """A guided world with these walls and walkable rings, an area each."""
    world = Simulation(World(time_step=time_step, options=replace(Options.service(), **options), seed=7)).world
    if walls:
        world.add_obstacles([Obstacle(np.asarray(each, np.float64)) for each in walls])
    if rings:
        world.add_walkable([WalkableArea(((np.asarray(each, np.float64),),)) for each in rings])
    return world


def hall(**options: Any) -> World:
    """Forty agents in a walkable hall with rooms, each on its way to where another begins; some cannot get there."""
    world = yard(PILLARS, [[(0, 0), (20, 0), (20, 20), (0, 20)], [(25, 0), (30, 0), (30, 5)]], time_step=0.1, **options)
    places = np.array([(x, y) for x in (1.5, 6.0, 8.0, 10.0, 12.0, 14.0, 18.5) for y in (1.5, 6.0, 9.0, 12.0, 18.0)])
    goals = places[::-1].copy()
    goals[3], goals[11] = (28.0, 2.0), (4.1, 8.0)
    world.add_agents(pathfinders(places, goals, radius=0.3, max_speed=2.0, goal_tolerance=0.3))
    return world


def guide_of(world: World) -> Follow:
    """The guide that leads its agents along ways."""
    return next(guide for guide in world.guides if isinstance(guide, Follow))


def take(world: World, steps: int) -> list[Event]:
    """Take steps; what happened."""
    return world.step(steps).events


def send(world: World, goal: ArrayLike, identifier: int = 0) -> None:
    """Give an agent another goal."""
    world.set_agents([identifier], {"goal": np.asarray([goal], np.float64)})


def clearances(world: World, points: NDArray[np.float64], walls: Sequence[ArrayLike]) -> NDArray[np.float64]:
    """How far points (n, 2) are from the nearest of some walls, (n,)."""
    nearest = np.full(len(points), np.inf)
    for wall in walls:
        a, b = np.asarray(wall, np.float64)
        part = np.clip(((points - a) @ (b - a)) / ((b - a) @ (b - a)), 0.0, 1.0)
        nearest = np.minimum(nearest, np.linalg.norm(a + part[:, None] * (b - a) - points, axis=1))
    return nearest
