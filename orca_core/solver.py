"""Solver: the arrays that a step needs beside the state, and the phases over them.

Frozen state goes in, rows of new velocities come out; which ranges are computed by whom decides nothing.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from orca_core._jit import compile_all
from orca_core.kernels import step as step_kernels
from orca_core.kernels.half_planes import LANE_ROWS, LANES
from orca_core.kernels.neighbours import LISTED
from orca_core.kernels.preferred import gather_parameters, preferred_velocities
from orca_core.kernels.ranking import NETWORK
from orca_core.kernels.step import largest_move
from orca_core.kernels.tree import LEAF, STACK, point_leaves, sort_codes, z_order
from orca_core.options import Options
from orca_core.state import AgentState
from orca_core.statics import Statics
from orca_core.tree import leaf_count

__all__ = ["Scratch", "Solver"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

# seconds for which an agent that met others in an exact symmetry turns aside wherever it is slowed
SORT_STEPS = 16
TURN_TIME = 10.0


@dataclass
class Scratch:
    """What one worker writes on while it solves a range; nothing of it outlives the range."""

    near: Integers
    wide: Integers
    stack: Integers
    distance: Floats
    place: Integers
    index: Integers
    keys: Integers
    common_x: Floats
    common_y: Floats
    common_place: Integers
    squares: Floats
    near_distance: Floats
    near_place: Integers
    lanes: Floats
    found: Integers
    item_distance: Floats
    item: Integers
    planes: Floats
    derived: Floats

    @classmethod
    def sized(cls, leaves: int, neighbours: int, walls: int, edges: int) -> Scratch:
        """Allocate for trees of `leaves`, at most `neighbours` an agent, and every wall and edge in reach of one agent.

        Sized by what can occur, so no buffer is ever full; memory that is never touched costs nothing.
        """
        candidates = 4 * max(neighbours, LISTED) + 16 * LEAF
        rows = walls + edges + neighbours + 1
        items = max(walls, edges, 1)
        return cls(
            near=np.empty(leaves, np.int64),
            wide=np.empty(max(leaves, edges), np.int64),
            stack=np.empty(STACK, np.int64),
            distance=np.empty(candidates),
            place=np.empty(candidates, np.int64),
            index=np.empty(candidates, np.int64),
            keys=np.empty(NETWORK, np.int64),
            common_x=np.empty(candidates),
            common_y=np.empty(candidates),
            common_place=np.empty(candidates, np.int64),
            squares=np.empty(candidates),
            near_distance=np.empty(candidates),
            near_place=np.empty(candidates, np.int64),
            lanes=np.empty(LANE_ROWS * LANES),
            found=np.empty(max(walls, 1), np.int64),
            item_distance=np.empty(items),
            item=np.empty(items, np.int64),
            planes=np.empty((rows, 4)),
            derived=np.empty((rows, 4)),
        )


class Solver:
    """The phases of a step over the arrays of one world. Compiles the kernels when the first one is made."""

    def __init__(self) -> None:
        """Allocate nothing yet."""
        compile_all()
        self.count = 0
        self.leaves = 0
        self._histogram = np.empty(2048, np.int64)
        self._allocate(1)

    def _allocate(self, count: int) -> None:
        """Size the per-agent arrays for `count` agents."""
        leaves = leaf_count(count)
        self._capacity = leaves * LEAF
        rows = self._capacity
        self.desired = np.zeros((rows, 2))
        self.codes = np.empty(rows, np.int64)
        self.order = np.empty(rows, np.int64)
        self._spare_codes = np.empty(rows, np.int64)
        self._spare_order = np.empty(rows, np.int64)
        self.nodes = np.empty((2 * leaves, 4))
        self.leaf_x = np.empty(rows)
        self.leaf_y = np.empty(rows)
        self.leaf_first = np.empty(leaves, np.int64)
        self.packed = np.empty((rows, 5))
        self.parameters = np.empty((rows, 8))
        self.new_velocity = np.zeros((rows, 2))
        self.new_position = np.zeros((rows, 2))
        self.new_turning = np.zeros(rows, np.int64)
        self.outcome = np.zeros(rows, np.uint8)
        self.events = np.zeros(rows, np.uint8)
        self.moved = np.zeros(rows, np.uint8)
        self.overlap_depth = np.zeros(rows)
        self.overlap_with = np.full(rows, -1, np.int64)
        self.listed = np.zeros((rows, LISTED), np.int32)
        self.list_count = np.full(rows, -1, np.int64)
        self.list_radius = np.zeros(rows)
        self.list_drift = np.zeros(rows)
        self.drift, self.slack, self.age = 0.0, 0.0, 0
        self._sorted: tuple[int, int] | None = None

    def prefer(self, agents: AgentState, options: Options, dt: float) -> None:
        """Phase: preferred velocities into `desired`."""
        self.count = agents.count
        if not agents.count <= self._capacity or self._capacity > 64 * LEAF + 8 * agents.count:
            self._allocate(agents.count)
        preferred_velocities(
            agents.count,
            dt,
            options.clamp_preferred_velocity,
            agents["position"],
            agents["goal"],
            agents["has_goal"],
            agents["preferred_speed"],
            agents["goal_tolerance"],
            agents["max_speed"],
            agents["preferred_velocity"],
            self.desired,
        )

    def bin(self, agents: AgentState, slack: float) -> None:
        """Phase: sort the agents in space, build the tree, gather what neighbours and the solver read.

        `slack` is added to each agent's last neighbour reach: how far two agents may have come closer meanwhile. A
        guess, not a bound.
        """
        count = agents.count
        self.leaves = leaf_count(count)
        # an order is kept for some steps: candidate lists name places, and sorting costs more than slightly larger boxes
        self.age += 1
        if self._sorted != (agents.placed, count) or self.age >= SORT_STEPS:
            bits = z_order(agents["position"], count, self.codes)
            sort_codes(self.codes, count, bits, self.order, self._spare_codes, self._spare_order, self._histogram)
            self.list_count[:count] = -1
            self.drift, self.age, self._sorted = 0.0, 0, (agents.placed, count)
            self.slack = slack
        point_leaves(
            agents["position"],
            agents["velocity"],
            agents["radius"],
            self.order,
            count,
            self.nodes,
            self.leaves,
            self.leaf_x,
            self.leaf_y,
            self.packed,
            self.leaf_first,
        )
        gather_parameters(
            self.order,
            count,
            self.desired,
            agents["max_speed"],
            agents["time_horizon"],
            agents["obstacle_horizon"],
            agents["neighbor_distance"],
            agents["neighbor_reach"],
            agents["max_neighbors"],
            self.parameters,
        )

    def occupied_leaves(self) -> int:
        """How many leaves hold agents; ranges of leaves are what a split divides."""
        return -(-self.count // LEAF)

    def scratch(self, agents: AgentState, statics: Statics) -> Scratch:
        """Scratch large enough for any range of this step."""
        most = int(agents["max_neighbors"].max()) if agents.count else 0
        return Scratch.sized(self.leaves, min(most, agents.count), len(statics.walls), len(statics.edges))

    def solve(
        self,
        agents: AgentState,
        statics: Statics,
        options: Options,
        dt: float,
        seed: int,
        step: int,
        scratch: Scratch,
        first_leaf: int,
        last_leaf: int,
    ) -> None:
        """Phase, for the leaves [first_leaf, last_leaf): neighbours, constraints, program, relaxation into
        `new_velocity`.
        """
        flags = (
            step_kernels.PART_COINCIDENT * options.part_coincident
            | step_kernels.BREAK_SYMMETRY * options.break_symmetry
            | step_kernels.STOP_NON_FINITE * options.stop_non_finite
        )
        work: Sequence[Any] = list(vars(scratch).values())
        step_kernels.solve_leaves(
            first_leaf,
            last_leaf,
            self.count,
            dt,
            dt if options.stop_at_walls else 0.0,
            flags,
            seed,
            step,
            math.ceil(TURN_TIME / dt),
            self.drift,
            self.slack,
            self.nodes,
            self.leaves,
            self.order,
            self.leaf_x,
            self.leaf_y,
            self.leaf_first,
            self.packed,
            self.parameters,
            agents["id"],
            agents["turning_until"],
            *statics.solver_arguments(),
            self.listed,
            self.list_count,
            self.list_radius,
            self.list_drift,
            *work,
            self.new_velocity,
            self.new_turning,
            self.outcome,
            agents["neighbor_reach"],
            self.overlap_depth,
            self.overlap_with,
        )

    def integrate(self, agents: AgentState, dt: float) -> None:
        """Phase: where the new velocities lead, into `new_position`."""
        step_kernels.integrate(0, self.count, dt, agents["position"], self.new_velocity, self.new_position)

    def commit(self, agents: AgentState) -> None:
        """Phase: the new velocities and positions become the state."""
        move = largest_move(0, self.count, agents["position"], self.new_position)
        self.drift += move
        self.slack = 2.0 * move
        agents["velocity"][:] = self.new_velocity[: self.count]
        agents["turning_until"][:] = self.new_turning[: self.count]
        agents["position"][:] = self.new_position[: self.count]
