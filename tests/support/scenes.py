"""The scenes of the text, each as one object: its world, its goals, and how a run of it is judged."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from orca_core import Obstacle, Options, World
from orca_core.state import STATUS_NAMES
from tests.support.worlds import agents, deepest_overlap, wall

__all__ = ["Run", "Scene", "circle", "corridor", "crossing_blocks", "gap", "grazing", "run"]

Floats = NDArray[np.float64]

ARRIVED = STATUS_NAMES.index("arrived")
NO_WALLS: tuple[Obstacle, ...] = ()


@dataclass(frozen=True)
class Scene:
    """Agents by their columns, walls, a time step, the steps that a run may take and the overlap it may reach.

    `deepest` is in radii. `goal` stands among the columns.
    """

    name: str
    columns: dict[str, NDArray[np.generic]]
    steps: int
    deepest: float
    walls: tuple[Obstacle, ...] = NO_WALLS
    time_step: float = 0.1

    def world(self, options: Options, *, avoidance: bool = True) -> World:
        """The scene at its start; without avoidance nobody has neighbours and there are no walls."""
        columns = dict(self.columns)
        if not avoidance:
            columns["max_neighbors"] = np.zeros_like(columns["max_neighbors"])
        world = World(time_step=self.time_step, options=options)
        if avoidance and self.walls:
            world.add_obstacles(list(self.walls))
        world.add_agents(columns)
        return world


@dataclass
class Run:
    """What happened: overlaps and clearances are in radii, the worst over the whole run."""

    arrived: int
    deepest: float
    wall_clearance: float
    detour: float
    steps: int
    digest: str = field(repr=False, default="")

    def separated(self, scene: Scene) -> bool:
        """Whether nobody was nearer to another, or to a wall, than the text permits."""
        return self.deepest <= scene.deepest and self.wall_clearance >= 1.0 - scene.deepest

    def reached(self, scene: Scene) -> bool:
        """Whether everybody stands on his goal."""
        return self.arrived == len(scene.columns["position"])


def _wall_clearance(position: Floats, radius: Floats, segments: Floats) -> float:
    """The smallest distance of a centre from a wall, in radii."""
    a, edge = segments[None, :, :2], segments[None, :, 2:] - segments[None, :, :2]
    offset = position[:, None] - a
    share = np.clip((offset * edge).sum(axis=2) / (edge * edge).sum(axis=2), 0.0, 1.0)
    distance = np.sqrt(((offset - edge * share[..., None]) ** 2).sum(axis=2))
    return float((distance / radius[:, None]).min())


def run(scene: Scene, options: Options, *, avoidance: bool = True, every: int = 1) -> Run:
    """Step the scene until all have arrived or its steps are over, looking at every `every`-th state.

    Walls are looked at also where avoidance is off and the world has none: that is what a run must be able to fail.
    """
    world = scene.world(options, avoidance=avoidance)
    position, radius = world.column("position").copy(), world.column("radius").copy()
    start, goal = position.copy(), world.column("goal").copy()
    segments = np.concatenate([one.segments() for one in scene.walls]) if scene.walls else None
    along = goal - start
    along /= np.sqrt((along * along).sum(axis=1))[:, None]
    result = Run(0, -np.inf, np.inf, 0.0, 0)
    while result.steps < scene.steps and result.arrived < len(position):
        world.step(every)
        result.steps = world.step_count
        position = world.column("position")
        result.deepest = max(result.deepest, deepest_overlap(position, radius) / float(radius.max()))
        if segments is not None:
            result.wall_clearance = min(result.wall_clearance, _wall_clearance(position, radius, segments))
        aside = np.abs((position - start)[:, 0] * along[:, 1] - (position - start)[:, 1] * along[:, 0])
        result.detour = max(result.detour, float(aside.max()))
        result.arrived = int((world.column("status") == ARRIVED).sum())
    result.digest = world.digest()
    return result


def circle(count: int) -> Scene:
    """Everybody on a circle of radius count / 5, sent to the opposite side, goals turned by about three thousandths."""
    number = np.arange(count)
    angle = 2.0 * np.pi * number / count
    # by slightly different amounts, since real use is never exact, and so that goals still have room for all
    turned = angle + 0.003 + 0.0001 * (number * 7919 % 11 - 5)
    columns = agents(
        np.stack([np.cos(angle), np.sin(angle)], axis=1) * (count / 5.0),
        goal=np.stack([np.cos(turned), np.sin(turned)], axis=1) * (-count / 5.0),
        preferred_speed=1.0,
        time_horizon=5.0,
        obstacle_horizon=5.0,
        neighbor_distance=10.0,
    )
    return Scene(f"circle {count}", columns, 60 * count // 5 + 700, 0.75 if count >= 1000 else 0.5)


def crossing_blocks() -> Scene:
    """Four blocks of sixteen in the corners, each sent through the middle to the opposite corner."""
    places, goals = [], []
    for number in range(64):
        quarter, row, column = number // 16, number % 16 // 4, number % 4
        side = np.array([1.0 if quarter % 2 == 0 else -1.0, 1.0 if quarter < 2 else -1.0])
        place = side * np.array([20.0 + 3.0 * row, 20.0 + 3.0 * column])
        places.append(place)
        # a hair off, or the blocks would meet exactly head on
        goals.append(-place + np.array([0.013 * row - 0.02, 0.017 * column + 0.01]))
    columns = agents(
        np.array(places), goal=np.array(goals), preferred_speed=1.0, time_horizon=5.0, neighbor_distance=15.0
    )
    return Scene("crossing blocks", columns, 2500, 0.1)


def gap() -> Scene:
    """Twenty-four agents on one side of a wall with one gap, each sent to the opposite place on the other side."""
    grid = np.indices((4, 6)).reshape(2, -1).T
    places = grid * 1.2 + np.array([-8.0, -3.0])
    columns = agents(
        places + 0.01 * np.sin(np.arange(24) * 7.0)[:, None],
        # straight through the middle of the gap: there is nobody here who would lead round a wall
        goal=places * -1.3,
        radius=0.3,
        preferred_speed=1.0,
        obstacle_horizon=1.0,
        neighbor_distance=6.0,
    )
    walls = (wall((0.0, 1.5), (0.0, 12.0)), wall((0.0, -1.5), (0.0, -12.0)))
    return Scene("gap in a wall", columns, 1500, 0.1, walls)


def grazing() -> Scene:
    """Two agents far apart in time, each on a straight line that grazes an end of the wall around the gap."""
    columns = agents(
        [(-3.0, 1.4), (9.0, -1.4)], goal=np.array([(6.0, 1.4), (-8.0, -1.4)]), radius=0.3, preferred_speed=1.0
    )
    return Scene("grazing", columns, 300, 0.1, gap().walls)


def corridor() -> Scene:
    """Thirty agents in a corridor, half of them bound each way."""
    number = np.arange(30)
    right = number % 2 == 0
    lane = (number // 2 % 3 - 1) * 1.1 + np.where(right, -0.15, 0.15)
    x = np.where(right, -6.0, 6.0) - np.where(right, 1.0, -1.0) * (number // 6) * 1.6
    columns = agents(
        np.stack([x, lane], axis=1),
        goal=np.stack([-x, lane + np.where(right, -0.1, 0.1)], axis=1),
        radius=0.3,
        preferred_speed=1.2,
        time_horizon=3.0,
        obstacle_horizon=1.0,
        neighbor_distance=6.0,
    )
    walls = (wall((-30.0, 2.5), (30.0, 2.5)), wall((-30.0, -2.5), (30.0, -2.5)))
    return Scene("two-way corridor", columns, 900, 0.1, walls)
