"""What going along flow fields costs: a crowd of one world, in turn with the same crowd going straight on.

Both start from where everybody is in the guided world, go on side by side for a while, so that both have their caches,
and then take turns step by step. A ratio is that of as many steps as there are between two sortings of the solver.
Where everybody is differs by two seconds' walk at most.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from orca_core.geometry.obstacles import Obstacle
from orca_core.geometry.walkable import WalkableArea
from orca_core.options import Options
from orca_core.simulation import Simulation
from orca_core.world import World
from orca_crowd.bench.bars import bar
from orca_crowd.bench.compare import spread
from orca_crowd.bench.figures import figure

__all__ = ["FlowCostPlan", "measure_flow_cost"]

# m: a crowd with room to walk, and walls in its way
WIDE_PER_AGENT = 2.0
RADIUS = 0.4
WALL = 4.0
# walls by agents
WALLS = 0.02
TIME_STEP = 0.05
# steps from one sorting of the solver to the next
BLOCK = 16
# at most so many times the steps of who goes straight on
MOST = 1.10


@dataclass(frozen=True)
class FlowCostPlan:
    """`agents`, each to the nearest of four exits, `blocks` of steps by turns; `seed` decides where everything is."""

    agents: int = 10_000
    blocks: int = 15
    seed: int = 5


def measure_flow_cost(plan: FlowCostPlan) -> dict[str, Any]:
    """A fact, figures and a bar."""
    guided = _world(plan)
    # until fields are there
    guided.step(BLOCK)
    found, steps, straight_steps = [], [], []
    for number in range(plan.blocks):
        straight = World.restore(guided.snapshot())
        straight.set_agents(straight.ids, {"guidance": ["straight"] * plan.agents})
        Simulation(straight)
        pair = (guided, straight)
        for world in pair:
            world.step(BLOCK)
        seconds = [0.0, 0.0]
        for step in range(BLOCK):
            for which in (0, 1) if (step + number) % 2 == 0 else (1, 0):
                begin = time.thread_time()
                pair[which].step()
                seconds[which] += time.thread_time() - begin
        found.append(seconds[0] / seconds[1])
        steps.append(1e3 * seconds[0] / BLOCK)
        straight_steps.append(1e3 * seconds[1] / BLOCK)
    name = f"along fields, {plan.agents:,} agents to 4 exits, median, times steps straight on"
    return {
        "fact": f"{plan.agents:,} agents of {RADIUS:g} m to the nearest of 4 exits among {_walls(plan)} walls, one "
        "thread",
        "ratio": spread(found),
        "figures": [
            figure("a step straight on, to 4 exits", "ms of the processor", straight_steps),
            figure("a step along fields, to 4 exits", "ms of the processor", steps),
            figure("along fields to straight on, to 4 exits", "ratio", found),
        ],
        "bar": bar(name, float(np.median(found)), MOST, ""),
    }


def _walls(plan: FlowCostPlan) -> int:
    return round(WALLS * plan.agents)


def _world(plan: FlowCostPlan) -> World:
    """A square full of agents and walls, with an exit in the middle of each side."""
    across = int(np.ceil(np.sqrt(plan.agents)))
    wide = WIDE_PER_AGENT * across
    random = np.random.default_rng(plan.seed)
    world = World(time_step=TIME_STEP, options=Options.service(), seed=plan.seed)
    Simulation(world)
    world.add_walkable([WalkableArea((([[0.0, 0.0], [wide, 0.0], [wide, wide], [0.0, wide]],),))])
    middle, angle = random.uniform(WALL, wide - WALL, (_walls(plan), 2)), random.uniform(0.0, np.pi, _walls(plan))
    half = 0.5 * WALL * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    world.add_obstacles([Obstacle([one, other]) for one, other in zip(middle - half, middle + half, strict=True)])
    cells = np.stack(np.divmod(np.arange(plan.agents), across), axis=1)
    places = (cells + 0.5) * WIDE_PER_AGENT + random.uniform(-0.4, 0.4, (plan.agents, 2))
    exits = np.array([(0.5 * wide, 1.0), (0.5 * wide, wide - 1.0), (1.0, 0.5 * wide), (wide - 1.0, 0.5 * wide)])
    nearest = np.argmin(((places[:, None] - exits) ** 2).sum(axis=2), axis=1)
    world.add_agents(
        {
            "position": places,
            "goal": exits[nearest],
            "radius": np.full(plan.agents, RADIUS),
            "preferred_speed": np.full(plan.agents, 1.3),
            "guidance": ["flow"] * plan.agents,
        }
    )
    return world
