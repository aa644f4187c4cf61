"""Statics: walls and walkable boundaries as the solver takes them, flattened, classed by radius and indexed."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from orca_core.geometry.obstacles import ObstacleSet
from orca_core.geometry.walkable import Boundaries, WalkableSet
from orca_core.options import Options
from orca_core.tree import BoxTree

__all__ = ["Statics"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


class Statics:
    """Frozen geometry of a world under given options and radii.

    `walls` float64 (m, 4) with `wall_source` the obstacle ids and `wall_range` (m, 2) the heights at which they stand,
    without rows where all stand at every height; `boundaries` and one box tree for each radius class.
    """

    def __init__(
        self, walls: Floats, wall_source: Integers, wall_range: Floats, merged: int, boundaries: Boundaries
    ) -> None:
        """Index walls (m, 4) and boundaries."""
        self.walls = np.ascontiguousarray(walls, np.float64)
        self.wall_source = wall_source
        self.wall_range = wall_range
        self.merged = merged
        self.wall_tree = BoxTree.over_segments(self.walls)
        self.boundaries = boundaries
        self.edges = np.ascontiguousarray(boundaries.edges, np.float64)
        ranges = list(pairwise(boundaries.class_start.tolist()))
        # what a whole class may reach: its longest horizon and largest clearance
        self.class_clearance = np.array([boundaries.edge_clearance[a:b].max(initial=0.0) for a, b in ranges])
        self.class_horizon = np.array([boundaries.edge_horizon[a:b].max(initial=-1.0) for a, b in ranges])

    @classmethod
    def build(cls, obstacles: ObstacleSet, walkable: WalkableSet, radii: Floats, options: Options) -> Statics:
        """Flatten and shrink for the distinct sorted `radii`; raises InvalidInput when there are too many of them."""
        walls, source, merged = obstacles.segments(options.merge_collinear)
        return cls(walls, source, obstacles.z_ranges(source), merged, walkable.compile(radii, options.merge_collinear))

    def with_walls_of(self, obstacles: ObstacleSet, options: Options) -> Statics:
        """The same boundaries with other walls; shrinking is the slow part and need not be done again."""
        walls, source, merged = obstacles.segments(options.merge_collinear)
        return Statics(walls, source, obstacles.z_ranges(source), merged, self.boundaries)

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
