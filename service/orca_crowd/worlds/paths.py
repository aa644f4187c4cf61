"""Paths through worlds, planned in helper threads beside their steps; they change nothing and are in no journal.

Each world keeps one planner, made when first asked for and again when its geometry has changed. Requests for one world
are planned one after the other, and only half of the helpers plan at once, so that reading and encoding go on. Who
waits is counted: with `command_queue` requests waiting in the server one more is refused as `busy`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any
from weakref import WeakKeyDictionary

from orca_core.geometry.obstacles import ObstacleSet
from orca_core.geometry.walkable import WalkableSet
from orca_core.guidance.planner import Planner
from orca_core.guidance.planners import planned_on, planner_for
from orca_core.state import AGENT_DEFAULTS
from orca_crowd.engine.interface import Engine
from orca_crowd.errors import ApiError
from orca_crowd.protocol.paths import PathQuery, shown_path
from orca_crowd.settings import Settings
from orca_crowd.worlds.runner import Runner
from orca_crowd.worlds.session import Session

__all__ = ["Paths"]


class _Seen:
    """What a plan needs of a world: taken between two steps, whole, and its own."""

    def __init__(self, session: Session) -> None:
        """Copy the geometry, at no cost; things in it are replaced when they change, never changed in place."""
        world = session.world
        self.step = world.step_count
        self.radius = float(world.defaults.get("radius", AGENT_DEFAULTS["radius"]))
        self.options = world.options
        self.walkable: WalkableSet = world.walkable_set.copy()
        self.obstacles: ObstacleSet = world.obstacle_set.copy()
        self.grid_map = planned_on(world.options, world.grid_map)
        self._things: list[object] = [self.grid_map, *self.walkable.items(), *self.obstacles.items()]
        self._areas = len(self.walkable)

    def same_geometry(self, other: _Seen) -> bool:
        """Whether nothing was given, moved or taken away between the two."""
        return (
            self._areas == other._areas
            and len(self._things) == len(other._things)
            and all(ours is theirs for ours, theirs in zip(self._things, other._things, strict=True))
        )


class _WorldPlanner:
    """The planner of one world, and the turn of those who use it."""

    def __init__(self) -> None:
        """Nothing is made yet."""
        self.turn = asyncio.Lock()
        self._seen: _Seen | None = None
        self._planner: Planner | None = None

    def plan(self, seen: _Seen, queries: Sequence[PathQuery], expansions: int) -> dict[str, Any]:
        """The answer to a request; called in a helper thread by whoever has the turn."""
        if self._planner is None or self._seen is None or not self._seen.same_geometry(seen):
            self._planner = planner_for(seen.options, seen.walkable, seen.obstacles, seen.grid_map, self._planner)
            self._seen = seen
        planner = self._planner
        end = planner.spent + expansions
        paths = []
        for query in queries:
            radius = seen.radius if query.radius is None else query.radius
            found = planner.path(query.start, query.goal, radius, heights=query.heights, expansions=end - planner.spent)
            paths.append(shown_path(found))
        return {"step": seen.step, "paths": paths}


class Paths:
    """Lives on the event loop's thread; nothing is planned there."""

    def __init__(self, settings: Settings, engine: Engine) -> None:
        """Know nothing of any world yet; a planner goes with its world."""
        self._settings, self._engine = settings, engine
        self._planners: WeakKeyDictionary[Runner, _WorldPlanner] = WeakKeyDictionary()
        self._room = asyncio.Semaphore(max(1, settings.helpers // 2))
        self._waiting = 0

    async def plan(self, runner: Runner, queries: Sequence[PathQuery]) -> dict[str, Any]:
        """`{step, paths}` over the geometry as it is when the world is read."""
        radii = {query.radius for query in queries}
        if len(radii) > self._settings.distinct_radii:
            raise ApiError(
                "limit",
                f"{len(radii)} different radii in one request, the limit distinct_radii is "
                f"{self._settings.distinct_radii}; each costs a shrunk area of its own",
            )
        if self._waiting >= self._settings.command_queue:
            raise ApiError("busy", f"{self._waiting} requests for paths are waiting; try again")
        planner = self._planners.setdefault(runner, _WorldPlanner())
        self._waiting += 1
        try:
            async with planner.turn, self._room:
                seen = await runner.read(_Seen)
                budget = self._settings.plan_expansions
                return await self._engine.serve(lambda: planner.plan(seen, queries, budget))
        finally:
            self._waiting -= 1
