"""Commands carried out on one world, all of a batch or none of it, within the limits of the server. Synchronous.

A refusal (ApiError or OrcaError) has changed nothing; any other exception means that the world cannot be trusted any
more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from orca_core.errors import InvalidInput, Notice, OrcaError
from orca_core.world import World
from orca_crowd.errors import ApiError, problem_of
from orca_crowd.protocol import commands as c
from orca_crowd.protocol.agents import Agents
from orca_crowd.protocol.geometry import count_edges, count_vertices
from orca_crowd.protocol.grid_maps import check_cells
from orca_crowd.settings import Settings
from orca_crowd.worlds.ownership import Ownership

__all__ = ["Changes"]

Result = dict[str, Any]


class Changes:
    """Changes a world, knows how large its geometry is and whose its agents are.

    `touched` says that agents have changed, `removed` are those that went away; who tells the watchers sets both back.
    `geometry` counts the changes of obstacles and walkable areas.
    """

    def __init__(
        self, name: str, world: World, settings: Settings, forget: Callable[[Iterable[str] | None], None]
    ) -> None:
        """Take an empty or a restored world; `forget` is told which columns have changed, None: all."""
        self.touched = False
        self.removed: list[int] = []
        self.geometry = 0
        self.ownership = Ownership()
        self._name = name
        self._world = world
        self._settings = settings
        self._forget = forget
        self._edges = {_id(obstacle.id): count_edges([obstacle]) for obstacle in world.obstacles()}
        self._vertices = {_id(area.id): count_vertices([area]) for area in world.walkable()}
        self._controller: str | None = None

    def check_limits(self) -> None:
        """Refuse a world from elsewhere that is over a limit."""
        self._limit("agents_per_world", "agents", self._world.agent_count, 0)
        self._limit("edges_per_world", "obstacle segments", sum(self._edges.values()), 0)
        self._limit("vertices_per_world", "vertices of walkable areas", sum(self._vertices.values()), 0)
        if self._vertices:
            self._check_radii(None)

    @property
    def obstacles(self) -> int:
        """How many obstacles there are."""
        return len(self._edges)

    @property
    def areas(self) -> int:
        """How many walkable areas there are."""
        return len(self._vertices)

    def apply(
        self,
        commands: Sequence[c.Command],
        controller: str | None = None,
        needed: NDArray[np.int64] | None = None,
        *,
        batch: bool,
    ) -> list[Result]:
        """All commands in order or none; a result each. In a batch a refusal names the command by its place.

        They are orders of `controller`, None: of somebody without a name. `needed` are agents, int64 (n,), that must be
        there once the commands are done.
        """
        self._controller = controller
        if needed is not None and all(isinstance(command, STEADY) for command in commands):
            # who is there does not change, so it can be looked at first, and nothing has to be undone
            self._world.index_of(needed)
            needed = None
        if len(commands) == 1 and needed is None:
            # a single command is all or nothing by itself and needs no copy of the world
            try:
                return [self._apply(commands[0], 0 if batch else None)]
            except MemoryError as error:
                if isinstance(commands[0], IN_PLACE):
                    # that is all or nothing in what can be refused; memory may have been wanting half way
                    raise RuntimeError("a command that writes where the agents stand ran out of memory") from error
                raise
        kept = dict(self._edges), dict(self._vertices), list(self.removed), self.touched, self.geometry
        ownership = self.ownership.keep()
        results = []
        try:
            with self._world.transaction():
                for index, command in enumerate(commands):
                    results.append(self._apply(command, index if batch else None))
                if needed is not None:
                    self._world.index_of(needed)
        except BaseException:
            self._edges, self._vertices, self.removed, self.touched, self.geometry = kept
            self.ownership.put_back(ownership)
            self._forget(None)
            raise
        return results

    def _apply(self, command: c.Command, place: int | None) -> Result:
        handler: Callable[[Any], Result] = _HANDLERS[type(command)].__get__(self)
        try:
            result = handler(command)
            self.geometry += isinstance(command, GEOMETRY)
            return result
        except (ApiError, OrcaError) as error:
            if place is None:
                raise
            raise problem_of(error).inside(place) from None

    # agents

    def _add_agents(self, command: c.AddAgents) -> Result:
        agents = command.agents
        self._limit("agents_per_world", "agents", self._world.agent_count, agents.count)
        self._check_radii(agents)
        columns, given = dict(agents.columns), dict(agents.given)
        if agents.ids is not None:
            columns["id"] = agents.ids
            if agents.chosen is not None:
                given["id"] = agents.chosen
        added = self._world.add_agents(columns, given, agents.count)
        self._touch()
        return {"ids": added.ids, "warnings": _warnings(added.notices)}

    def _set_agents(self, command: c.SetAgents) -> Result:
        agents = command.agents
        self._check_radii(agents)
        ids = agents.ids if agents.ids is not None else np.empty(0, np.int64)
        self.ownership.check(ids, self._controller)
        notices = self._world.set_agents(ids, agents.columns, agents.given, agents.cleared)
        self._touch({*agents.columns, *agents.cleared})
        return {"warnings": _warnings([*agents.notices, *notices])}

    def _remove_agents(self, command: c.RemoveAgents) -> Result:
        self.ownership.check(command.ids, self._controller)
        self._world.remove_agents(command.ids)
        self.ownership.forget(command.ids)
        self._touch()
        self.removed += command.ids.tolist()
        return {"removed": command.ids}

    def _set_level_of_detail(self, command: c.SetLevelOfDetail) -> Result:
        self._world.set_level_of_detail(command.level_of_detail)
        return {"warnings": []}

    def _set_grid_map(self, command: c.SetGridMap) -> Result:
        if command.grid_map is not None:
            check_cells(command.grid_map.grid.free.size, self._settings)
        self._world.set_grid_map(command.grid_map)
        # there is one, which needs no id; as from every map that is sent
        return {"ids": np.empty(0, np.int64), "warnings": []}

    def _set_defaults(self, command: c.SetDefaults) -> Result:
        self._world.set_defaults(command.defaults)
        return {"warnings": []}

    # geometry

    def _add_obstacles(self, command: c.AddObstacles) -> Result:
        self._limit("edges_per_world", "obstacle segments", sum(self._edges.values()), count_edges(command.obstacles))
        added = self._world.add_obstacles(command.obstacles)
        for identifier, obstacle in zip(added.ids.tolist(), command.obstacles, strict=True):
            self._edges[identifier] = count_edges([obstacle])
        return {"ids": added.ids, "warnings": _warnings(added.notices)}

    def _set_obstacle(self, command: c.SetObstacle) -> Result:
        edges, before = count_edges([command.obstacle]), self._edges.get(command.id, 0)
        self._limit("edges_per_world", "obstacle segments", sum(self._edges.values()) - before, edges)
        notices = self._world.set_obstacle(command.id, command.obstacle)
        self._edges[command.id] = edges
        return {"warnings": _warnings(notices)}

    def _remove_obstacle(self, command: c.RemoveObstacle) -> Result:
        self._world.remove_obstacle(command.id)
        del self._edges[command.id]
        return {"removed": np.array([command.id], np.int64)}

    def _set_doors(self, command: c.SetDoors) -> Result:
        return {"warnings": _warnings(self._world.open_obstacles(command.ids.tolist(), command.open))}

    def _add_walkable(self, command: c.AddWalkable) -> Result:
        vertices = count_vertices(command.areas)
        self._limit("vertices_per_world", "vertices of walkable areas", sum(self._vertices.values()), vertices)
        self._check_radii(None)
        added = self._world.add_walkable(command.areas)
        for identifier, area in zip(added.ids.tolist(), command.areas, strict=True):
            self._vertices[identifier] = count_vertices([area])
        self._touch()
        return {"ids": added.ids, "warnings": _warnings([*command.notices, *added.notices])}

    def _set_walkable(self, command: c.SetWalkable) -> Result:
        vertices, before = count_vertices([command.area]), self._vertices.get(command.id, 0)
        self._limit("vertices_per_world", "vertices of walkable areas", sum(self._vertices.values()) - before, vertices)
        notices = self._world.set_walkable(command.id, command.area)
        self._vertices[command.id] = vertices
        return {"warnings": _warnings([*command.notices, *notices])}

    def _remove_walkable(self, command: c.RemoveWalkable) -> Result:
        notices = self._world.remove_walkable(command.id)
        del self._vertices[command.id]
        return {"removed": np.array([command.id], np.int64), "warnings": _warnings(notices)}

    # limits

    def _touch(self, columns: Iterable[str] | None = None) -> None:
        self.touched = True
        self._forget(columns)

    def _limit(self, setting: str, what: str, present: int, more: int) -> None:
        limit = getattr(self._settings, setting)
        if present + more > limit:
            raise ApiError("limit", f"{present + more} {what} in world {self._name!r}, the limit {setting} is {limit}")

    def _check_radii(self, agents: Agents | None) -> None:
        """Each distinct radius costs one more shrunk area, so their number is bounded before any of them is made."""
        if not self._vertices and agents is not None:
            return
        radii: NDArray[Any] = self._world.column("radius")
        if agents is not None and "radius" in agents.columns:
            radii = np.concatenate([radii, agents.columns["radius"][agents.given["radius"]]])
        distinct = len(np.unique(radii))
        if distinct > self._settings.distinct_radii:
            raise ApiError(
                "limit",
                f"{distinct} different radii in world {self._name!r} with walkable areas, the limit distinct_radii is "
                f"{self._settings.distinct_radii}",
            )


# commands after which what stands around the agents is other
GEOMETRY = (
    c.AddObstacles,
    c.SetObstacle,
    c.RemoveObstacle,
    c.SetDoors,
    c.AddWalkable,
    c.SetWalkable,
    c.RemoveWalkable,
)

# commands after which the same agents are there as before
STEADY = (c.SetAgents, *GEOMETRY, c.SetDefaults, c.SetLevelOfDetail, c.SetGridMap)

# commands that overwrite agents and, without a transaction, keep nothing of what was there
IN_PLACE = (c.SetAgents, c.RemoveAgents)

_HANDLERS: dict[type, Any] = {
    c.AddAgents: Changes._add_agents,
    c.SetAgents: Changes._set_agents,
    c.RemoveAgents: Changes._remove_agents,
    c.AddObstacles: Changes._add_obstacles,
    c.SetObstacle: Changes._set_obstacle,
    c.RemoveObstacle: Changes._remove_obstacle,
    c.SetDoors: Changes._set_doors,
    c.AddWalkable: Changes._add_walkable,
    c.SetWalkable: Changes._set_walkable,
    c.RemoveWalkable: Changes._remove_walkable,
    c.SetDefaults: Changes._set_defaults,
    c.SetLevelOfDetail: Changes._set_level_of_detail,
    c.SetGridMap: Changes._set_grid_map,
}


def _id(identifier: int | None) -> int:
    """The id of something that is in a world, which always has one."""
    if identifier is None:
        raise InvalidInput("what is in a world has an id")
    return identifier


def _warnings(notices: Sequence[Notice]) -> list[dict[str, Any]]:
    return [{"code": n.code, "item": n.item, "field": n.field, "message": n.message} for n in notices]
