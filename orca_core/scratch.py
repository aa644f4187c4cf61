"""Scratch: what one worker writes on while it computes a range; nothing of it outlives the range."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from orca_core.kernels.half_planes import LANE_ROWS, LANES
from orca_core.kernels.neighbours import LISTED
from orca_core.kernels.orientation import WORK
from orca_core.kernels.ranking import COUNTED
from orca_core.kernels.tree import LEAF, STACK
from orca_core.tree import leaf_count

__all__ = ["Scratch"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Bytes = NDArray[np.uint8]


@dataclass
class Scratch:
    """The arrays in the order in which the solving kernel takes them, and after them what movement needs."""

    planted: Bytes
    nodes: Floats
    near: Integers
    wide: Integers
    stack: Integers
    distance: Floats
    place: Integers
    index: Integers
    nearer: Integers
    common_x: Floats
    common_y: Floats
    common_place: Integers
    squares: Floats
    near_distance: Floats
    near_place: Integers
    near_counts: Integers
    bounds: Floats
    lanes: Floats
    wishes: Floats
    guesses: Floats
    found: Integers
    item_distance: Floats
    item: Integers
    planes: Floats
    derived: Floats
    shares: Floats
    found_here: Integers
    at_most: Integers
    discs: Floats
    found_edges: Integers
    work: Floats
    some_walls: Floats
    some_boxes: Floats
    some_nodes: Floats
    some_order: Integers
    size: tuple[int, int, int, int]

    @classmethod
    def sized(cls, leaves: int, neighbours: int, walls: int, edges: int) -> Scratch:
        """Allocate for trees of `leaves`, at most `neighbours` an agent, and every wall and edge in reach of one agent.

        Sized by what can occur, so no buffer is ever full; memory that is never touched costs nothing.
        """
        candidates = 4 * max(neighbours, LISTED) + 16 * LEAF
        # and three of what a body can turn to
        rows = walls + edges + neighbours + 3
        items = max(walls, edges, 1)
        return cls(
            planted=np.zeros(1, np.uint8),
            nodes=np.empty((2 * leaves, 4)),
            near=np.empty(leaves, np.int64),
            wide=np.empty(max(leaves, edges), np.int64),
            stack=np.empty(STACK, np.int64),
            distance=np.empty((LEAF, candidates)),
            place=np.empty((LEAF, candidates), np.int64),
            index=np.empty(candidates, np.int64),
            nearer=np.empty(COUNTED, np.int64),
            common_x=np.empty(candidates),
            common_y=np.empty(candidates),
            common_place=np.empty(candidates, np.int64),
            squares=np.empty(candidates),
            near_distance=np.empty((LEAF, candidates)),
            near_place=np.empty((LEAF, candidates), np.int64),
            near_counts=np.empty(LEAF, np.int64),
            bounds=np.empty(LEAF),
            lanes=np.empty(LANE_ROWS * LANES),
            wishes=np.empty((candidates, 2)),
            guesses=np.empty(LEAF),
            found=np.empty(max(walls, 1), np.int64),
            item_distance=np.empty(items),
            item=np.empty(items, np.int64),
            planes=np.empty((rows, 4)),
            derived=np.empty((rows, 4)),
            shares=np.empty(candidates),
            found_here=np.empty(max(walls, 1), np.int64),
            at_most=np.empty(LEAF, np.int64),
            discs=np.empty(6),
            found_edges=np.empty(max(edges, 1), np.int64),
            work=np.empty(WORK),
            some_walls=np.empty((walls, 4)),
            some_boxes=np.empty((walls, 4)),
            some_nodes=np.empty((2 * leaf_count(walls), 4)),
            some_order=np.empty(max(walls, 1), np.int64),
            size=(leaves, neighbours, walls, edges),
        )

    def fits(self, leaves: int, neighbours: int, walls: int, edges: int) -> bool:
        """Whether it will do for these sizes."""
        return all(have >= want for have, want in zip(self.size, (leaves, neighbours, walls, edges), strict=True))

    def for_solving(self) -> list[Floats | Integers | Bytes]:
        """The arrays that the solving kernel takes, in its order."""
        values = list(vars(self).values())
        return values[: list(vars(self)).index("found_edges")]
