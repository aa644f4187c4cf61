"""Boundaries: the directed edges on which centres of a given radius are kept, one class a distinct radius.

The arrays are state and part of a snapshot, so that no version of the library that shrank the polygons changes a bit.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from orca_core.errors import SnapshotError
from orca_core.kernels.area import points_inside
from orca_core.kernels.orientation import WORK
from orca_core.kernels.tree import STACK
from orca_core.tree import BoxTree

__all__ = ["Boundaries", "BoundaryIndex", "contains"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class BoundaryIndex:
    """The box trees of all classes, one after the other, as the kernels take them.

    Class k has the nodes node_start[k]..node_start[k+1] and leaves[k] leaves; `order` counts from its first edge.
    """

    node_start: Integers
    nodes: Floats
    leaves: Integers
    order: Integers
    boxes: Floats


@dataclass(frozen=True, eq=False)
class Boundaries:
    """Edges by radius class: class k of radius class_radius[k] has the rows class_start[k]..class_start[k+1].

    `edges` float64 (e, 4) of a x, a y, b x, b y with the walkable side to the left of a -> b; `following` and
    `preceding` int64 (e,) the neighbours along the ring, counted from the first edge of the class; `edge_clearance`
    (e,); `edge_horizon` (e,), negative where the agent's obstacle horizon holds; `edge_area` int64 (e,) the id of the
    area from which an edge came. A class without edges is an area in which no centre of that radius has a place.
    """

    class_radius: Floats
    class_start: Integers
    edges: Floats
    following: Integers
    preceding: Integers
    edge_clearance: Floats
    edge_horizon: Floats
    edge_area: Integers

    @classmethod
    def empty(cls) -> Boundaries:
        """No class at all: a world without walkable areas."""
        none, no_index = np.empty(0), np.empty(0, np.int64)
        return cls(none, np.zeros(1, np.int64), np.empty((0, 4)), no_index, no_index, none, none, no_index)

    @property
    def class_count(self) -> int:
        """Number of radius classes."""
        return len(self.class_radius)

    @property
    def class_empty(self) -> Flags:
        """Flags (c,): no centre of that radius has a place."""
        flags: Flags = np.diff(self.class_start) == 0
        return flags

    @cached_property
    def trees(self) -> tuple[BoxTree, ...]:
        """A box tree for each class over its own edges."""
        starts = self.class_start.tolist()
        return tuple(
            BoxTree.over_segments(np.ascontiguousarray(self.edges[first:last])) for first, last in pairwise(starts)
        )

    @cached_property
    def index(self) -> BoundaryIndex:
        """The trees in one piece."""
        return BoundaryIndex(
            node_start=np.cumsum([0, *(len(tree.nodes) for tree in self.trees)], dtype=np.int64),
            nodes=np.concatenate([np.empty((0, 4)), *(tree.nodes for tree in self.trees)]),
            leaves=np.array([tree.leaves for tree in self.trees], np.int64),
            order=np.concatenate([np.empty(0, np.int64), *(tree.order for tree in self.trees)]),
            boxes=np.concatenate([np.empty((0, 4)), *(tree.boxes for tree in self.trees)]),
        )

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Everything that a snapshot must keep, as plain arrays."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> Boundaries:
        """The boundaries of `to_arrays`, to the same bits; raises SnapshotError where the arrays do not agree."""
        pattern = cls.empty().to_arrays()
        taken: dict[str, NDArray[Any]] = {}
        for name, like in pattern.items():
            if name not in arrays:
                raise SnapshotError(f"the boundaries of this snapshot have no {name}")
            taken[name] = np.array(arrays[name], like.dtype, order="C").reshape(-1, *like.shape[1:])
        starts, count = taken["class_start"], len(taken["edges"])
        whole = len(starts) == len(taken["class_radius"]) + 1 and starts[0] == 0 and starts[-1] == count
        if not whole or (np.diff(starts) < 0).any():
            raise SnapshotError("the boundaries of this snapshot do not agree: class_start does not divide the edges")
        sizes = np.repeat(np.diff(starts), np.diff(starts))
        for name in ("following", "preceding", "edge_clearance", "edge_horizon", "edge_area"):
            if len(taken[name]) != count:
                raise SnapshotError(f"the boundaries of this snapshot do not agree: {name} has not one row an edge")
        for name in ("following", "preceding"):
            if ((taken[name] < 0) | (taken[name] >= sizes)).any():
                raise SnapshotError(f"the boundaries of this snapshot do not agree: {name} leaves its class")
        return cls(**taken)


def contains(boundaries: Boundaries, class_index: int, points: Floats) -> Flags:
    """Whether each of the points (k, 2) lies in the closed area of a radius class, by the exact test of the step."""
    first, last = boundaries.class_start[class_index : class_index + 2].tolist()
    tree = boundaries.trees[class_index]
    result = np.zeros(len(points), np.bool_)
    points_inside(
        np.ascontiguousarray(points, np.float64).reshape(-1, 2),
        np.ascontiguousarray(boundaries.edges[first:last]),
        tree.nodes,
        tree.leaves,
        tree.order,
        tree.boxes,
        np.empty(STACK, np.int64),
        np.empty(WORK),
        result,
    )
    return result
