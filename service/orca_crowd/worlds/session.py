"""One world and its rules: commands and steps in, results out. Synchronous, one caller at a time, no clock, no sockets.

Whatever arrives over REST or a socket, alone or in a batch, ends in `apply`, so that there is one path and one answer.
A refusal (ApiError or OrcaError) has changed nothing; any other exception means that the world cannot be trusted any
more.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from orca_core.errors import InvalidInput, Notice, OrcaError
from orca_core.report import Event
from orca_core.world import World
from orca_crowd.errors import ApiError, problem_of
from orca_crowd.protocol import commands as c
from orca_crowd.protocol.agents import Agents
from orca_crowd.protocol.geometry import area_map, count_edges, count_vertices, obstacle_map
from orca_crowd.protocol.steps import Selection, StepRequest
from orca_crowd.settings import Settings
from orca_crowd.worlds.answers import AnswerMemory
from orca_crowd.worlds.publication import Publication
from orca_crowd.worlds.view import AgentView, select

__all__ = ["Facts", "Session", "WorldDescription"]


@dataclass(frozen=True)
class Facts:
    """What is shown of a world without asking it: true at the end of its last call."""

    step: int
    time: float
    agents: int
    obstacles: int
    walkable: int
    defaults: dict[str, float | int]
    time_step: float
    profile: str


@dataclass(frozen=True)
class WorldDescription:
    """What a world is from its beginning to its end; `options` has the profile and every option by name."""

    time_step: float
    options: Mapping[str, Any]
    seed: int
    durability: str


class Session:
    """Owns a World; see the module."""

    def __init__(self, name: str, world: World, settings: Settings) -> None:
        """Take an empty or a restored world."""
        self.name = name
        self.world = world
        self._settings = settings
        self._answers = AnswerMemory(count=settings.remembered_answers, size=settings.remembered_bytes)
        self._view = AgentView()
        self._edges = {_id(obstacle.id): count_edges([obstacle]) for obstacle in world.obstacles()}
        self._vertices = {_id(area.id): count_vertices([area]) for area in world.walkable()}
        self._changed = False
        self._removed: list[int] = []
        self._counts: Counter[str] = Counter()
        # results of the commands of the step request under way
        self._results: list[dict[str, Any]] | None = None

    @classmethod
    def checked(cls, name: str, world: World, settings: Settings) -> Session:
        """A session over a world from elsewhere, which must keep the limits as any other."""
        session = cls(name, world, settings)
        session._limit("agents_per_world", "agents", world.agent_count, 0)
        session._limit("edges_per_world", "obstacle segments", sum(session._edges.values()), 0)
        session._limit("vertices_per_world", "vertices of walkable areas", sum(session._vertices.values()), 0)
        if session._vertices:
            session._check_radii(None)
        return session

    # commands

    def answer(self, request: c.CommandRequest) -> dict[str, Any]:
        """A batch with its key: `{step, results}`, the same again for the same key and body."""
        known = self._answers.find(request.key, request.digest)
        if known is not None:
            return known
        step, results = self.apply(request.commands)
        answer = {"step": step, "results": results}
        self._answers.keep(request.key, request.digest, answer)
        return answer

    def apply(self, commands: Sequence[c.Command]) -> tuple[int, list[dict[str, Any]]]:
        """All commands in order or none; the number of steps taken so far, and a result each."""
        kept = dict(self._edges), dict(self._vertices), list(self._removed), self._changed
        single = len(commands) == 1
        results = []
        try:
            # a single command is all or nothing by itself and needs no copy of the world
            with nullcontext() if single else self.world.transaction():
                for index, command in enumerate(commands):
                    try:
                        results.append(self._apply(command))
                    except (ApiError, OrcaError) as error:
                        raise (error if single else problem_of(error).inside(index)) from None
        except BaseException:
            self._edges, self._vertices, self._removed, self._changed = kept
            self._view.forget()
            raise
        return self.world.step_count, results

    def _apply(self, command: c.Command) -> dict[str, Any]:
        handler: Callable[[Any], dict[str, Any]] = _HANDLERS[type(command)].__get__(self)
        return handler(command)

    def _add_agents(self, command: c.AddAgents) -> dict[str, Any]:
        agents = command.agents
        self._limit("agents_per_world", "agents", self.world.agent_count, agents.count)
        self._check_radii(agents)
        columns, given = dict(agents.columns), dict(agents.given)
        if agents.ids is not None:
            columns["id"] = agents.ids
            if agents.chosen is not None:
                given["id"] = agents.chosen
        added = self.world.add_agents(columns, given, agents.count)
        self._touch()
        return {"ids": added.ids, "warnings": _warnings(added.notices)}

    def _set_agents(self, command: c.SetAgents) -> dict[str, Any]:
        agents = command.agents
        self._check_radii(agents)
        ids = agents.ids if agents.ids is not None else np.empty(0, np.int64)
        notices = self.world.set_agents(ids, agents.columns, agents.given, agents.cleared)
        self._touch()
        return {"warnings": _warnings([*agents.notices, *notices])}

    def _remove_agents(self, command: c.RemoveAgents) -> dict[str, Any]:
        self.world.remove_agents(command.ids)
        self._touch()
        self._removed += command.ids.tolist()
        return {"removed": command.ids}

    def _add_obstacles(self, command: c.AddObstacles) -> dict[str, Any]:
        self._limit("edges_per_world", "obstacle segments", sum(self._edges.values()), count_edges(command.obstacles))
        added = self.world.add_obstacles(command.obstacles)
        for identifier, obstacle in zip(added.ids.tolist(), command.obstacles, strict=True):
            self._edges[identifier] = count_edges([obstacle])
        return {"ids": added.ids, "warnings": _warnings(added.notices)}

    def _set_obstacle(self, command: c.SetObstacle) -> dict[str, Any]:
        edges, before = count_edges([command.obstacle]), self._edges.get(command.id, 0)
        self._limit("edges_per_world", "obstacle segments", sum(self._edges.values()) - before, edges)
        notices = self.world.set_obstacle(command.id, command.obstacle)
        self._edges[command.id] = edges
        return {"warnings": _warnings(notices)}

    def _remove_obstacle(self, command: c.RemoveObstacle) -> dict[str, Any]:
        self.world.remove_obstacle(command.id)
        del self._edges[command.id]
        return {"removed": [command.id]}

    def _add_walkable(self, command: c.AddWalkable) -> dict[str, Any]:
        vertices = count_vertices(command.areas)
        self._limit("vertices_per_world", "vertices of walkable areas", sum(self._vertices.values()), vertices)
        self._check_radii(None)
        added = self.world.add_walkable(command.areas)
        for identifier, area in zip(added.ids.tolist(), command.areas, strict=True):
            self._vertices[identifier] = count_vertices([area])
        self._touch()
        return {"ids": added.ids, "warnings": _warnings(added.notices)}

    def _set_walkable(self, command: c.SetWalkable) -> dict[str, Any]:
        vertices, before = count_vertices([command.area]), self._vertices.get(command.id, 0)
        self._limit("vertices_per_world", "vertices of walkable areas", sum(self._vertices.values()) - before, vertices)
        notices = self.world.set_walkable(command.id, command.area)
        self._vertices[command.id] = vertices
        return {"warnings": _warnings(notices)}

    def _remove_walkable(self, command: c.RemoveWalkable) -> dict[str, Any]:
        self.world.remove_walkable(command.id)
        del self._vertices[command.id]
        return {"removed": [command.id]}

    def _set_defaults(self, command: c.SetDefaults) -> dict[str, Any]:
        self.world.set_defaults(command.defaults)
        return {"warnings": []}

    def _touch(self) -> None:
        self._changed = True
        self._view.forget()

    def _limit(self, setting: str, what: str, present: int, more: int) -> None:
        limit = getattr(self._settings, setting)
        if present + more > limit:
            raise ApiError("limit", f"{present + more} {what} in world {self.name!r}, the limit {setting} is {limit}")

    def _check_radii(self, agents: Agents | None) -> None:
        """Each distinct radius costs one more shrunk area, so their number is bounded before any of them is made."""
        if not self._vertices and agents is not None:
            return
        radii: NDArray[Any] = self.world.column("radius")
        if agents is not None and "radius" in agents.columns:
            radii = np.concatenate([radii, agents.columns["radius"][agents.given["radius"]]])
        distinct = len(np.unique(radii))
        if distinct > self._settings.distinct_radii:
            raise ApiError(
                "limit",
                f"{distinct} different radii in world {self.name!r} with walkable areas, the limit distinct_radii is "
                f"{self._settings.distinct_radii}",
            )

    # steps

    def begin(self, request: StepRequest) -> dict[str, Any] | None:
        """Before the first step of a request: the answer if it is known by its key, else its commands take effect.

        Raises a refusal, and then nothing has happened.
        """
        known = self._answers.find(request.key, request.digest)
        if known is not None:
            return known
        if request.expected_step is not None and request.expected_step != self.world.step_count:
            raise ApiError(
                "wrong-step",
                f"world {self.name!r} has taken {self.world.step_count} steps, not {request.expected_step}",
                more={"step": self.world.step_count},
            )
        # what the answer will need is checked now, while the request can still be refused whole
        self._results = None
        with self.world.transaction() if request.commands and request.selection.ids is not None else nullcontext():
            if request.commands is not None:
                self._results = self.apply(request.commands)[1]
            if request.selection.ids is not None:
                self.world.index_of(request.selection.ids)
        return None

    def advance(self, count: int) -> list[dict[str, Any]]:
        """Take steps; their events as plain maps."""
        events = [_event(event) for event in self.world.step(count).events]
        self._changed = True
        for event in events:
            self._counts[event["kind"]] += max(1, len(event["ids"]))
        return events

    def finish(self, request: StepRequest, events: list[dict[str, Any]]) -> dict[str, Any]:
        """After the last step of a request: its answer."""
        shown = events[: self._settings.events_per_answer]
        answer: dict[str, Any] = {"step": self.world.step_count, "time": self.world.time}
        if request.returns == "digest":
            answer["digest"] = self.world.digest()
        elif request.returns == "agents":
            answer["agents"] = self._selected(request.selection)
        answer["events"] = shown
        if len(events) > len(shown):
            answer["events_left_out"] = True
        if self._results is not None:
            answer["results"] = self._results
        self._answers.keep(request.key, request.digest, answer)
        return answer

    def _selected(self, selection: Selection) -> dict[str, Any]:
        """The chosen agents after the last step; one that was removed by a command in between is left out."""
        if selection.ids is not None:
            there = np.isin(selection.ids, self.world.ids)
            selection = Selection(selection.fields, selection.ids[there], precision=selection.precision)
        chosen = select(self.world, selection)
        return {name: value for name, value in chosen.items() if name not in ("step", "time")}

    # what is seen

    def facts(self) -> Facts:
        """What is shown without asking."""
        world = self.world
        return Facts(
            step=world.step_count,
            time=world.time,
            agents=world.agent_count,
            obstacles=len(self._edges),
            walkable=len(self._vertices),
            defaults=dict(world.defaults),
            time_step=world.time_step,
            profile=world.options.profile,
        )

    def agents(self, selection: Selection) -> dict[str, Any]:
        """`{step, time, ids, …columns}`."""
        return select(self.world, selection)

    def obstacles(self) -> dict[str, Any]:
        """`{step, obstacles}`."""
        return {
            "step": self.world.step_count,
            "obstacles": [obstacle_map(obstacle) for obstacle in self.world.obstacles()],
        }

    def walkable(self) -> dict[str, Any]:
        """`{step, areas}`."""
        return {"step": self.world.step_count, "areas": [area_map(area) for area in self.world.walkable()]}

    def obstacle(self, identifier: int) -> dict[str, Any]:
        """One obstacle; raises NotFound or Gone."""
        return obstacle_map(self.world.obstacle_set.get(identifier))

    def area(self, identifier: int) -> dict[str, Any]:
        """One walkable area; raises NotFound or Gone."""
        return area_map(self.world.walkable_set.get(identifier))

    def publications(self, events: list[dict[str, Any]], listening: bool) -> list[Publication]:
        """What is to be told after a call: nothing where nobody listens or nothing has changed."""
        told = []
        if listening and (self._changed or events):
            told = [self._publication(events, self._removed)]
        self._changed, self._removed = False, []
        return told

    def whole(self) -> Publication:
        """The state now, for a watcher who joins."""
        return self._publication([], [])

    def take_counts(self) -> Counter[str]:
        """Agents named in events since the last call, by kind."""
        counts, self._counts = self._counts, Counter()
        return counts

    def _publication(self, events: list[dict[str, Any]], removed: list[int]) -> Publication:
        ids, columns = self._view.take(self.world)
        return Publication(self.name, self.world.step_count, self.world.time, ids, columns, events, removed)


_HANDLERS: dict[type, Any] = {
    c.AddAgents: Session._add_agents,
    c.SetAgents: Session._set_agents,
    c.RemoveAgents: Session._remove_agents,
    c.AddObstacles: Session._add_obstacles,
    c.SetObstacle: Session._set_obstacle,
    c.RemoveObstacle: Session._remove_obstacle,
    c.AddWalkable: Session._add_walkable,
    c.SetWalkable: Session._set_walkable,
    c.RemoveWalkable: Session._remove_walkable,
    c.SetDefaults: Session._set_defaults,
}


def _id(identifier: int | None) -> int:
    """The id of something that is in a world, which always has one."""
    if identifier is None:
        raise InvalidInput("what is in a world has an id")
    return identifier


def _warnings(notices: Sequence[Notice]) -> list[dict[str, Any]]:
    return [{"code": n.code, "item": n.item, "field": n.field, "message": n.message} for n in notices]


def _event(event: Event) -> dict[str, Any]:
    """An event as it travels."""
    return {"kind": event.kind, "step": event.step, "ids": list(event.ids), **event.data}
