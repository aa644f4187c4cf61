"""Together: the guide of groups whose members keep together (`group_mode` together)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from orca_core.agent_columns import COLUMNS
from orca_core.kernels.together import keep_together
from orca_core.report import Event

if TYPE_CHECKING:
    from orca_core.world import World

__all__ = ["Together"]

TOGETHER = COLUMNS["group_mode"].choices.index("together")


class Together:
    """Asked after the guides that find ways: it turns what members want a little toward the middle of their group.

    It remembers nothing between steps that does not follow from the agents, so a snapshot keeps nothing of it.
    """

    name = "together"

    def __init__(self) -> None:
        """Know no members yet."""
        self._seen: tuple[int, int, int] | None = None
        self._rows = np.empty(0, np.int64)
        self._member = np.empty(0, np.int64)
        self._middle = np.empty((0, 4))

    @classmethod
    def of(cls, world: World, kept: Mapping[str, NDArray[Any]]) -> Together:
        """One for this world."""
        return cls()

    def guide(self, world: World) -> bool:
        """Phase, by one: guide the members that have come apart; whether there are any."""
        agents = world.population.state
        # members are looked up when somebody came, went or was changed, and not in every step
        seen = (agents.tuned, agents.placed, agents.count)
        if self._seen != seen:
            self._seen = seen
            self._rows = np.flatnonzero((agents["group_mode"] == TOGETHER) & (agents["group"] != 0))
            groups, member = np.unique(agents["group"][self._rows], return_inverse=True)
            self._member = np.ascontiguousarray(member.reshape(-1), np.int64)
            self._middle = np.empty((len(groups), 4))
        if not len(self._rows):
            return False
        agents.own("guided")
        pulled = keep_together(
            self._rows, self._member, self._middle, world.time_step, world.options.clamp_preferred_velocity,
            agents["position"], agents["radius"], agents["max_speed"], agents["goal"], agents["has_goal"],
            agents["preferred_speed"], agents["goal_tolerance"], agents.told("preferred_velocity"), agents["guided"],
            agents["steer_velocity"],
        )  # fmt: skip
        return bool(pulled)

    def conclude(self, world: World) -> list[Event]:
        """Nothing to add to what a step tells."""
        return []

    def kept(self) -> Mapping[str, NDArray[Any]]:
        """Nothing."""
        return {}
