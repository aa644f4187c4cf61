"""Members: the agents of a team as if they were all agents of a world, for a guide that knows no others.

What it reads is gathered from the rows of the world before it looks; what it writes is put there afterwards. Traits
that clients give, as horizons and priorities, are lent to a step alone: `give_back` makes them what clients said.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from orca_core.state import AgentState
    from orca_core.world import World

__all__ = ["LENT", "Members"]

Integers = NDArray[np.int64]

# traits that a guide may say otherwise for a step
LENT = ("time_horizon", "obstacle_horizon", "priority")


class Members:
    """`columns[name]` are arrays of all members, with those of the agents that are there in `rows` of the world; which
    members they are stands in `which`.
    """

    def __init__(self, count: int, origin: NDArray[np.float64]) -> None:
        """Nobody is found yet; `origin` is taken off positions."""
        self.count = count
        self.rows = self.which = np.empty(0, np.int64)
        self._origin = origin
        self._columns: dict[str, NDArray[Any]] = {
            "position": np.zeros((count, 2)),
            "velocity": np.zeros((count, 2)),
            "guided": np.zeros(count, np.uint8),
            "steer_velocity": np.zeros((count, 2)),
            "time_horizon": np.full(count, 2.0),
            "obstacle_horizon": np.full(count, 2.0),
            "priority": np.zeros(count, np.int64),
        }
        # what clients said of those who are lent something at the moment
        self._said: dict[str, NDArray[Any]] = {}

    # what a guide uses of the state of a world

    def __getitem__(self, name: str) -> NDArray[Any]:
        """The rows of a column."""
        return self._columns[name]

    def own(self, *names: str) -> None:
        """All have rows of their own here."""

    def tune_anew(self) -> None:
        """What is lent is compared when it is put into the world."""

    def as_world(self, world: World) -> Any:
        """Something that a guide can take for a world: its agents, its steps and its time step."""
        return SimpleNamespace(
            population=SimpleNamespace(state=self), step_count=world.step_count, time_step=world.time_step
        )

    # between both

    def gather(self, agents: AgentState) -> None:
        """Read where everybody is; who is not there any more stays where it was, and stands."""
        self["position"][self.which] = agents["position"][self.rows] - self._origin
        self["velocity"][:] = 0.0
        self["velocity"][self.which] = agents["velocity"][self.rows]

    def read_traits(self, agents: AgentState) -> None:
        """Read what may be lent, as clients said it."""
        for name in LENT:
            self[name][self.which] = agents[name][self.rows]

    def lend(self, agents: AgentState) -> None:
        """Let the traits be what the guide says, until they are given back."""
        for name in LENT:
            said, lent = agents[name][self.rows], self[name][self.which]
            if np.array_equal(said, lent):
                continue
            agents.own(name)
            agents[name][self.rows] = lent
            self._said[name] = said
            agents.tune_anew()

    def give_back(self, agents: AgentState) -> None:
        """Let the traits be what clients said."""
        for name, said in self._said.items():
            agents[name][self.rows] = said
            agents.tune_anew()
        self._said.clear()
