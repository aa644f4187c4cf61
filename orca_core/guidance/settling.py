"""Settling of crowds: whoever is kept from its goal by others who rest there comes to rest where it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from orca_core.guidance.trouble import Trouble, steps_of
from orca_core.kernels.settling import settle, share_room, sharers
from orca_core.kernels.status import ARRIVED, ARRIVED_CROWDED, BLOCKED, MOVING, NO_GOAL, STALLED
from orca_core.report import Event

if TYPE_CHECKING:
    from orca_core.state import AgentState
    from orca_core.world import World

__all__ = ["SETTLING", "settle_crowds"]

Floats = NDArray[np.float64]

# seconds of waiting after which an agent gives up a goal that is taken; before it would count as stalled
SETTLING = 1.0


def settle_crowds(world: World, trouble: Trouble) -> list[Event]:
    """Decide who has settled, and who has not any more because those before it have gone; cells are sorted."""
    agents, patience = world.population.state, steps_of(SETTLING, world.time_step)
    status, waiting = agents["status"], agents["waiting"]
    resting = status == ARRIVED_CROWDED
    going = (status == MOVING) | (status == STALLED) | (status == BLOCKED)
    rows = np.flatnonzero((agents["has_goal"] == 1) & (resting | ((waiting >= patience) & going)))
    if not len(rows):
        return []
    # from the goal outward, so that each finds those decided that are nearer
    offset = agents["goal"][rows] - agents["position"][rows]
    rows = rows[np.argsort(offset[:, 0] * offset[:, 0] + offset[:, 1] * offset[:, 1], kind="stable")]
    rests = (resting | (status == ARRIVED) | (status == NO_GOAL)).astype(np.uint8)
    settle(
        rows, patience, trouble.widest, agents["position"], agents["radius"], _room(agents, trouble), agents["goal"],
        agents["has_goal"], status, waiting, trouble.size, trouble.head, trouble.chain, trouble.near, rests,
    )  # fmt: skip
    rows.sort()
    settled, free = rows[(rests[rows] == 1) & ~resting[rows]], rows[(rests[rows] == 0) & resting[rows]]
    status[settled], status[free] = ARRIVED_CROWDED, MOVING
    for changed in (settled, free):
        waiting[changed] = 0
        for name in ("blocked_by", "right_since"):
            agents.put(name, changed, -1)
    return [Event("arrived-crowded", world.step_count, agents["id"][settled].tolist())] if len(settled) else []


def _room(agents: AgentState, trouble: Trouble) -> Floats:
    """How far from its goal each (n,) is bound to end because of those who have the same goal and are nearer."""
    room = np.zeros(agents.count)
    shared = np.zeros(agents.count, np.uint8)
    if sharers(agents.count, agents["goal"], agents["has_goal"], trouble.goal_head, trouble.near, shared):
        rows = np.flatnonzero(shared)
        goal = agents["goal"][rows]
        offset = goal - agents["position"][rows]
        squared = offset[:, 0] * offset[:, 0] + offset[:, 1] * offset[:, 1]
        share_room(rows[np.lexsort((squared, goal[:, 1], goal[:, 0]))], agents["goal"], agents["radius"], room)
    return room
