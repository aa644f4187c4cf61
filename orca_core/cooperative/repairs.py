"""Repairs: the fallback of agents that a cooperative guide steers: what it needs to know of them, and their return.

Whoever is in a sub-plan is taken out of the guide's hands. Where it comes out of one it goes on along its path from
the place that is nearest: waypoints and narrow cells before that are behind it, whatever way it has come, and whoever
waited for it there waits no more.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from orca_core.cooperative.fallback import Counts, Fallback, Surroundings
from orca_core.cooperative.stalling import WINDOW
from orca_core.cooperative.ways import Ways
from orca_core.kernels import cooperate as columns
from orca_core.kernels.drifting import DRIFT, STATE, YIELD

if TYPE_CHECKING:
    from orca_core.cooperative.config import Config
    from orca_core.cooperative.guide import Cooperative
    from orca_core.state import AgentState

__all__ = ["HORIZON", "Repairs"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

# seconds for which members of a group avoid others: who goes first is settled, so that they may come near each other.
# With a longer horizon they creep toward whoever stands beyond their next cell, by a fifth of what is between a second
HORIZON = 1.0
NOBODY = np.empty(0, np.int64)
# steps for which somebody has a reason to stand because it waits for its turn: before a gate that many go through a
# thousand seconds are not long
LONGEST = 4000


class Repairs:
    """The fallback of one guide."""

    def __init__(self, guide: Cooperative, paths: Sequence[Integers], config: Config) -> None:
        """`paths` are those of the guide, cells without waiting."""
        self._guide, self._paths = guide, paths
        self._ways = Ways(guide.frame.grid)
        self._max_speed = np.full(len(paths), config.max_speed)
        self._fallback = Fallback(guide.frame, config, self._max_speed)
        # what whoever is taken over had before, and for how many steps each has waited for its turn
        self._horizon = np.zeros(len(paths))
        self._waited = np.zeros(len(paths), np.int64)

    @property
    def counts(self) -> Counts:
        """How often there was something to repair."""
        return self._fallback.counts

    def look(self, step: int, agents: AgentState) -> None:
        """After a step, before the guide looks: take over whoever is locked up, and give back whoever is through."""
        guide, walk = self._guide, self._guide.walk
        position, velocity = agents["position"], agents["velocity"]
        state = walk[:, STATE]
        parked = walk[:, columns.ARRIVED] >= 0
        # whoever waits for its turn has a reason to stand, in the mouth of a corridor and before it, but not for ever
        waits = (state == DRIFT) | (walk[:, columns.WAIT_FOR] >= 0)
        self._waited += 1
        self._waited *= waits
        excused = parked | (state == YIELD) | (waits & (self._waited < LONGEST))
        target = guide.seen[:, columns.TARGET : columns.TARGET + 2]

        def cell(agent: int) -> int:
            return int(guide.frame.cells(position[agent : agent + 1])[0])

        def way(agent: int) -> Integers:
            return self._ways.rest(cell(agent), self._paths[agent], guide.passed(agent))

        around = Surroundings(
            step, position, velocity, self._max_speed, excused.view(np.uint8), parked.view(np.uint8), target, way
        )  # fmt: skip
        joined, left = self._fallback.conclude(around)
        stood = self._fallback.stalling.stood
        # one that stands for want of a look at where it is: it may have been driven past a narrow cell of its path
        strayed = np.flatnonzero(stood % WINDOW == 1) if stood.any() else NOBODY
        for agent in [*left.tolist(), *strayed.tolist()]:
            self._return(agent, cell(agent))
        if len(left) or len(joined):
            agents.own("time_horizon")
            horizon = agents["time_horizon"]
            horizon[left] = self._horizon[left]
            guide.taken[left] = 0
            # whoever is taken over again right away has its own already
            fresh = joined[guide.taken[joined] == 0]
            self._horizon[fresh] = horizon[fresh]
            horizon[fresh] = np.minimum(horizon[fresh], HORIZON)
            guide.taken[joined] = 1
            agents.tune_anew()
        if len(self._fallback.plans):
            self._fallback.plans.aim(guide.taken_target)

    def _return(self, agent: int, cell: int) -> None:
        """Go on along the path from the place nearest to a cell."""
        place, _ = self._ways.joint(cell, self._paths[agent], self._guide.passed(agent))
        self._guide.pass_waypoints(agent, place)
        self._guide.pass_visits(agent, place)

    def go_on_from(self, other: Repairs, agents: AgentState) -> None:
        """Take over the buffers and counts of another, and let those go who are in its sub-plans."""
        self._fallback.go_on_from(other._fallback)
        taken = other._guide.taken != 0
        if taken.any():
            agents.own("time_horizon")
            agents["time_horizon"][taken] = other._horizon[taken]
            agents.tune_anew()

    def kept(self) -> dict[str, NDArray[Any]]:
        """What a snapshot holds of it, by name."""
        kept = {**self._fallback.kept(), "horizon": self._horizon, "waited": self._waited}
        return {f"repairs.{name}": array for name, array in kept.items()}

    def put_back(self, kept: Mapping[str, NDArray[Any]]) -> None:
        """Go on from what a snapshot held."""
        begin = "repairs."
        held = {name[len(begin) :]: array for name, array in kept.items() if name.startswith(begin)}
        self._fallback.restore(held)
        self._horizon, self._waited = held["horizon"].copy(), held["waited"].copy()
