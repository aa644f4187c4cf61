"""Metrics: what a run came to, as far as no clock is needed for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from orca_core.cooperative.frame import Frame
from orca_core.kernels import cooperate as columns
from orca_core.kernels.drifting import DRIFT, STATE
from orca_core.kernels.tally import overlaps, remember_speed
from orca_core.mapf.instance import Instance

if TYPE_CHECKING:
    from orca_core.cooperative.guide import Cooperative
    from orca_core.cooperative.runner import Run
    from orca_core.world import World

__all__ = ["Metrics", "Tally"]

# a run ends when everybody's mean speed over so many steps is under this
STANDING_STEPS = 1000
STANDING_SPEED = 0.001


class Tally:
    """What is counted after every step."""

    def __init__(self, instance: Instance, radii: NDArray[np.float64], frame: Frame) -> None:
        """Nothing has happened; `radii` (n,) are those by which collisions are counted."""
        count = instance.count
        self.collisions = self.obstacle_collisions = self.triggers = 0
        # how far everybody has gone by its last arrival, and now
        self.walked = np.zeros(count)
        self.walked_there = np.zeros(count)
        # whether everybody has stood for long
        self.stands = False
        self._radius, self._size, self._blocked = radii, frame.cell_size, frame.blocked()
        self._least = STANDING_SPEED * STANDING_STEPS
        self._ring, self._total = np.zeros((STANDING_STEPS, count)), np.zeros(count)
        self._drifting = np.zeros(count, np.bool_)
        self._head, self._chain = np.empty(instance.grid.free.size, np.int64), np.empty(count, np.int64)

    def look(self, world: World, guide: Cooperative) -> None:
        """Count after a step, or before the first."""
        state = world.population.state
        pairs, walls = overlaps(
            state.count, self._radius, self._size, state["position"], self._blocked, self._head, self._chain
        )
        self.collisions += int(pairs)
        self.obstacle_collisions += int(walls)
        drifting = guide.walk[:, STATE] == DRIFT
        self.triggers += int((drifting & ~self._drifting).sum())
        self._drifting = drifting
        if not world.step_count:
            return
        velocity = state["velocity"]
        self.stands = bool(
            remember_speed(world.step_count, self._least, state.count, velocity, self._ring, self._total)
        )
        self.walked += np.sqrt(velocity[:, 0] * velocity[:, 0] + velocity[:, 1] * velocity[:, 1]) * world.time_step
        arrived = guide.walk[:, columns.ARRIVED] == world.step_count
        self.walked_there[arrived] = self.walked[arrived]


@dataclass(frozen=True)
class Metrics:
    """What there is to say of a run so far; times in s of the simulation, lengths in the unit of the cells.

    `success_rate` (%) is the share of agents at their goals, `flow_time` the sum of last arrival times with the last
    step for who is not there, `makespan` the latest of them, `sum_of_costs` the lengths of all ways up to the arrival.
    `collisions` counts pairs and steps, `collisions_obst` agents and steps, by the true radius.
    `dependency_triggers` is how often an agent began to wait for another before a narrow place. The four before the
    last are of the discrete planner that is asked where agents stall; the last is of lifelong runs alone.
    """

    num_agents: int
    steps: int
    success_rate: float
    flow_time: float
    makespan: float
    collisions: int
    collisions_obst: int
    sum_of_costs: float
    dependency_triggers: int
    lns_success: bool | None
    lns_sum_of_costs: int | None
    lns_initial_costs: int | None
    lns_iterations: int | None
    lns_avg_group_size: float | None
    used_waypoints: bool
    mapf_successes: int = 0
    n_ag: float = 0.0
    init_count: int = 0
    ecbs_count: int = 0
    # goals reached in a second of the simulation, of runs in which whoever arrives gets another
    throughput: float | None = None

    @classmethod
    def of(cls, run: Run) -> Metrics:
        """Those of a run; of one that has planned alone, those of the plan."""
        found = run.found
        planned = {
            "lns_success": None if found is None else found.complete,
            "lns_sum_of_costs": None if found is None else found.sum_of_costs,
            "lns_initial_costs": None if found is None else int(found.notes.get("initial_costs", found.sum_of_costs)),
            "lns_iterations": None if found is None else found.iterations,
            "lns_avg_group_size": None if found is None else run.average_group,
        }
        count = run.instance.count
        if run.world is None or run.guide is None:
            share = 100.0 if found is not None and found.complete else 0.0
            return cls(count, 0, share, 0.0, 0.0, 0, 0, 0.0, 0, used_waypoints=False, **planned)  # type: ignore[arg-type]
        arrived: NDArray[np.int64] = run.guide.walk[:, columns.ARRIVED]
        there = arrived >= 0
        times = np.where(there, arrived, run.world.step_count) * run.world.time_step
        tally = run.tally
        return cls(
            num_agents=count,
            steps=run.world.step_count,
            success_rate=100.0 * int(there.sum()) / count if count else 100.0,
            flow_time=float(sum(times.tolist())),
            makespan=float(times.max(initial=0.0)),
            collisions=tally.collisions,
            collisions_obst=tally.obstacle_collisions,
            sum_of_costs=float(sum(np.where(there, tally.walked_there, tally.walked).tolist())),
            dependency_triggers=tally.triggers,
            used_waypoints=run.variant.guided,
            **_repairs(run),
            **planned,  # type: ignore[arg-type]
        )


def _repairs(run: Run) -> dict[str, Any]:
    """What the planner of stalled agents has done, where there is one."""
    if run.guide is None or run.guide.repairs is None:
        return {}
    return run.guide.repairs.counts.columns()
