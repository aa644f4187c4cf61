"""Led: agents with guidance `straight` that are led round a wall, since one has come between them and their goals."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from orca_core.agent_columns import COLUMNS
from orca_core.errors import SnapshotError
from orca_core.guidance.followers import NOT, Followers
from orca_core.guidance.outlook import Outlook
from orca_core.kernels.follow import WAY

if TYPE_CHECKING:
    from orca_core.state import AgentState
    from orca_core.world import World

__all__ = ["STRAIGHT", "Led", "barred"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Flags = NDArray[np.bool_]

STRAIGHT = COLUMNS["guidance"].choices.index("straight")


class Led:
    """Who is led, by id, and the goals (m, 2) to which; with another order, or another guidance, nobody is."""

    def __init__(self) -> None:
        """Nobody is."""
        self.ids: Integers = np.empty(0, np.int64)
        self._goals: Floats = np.empty((0, 2))

    def __len__(self) -> int:
        """How many there are, some of whom may have another order by now."""
        return len(self.ids)

    def chosen(self, agents: AgentState) -> Flags:
        """Which agents (n,) are led."""
        which: Flags = np.zeros(agents.count, np.bool_)
        rows, goals = self._present(agents)
        which[rows[(agents["goal"][rows] == goals).all(axis=1) & (agents.dense("guidance")[rows] == STRAIGHT)]] = True
        return which

    def add(self, agents: AgentState, rows: Integers) -> None:
        """Lead the agents at these rows too, to the goals that they have; those with another order are forgotten."""
        self._set(agents, np.union1d(np.flatnonzero(self.chosen(agents)), rows))

    def let_through(self, agents: AgentState, rows: Integers, known: Followers) -> None:
        """Lead those no more who have all waypoints behind them and see their goals, nor who has another order. `known`
        is what is known of the agents at `rows`.
        """
        if len(self.ids):
            through = (known.standing == WAY) & (known.first == known.stop) & (known.wants == NOT) & (known.due == NOT)
            self._set(agents, np.setdiff1d(np.flatnonzero(self.chosen(agents)), rows[through]))

    def _set(self, agents: AgentState, rows: Integers) -> None:
        self.ids, self._goals = agents["id"][rows].copy(), agents["goal"][rows].copy()

    def _present(self, agents: AgentState) -> tuple[Integers, Floats]:
        """The rows of those who are here, and their goals as they were."""
        if not len(self.ids) or not agents.count:
            return np.empty(0, np.int64), np.empty((0, 2))
        ids = agents["id"]
        order = np.argsort(ids, kind="stable")
        rows = order[np.minimum(np.searchsorted(ids[order], self.ids), len(ids) - 1)]
        here = ids[rows] == self.ids
        return rows[here], self._goals[here]

    def kept(self) -> dict[str, NDArray[Any]]:
        """As arrays; nothing where nobody is led."""
        return {"led": self.ids, "led_goal": self._goals} if len(self.ids) else {}

    @classmethod
    def of(cls, kept: Mapping[str, NDArray[Any]]) -> Led:
        """What `kept` told; raises SnapshotError where that cannot be."""
        made = cls()
        if "led" in kept:
            ids, goals = kept["led"], kept.get("led_goal")
            if goals is None or ids.dtype != np.int64 or goals.dtype != np.float64 or goals.shape != (len(ids), 2):
                raise SnapshotError("the ways of this snapshot do not agree with each other: who is led round a wall")
            made.ids, made._goals = ids.copy(), goals.copy()
        return made


def barred(world: World, rows: Integers) -> Integers:
    """Those of these rows of agents who do not see their goals."""
    agents = world.population.state
    known = Followers.new(agents["id"][rows])
    known.goal[:] = agents["goal"][rows]
    seen = Outlook(world.statics()).goals_seen(world, rows, known, np.arange(len(rows)))
    hidden: Integers = rows[seen == 0]
    return hidden
