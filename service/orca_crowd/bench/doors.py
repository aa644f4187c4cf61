"""The doors benchmark: steps of a crowd that follows ways, before and after one of the boxes around it opens or closes.

A manual world as the server keeps it, ways planned in threads beside the steps, stepped as fast as it goes. Every so
many steps a box is opened, or closed again; the change and the step with it are timed as one. What counts is the step
after the change, and every one until the next change but one, since that is when agents ask for other ways.

In the same world, served and in real time, goals are given that nobody can reach: see orca_crowd.bench.unreachable.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from orca_core._jit import compile_all
from orca_core.geometry.obstacles import Obstacle
from orca_core.guidance.follow import Follow
from orca_core.guidance.planning import answered
from orca_core.options import Options
from orca_core.simulation import Simulation
from orca_core.world import World
from orca_crowd.bench.bars import bar
from orca_crowd.bench.compare import spread
from orca_crowd.bench.figures import figure
from orca_crowd.bench.machine import facts
from orca_crowd.bench.unreachable import measure_unreachable
from orca_crowd.worlds.planning import LiveWays, PlannerPool

__all__ = ["DoorsPlan", "measure_doors"]

# m: between two boxes, and their side; beside a box there is room for two who meet
SPACING = 5.0
SIDE = 2.0
CORNER = 1.5
RADIUS = 0.3
TIME_STEP = 0.05
# steps after a change that are counted to it, and between two changes
AFTER = 10
EVERY = 20
# at most so many times the usual step
MOST = 2.0
# milliseconds until a client is told that there is no way, at most
TOLD = 50.0
# every so many boxes one is a courtyard: walls around a place without a door
COURTYARDS = 10
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class DoorsPlan:
    """`boxes` with four edges each, `agents` among them, and `changes`; `seed` decides who goes where."""

    agents: int = 2_000
    boxes: int = 1_250
    changes: int = 40
    warm_up: int = 200
    seed: int = 3
    # orders to one agent, and to a hundred at once, to go where there is no way
    orders: int = 40
    at_once: int = 100


def measure_doors(plan: DoorsPlan, tell: Callable[[str], None] = lambda _: None) -> dict[str, Any]:
    """Straight on first, where a change concerns the solver alone, and then along ways."""
    compile_all()
    found = {}
    for guidance in ("straight", "path"):
        tell(f"{plan.agents} agents, guidance {guidance}")
        found[guidance] = _played(plan, guidance)
    named = {"straight": "straight on", "path": "along ways"}
    figures, bars = [], []
    for guidance, name in named.items():
        usual, after, first = ([1e3 * each for each in values] for values in found[guidance])
        figures += [
            figure(f"a step, {name}", "ms", usual),
            figure(f"the change and its step, {name}", "ms", first),
            figure(f"the {AFTER} steps from the change on, {name}", "ms", after),
        ]
        for what, values in (("the change and its step", first), (f"the {AFTER} steps from it on", after)):
            times = float(np.median(values) / np.median(usual))
            bars.append(bar(f"{what}, {name}, median, times the usual step", times, MOST, ""))
            times = float(np.percentile(values, 95) / np.percentile(usual, 95))
            bars.append(bar(f"{what}, {name}, 95th percentile, times that of usual steps", times, MOST, ""))
    tell(f"{plan.orders} orders without a way, to one and to {plan.at_once}")
    told = _unreachable(plan)
    for count, seconds in told.items():
        who = "one agent" if count == 1 else f"{count} agents"
        times_told = [1e3 * each for each in seconds]
        figures.append(figure(f"until it is told that {who} cannot arrive", "ms", times_told))
        for share in (50, 99):
            value = float(np.percentile(times_told, share))
            bars.append(bar(f"until it is told that {who} cannot arrive, {share}th percentile", value, TOLD, "ms"))
    return {
        "benchmark": "doors",
        "format": 1,
        "machine": facts(),
        "facts": [
            f"{plan.agents:,} agents of {RADIUS:g} m among {plan.boxes:,} boxes of {SIDE:g} m, a change every {EVERY} "
            f"steps of {TIME_STEP:g} s"
        ],
        "times": {guidance: [spread(values) for values in parts] for guidance, parts in found.items()},
        "told": {str(count): spread(seconds) for count, seconds in told.items()},
        "figures": figures,
        "bars": bars,
    }


def _played(plan: DoorsPlan, guidance: str) -> tuple[list[float], list[float], list[float]]:
    """Seconds of usual steps, of those from a change on, and of the changes with their steps."""
    world, ids = _world(plan, guidance)
    pool = PlannerPool(1)
    try:
        follow = next(guide for guide in world.guides if isinstance(guide, Follow))
        follow.plan_with(world, LiveWays(pool, None, answered))
        world.step(plan.warm_up)
        usual: list[float] = []
        after: list[float] = []
        first: list[float] = []
        random = np.random.default_rng(plan.seed)
        door = 0
        for number in range(plan.changes * EVERY):
            place = number % EVERY
            begin = time.perf_counter()
            if place == 0:
                # opened, and closed the next time
                door = int(random.choice(ids)) if (number // EVERY) % 2 == 0 else door
                world.open_obstacles([door], (number // EVERY) % 2 == 0)
            world.step()
            seconds = time.perf_counter() - begin
            (after if place < AFTER else usual).append(seconds)
            if place == 0:
                first.append(seconds)
        return usual, after, first
    finally:
        pool.close()


def _unreachable(plan: DoorsPlan) -> dict[int, list[float]]:
    """Seconds from an order to what is told of it, by how many agents it is to."""
    boxes, columns = _places(plan)
    obstacles: list[dict[str, Any]] = [
        {"points": box.tolist(), "closed": True}
        if number % COURTYARDS
        else {"points": [*box.tolist(), box[0].tolist()], "closed": False}
        for number, box in enumerate(boxes)
    ]
    goals = np.array([box.mean(axis=0) for box in boxes])
    asked = {1: plan.orders, plan.at_once: plan.orders}
    return measure_unreachable({"time_step": TIME_STEP}, obstacles, columns, goals, asked)


def _places(plan: DoorsPlan) -> tuple[list[Floats], dict[str, Floats]]:
    """Boxes in rows, four corners (4, 2) each, and columns of agents at two corners of some, each with the place of
    another for its goal.
    """
    side = int(np.ceil(np.sqrt(plan.boxes)))
    corners = np.array([(0.0, 0.0), (SIDE, 0.0), (SIDE, SIDE), (0.0, SIDE)]) + CORNER
    cells = np.stack(np.divmod(np.arange(plan.boxes), side), axis=1) * SPACING - side * SPACING / 2.0
    random = np.random.default_rng(plan.seed)
    chosen = cells[random.permutation(plan.boxes)[: -(-plan.agents // 2)]]
    places: Floats = np.concatenate([chosen + 0.5, chosen + CORNER + SIDE + 0.7])[: plan.agents]
    return [cell + corners for cell in cells], {
        "position": places,
        "goal": places[random.permutation(len(places))],
        "radius": np.full(len(places), RADIUS),
        "preferred_speed": np.full(len(places), 1.3),
    }


def _world(plan: DoorsPlan, guidance: str) -> tuple[World, list[int]]:
    """The boxes and the agents, and the ids of the boxes."""
    boxes, columns = _places(plan)
    world = World(time_step=TIME_STEP, options=Options.service(), seed=plan.seed)
    Simulation(world)
    ids = world.add_obstacles([Obstacle(box, closed=True) for box in boxes]).ids.tolist()
    world.add_agents({**columns, "guidance": [guidance] * len(columns["goal"])})
    return world, ids
