"""Jams: situations in which avoidance alone stands still, run with the guides of a world, and what came of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from orca_core import Event, Obstacle, Options, World
from orca_core.simulation import Simulation
from tests.support.worlds import agents, deepest_overlap, wall

__all__ = ["LAYER", "Course", "corridor", "door", "follow", "jam", "options_with", "random_places", "watch"]

# the switches of the deadlock layer
LAYER = ("settle_crowds", "detect_blocked", "bias_blocked", "courtesy", "back_out", "replan_jams")


@dataclass
class Course:
    """What came of a world: its events, and how deep two discs were in each other at the worst (m)."""

    world: World
    events: list[Event]
    deepest: float

    def statuses(self) -> list[str]:
        """Of all agents, in index order."""
        return [str(self.world.agent(identifier)["status"]) for identifier in self.world.ids.tolist()]

    def left(self) -> NDArray[np.float64]:
        """How far each still is from its goal, m."""
        offset = self.world.column("goal") - self.world.column("position")
        return np.asarray(np.sqrt((offset * offset).sum(axis=1)))

    def first(self, kind: str) -> dict[int, float]:
        """When each agent was first named by an event of a kind, in seconds."""
        told: dict[int, float] = {}
        for event in self.events:
            if event.kind == kind:
                for identifier in event.ids:
                    told.setdefault(identifier, event.step * self.world.time_step)
        return told


def options_with(*names: str) -> Options:
    """The profile `service` with no more of the layer than these switches."""
    return replace(Options.service(), **{name: name in names for name in LAYER})


def jam(
    places: ArrayLike,
    goals: ArrayLike,
    *,
    time_step: float = 0.25,
    options: Options | None = None,
    walls: Sequence[Obstacle] = (),
    **columns: float,
) -> World:
    """A world of standard agents, with its guides."""
    world = Simulation(World(time_step=time_step, options=options or Options.service())).world
    if walls:
        world.add_obstacles(list(walls))
    world.add_agents(agents(places, goal=np.asarray(goals, np.float64), **columns))
    return world


def watch(world: World, seconds: float, each: Callable[[World], None] | None = None) -> Course:
    """Let it run; `each` may give orders before every step."""
    course = Course(world, [], -np.inf)
    for _ in range(round(seconds / world.time_step)):
        if each is not None:
            each(world)
        course.events += world.step().events
        course.deepest = max(course.deepest, deepest_overlap(world.column("position"), world.column("radius")))
    return course


def corridor(width: float, *, end: float = 10.0) -> list[Obstacle]:
    """Two walls along the x axis, open at both ends."""
    return [wall((-end, side * width / 2), (end, side * width / 2)) for side in (-1.0, 1.0)]


def door(width: float) -> list[Obstacle]:
    """A wall along the y axis with a gap about the origin."""
    return [wall((0.0, side * width / 2), (0.0, side * 30.0)) for side in (-1.0, 1.0)]


def follow(ways: Sequence[Sequence[tuple[float, float]]], near: float = 0.3) -> Callable[[World], None]:
    """Orders that send each agent from one point of its way to the next, as a client does that knows the ways."""
    at = [0] * len(ways)

    def give(world: World) -> None:
        """Send on whoever is near its point."""
        offset = world.column("goal") - world.column("position")
        for row in np.flatnonzero((offset * offset).sum(axis=1) < near * near).tolist():
            if at[row] + 1 < len(ways[row]):
                at[row] += 1
                world.set_agents([row], {"goal": np.array([ways[row][at[row]]], np.float64)})

    return give


def random_places(count: int, half: float, seed: int, apart: float) -> NDArray[np.float64]:
    """Places within a square about the origin, none nearer to another than `apart`."""
    random = np.random.default_rng(seed)
    places: list[NDArray[np.float64]] = []
    while len(places) < count:
        place = random.uniform(-half, half, 2)
        if all(((place - other) ** 2).sum() >= apart * apart for other in places):
            places.append(place)
    return np.array(places)
