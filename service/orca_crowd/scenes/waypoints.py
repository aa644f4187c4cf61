"""Waypoints: ways to the goals of a whole crowd, for a system that only knows where to go next.

One path is planned for each walker, a little farther from the walls than its radius; from then on it is sent to the
farthest of its waypoints that it can see, and who sees none any more has a new path planned. Whoever is measured and
has no planner of its own follows this, so that nobody loses for want of a way.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray

from orca_core.geometry.clear_area import clear_area
from orca_core.geometry.obstacles import ObstacleSet
from orca_core.geometry.walkable import WalkableSet
from orca_core.guidance.navmesh import NavmeshPlanner
from orca_core.guidance.planner import Path, Unreachable
from orca_crowd.scenes.scene import SceneData

__all__ = ["Waypoints"]

Floats = NDArray[np.float64]

# what a path keeps from the walls beyond the radius, m, where there is so much room
ROOM = 0.08
# sight is a line that a disc a little narrower than the walker can follow
NARROWER = 0.05
# m within which a waypoint counts as reached, though what comes behind it is not in sight
REACHED = 0.15
# every so many questions
LOOK = 4
# m; who is in the same square looks at the same walls
CELL = 8.0


class Waypoints:
    """Where each walker of a scene is to go next; who lies in sight is looked at every LOOK-th time."""

    def __init__(self, scene: SceneData) -> None:
        """Plan every path; raises ValueError for a goal that cannot be reached."""
        self._goals = np.asarray(scene.columns["goal"], np.float64)
        self._radius = scene.shared("radius")
        self._straight = scene.guidance == "straight"
        self._at = np.zeros(scene.agents, np.int64)
        self._lasts = self._at
        self._targets = self._goals
        self._asked = 0
        positions = np.asarray(scene.columns["position"], np.float64)
        if self._straight:
            offsets = self._goals - positions
            self.lengths: Floats = np.sqrt((offsets * offsets).sum(axis=1))
            return
        walkable, obstacles = WalkableSet(), ObstacleSet()
        walkable.add(scene.walkable)
        obstacles.add(scene.obstacles)
        self._planner = NavmeshPlanner(walkable, obstacles)
        self._edges = _edges(clear_area(walkable, obstacles, self._radius - NARROWER, False, 0.0))
        planned = [self._plan(positions[i], self._goals[i]) for i in range(scene.agents)]
        self.lengths = np.array([path.length for path in planned])
        self._ways = [np.array(path.waypoints)[1:] for path in planned]

    def targets(self, positions: Floats) -> Floats:
        """The point (n, 2) that each walker is to go to from where it is."""
        if self._straight:
            return self._goals
        self._asked += 1
        if self._asked % LOOK == 1:
            self._look(positions)
        return self._targets

    def _look(self, positions: Floats) -> None:
        """Go on to what is in sight, and plan anew for who sees nothing."""
        targets = np.array([way[at] for way, at in zip(self._ways, self._at, strict=True)])
        # as far as one can see: the one after the next while it is in sight
        waiting = np.arange(len(positions))
        while len(waiting):
            waiting = waiting[[self._at[i] + 1 < len(self._ways[i]) for i in waiting]]
            following = np.array([self._ways[i][self._at[i] + 1] for i in waiting]).reshape(-1, 2)
            seen = self._sees(positions[waiting], following)
            near = ((positions[waiting] - targets[waiting]) ** 2).sum(axis=1) <= REACHED * REACHED
            waiting, following = waiting[seen | near], following[seen | near]
            self._at[waiting] += 1
            targets[waiting] = following
        lost = np.flatnonzero(~self._sees(positions, targets))
        for i in lost:
            path = self._plan(positions[i], self._goals[i])
            self._ways[i] = np.array(path.waypoints)[1:]
            # a corner under one's feet leads nowhere
            nearest = self._ways[i][0] - positions[i]
            here = float((nearest * nearest).sum()) <= REACHED * REACHED and len(self._ways[i]) > 1
            self._at[i] = 1 if here else 0
            targets[i] = self._ways[i][self._at[i]]
        self._targets = targets
        self._lasts = np.array([len(way) - 1 for way in self._ways])

    def wanted(self, scene: SceneData) -> Callable[[Floats], Floats]:
        """Preferred velocities (n, 2) at positions (n, 2), asked for once a step."""
        return partial(self.preferred, time_step=scene.time_step, speed=scene.shared("preferred_speed"))

    def preferred(self, positions: Floats, time_step: float, speed: float) -> Floats:
        """The velocities (n, 2) with which each walker goes there; it slows down before its goal alone."""
        offsets = self.targets(positions) - positions
        distances = np.sqrt((offsets * offsets).sum(axis=1))
        last = self._straight | (self._at == self._lasts)
        speeds = np.where(last, np.minimum(speed, distances / time_step), speed)
        wanted: Floats = offsets / np.maximum(distances, 1e-9)[:, None] * speeds[:, None]
        return wanted

    def _plan(self, start: Floats, goal: Floats) -> Path:
        """A path with room to the walls; with less, where there is not so much."""
        here, there = (float(start[0]), float(start[1])), (float(goal[0]), float(goal[1]))
        rooms = (ROOM, 0.5 * ROOM, 0.0, -0.5 * NARROWER)
        for room in rooms:
            answer = self._planner.path(here, there, self._radius + room)
            if isinstance(answer, Path):
                return answer
        # pressed into a wall: first out of it
        for room in rooms:
            answer = self._planner.path(here, there, self._radius + room)
            if isinstance(answer, Unreachable) and answer.reason == "start-off-surface" and answer.nearest is not None:
                onward = self._planner.path(answer.nearest, there, self._radius + room)
                if isinstance(onward, Path):
                    return Path((here, *onward.waypoints), onward.length + math.dist(here, answer.nearest))
        raise ValueError(f"there is no way from {here} to {there}")

    def _sees(self, here: Floats, there: Floats) -> NDArray[np.bool_]:
        """Whether the straight way (n,) from here to there crosses no wall."""
        seen = np.ones(len(here), np.bool_)
        # neighbours together, since only walls near their ways matter
        cells = np.floor(here / CELL).astype(np.int64)
        order = np.lexsort((cells[:, 1], cells[:, 0]))
        changes = np.flatnonzero((np.diff(cells[order], axis=0) != 0).any(axis=1)) + 1
        for part in np.split(order, changes):
            if len(part):
                seen[part] = ~self._crosses(here[part], there[part])
        return seen

    def _crosses(self, here: Floats, there: Floats) -> NDArray[np.bool_]:
        """Whether each way (n,) properly crosses any edge."""
        low, high = np.minimum(here, there).min(axis=0), np.maximum(here, there).max(axis=0)
        starts, ends = self._edges[:, :2], self._edges[:, 2:]
        near = ((np.maximum(starts, ends) >= low) & (np.minimum(starts, ends) <= high)).all(axis=1)
        ax, ay, bx, by = (self._edges[near, k][None, :] for k in range(4))
        px, py, qx, qy = here[:, :1], here[:, 1:], there[:, :1], there[:, 1:]
        a = (qx - px) * (ay - py) - (qy - py) * (ax - px)
        b = (qx - px) * (by - py) - (qy - py) * (bx - px)
        c = (bx - ax) * (py - ay) - (by - ay) * (px - ax)
        d = (bx - ax) * (qy - ay) - (by - ay) * (qx - ax)
        crossed: NDArray[np.bool_] = ((a * b < 0.0) & (c * d < 0.0)).any(axis=1)
        return crossed


def _edges(area: object) -> Floats:
    """The edges (m, 4) of every ring of a MultiPolygon."""
    rings = [ring for part in area.geoms for ring in (part.exterior, *part.interiors)]  # type: ignore[attr-defined]
    pieces = []
    for ring in rings:
        points = np.asarray(ring.coords, np.float64)
        pieces.append(np.column_stack((points[:-1], points[1:])))
    return np.concatenate(pieces) if pieces else np.empty((0, 4))
