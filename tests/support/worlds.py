"""Worlds as tests make them, and what tests read from them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from orca_core import Obstacle, Options, World
from orca_core.explain import constraints
from orca_core.kernels.linear_program import permitted_velocity

__all__ = [
    "PROFILES",
    "STANDARD",
    "agents",
    "box",
    "brute_velocities",
    "deepest_overlap",
    "least_gap",
    "wall",
    "world_of",
]

Floats = NDArray[np.float64]

PROFILES = {"text": Options.text(), "service": Options.service()}

# the agent of most situations below; the rest is the library's default
STANDARD: dict[str, float | int] = {
    "radius": 0.5,
    "max_speed": 1.5,
    "time_horizon": 2.0,
    "obstacle_horizon": 2.0,
    "neighbor_distance": 5.0,
    "max_neighbors": 10,
}


def agents(position: ArrayLike, **columns: Any) -> dict[str, Any]:
    """Columns of standard agents at positions (n, 2); a column given as one number holds for all."""
    places = np.asarray(position, np.float64).reshape(-1, 2)
    filled: dict[str, Any] = {"position": places}
    for name, value in {**STANDARD, **columns}.items():
        values = np.asarray(value)
        if name in ("velocity", "preferred_velocity", "goal", "heading"):
            filled[name] = np.broadcast_to(values, places.shape).astype(np.float64)
        else:
            filled[name] = np.full(len(places), value) if values.ndim == 0 else values
    return filled


def world_of(
    position: ArrayLike,
    *,
    time_step: float = 0.25,
    options: Options | None = None,
    seed: int = 0,
    walls: Sequence[Obstacle] = (),
    **columns: Any,
) -> World:
    """A world of standard agents at positions (n, 2); profile `service` unless told otherwise."""
    world = World(time_step=time_step, options=options if options is not None else Options.service(), seed=seed)
    if walls:
        world.add_obstacles(list(walls))
    if len(np.asarray(position)):
        world.add_agents(agents(position, **columns))
    return world


def wall(*points: tuple[float, float]) -> Obstacle:
    """A wall through the points."""
    return Obstacle(np.array(points, np.float64))


def box(low_x: float, low_y: float, high_x: float, high_y: float) -> Obstacle:
    """Four walls around a rectangle."""
    return Obstacle(np.array([(low_x, low_y), (high_x, low_y), (high_x, high_y), (low_x, high_y)]), closed=True)


def deepest_overlap(position: Floats, radius: Floats) -> float:
    """The deepest overlap (m) of any two discs, negative where none touches; exact, by a sweep along x."""
    if len(position) < 2:
        return -np.inf
    order = np.argsort(position[:, 0], kind="stable")
    places, radii = position[order], radius[order]
    widest, deepest = 2.0 * float(radii.max()), -np.inf
    for ahead in range(1, len(places)):
        offset = places[ahead:] - places[:-ahead]
        gap = np.sqrt((offset * offset).sum(axis=1))
        deepest = max(deepest, float((radii[ahead:] + radii[:-ahead] - gap).max()))
        # sorted by x: with more places between them they are farther apart still
        if float(offset[:, 0].min()) > widest:
            break
    return deepest


def least_gap(world: World) -> float:
    """The smallest distance (m) between the centres of any two agents."""
    position = world.column("position")
    offset = position[:, None] - position[None]
    distance = np.sqrt((offset * offset).sum(axis=2))
    np.fill_diagonal(distance, np.inf)
    return float(distance.min(initial=np.inf))


def brute_velocities(world: World, desired: Floats | None = None) -> Floats:
    """What the next step of a plain world must give each agent (n, 2), by brute force over everybody and every wall.

    Shares the half-planes and the program with the step, and nothing of its search. Preferred velocities are those
    given; `desired` (n, 2) replaces them.
    """
    wanted = world.column("preferred_velocity") if desired is None else desired
    found = np.empty((world.agent_count, 2))
    for row in range(world.agent_count):
        planes, hard = constraints(world, row)
        rows = np.array([[*plane.point, *plane.normal] for plane in planes]).reshape(-1, 4)
        limit = float(world.column("max_speed")[row])
        _, found[row, 0], found[row, 1] = permitted_velocity(
            rows, hard, len(rows), limit, *wanted[row].tolist(), np.empty((len(rows) + 1, 4))
        )
    return found
