"""One scene with everything in it, run in any process: `python -m tests.determinism.scene` prints what it came to.

Agents of many kinds, walls, a walkable area with a hole, goals, preferred velocities, a heap, a head-on pair and a
ring, under every option of the service; so its digest sees a change in any phase of the step. Conformance scenes alone
would not: they know neither boundaries nor goals nor options.
"""

from __future__ import annotations

import json
import sys
from dataclasses import replace

import numpy as np

from orca_core import Obstacle, Options, WalkableArea, World
from orca_core.heading import headings
from orca_core.level_of_detail import LevelOfDetail

__all__ = ["STEPS", "everything", "outcome", "populate", "scene"]

STEPS = 60
TIME_STEP = 0.1


def scene() -> World:
    """The world at its start, with its geometry and its agents."""
    world = World(time_step=TIME_STEP, options=Options.service(), seed=20110901)
    add_geometry(world)
    populate(world)
    return world


def add_geometry(world: World) -> None:
    """Walls, one of them in collinear pieces, and a walkable area with a hole and a reflex corner."""
    ring = np.array([(-40, -40), (40, -40), (40, 0), (12, 0), (12, 14), (40, 14), (40, 40), (-40, 40)], np.float64)
    hole = np.array([(-20, -20), (-14, -20), (-14, -12), (-17, -15)], np.float64)
    world.add_walkable([WalkableArea(((ring, hole),), clearance=0.05)])
    pieces = [Obstacle(np.array([(x, 20.0), (x + 1.0, 20.0)])) for x in range(-10, 10)]
    world.add_obstacles([*pieces, Obstacle(np.array([(-6, -8), (6, -8), (6, -6), (-6, -6)], np.float64), closed=True)])


def populate(world: World) -> None:
    """The agents in four parts, each added by a command of its own."""
    random = np.random.default_rng(2011)
    crowd = 120
    places = np.stack(np.meshgrid(np.arange(12), np.arange(10)), axis=-1).reshape(-1, 2) * 2.0 - [26.0, 4.0]
    world.add_agents(
        {
            "position": places + random.uniform(-0.4, 0.4, (crowd, 2)),
            "goal": random.uniform(-30.0, 11.0, (crowd, 2)),
            "radius": random.choice([0.2, 0.3, 0.5], crowd),
            "max_speed": random.uniform(1.0, 3.0, crowd),
            "preferred_speed": random.uniform(0.5, 2.0, crowd),
            "time_horizon": random.uniform(0.05, 4.0, crowd),
            "obstacle_horizon": random.uniform(0.05, 3.0, crowd),
            "max_neighbors": random.integers(0, 15, crowd),
        }
    )
    # a heap on one spot, at a place and with velocities that a wall is about to meet
    heap = np.repeat([[0.0, 22.0]], 7, axis=0)
    world.add_agents(
        {"position": heap, "preferred_velocity": np.tile([[0.0, -1.5]], (7, 1)), "radius": np.full(7, 0.3)}
    )
    # an exact head-on pair and a ring of four
    pair = np.array([[30.0, 30.0], [24.0, 30.0]])
    world.add_agents({"position": pair, "goal": pair[::-1].copy(), "radius": np.full(2, 0.5)})
    ring = np.array([[35.0, -20.0], [30.0, -15.0], [25.0, -20.0], [30.0, -25.0]])
    world.add_agents({"position": ring, "goal": ring[[2, 3, 0, 1]], "radius": np.full(4, 0.5)})
    # and some who want more than there is, toward corners and walls
    rush = np.array([[38.0, -38.0], [11.0, -1.0], [-13.0, -13.0], [0.0, 18.0]])
    world.add_agents(
        {
            "position": rush,
            "preferred_velocity": np.array([[1e200, -1e200], [3.0, 3.0], [-2.0, -9.0], [0.1, 1e300]]),
            "radius": np.full(4, 0.2),
            "max_speed": np.array([4.0, 2.0, 9.0, 30.0]),
            "obstacle_horizon": np.array([2.0, 2.0, 0.01, 0.01]),
        }
    )


def bodies(model: str, count: int) -> World:
    """Agents with limits, of every quality, too dense in the middle, most of them far from every point of interest."""
    detail = LevelOfDetail(distance=3.0, every=3, neighbors=5, points=((2.0, 1.0),))
    options = replace(Options.service(), avoidance_model=model, slow_when_dense=True, level_of_detail=detail)
    world = World(time_step=TIME_STEP, options=options, seed=2008)
    random = np.random.default_rng(2008)
    world.add_obstacles([Obstacle(np.array([(-3.0, -2.5), (3.0, -2.0)]))])
    world.add_agents(
        {
            "position": random.normal(0.0, 1.2, (count, 2)),
            "goal": random.uniform(-6.0, 6.0, (count, 2)),
            "radius": random.choice([0.1, 0.15], count),
            "max_acceleration": random.choice([0.8, 3.0], count),
            "max_turning_rate": random.choice([0.7, 4.0, 17.0, 40.0], count),
            "forward_preference": random.choice([0.0, 0.6, 1.0], count),
            "heading": random.normal(0.0, 1.0, (count, 2)),
            "quality": random.choice(["all", "all", "few", "none"], count).tolist(),
        },
    )
    return world


def everything() -> dict[str, object]:
    """The outcome of every scene."""
    found: dict[str, object] = {"scene": outcome(scene())}
    for model, count, steps in (("orca", 60, 40), ("rvo", 12, 8), ("vo", 12, 8)):
        world = bodies(model, count)
        found[model] = [outcome(world, steps), headings(world.column("velocity"), world.column("heading")).tolist()]
    return found


def outcome(world: World, steps: int = STEPS) -> dict[str, object]:
    """Step the world and tell its digest and every event."""
    report = world.step(steps)
    events = [[event.kind, event.step, event.ids, event.data] for event in report.events]
    return {"digest": world.digest(), "events": json.loads(json.dumps(events))}


if __name__ == "__main__":
    sys.stdout.write(json.dumps(everything()))
