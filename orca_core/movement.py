"""Movement: the phase after integration that keeps centres on the walkable surface and on their side of every wall."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from orca_core.kernels.step import NEAR_STATICS
from orca_core.kernels.surface import surface_phase
from orca_core.kernels.walls import wall_phase
from orca_core.options import Options
from orca_core.scratch import Scratch
from orca_core.state import AgentState
from orca_core.statics import Statics
from orca_core.tree import BoxTree

__all__ = ["keep_on_side"]

MARK = np.uint8(NEAR_STATICS)


@cache
def no_walls() -> BoxTree:
    """The tree over no wall at all; made when first needed, since it takes kernels and importing compiles none."""
    return BoxTree.over(np.empty((0, 4)))


def keep_on_side(
    agents: AgentState,
    statics: Statics,
    options: Options,
    dt: float,
    order: NDArray[np.int64],
    outcome: NDArray[np.uint8],
    moved: NDArray[np.uint8],
    first: int,
    last: int,
    scratch: Scratch,
) -> None:
    """Rewrite the following position and velocity of agents whose move is clipped; exact, and without a tolerance.

    For the places [first, last) of `order`. Moves that cross nothing keep their bits; agents that solving found far
    from
    everything are not looked at. `moved` tells what became of each on the surface.
    """
    surface = options.walkable_surface and statics.boundaries.class_count > 0
    guarded = options.stop_at_walls and len(statics.walls) > 0
    if not (surface or guarded) or first >= last:
        return
    tree = statics.wall_tree if guarded else no_walls()
    walls: NDArray[Any] = statics.walls if guarded else tree.boxes
    position, velocity = agents.following("position"), agents.following("velocity")
    if not surface:
        wall_phase(
            agents["position"], velocity, position, dt, order, outcome, MARK, first, last, walls, tree.nodes,
            tree.leaves, tree.order, tree.boxes, scratch.stack, scratch.found, scratch.work,
        )  # fmt: skip
        return
    boundaries, index = statics.boundaries, statics.boundaries.index
    surface_phase(
        agents["position"], velocity, position, dt, agents["max_speed"], agents["radius_class"], agents["on_surface"],
        agents.following("on_surface"), moved, order, outcome, MARK, first, last, boundaries.class_start, statics.edges,
        boundaries.following, boundaries.preceding, index.node_start, index.nodes, index.leaves, index.order,
        index.boxes,
        walls, tree.nodes, tree.leaves, tree.order, tree.boxes, scratch.stack, scratch.found_edges, scratch.found,
        scratch.work,
    )  # fmt: skip
