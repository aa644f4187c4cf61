"""The surface phase on its own: centres that are pushed about in an area, with nobody else and no solver."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from orca_core.geometry.walkable import Boundaries, WalkableArea, WalkableSet, contains
from orca_core.kernels.orientation import WORK
from orca_core.kernels.surface import surface_phase
from orca_core.kernels.tree import STACK
from orca_core.tree import BoxTree

Floats = NDArray[np.float64]


class Walkers:
    """Centres (n, 2) of one radius in polygons, each an outer ring and its holes, among walls (m, 4)."""

    def __init__(
        self,
        polygons: Sequence[Sequence[Any]],
        position: Any,
        radius: float = 0.0,
        walls: Any = (),
        max_speed: float = 1.5,
        dt: float = 0.25,
        room: int | None = None,
    ) -> None:
        """Compile the area; `room` is the scratch for edges and walls, left out: as much as can be needed."""
        walkable = WalkableSet()
        walkable.add([WalkableArea(tuple(tuple(rings) for rings in polygons))])
        self.boundaries: Boundaries = walkable.compile(np.array([radius]), True)
        self.polygons = walkable.get(0).polygons
        self.position = np.array(position, np.float64).reshape(-1, 2)
        count = len(self.position)
        self.walls = np.array(walls, np.float64).reshape(-1, 4)
        tree = BoxTree.over_segments(self.walls)
        self.velocity = np.zeros((count, 2))
        self.max_speed = np.full(count, max_speed)
        self.dt = dt
        self.agent_class = np.zeros(count, np.int64)
        self.known = np.zeros(count, np.uint8)
        self.status = np.zeros(count, np.uint8)
        self.changed = 0
        b, index = self.boundaries, self.boundaries.index
        self._geometry = (
            b.class_start, b.edges, b.following, b.preceding, index.node_start, index.nodes, index.leaves, index.order,
            index.boxes, self.walls, tree.nodes, tree.leaves, tree.order, tree.boxes,
        )  # fmt: skip
        edges, blocks = (len(b.edges) or 1, len(self.walls) or 1) if room is None else (room, room)
        self._scratch = (
            np.empty(STACK, np.int64),
            np.empty(edges, np.int64),
            np.empty(blocks, np.int64),
            np.empty(WORK),
        )

    def step(self, velocity: Any) -> Floats:
        """One step with the velocities (n, 2) or one for all; returns where the centres are then."""
        self.velocity[:] = velocity
        wanted = self.position + self.velocity * self.dt
        following = wanted.copy()
        count = len(self.position)
        self.changed = surface_phase(
            self.position, self.velocity, following, self.dt, self.max_speed, self.agent_class, self.known, self.known,
            self.status, np.arange(count), np.ones(count, np.uint8), np.uint8(1), 0, count, *self._geometry,
            *self._scratch,
        )  # fmt: skip
        # what is not touched keeps its bits; what is has the velocity of its displacement
        free = self.status == 0
        assert self.changed == int((~free).sum())
        assert following[free].tobytes() == wanted[free].tobytes()
        assert (self.velocity[~free] == (following[~free] - self.position[~free]) / self.dt).all()
        self.position = following
        return following

    def inside(self, points: Floats | None = None) -> NDArray[np.bool_]:
        """Whether the centres, or other points, are in the closed area."""
        return contains(self.boundaries, 0, self.position if points is None else points)
