"""Outlook: what followers see of walls and boundaries as they stand, each at its own height."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from orca_core.guidance.followers import Followers
from orca_core.guidance.storeys import Storeys, heights_at
from orca_core.guidance.watch import Change
from orca_core.kernels.corners import spread_corners
from orca_core.kernels.follow import look_ahead, see_goals
from orca_core.kernels.orientation import WORK
from orca_core.kernels.sight import NEAR
from orca_core.kernels.touched import find_touched
from orca_core.kernels.tree import STACK

if TYPE_CHECKING:
    from orca_core.statics import Statics
    from orca_core.world import World

__all__ = ["Outlook"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Flags = NDArray[np.bool_]
Bytes = NDArray[np.uint8]


class Outlook:
    """Over one state of the geometry."""

    def __init__(self, statics: Statics) -> None:
        """Look past what stands now."""
        tree, index = statics.wall_tree, statics.boundaries.index
        # nothing hides anything from anybody
        self.bare = not len(statics.walls) and not statics.boundaries.class_count
        self.storeys = Storeys(statics.wall_range)
        self._standing = (
            statics.walls, tree.nodes, tree.leaves, tree.order, tree.boxes, statics.wall_range, statics.edges,
            statics.boundaries.edge_clearance, statics.boundaries.following, statics.boundaries.preceding,
            statics.boundaries.class_start, statics.class_clearance, index.nodes, index.node_start, index.leaves,
            index.order, index.boxes, np.empty(STACK, np.int64), np.empty(WORK), np.empty((NEAR, 4)),
        )  # fmt: skip

    def goals_seen(self, world: World, rows: Integers, known: Followers, which: Integers) -> Bytes:
        """1 for each of the followers `which` (m,) that sees its goal, who are the agents at `rows`."""
        seen = np.ones(len(which), np.uint8)
        agents = world.population.state
        if not self.bare:
            see_goals(
                which, rows, agents["position"], agents["radius"], agents.dense("radius_class"), known.goal, seen,
                *self._heights(world), *self._standing,
            )  # fmt: skip
        return seen

    def look_ahead(self, world: World, rows: Integers, known: Followers, every: int) -> tuple[Bytes, int]:
        """Have the followers pass waypoints, each looking every so many steps; which of them do not see their next one
        any more, and how many looks were taken.
        """
        agents = world.population.state
        lost = np.zeros(len(known), np.uint8)
        if self.bare:
            return lost, 0
        looks = look_ahead(
            world.step_count, every, world.time_step, rows, agents["position"], agents["radius"],
            agents.dense("radius_class"), agents["max_speed"], known.goal, known.standing, known.first, known.stop,
            known.points, lost, *self._heights(world), *self._standing,
        )  # fmt: skip
        return lost, int(looks)

    def spread(self, world: World, rows: Integers, known: Followers, which: Integers) -> None:
        """Move waypoints of the followers `which` off the corners that they are at, some more than others."""
        agents = world.population.state
        if not self.bare:
            spread_corners(
                which, rows, known.id, agents["position"], agents["radius"], agents.dense("radius_class"), known.goal,
                known.first, known.stop, known.points, *self._heights(world), *self._standing,
            )  # fmt: skip

    def touched(self, world: World, rows: Integers, known: Followers, change: Change) -> Bytes:
        """1 for each follower whose way a change may have a part in."""
        if change.boxes is None:
            return np.ones(len(known), np.uint8)
        agents = world.population.state
        touched = np.zeros(len(known), np.uint8)
        heights = heights_at(agents, rows) if len(change.heights) else np.empty((0, 2))
        find_touched(
            rows, agents["position"], known.radius, known.goal, known.standing, known.first, known.stop, known.points,
            change.boxes, change.gone, change.heights, heights, touched,
        )  # fmt: skip
        return touched

    def climbed(self, world: World, rows: Integers, known: Followers) -> Flags | None:
        """Which followers have come to another storey since they were last looked at; None where there is one alone.

        Their heights are known afterwards.
        """
        if not self.storeys:
            return None
        heights = heights_at(world.population.state, rows)
        moved = np.flatnonzero((heights != known.heights).any(axis=1))
        climbed = np.zeros(len(rows), np.bool_)
        if len(moved):
            before = known.heights[moved]
            # of whom nothing was known it cannot be said
            climbed[moved] = (before[:, 0] <= before[:, 1]) & ~self.storeys.alike(before, heights[moved])
            known.heights[moved] = heights[moved]
        return climbed

    def alike(self, one: Floats, other: Floats) -> Flags:
        """Whether the same stands at each of these heights (m, 2) as at each of those."""
        return self.storeys.alike(one, other) if self.storeys else np.ones(len(one), np.bool_)

    def discs(self, world: World, rows: Integers, known: Followers) -> Floats:
        """Radius and heights (d, 3) of discs for which all that followers need is to be made ready."""
        if not self.storeys:
            radii = np.unique(known.radius)
            return np.column_stack([radii, np.zeros((len(radii), 2))])
        storeys = self.storeys.of(heights_at(world.population.state, rows))
        discs: Floats = np.unique(np.column_stack([known.radius, storeys]), axis=0)
        return discs

    def _heights(self, world: World) -> tuple[Floats, Floats]:
        """Elevation and height of all agents, one behind another where they are looked at."""
        agents = world.population.state
        if self.storeys:
            return agents.dense("elevation"), agents.dense("height")
        return agents.told("elevation"), agents.told("height")
