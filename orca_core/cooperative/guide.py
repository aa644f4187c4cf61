"""Cooperative: the guide of agents that follow the paths of a plan and take turns where it is narrow.

Everything it knows is in arrays: waypoints and visits, which stay, and how far each agent has come with them. After a
step one kernel looks at everybody and writes what each wants; before the next that is handed to the solver.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from orca_core._jit import compile_all
from orca_core.cooperative.admissions import VisitTable
from orca_core.cooperative.apart import Apart
from orca_core.cooperative.arrival_gate import ArrivalGate
from orca_core.cooperative.config import Config
from orca_core.cooperative.dependencies import Visits
from orca_core.cooperative.frame import Frame
from orca_core.cooperative.waypoints import Waypoints
from orca_core.kernels import cooperate as columns
from orca_core.kernels.cooperate import cooperate
from orca_core.kernels.drifting import STATE, WANTED
from orca_core.kernels.horizons import shorten_horizons
from orca_core.kernels.visits import HELD, NEXT
from orca_core.report import Event

if TYPE_CHECKING:
    from orca_core.cooperative.repairs import Repairs
    from orca_core.world import World

__all__ = ["STATES", "Cooperative"]

Path = NDArray[np.int64]

# what `state` says of an agent: goes by itself, waits before a narrow place, is steered by a repaired plan, makes way
STATES = ("ORCA", "DRIFT", "MAPF", "YIELD")


class Cooperative:
    """Guides all agents of a world, which are as many as the paths and in the same order.

    `walk` int64 (n, 12) and `seen` float64 (n, 8) are what it knows of each; their columns have names in
    `orca_core.kernels.cooperate`. `taken` uint8 (n,) and `taken_target` (n, 2) let somebody else steer an agent, which
    then has the state MAPF.
    """

    name = "cooperative"

    def __init__(
        self, frame: Frame, paths: Sequence[Path], ways: Waypoints, visits: Visits, place: NDArray[np.int32],
        config: Config, *, layer: bool, apart: NDArray[np.float64] | None = None,
    ) -> None:  # fmt: skip
        """`paths` are those of the plan without waiting; with `layer` agents take turns, drift and yield.

        With `apart` (n,) no discs of these radii meet in any step; see `orca_core.kernels.apart`.
        """
        compile_all()
        count = len(paths)
        self.frame, self.layer = frame, layer
        size = frame.cell_size
        self._settings = np.array(
            [
                size, config.timestep, (config.radius + config.reps) / size, config.waypoint_reach_tol / size,
                config.in_corridor_tol, config.delta / size, config.goal_in_corridor_tol,
            ]
        )  # fmt: skip
        # for how long each avoids others where nobody takes turns
        self._horizon = np.full(count, config.time_boundary)
        self._cell_size = size
        self._max_speed = np.full(count, config.max_speed)
        # cells are numbered in rows of growing y here
        numbers = frame.numbers
        self._place = np.ascontiguousarray(place[frame.cells_by_number])
        before = np.full(len(visits.cell), -1, np.int64)
        behind = np.full(len(visits.cell), -1, np.int64)
        for agent, path in enumerate(paths):
            rows = np.arange(visits.first[agent], visits.first[agent + 1])
            steps = visits.step[rows]
            inner, outer = steps > 0, steps < len(path) - 1
            before[rows[inner]] = numbers[path[steps[inner] - 1]]
            behind[rows[outer]] = numbers[path[steps[outer] + 1]]
        cell = numbers[visits.cell]
        order = visits.order[np.lexsort((visits.time[visits.order], cell[visits.order]))]
        rank = np.empty(len(order), np.int64)
        rank[order] = np.arange(len(order))
        cell_first = np.searchsorted(cell[order], np.arange(len(place) + 1)).astype(np.int64)
        self.left = np.zeros(len(cell), np.uint8)
        self.turn = cell_first[:-1].copy()
        # who is let in, which is everybody where the plan alone says who comes after whom
        self.admitted = np.ones(len(cell), np.uint8)
        self.holder = np.full(count, -1, np.int64)
        self._fixed = (
            ways.first, ways.step, np.ascontiguousarray(frame.centers(ways.cell) / size), visits.first, cell,
            visits.step, visits.agent, before, behind, order, cell_first, rank, self.left, self.turn,
            self.admitted, self.holder,
        )  # fmt: skip
        self._blocked = frame.blocked()
        # lets in whoever arrives first, where the plan does not say who that is
        self._gate: ArrivalGate | None = None
        if layer and config.turns == "arrival":
            self._gate = ArrivalGate(VisitTable(*self._fixed[3:]), self._place, frame.grid.width, config)

        # everybody is at its start and heads for the waypoint after it
        self.walk = np.zeros((count, 12), np.int64)
        self.seen = np.zeros((count, 8))
        self.walk[:, columns.WAYPOINT] = np.minimum(ways.first[:-1] + 1, ways.first[1:] - 1)
        self.walk[:, NEXT] = self.walk[:, HELD] = visits.first[:-1]
        self.walk[:, [columns.CORRIDOR, columns.WAIT_FOR, columns.YIELD_TO, columns.ARRIVED]] = -1
        self.taken = np.zeros(count, np.uint8)
        self.taken_target = np.zeros((count, 2))
        cells = len(place)
        self._scratch = (
            np.empty(cells, np.int64), np.empty(count, np.int64), np.full(cells, -1, np.int64),
            np.empty(cells, np.int64),
        )  # fmt: skip
        # radii of discs that never meet, and where everybody was before the step
        self._apart, self.apart = apart, Apart(frame, count)
        self._before = np.zeros((count, 2))
        # takes agents over that have locked each other up, where somebody does
        self.repairs: Repairs | None = None
        # how many are not at their goal
        self.away = count

    def guide(self, world: World) -> bool:
        """Hand over what everybody wants."""
        agents = world.population.state
        # some get another horizon: rows for it before anything has changed
        agents.own("guided", *(("time_horizon",) if self.layer or self.repairs is not None else ()))
        agents["guided"][:] = 1
        agents["steer_velocity"][:] = self.seen[:, WANTED : WANTED + 2]
        if self._apart is not None:
            self._before[:] = agents["position"]
        if self.layer and shorten_horizons(
            len(self.walk), self._cell_size, self._horizon, self._max_speed, agents["position"], self.seen,
            columns.TARGET, self.walk, columns.NARROW, self.taken, agents["time_horizon"],
        ):  # fmt: skip
            agents.tune_anew()
        return agents.count > 0

    def conclude(self, world: World) -> list[Event]:
        """Hold those apart who would have met, and look at everybody; nothing to add to what a step tells."""
        agents = world.population.state
        if self._apart is not None and self.apart.hold(
            world.time_step, self._apart, self._before, agents["velocity"], agents["position"]
        ):
            agents.place_anew()
        if self.repairs is not None:
            self.repairs.look(world.step_count, agents)
        self.look(world.step_count, agents["position"], agents["velocity"])
        return []

    def look(self, step: int, position: NDArray[np.float64], velocity: NDArray[np.float64]) -> None:
        """Bring everything up to date with where the agents are, (n, 2) each."""
        if self._gate is not None:
            until = self._fixed[1][self.walk[:, columns.WAYPOINT]] + 1
            self._gate.look(step, position / self._cell_size, self.walk, until, self.taken)
        self.away = cooperate(
            step, len(position), self.layer, self._settings, position, velocity, self._max_speed, self._blocked,
            self._place, *self._fixed, self.walk, self.seen, self.taken, self.taken_target, *self._scratch,
        )  # fmt: skip

    def kept(self) -> Mapping[str, NDArray[Any]]:
        """How far everybody has come, for a snapshot."""
        return {**self._kept(), **({} if self.repairs is None else self.repairs.kept())}

    def _kept(self) -> dict[str, NDArray[Any]]:
        gate = {} if self._gate is None else self._gate.kept()
        return {
            "walk": self.walk, "seen": self.seen, "left": self.left, "turn": self.turn, "taken": self.taken,
            "taken_target": self.taken_target, **gate,
        }  # fmt: skip

    def put_back(self, kept: Mapping[str, NDArray[Any]]) -> None:
        """Go on from what `kept` said."""
        for name, array in self._kept().items():
            array[:] = kept[name]
        if self.repairs is not None:
            self.repairs.put_back(kept)

    def pass_visits(self, agent: int, place: int) -> None:
        """An agent has come to this place of its path in a way of its own: the narrow cells before that are left."""
        first, cell, steps = self._fixed[3:6]
        order, cell_first = self._fixed[9:11]
        begin, stop = int(first[agent]), int(first[agent + 1])
        held = begin + int(np.searchsorted(steps[begin:stop], place))
        for visit in range(int(self.walk[agent, HELD]), held):
            self.left[visit] = 1
            c = int(cell[visit])
            while self.turn[c] < cell_first[c + 1] and self.left[order[self.turn[c]]]:
                self.turn[c] += 1
        inside = held < stop and int(steps[held]) == place
        self.walk[agent, HELD] = max(int(self.walk[agent, HELD]), held)
        self.walk[agent, NEXT] = max(int(self.walk[agent, NEXT]), held + inside)

    def pass_waypoints(self, agent: int, place: int) -> None:
        """The waypoints up to this place of its path are behind an agent."""
        first, step = self._fixed[:2]
        begin, last = int(first[agent]), int(first[agent + 1]) - 1
        ahead = begin + int(np.searchsorted(step[begin:last], place, side="right"))
        self.walk[agent, columns.WAYPOINT] = max(int(self.walk[agent, columns.WAYPOINT]), ahead)

    def passed(self, agent: int) -> int:
        """The place on its path of the last waypoint that an agent has behind it."""
        first, step = self._fixed[:2]
        return int(step[max(int(first[agent]), int(self.walk[agent, columns.WAYPOINT]) - 1)])

    # looking

    @property
    def state(self) -> NDArray[np.uint8]:
        """Place in STATES, uint8 (n,)."""
        return self.walk[:, STATE].astype(np.uint8)

    def waypoints(self) -> NDArray[np.float64]:
        """The waypoint (n, 2) that each heads for, NaN for whoever heads for its goal."""
        first, _, points = self._fixed[:3]
        rows = self.walk[:, columns.WAYPOINT]
        return np.where((rows < first[1:] - 1)[:, None], points[rows] * self.frame.cell_size, np.nan)

    # for worlds whose agents come, go and change

    def ends(self) -> NDArray[np.float64]:
        """Where each of them goes in the end, (n, 2)."""
        first, _, points = self._fixed[:3]
        return points[first[1:] - 1] * self.frame.cell_size

    def end_at(self, points: NDArray[np.float64]) -> None:
        """Let them go to these points (n, 2) in the end, which are in the last cells of their paths."""
        first, _, ways = self._fixed[:3]
        ways[first[1:] - 1] = points / self.frame.cell_size

    def limit_speeds(self, which: NDArray[np.int64], speeds: NDArray[np.float64]) -> None:
        """How fast some of them go from now on."""
        self._max_speed[which] = speeds

    def avoid_for(self, horizon: NDArray[np.float64]) -> None:
        """For how long (n,) each of them avoids others where nobody takes turns."""
        self._horizon[:] = horizon
