"""Movement: the phase after integration that keeps centres on the walkable surface and on their side of every wall."""

from __future__ import annotations

from functools import cache

import numpy as np

from orca_core.kernels.orientation import WORK
from orca_core.kernels.surface import surface_phase
from orca_core.kernels.tree import STACK
from orca_core.kernels.walls import wall_phase
from orca_core.options import Options
from orca_core.solver import Solver
from orca_core.state import AgentState
from orca_core.statics import Statics
from orca_core.tree import BoxTree

__all__ = ["Movement"]


@cache
def no_walls() -> BoxTree:
    """The tree over no wall at all; made when first needed, since it takes kernels and importing compiles none."""
    return BoxTree.over(np.empty((0, 4)))


class Movement:
    """Corrects moves that would leave the walkable area or cross a wall; all others keep their bits."""

    def correct(self, agents: AgentState, solver: Solver, statics: Statics, options: Options, dt: float) -> None:
        """Rewrite `new_position` and `new_velocity` of the agents whose move is clipped; exact, and without a
        tolerance.
        """
        surface = options.walkable_surface and statics.boundaries.class_count > 0
        guarded = options.stop_at_walls and len(statics.walls) > 0
        if not (surface or guarded) or not agents.count:
            return
        tree = statics.wall_tree if guarded else no_walls()
        walls = statics.walls if guarded else tree.boxes
        stack, work = np.empty(STACK, np.int64), np.empty(WORK)
        found_walls = np.empty(max(len(walls), 1), np.int64)
        if not surface:
            wall_phase(
                agents["position"], solver.new_velocity, solver.new_position, dt, 0, agents.count, walls,
                tree.nodes, tree.leaves, tree.order, tree.boxes, stack, found_walls, work, solver.moved,
            )  # fmt: skip
            return
        boundaries, index = statics.boundaries, statics.boundaries.index
        found = np.empty(max(len(boundaries.edges), 1), np.int64)
        surface_phase(
            agents["position"], solver.new_velocity, solver.new_position, dt, agents["max_speed"], statics.agent_class,
            agents["on_surface"], solver.moved, 0, agents.count, boundaries.class_start, statics.edges,
            boundaries.following, boundaries.preceding, index.node_start, index.nodes, index.leaves, index.order,
            index.boxes, walls, tree.nodes, tree.leaves, tree.order, tree.boxes, stack, found, found_walls, work,
        )  # fmt: skip
