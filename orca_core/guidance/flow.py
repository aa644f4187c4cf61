"""Flow: agents with guidance `flow` go to their goals along fields, one for all who have the same goal and radius.

After each step the guide asks for the fields that are missing or out of date; they enter the world exactly `delay`
steps later, wherever they are made, so that the same orders give the same bits on every machine. Until its field is
there an agent goes straight; while another is made because something stands elsewhere, along the old one.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from weakref import ref

import numpy as np
from numpy.typing import NDArray

from orca_core.guidance.flow_field import FlowField
from orca_core.guidance.flow_groups import FlowGroups, Key
from orca_core.guidance.flow_standing import Standing
from orca_core.guidance.flow_store import FlowStore, Place, Surface, Workshop
from orca_core.guidance.follow import PLAN_SECONDS
from orca_core.guidance.storeys import EVERY_HEIGHT, Storeys
from orca_core.kernels.flow_steer import AHEAD, CANDIDATES, LOST, ON_THE_WAY, steer_along
from orca_core.kernels.status import MOVING, STALLED, UNREACHABLE
from orca_core.report import Event

if TYPE_CHECKING:
    from orca_core.statics import Statics
    from orca_core.world import World

__all__ = ["Flow"]

Integers = NDArray[np.int64]

# after a change fields are made ready before they enter: for so long, or so many steps if these are no longer
SETTLE_SECONDS, SETTLE_STEPS, LONGEST_SETTLING = 0.1, 16, 0.8
# rings of cells beyond the radius that are looked at for a way by who stands where nobody should
BEYOND = 3


@dataclass(frozen=True, eq=False)
class Team:
    """Rows of agents, ascending, and the field that they go along, None where every way is straight; `nowhere` if no
    disc of their radius has a place; `along` is the field as the kernel takes it.
    """

    members: Integers
    field: FlowField | None
    nowhere: bool
    along: tuple[Any, ...]

    @classmethod
    def of(cls, place: Place, members: Integers) -> Team:
        """Who goes along the field of a place; made now if it is not yet."""
        field = place.made() if place.made is not None else None
        if field is None:
            return cls(members, None, place.seen is not None and place.seen.nowhere, ())
        grid = field.grid
        rings = math.ceil(float(grid.reach.max(initial=0.0)) / grid.size) + BEYOND
        along = (
            field.goals, *grid.sight(), grid.walls, grid.point, grid.narrow, field.distance, field.onward, field.direct,
            grid.component, field.arriving, rings, np.empty(len(members), np.int64),
        )  # fmt: skip
        return cls(members, field, False, along)


class Flow:
    """The guide; see the module."""

    name = "flow"

    def __init__(self, world: World) -> None:
        """Know of nobody yet."""
        # what is kept depends on what stands now
        self._world = ref(world)
        options = world.options
        self.delay = options.plan_delay_steps or max(1, math.ceil(PLAN_SECONDS / world.time_step))
        self._stop = options.unreachable_goals == "stop"
        self._size, self._cells = options.flow_cell_size, options.flow_cells
        settling = max(SETTLE_SECONDS, min(SETTLE_STEPS * world.time_step, LONGEST_SETTLING))
        self._store = FlowStore(self.delay, math.ceil(settling / world.time_step), options.flow_fields)
        self._groups = FlowGroups()
        self._statics: Statics | None = None
        self._surfaces: dict[Key, Surface] = {}
        self._storeys: tuple[Statics, Storeys] | None = None
        self._teams: list[Team] = []
        self._teamed: tuple[int, int] | None = None
        # for which groups and which statics fields were asked for last
        self._asked: tuple[int, Statics] | None = None
        self._stranded = np.empty(0, np.int32)
        self._told = np.empty(0, np.int64)
        self._scratch = (np.empty(CANDIDATES, np.int32), np.empty(CANDIDATES), np.zeros(AHEAD, np.int64))

    @classmethod
    def of(cls, world: World, kept: Mapping[str, NDArray[Any]]) -> Flow:
        """A guide for this world; raises SnapshotError where what was kept does not agree with itself."""
        made = cls(world)
        if kept:
            made._store.put_back(
                kept,
                lambda disc: made._surface(world, disc),
                lambda standing: Surface(standing, made._size, made._cells),
            )
        return made

    def make_in(self, workshop: Workshop) -> None:
        """Have fields that are asked for from now on made somewhere else."""
        self._store.workshop = workshop

    # before a step

    def guide(self, world: World) -> bool:
        """Send everybody along its field; who sees its goal goes there by itself."""
        agents = world.population.state
        self._look(world)
        if not self._groups.wanted:
            return False
        self._team()
        agents.own("guided")
        if len(self._stranded) != agents.count:
            self._stranded = np.empty(agents.count, np.int32)
        self._stranded[:] = ON_THE_WAY
        count = 0
        for team in self._teams:
            if team.field is not None:
                count += self._steer(world, team)
            elif team.nowhere:
                agents["guided"][team.members] = 1
                agents["steer_velocity"][team.members] = 0.0
                self._stranded[team.members] = LOST
                count += len(team.members)
        # whom the last step has left without a way has been told of
        self._told = np.flatnonzero(agents["status"] == UNREACHABLE)
        return count > 0

    def _look(self, world: World) -> None:
        """Bring the groups up to date."""
        statics = world.statics()
        if self._storeys is None or self._storeys[0] is not statics:
            self._storeys = (statics, Storeys(statics.wall_range))
        self._groups.look(world.population.state, self._storeys[1])

    def _team(self) -> None:
        """Find out who goes along which field, if that may have changed."""
        now = (self._groups.generation, self._store.generation)
        if self._teamed != now:
            ready = self._store.ready()
            teams = self._groups.teams(list(ready))
            self._teams = [Team.of(ready[key], members) for key, members in teams.items()]
            self._teamed = now

    def _steer(self, world: World, team: Team) -> int:
        """Have the members of a team go along its field."""
        agents = world.population.state
        return int(
            steer_along(
                team.members, agents["position"], agents["goal"], agents["goal_tolerance"], agents["preferred_speed"],
                agents["max_speed"], world.time_step, self._stop, *team.along, *self._scratch,
                agents["guided"], agents["steer_velocity"], self._stranded,
            )
        )  # fmt: skip

    # after a step

    def conclude(self, world: World) -> list[Event]:
        """Let fields in that are due, ask for others, and tell of those who have no way."""
        wanted = self._groups.wanted
        if not wanted:
            if len(self._store):
                self._store.clear()
                self._surfaces.clear()
                self._asked = None
            return []
        changed = self._store.enter(world.step_count)
        asked = (self._groups.generation, world.statics())
        if changed or self._asked is None or asked[0] != self._asked[0] or asked[1] is not self._asked[1]:
            self._store.ask(world.step_count, wanted, lambda disc: self._surface(world, disc))
            self._asked = asked
        return self._tell(world)

    def _surface(self, world: World, disc: Key) -> Surface:
        """What stands now for a radius, and a storey if there are several: the same object while that is so."""
        statics = world.statics()
        if self._statics is not statics:
            self._statics, before = statics, self._surfaces
            self._surfaces = {}
            for known in before:
                if _has_class(statics, known[0]):
                    self._surfaces[known] = self._again(statics, known, before[known])
        if disc not in self._surfaces:
            if not _has_class(statics, disc[0]):
                raise ValueError(f"nobody has the radius {disc[0]}")
            self._surfaces[disc] = Surface(_standing(statics, disc), self._size, self._cells)
        return self._surfaces[disc]

    def _again(self, statics: Statics, disc: Key, before: Surface) -> Surface:
        """What stands in other statics, which may be what stood before."""
        now = Surface(_standing(statics, disc), self._size, self._cells, before)
        return before if now.fingerprint == before.fingerprint else now

    def _tell(self, world: World) -> list[Event]:
        """Write who has no way to its goal, and tell of those who have none since this step."""
        agents = world.population.state
        rows = np.flatnonzero(self._stranded != ON_THE_WAY)
        if not len(rows):
            return []
        status = agents["status"]
        # who is inside an obstacle has other things to say
        rows = rows[np.isin(status[rows], (MOVING, STALLED))]
        status[rows] = UNREACHABLE
        # whoever waits for another goal has not stalled
        agents["anchor"][rows], agents["anchor_step"][rows] = agents["position"][rows], world.step_count
        fresh = rows[~np.isin(rows, self._told)]
        if not len(fresh):
            return []
        reason, nearest = self._why(agents.count)
        data = {"reason": [reason[row] for row in fresh], "nearest": [nearest[row] for row in fresh]}
        return [Event("unreachable", world.step_count, agents["id"][fresh].tolist(), data)]

    def _why(self, count: int) -> tuple[list[str], list[list[float] | None]]:
        """For each row why no way leads to its goal from there, and the nearest point that one leads to."""
        reason = ["start-off-surface"] * count
        nearest: list[list[float] | None] = [None] * count
        for team in self._teams:
            field = team.field
            if field is None:
                continue
            held = team.members[self._stranded[team.members] >= 0]
            ends = field.grid.point[field.ends[self._stranded[held]]].tolist()
            for row, point in zip(held.tolist(), ends, strict=True):
                reason[row] = "disconnected" if field.arriving.any() else "goal-off-surface"
                nearest[row] = point
        return reason, nearest

    # looking

    def kept(self) -> Mapping[str, NDArray[Any]]:
        """The fields there are and those that were asked for."""
        world = self._world()
        if world is None or not len(self._store):
            return {}
        used = set(np.unique(world.population.state["radius"]).tolist())
        return self._store.kept({disc: self._surface(world, disc) for disc in self._store.discs() if disc[0] in used})

    def shown(self, world: World, identifier: int) -> dict[str, Any]:
        """`unreachable`, `{reason, nearest}`, of an agent without a way to its goal; None where it has one."""
        row = int(world.index_of([identifier])[0])
        if world.column("status")[row] != UNREACHABLE:
            return {"unreachable": None}
        self.guide(world)
        reason, nearest = self._why(world.agent_count)
        return {"unreachable": {"reason": reason[row], "nearest": nearest[row]}}

    def distance(self, world: World, identifier: int) -> float | None:
        """Length (m) of the way that an agent has before it; None where it goes along no field, or none leads on."""
        row = int(world.index_of([identifier])[0])
        self._look(world)
        self._team()
        for team in self._teams:
            if team.field is not None and np.isin(row, team.members):
                found = team.field.distance_from(world.column("position")[row].tolist())
                return found if math.isfinite(found) else None
        return None


def _standing(statics: Statics, disc: Key) -> Standing:
    """What stands for a radius, and a storey where there are several."""
    return Standing.of(statics, disc[0], (disc[1], disc[2]) if len(disc) > 1 else EVERY_HEIGHT)


def _has_class(statics: Statics, radius: float) -> bool:
    """Whether boundaries were made for a radius, or none are needed."""
    known = statics.boundaries.class_radius
    return not len(known) or bool((known == radius).any())
