"""Team: the agents of a world that follow one plan, from the step in which it enters until the next one does.

Agents are held by id: whoever is removed meanwhile stays in the plan where it was seen last, until the next plan, and
whoever comes has no part in it. Everything it remembers is in arrays.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from orca_core.cooperation import COOPERATION_STATES, Cooperation
from orca_core.cooperative import corridors as narrow
from orca_core.cooperative import dependencies
from orca_core.cooperative.anew import stuck
from orca_core.cooperative.apart import NONE, Apart, kept_radii
from orca_core.cooperative.config import Config
from orca_core.cooperative.frame import Frame
from orca_core.cooperative.guide import Cooperative
from orca_core.cooperative.members import Members
from orca_core.cooperative.repairs import HORIZON, Repairs
from orca_core.cooperative.waypoints import Waypoints, without_waiting
from orca_core.errors import SnapshotError
from orca_core.geometry.placed_grid import PlacedGrid
from orca_core.kernels import cooperate as columns

if TYPE_CHECKING:
    from orca_core.world import World

__all__ = ["Course", "Team"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Course:
    """What a plan says of whom: `ids` int64 (m,), the `goal` (m, 2) and `radius` (m,) that it is for, whether it ends
    in the goal's own cell, uint8 (m,), and by time step the `count` (m,) cells of each path, one after the other in
    `cells`.
    """

    ids: Integers
    goal: Floats
    radius: Floats
    own_cell: NDArray[np.uint8]
    count: Integers
    cells: Integers

    def paths(self) -> list[Integers]:
        """The cells of each path by time step."""
        return np.split(self.cells, np.cumsum(self.count)[:-1]) if len(self.count) else []


NOBODY = np.empty(0, np.int64)
PARTS = tuple(Course.__dataclass_fields__)


class Team:
    """Follows a course."""

    def __init__(self, course: Course, grid: PlacedGrid, cooperation: Cooperation, world: World) -> None:
        """Ready to look for the first time; nobody has a wish yet."""
        self.course, count = course, len(course.ids)
        self._origin = np.array(grid.origin)
        self._repairs = cooperation.repairs and cooperation.takes_turns
        size = grid.cell_size
        config = Config(
            radius=float(course.radius.max()), reps=0.0, cell_size=size, timestep=world.time_step,
            waypoint_reach_tol=0.3 * size, delta=0.1 * size,
        )  # fmt: skip
        frame = Frame(grid.grid, size, upward=True)
        paths = course.paths()
        if cooperation.takes_turns:
            corridors = narrow.identify(grid.grid)
            place, visits = corridors.place, dependencies.build(paths, corridors).visits
            # whoever fits beside the largest in a narrow cell gets past anybody there, and takes no turns
            passing = 2.0 * (course.radius + course.radius.max()) <= size
            if passing.any():
                visits = dependencies.visits_of(paths, place, passing)
        else:
            place = np.full(grid.grid.free.size, -1, np.int32)
            visits = dependencies.visits_of(paths, place)
        self._paths = cells = [without_waiting(path)[0] for path in paths]
        ways = Waypoints.of(cells, frame, place, course.radius)
        self._guide = Cooperative(frame, cells, ways, visits, place, config, layer=cooperation.takes_turns)
        # whoever ends in the cell of its goal ends at its goal
        ends = np.where(course.own_cell[:, None] == 1, course.goal - self._origin, self._guide.ends())
        self._guide.end_at(ends)
        self._apart = Apart(frame, count)
        if cooperation.repairs:
            self._guide.repairs = Repairs(self._guide, cells, config)
        # where in the world everybody was when it was looked last
        self._known: Integers = np.empty(0, np.int64)
        self._crowd = Members(count, self._origin)
        # whether discs are kept apart, where everybody was before the step that is asked for, and what is kept
        self._hold = cooperation.takes_turns
        self._before, self._radius = np.zeros((count, 2)), np.full(count, NONE)
        self._asked = False

    @property
    def rows(self) -> Integers:
        """Rows in the world of those who are there."""
        return self._crowd.rows

    def find(self, world: World) -> None:
        """Find the agents in the world as it is now."""
        ids = world.population.state["id"]
        if len(ids) == len(self._known) and np.array_equal(ids, self._known):
            return
        self._known = ids.copy()
        order = np.argsort(ids, kind="stable")
        place = np.minimum(np.searchsorted(ids, self.course.ids, sorter=order), max(len(ids) - 1, 0))
        rows = order[place] if len(ids) else np.empty(0, np.int64)
        here = ids[rows] == self.course.ids if len(ids) else np.zeros(len(self.course.ids), np.bool_)
        self._crowd.which = np.flatnonzero(here)
        self._crowd.rows = rows[self._crowd.which]

    def catch_up(self, world: World) -> None:
        """The plan enters now, steps after it was asked for: who has gone on along its path meanwhile has the narrow
        cells before that behind it, or it would be kept until it had gone back to them.
        """
        self.find(world)
        here = self._guide.frame.cells(world.population.state["position"][self.rows] - self._origin)
        for agent, cell in zip(self._crowd.which.tolist(), here.tolist(), strict=True):
            path = self._paths[agent]
            if path[0] != cell:
                passed = np.flatnonzero(path == cell)
                if len(passed):
                    self._guide.pass_visits(agent, int(passed[0]))

    def look(self, world: World) -> None:
        """After a step: how far everybody has come, and what each wants next."""
        crowd, agents = self._crowd, world.population.state
        crowd.give_back(agents)
        self.find(world)
        crowd.gather(agents)
        speed, most = agents["preferred_speed"][self.rows], agents["max_speed"][self.rows]
        self._guide.limit_speeds(crowd.which, np.where(speed < 0.0, most, np.minimum(speed, most)))
        self._guide.conclude(crowd.as_world(world))

    def guide(self, world: World) -> None:
        """Before a step: send everybody where it wants to go, and lend it what goes with that."""
        crowd, agents = self._crowd, world.population.state
        crowd.give_back(agents)
        self.find(world)
        crowd.read_traits(agents)
        self._guide.avoid_for(crowd["time_horizon"])
        # what the fallback has given its members was taken back after the last step
        taken = self._guide.taken != 0
        crowd["time_horizon"][taken] = np.minimum(crowd["time_horizon"][taken], HORIZON)
        self._guide.guide(crowd.as_world(world))
        crowd.lend(agents)
        agents["steer_velocity"][self.rows] = crowd["steer_velocity"][crowd.which]
        self._before[crowd.which] = agents["position"][self.rows] - self._origin
        self._asked = self._hold

    def hold(self, world: World) -> Integers:
        """After the moves of a step: make those shorter in which two of these would have met; returns whose, as rows.

        Whoever has no part in the plan is nobody's to hold, so a disc that goes straight may still meet one of these.
        """
        if not self._asked:
            return NOBODY
        crowd, agents = self._crowd, world.population.state
        self._radius[:] = NONE
        self._radius[crowd.which] = kept_radii(agents, self.rows)
        crowd.gather(agents)
        # what it has really gone, along walls too
        moves = (crowd["position"] - self._before) / world.time_step
        if not self._apart.hold(world.time_step, self._radius, self._before, moves, crowd["position"]):
            return NOBODY
        held = self._apart.held[crowd.which] != 0
        rows: Integers = self.rows[held]
        which = crowd.which[held]
        agents["position"][rows] = crowd["position"][which] + self._origin
        agents["velocity"][rows] = moves[which]
        # a shorter move may cut a corner that the whole one went round
        agents["on_surface"][rows] = 0
        agents.place_anew()
        return rows

    @property
    def locked(self) -> bool:
        """Whether somebody who may go on has got nowhere for long, in variants that mend such things."""
        return self._repairs and stuck(self._guide)

    def withdraw(self, world: World) -> None:
        """The step that was asked for is taken or will not be: take back what was lent for it."""
        self._crowd.give_back(world.population.state)
        self._asked = False

    def states(self) -> NDArray[np.uint8]:
        """What each of `rows` is doing, place in COOPERATION_STATES."""
        return (self._guide.state[self._crowd.which] + COOPERATION_STATES.index("orca")).astype(np.uint8)

    def waits_for(self) -> Integers:
        """The id of whom each of `rows` waits for or makes way for, -1 for nobody."""
        walk = self._guide.walk[self._crowd.which]
        other = np.where(walk[:, columns.WAIT_FOR] >= 0, walk[:, columns.WAIT_FOR], walk[:, columns.YIELD_TO])
        return np.where(other >= 0, self.course.ids[np.maximum(other, 0)], -1)

    def shown(self, identifier: int) -> dict[str, Any] | None:
        """`waypoint`, where an agent is bound for next, and the `corridor` that it waits for, as its first cell, both
        None where there is none; None for whoever has no part in the plan.
        """
        found = np.flatnonzero(self.course.ids == identifier)
        if not len(found):
            return None
        k = int(found[0])
        waypoint = self._guide.waypoints()[k]
        corridor = int(self._guide.walk[k, columns.CORRIDOR])
        return {
            "waypoint": None if np.isnan(waypoint).any() else (waypoint + self._origin).tolist(),
            "corridor": None if corridor < 0 else corridor,
        }

    # snapshots

    def kept(self) -> dict[str, NDArray[Any]]:
        """As arrays by name."""
        told = {f"course_{name}": getattr(self.course, name) for name in PARTS}
        told |= {f"guide_{name}": array for name, array in self._guide.kept().items()}
        return {**told, "seen_position": self._crowd["position"]}

    @classmethod
    def from_arrays(
        cls, kept: Mapping[str, NDArray[Any]], grid: PlacedGrid, cooperation: Cooperation, world: World
    ) -> Team:
        """What `kept` told; raises SnapshotError where the arrays do not agree."""
        try:
            course = Course(**{name: kept[f"course_{name}"].copy() for name in PARTS})
            count, cells = len(course.ids), grid.grid.free.size
            sizes = {len(getattr(course, name)) for name in PARTS if name != "cells"}
            if sizes != {count} or not count or (course.count < 1).any() or course.count.sum() != len(course.cells):
                raise ValueError("paths are not as many as agents")
            if ((course.cells < 0) | (course.cells >= cells)).any():
                raise ValueError("a path leaves the map")
            made = cls(course, grid, cooperation, world)
            made._guide.put_back({name[6:]: array for name, array in kept.items() if name.startswith("guide_")})
            made._crowd["position"][:] = kept["seen_position"]
        except (KeyError, ValueError, IndexError) as error:
            raise SnapshotError(f"the plan of this snapshot does not agree with itself: {error}") from None
        made.find(world)
        return made
