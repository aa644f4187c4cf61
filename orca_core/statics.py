"""Statics: walls and walkable boundaries as the solver takes them, flattened, classed by radius and indexed."""

from __future__ import annotations

from copy import copy
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from orca_core.geometry.obstacles import ObstacleSet
from orca_core.geometry.walkable import Boundaries, WalkableSet
from orca_core.options import Options
from orca_core.tree import BoxTree

__all__ = ["Statics", "Walls"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


class Walls:
    """Walls as the solver takes them: `rows` float64 (m, 4), `source` int64 (m,) the obstacle ids, `tree` over them.

    `heights` (m, 2) are those at which they stand, without rows where all stand at every height; `merged` is how many
    pieces act as part of others.
    """

    def __init__(self, rows: Floats, source: Integers, merged: int, heights: Floats) -> None:
        """Index walls (m, 4)."""
        self.rows = np.ascontiguousarray(rows, np.float64)
        self.source = source
        self.heights = np.ascontiguousarray(heights)
        self.merged = merged
        self.tree = BoxTree.over_segments(self.rows)

    @classmethod
    def of(cls, obstacles: ObstacleSet, options: Options) -> Walls:
        """What acts of the obstacles now; costs little where few have changed since it was last asked for."""
        pieces = obstacles.pieces(options.merge_collinear)
        return cls(*pieces.walls, pieces.wall_heights)


class Statics:
    """Frozen geometry of a world under given options and radii.

    `walls` float64 (m, 4) with `wall_source` the obstacle ids and `wall_range` (m, 2) the heights at which they stand,
    without rows where all stand at every height; `boundaries` and one box tree for each radius class.
    """

    def __init__(self, walls: Walls, boundaries: Boundaries) -> None:
        """Take walls, and index the boundaries."""
        self._take(walls)
        self.boundaries = boundaries
        self.edges = np.ascontiguousarray(boundaries.edges, np.float64)
        ranges = list(pairwise(boundaries.class_start.tolist()))
        # what a whole class may reach: its longest horizon and largest clearance
        self.class_clearance = np.array([boundaries.edge_clearance[a:b].max(initial=0.0) for a, b in ranges])
        self.class_horizon = np.array([boundaries.edge_horizon[a:b].max(initial=-1.0) for a, b in ranges])

    def _take(self, walls: Walls) -> None:
        self.walled = walls
        self.walls, self.wall_source, self.wall_tree = walls.rows, walls.source, walls.tree
        self.wall_range, self.merged = walls.heights, walls.merged

    @classmethod
    def build(cls, obstacles: ObstacleSet, walkable: WalkableSet, radii: Floats, options: Options) -> Statics:
        """Flatten and shrink for the distinct sorted `radii`; raises InvalidInput when there are too many of them."""
        return cls(Walls.of(obstacles, options), walkable.compile(radii, options.merge_collinear))

    def with_walls(self, walls: Walls) -> Statics:
        """The same boundaries with other walls; shrinking is the slow part and need not be done again."""
        other = copy(self)
        other._take(walls)
        return other

    def classes_of(self, radius: Floats) -> Integers:
        """The class of boundaries of each radius (n,); zero where there are none."""
        if not len(self.boundaries.class_radius):
            return np.zeros(len(radius), np.int64)
        return np.searchsorted(self.boundaries.class_radius, radius).astype(np.int64)

    def wall_arguments(self) -> tuple[Any, ...]:
        """Walls in the order in which the solving kernel takes them."""
        tree = self.wall_tree
        return self.walls, tree.nodes, tree.leaves, tree.order, tree.boxes, self.wall_range

    def boundary_arguments(self) -> tuple[Any, ...]:
        """Boundaries in the order in which the solving kernel takes them."""
        return (
            self.edges,
            self.boundaries.edge_clearance,
            self.boundaries.edge_horizon,
            self.boundaries.class_start,
            self.class_clearance,
            self.class_horizon,
            self.boundaries.index.nodes,
            self.boundaries.index.node_start,
            self.boundaries.index.leaves,
            self.boundaries.index.order,
            self.boundaries.index.boxes,
        )
