"""Blocking: who waits for others in vain, and for whom."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from orca_core.guidance.swapping import NO_ROOM
from orca_core.guidance.trouble import PATIENCE, Trouble, steps_of
from orca_core.kernels.blocking import MOST, find_blocked
from orca_core.kernels.status import BLOCKED, MOVING, STALLED
from orca_core.report import Event

if TYPE_CHECKING:
    from orca_core.world import World

__all__ = ["detect_blocked"]

Integers = NDArray[np.int64]


def detect_blocked(world: World, trouble: Trouble) -> tuple[Integers, list[Event]]:
    """The rows of those who are blocked now, and the event that tells of those who were not before.

    Cells are sorted and wishes known. Whoever was blocked stays so until it has been on its way for a while; who yields
    to another waits because it is asked to, and is told of only if it was blocked before.
    """
    agents, patience = world.population.state, steps_of(PATIENCE, world.time_step)
    ids, waiting = agents["id"], agents["waiting"]
    rows = np.flatnonzero(waiting >= patience)
    if len(rows):
        agents.own("blocked_by")
    if agents.owns("blocked_by"):
        agents["blocked_by"][waiting < patience] = -1
    if not len(rows):
        return rows, []
    blocked_by = agents["blocked_by"]
    ahead = np.zeros((len(rows), MOST), np.int64)
    count, blocker, free = np.zeros(len(rows), np.int64), np.zeros(len(rows), np.int64), np.zeros(len(rows), np.uint8)
    find_blocked(
        rows, patience, trouble.widest, agents["position"], agents["radius"], agents["max_speed"],
        agents.dense("time_horizon"), trouble.wish, waiting, trouble.size, trouble.head, trouble.chain, trouble.near,
        *trouble.around, ahead, count, free, blocker,
    )  # fmt: skip
    blocked, others = rows[free == 0], ids[blocker[free == 0]]
    asked = (agents["yielding"][blocked] != 0) & (agents["swapping"][blocked] != NO_ROOM)
    fresh = (blocked_by[blocked] < 0) & ~asked
    known = fresh | (blocked_by[blocked] >= 0)
    blocked_by[blocked[known]] = others[known]
    if not world.options.detect_blocked or not fresh.any():
        return blocked, []
    told = blocked[fresh]
    status = agents["status"]
    status[told[(status[told] == MOVING) | (status[told] == STALLED)]] = BLOCKED
    data = {"other": others[fresh].tolist(), "waited": (waiting[told] * world.time_step).tolist()}
    return blocked, [Event("blocked", world.step_count, ids[told].tolist(), data)]
