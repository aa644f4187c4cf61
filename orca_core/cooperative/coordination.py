"""Coordination: the guide of worlds whose agents follow plans made for all of them, on the world's grid map.

Asked for by `Options.cooperation`; it guides the agents with guidance `cooperative` and a goal. Whenever who they are
or where they want to go has changed a plan for all of them is asked for; it enters the world a fixed number of steps
later, whatever the machine, so that two runs agree. Until then they go by the plan before, and whoever is in none waits
where it is.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from orca_core.cooperation import COOPERATIVE, largest_radius
from orca_core.cooperative.anew import GAP
from orca_core.cooperative.frame import Frame
from orca_core.cooperative.team import Course, Team
from orca_core.cooperative.team_planning import (
    OUTCOMES,
    InlineTeamPlanning,
    TeamPlan,
    TeamPlanning,
    TeamQuestion,
)
from orca_core.errors import SnapshotError
from orca_core.kernels.status import ARRIVED, INSIDE_OBSTACLE, UNREACHABLE
from orca_core.report import Event

if TYPE_CHECKING:
    from orca_core.geometry.placed_grid import PlacedGrid
    from orca_core.world import World

__all__ = ["PLAN_SECONDS", "Coordination"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

# seconds of the world after which a plan enters, unless the options say in how many steps
PLAN_SECONDS = 0.25
NEAR = OUTCOMES.index("near")
# later than every step
AT_REST = 2**53


class Coordination:
    """The guide of one world."""

    name = "coordination"

    def __init__(self, world: World) -> None:
        """Nobody is guided yet."""
        self.delay = world.options.plan_delay_steps or max(1, math.ceil(PLAN_SECONDS / world.time_step))
        self._planning: TeamPlanning = InlineTeamPlanning()
        self._team: Team | None = None
        # what was asked for last, and after which step the answer is to come, -1 when it has come
        self._asked: _Wanted | None = None
        self._due = -1
        self._asked_at = 0
        self._lost = _Lost()

    @classmethod
    def of(cls, world: World, kept: Mapping[str, NDArray[Any]]) -> Coordination:
        """A guide for this world; raises SnapshotError where what was kept does not agree with itself."""
        made = cls(world)
        grid, cooperation = world.grid_map, world.options.cooperation
        if not kept or grid is None or cooperation is None:
            return made
        if "course_ids" in kept:
            made._team = Team.from_arrays(kept, grid, cooperation, world)
        try:
            made._asked = _Wanted(grid, **{name: kept[f"asked_{name}"].copy() for name in _Wanted.PARTS})
            made._due, made._asked_at = (int(value) for value in kept["due"])
            made._lost = _Lost(*(kept[f"lost_{name}"].copy() for name in _Lost.PARTS))
        except (KeyError, IndexError, ValueError) as error:
            raise SnapshotError(f"the plan of this snapshot does not agree with itself: {error}") from None
        if made._due >= 0:
            made._planning.submit(made._due, made._question(world, made._asked))
        return made

    def plan_with(self, world: World, planning: TeamPlanning) -> None:
        """Have plans made by somebody else from now on, the one under way too."""
        self._planning = planning
        if self._due >= 0 and self._asked is not None:
            planning.submit(self._due, self._question(world, self._asked))

    def kept(self) -> Mapping[str, NDArray[Any]]:
        """The plan, how far it was followed, and what is under way; nothing while there is nobody."""
        if self._asked is None:
            return {}
        told: dict[str, NDArray[Any]] = {} if self._team is None else self._team.kept()
        told |= {f"asked_{name}": getattr(self._asked, name) for name in _Wanted.PARTS}
        told |= {f"lost_{name}": getattr(self._lost, name) for name in _Lost.PARTS}
        return {**told, "due": np.array([self._due, self._asked_at], np.int64)}

    # before a step

    def guide(self, world: World) -> bool:
        """Send everybody where the plan says; who has no plan waits."""
        rows = self._rows(world)
        if not len(rows):
            return False
        agents = world.population.state
        agents.own("guided")
        agents["guided"][rows] = 1
        agents["steer_velocity"][rows] = 0.0
        team = self._team
        if team is not None:
            team.guide(world)
        return True

    def hold(self, world: World) -> Integers:
        """After the moves of a step, before anything is told of it: keep discs apart; returns who was held, as rows."""
        return np.empty(0, np.int64) if self._team is None else self._team.hold(world)

    def withdraw(self, world: World) -> None:
        """The step that was asked for is taken or will not be: take back what was lent for it."""
        if self._team is not None:
            self._team.withdraw(world)

    def _rows(self, world: World) -> Integers:
        """The agents that are guided here, ascending."""
        if world.options.cooperation is None or world.grid_map is None:
            return np.empty(0, np.int64)
        agents = world.population.state
        chosen = agents.told("guidance") == COOPERATIVE
        if not chosen.any():
            return np.empty(0, np.int64)
        # wider ones are refused, and a snapshot is taken as it is
        fits = agents["radius"] <= largest_radius(world.grid_map.cell_size)
        return np.flatnonzero(chosen & (agents["has_goal"] == 1) & fits)

    # after a step

    def conclude(self, world: World) -> list[Event]:
        """Let in the plan that is due, look at everybody, and ask for another where something has changed."""
        if self._team is not None:
            self._team.withdraw(world)
        rows = self._rows(world)
        if not len(rows):
            self._forget(world)
            return []
        events: list[Event] = []
        if self._due == world.step_count:
            assert self._asked is not None, "what is due was asked for"
            self._due = -1
            events = self._enter(world, self._asked, self._planning.collect(world.step_count))
        if self._team is not None:
            self._team.look(world)
        wanted = _Wanted.of(world, rows, self._asked)
        if self._due < 0 and (self._asked is None or not wanted.agrees_with(self._asked) or self._locked(world)):
            self._asked, self._asked_at, self._due = wanted, world.step_count, world.step_count + self.delay
            self._planning.submit(self._due, self._question(world, wanted))
        self._write(world)
        return events

    def _locked(self, world: World) -> bool:
        """Whether somebody who may go on gets nowhere, so that an order made from where everybody is may undo it."""
        return self._team is not None and world.step_count - self._asked_at >= GAP and self._team.locked

    def _forget(self, world: World) -> None:
        """Nobody is guided any more."""
        if self._asked is None:
            return
        self._planning.drop()
        self._team, self._asked, self._due, self._lost = None, None, -1, _Lost()
        self._write(world)

    def _question(self, world: World, wanted: _Wanted) -> TeamQuestion:
        """Asked in cells."""
        cooperation, grid = world.options.cooperation, wanted.grid
        assert cooperation is not None, "only worlds with cooperation ask"
        frame, origin = Frame(grid.grid, grid.cell_size, upward=True), np.array(grid.origin)
        start, goal = (frame.cells(points - origin) for points in (wanted.position, wanted.goal))
        # chance of its own for every plan: with the same one whoever was planned for last would be so every time
        seed = (world.seed + self._asked_at) % 2**53
        return TeamQuestion(grid.grid, cooperation, wanted.ids, start, goal, wanted.since, seed)

    def _enter(self, world: World, asked: _Wanted, plan: TeamPlan) -> list[Event]:
        """Follow a plan from now on, and tell of those who have no way to their goals since this one."""
        cooperation = world.options.cooperation
        assert cooperation is not None, "only worlds with cooperation ask"
        chosen = np.flatnonzero(plan.count > 0)
        self._team = None
        if len(chosen):
            course = Course(
                plan.ids[chosen], asked.goal[chosen], asked.radius[chosen],
                (plan.outcome[chosen] != NEAR).astype(np.uint8), plan.count[chosen], plan.cells,
            )  # fmt: skip
            self._team = Team(course, asked.grid, cooperation, world)
            self._team.catch_up(world)
        lost = np.flatnonzero(plan.count == 0)
        before = self._lost
        self._lost = _Lost(plan.ids[lost], asked.goal[lost], plan.outcome[lost], plan.nearest[lost])
        fresh = [k for k in range(len(lost)) if not before.has(self._lost, k)]
        if not fresh:
            return []
        told = [self._lost.shown(k, asked.grid) for k in fresh]
        data = {name: [one[name] for one in told] for name in ("reason", "nearest")}
        return [Event("unreachable", world.step_count, self._lost.ids[fresh].tolist(), data)]

    def _write(self, world: World) -> None:
        """Show what everybody is doing in the columns of the agents."""
        agents = world.population.state
        agents.clear("cooperation", "waits_for")
        if self._team is not None:
            agents.put("cooperation", self._team.rows, self._team.states())
            agents.put("waits_for", self._team.rows, self._team.waits_for())
        if len(self._lost.ids):
            rows = np.flatnonzero(np.isin(agents["id"], self._lost.ids))
            rows = rows[(agents["status"][rows] != ARRIVED) & (agents["status"][rows] != INSIDE_OBSTACLE)]
            agents["status"][rows] = UNREACHABLE
            # whoever waits for another goal has not stalled
            agents["anchor"][rows], agents["anchor_step"][rows] = agents["position"][rows], world.step_count

    # looking

    def shown(self, world: World, identifier: int) -> dict[str, Any]:
        """`waypoint` and `corridor` of an agent, and `unreachable`, `{reason, nearest}`; None where there is none."""
        told = None if self._team is None else self._team.shown(identifier)
        lost = np.flatnonzero(self._lost.ids == identifier)
        unreachable = None
        if len(lost) and self._asked is not None:
            unreachable = self._lost.shown(int(lost[0]), self._asked.grid)
        return {**(told or {"waypoint": None, "corridor": None}), "unreachable": unreachable}


class _Wanted:
    """What a plan is asked for: `ids` int64 (m,), `position` and `goal` (m, 2), `radius` (m,), `since` int64 (m,) which
    step each is on its way there, on a grid map.
    """

    PARTS = ("ids", "position", "goal", "radius", "since")

    def __init__(
        self, grid: PlacedGrid, ids: Integers, position: Floats, goal: Floats, radius: Floats, since: Integers
    ) -> None:
        self.ids, self.position, self.goal, self.radius, self.grid = ids, position, goal, radius, grid
        self.since = since

    @classmethod
    def of(cls, world: World, rows: Integers, before: _Wanted | None) -> _Wanted:
        """What these agents want now, by what they wanted before."""
        agents, grid = world.population.state, world.grid_map
        assert grid is not None, "nobody is guided without a grid map"
        ids, goal = agents["id"][rows], agents["goal"][rows]
        since = np.full(len(rows), world.step_count)
        if before is not None:
            order = np.argsort(before.ids, kind="stable")
            place = order[np.minimum(np.searchsorted(before.ids, ids, sorter=order), len(order) - 1)]
            same = (before.ids[place] == ids) & (before.goal[place] == goal).all(axis=1)
            since = np.where(same, before.since[place], since)
        # whoever is there makes way for all others
        since[agents["status"][rows] == ARRIVED] = AT_REST
        return cls(grid, ids, agents["position"][rows], goal, agents["radius"][rows], since)

    def agrees_with(self, other: _Wanted) -> bool:
        """Whether a plan for the other is one for this, wherever the agents are by now."""
        return (
            self.grid is other.grid
            and np.array_equal(self.ids, other.ids)
            and np.array_equal(self.goal, other.goal)
            and np.array_equal(self.radius, other.radius)
        )


class _Lost:
    """Who has no way to its goal: `ids` int64 (m,), the `goal` (m, 2), the `outcome` uint8 and `nearest` cell (m,)."""

    PARTS = ("ids", "goal", "outcome", "nearest")

    def __init__(
        self,
        ids: Integers | None = None,
        goal: Floats | None = None,
        outcome: NDArray[np.uint8] | None = None,
        nearest: Integers | None = None,
    ) -> None:
        self.ids = np.empty(0, np.int64) if ids is None else ids
        self.goal = np.empty((0, 2)) if goal is None else goal
        self.outcome = np.empty(0, np.uint8) if outcome is None else outcome
        self.nearest = np.empty(0, np.int64) if nearest is None else nearest

    def has(self, other: _Lost, k: int) -> bool:
        """Whether the same was known of agent k of the other."""
        mine = np.flatnonzero(self.ids == other.ids[k])
        return bool(len(mine)) and bool((self.goal[mine[0]] == other.goal[k]).all())

    def shown(self, k: int, grid: PlacedGrid) -> dict[str, Any]:
        """`{reason, nearest}` of agent k, the point None where there is none."""
        cell = int(self.nearest[k])
        nearest = None if cell < 0 else list(grid.center(cell % grid.grid.width, cell // grid.grid.width))
        return {"reason": OUTCOMES[self.outcome[k]], "nearest": nearest}
