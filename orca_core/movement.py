"""Movement: the phase after integration that keeps centres on the walkable surface and on their side of every wall."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from orca_core.kernels.step import NEAR_STATICS
from orca_core.kernels.storeys import surface_on_storeys, walls_on_storeys
from orca_core.kernels.surface import surface_phase
from orca_core.kernels.walls import wall_phase
from orca_core.options import Options
from orca_core.scratch import Scratch
from orca_core.state import AgentState
from orca_core.statics import Statics
from orca_core.tree import BoxTree

__all__ = ["guard"]

MARK = np.uint8(NEAR_STATICS)


@cache
def no_walls() -> BoxTree:
    """The tree over no wall at all; made when first needed, since it takes kernels and importing compiles none."""
    return BoxTree.over(np.empty((0, 4)))


def guard(
    agents: AgentState,
    statics: Statics,
    options: Options,
    dt: float,
    order: NDArray[np.int64],
    outcome: NDArray[np.uint8],
    moved: NDArray[np.uint8],
    scratch: Scratch,
) -> Callable[[int, int], None] | None:
    """The phase for the places [first, last) of `order` as a call, or None where there is nothing to keep anybody from.

    It rewrites the following position and velocity of agents whose move is clipped; exact, and without a tolerance.
    Moves that cross nothing keep their bits; agents that solving found far from everything are not looked at. `moved`
    tells what became of each on the surface.
    """
    surface = options.walkable_surface and statics.boundaries.class_count > 0
    guarded = options.stop_at_walls and len(statics.walls) > 0
    if not (surface or guarded):
        return None
    tree = statics.wall_tree if guarded else no_walls()
    walls: NDArray[Any] = statics.walls if guarded else tree.boxes
    moves = (agents["position"], agents.following("velocity"), agents.following("position"), dt)
    indexed_walls: tuple[Any, ...] = (walls, tree.nodes, tree.leaves, tree.order, tree.boxes)
    # walls that stand at some heights only are picked for each agent, and the heights go where the phases expect them
    storeys = guarded and len(statics.wall_range) > 0
    heights = (agents.dense("elevation"), agents.dense("height")) if storeys else ()
    some = (scratch.some_walls, scratch.some_boxes, scratch.some_nodes, scratch.some_order) if storeys else ()
    if storeys:
        indexed_walls = (*indexed_walls, statics.wall_range)
    if not surface:
        work = (scratch.stack, scratch.found, scratch.work, *some)
        on_walls = walls_on_storeys if storeys else wall_phase
        return lambda first, last: on_walls(*moves, order, outcome, MARK, first, last, *heights, *indexed_walls, *work)
    boundaries, index = statics.boundaries, statics.boundaries.index
    before = (
        agents["max_speed"], agents.told("radius_class"), agents["on_surface"], agents.following("on_surface"), moved,
        order, outcome, MARK,
    )  # fmt: skip
    after = (
        boundaries.class_start, statics.edges, boundaries.following, boundaries.preceding, index.node_start,
        index.nodes,
        index.leaves, index.order, index.boxes, *indexed_walls, scratch.stack, scratch.found_edges, scratch.found,
        scratch.work, *some,
    )  # fmt: skip
    on_surface = surface_on_storeys if storeys else surface_phase
    return lambda first, last: on_surface(*moves, *before, first, last, *heights, *after)
