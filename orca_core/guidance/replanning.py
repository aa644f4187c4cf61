"""Replanning of jams: who stays blocked on a path asks whoever plans it for another one, round the jam.

And who goes straight and was pushed behind a wall is led round it: nobody else would bring it back.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Protocol, cast, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from orca_core.guidance.led import STRAIGHT
from orca_core.guidance.trouble import steps_of

if TYPE_CHECKING:
    from orca_core.world import World

__all__ = ["Leads", "Replans", "lead_round_walls", "replan_jams"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

# seconds of waiting after which another path is asked for: the right of way has had its time by then; and seconds until
# it is asked for again
JAMMED = 6.0
AGAIN = 10.0
# the disc to go round, about whoever is in the way, has this many times the radius of that one, and this at the least:
# whoever asks stands beside it, and must not stand in what it goes round
ROUND, LEAST = 1.5, 0.5


@runtime_checkable
class Replans(Protocol):
    """A guide that finds paths, and others round a disc."""

    def ask(self, world: World, rows: Integers, avoid: Floats | None = None) -> None:
        """Have the agents at these rows find another way, round a disc each, (m, 3) of x, y and radius."""


@runtime_checkable
class Leads(Protocol):
    """A guide that leads agents which go straight for as long as a wall is between them and their goals."""

    def lead(self, world: World, rows: Integers) -> None:
        """Lead those at these rows who do not see their goals."""


@cache
def _is(kind: type, protocol: type) -> bool:
    """Whether objects of a class are what a protocol says; to ask each of them takes longer than what is asked."""
    return issubclass(kind, protocol)


def lead_round_walls(world: World, every: int) -> None:
    """Have those led who go straight and have got nowhere for so long; called every so many steps.

    Who yields, or changes places with another, waits because it is asked to.
    """
    agents, dt = world.population.state, world.time_step
    over = agents["waiting"] - steps_of(JAMMED, dt)
    late = (over >= 0) & (over % steps_of(AGAIN, dt) < every) & (agents["has_goal"] == 1)
    if not late.any():
        return
    asked = (agents.told("guidance") != STRAIGHT) | (agents.told("yielding") != 0) | (agents.told("swapping") != 0)
    rows = np.flatnonzero(late & ~asked)
    for guide in world.guides if len(rows) else ():
        if _is(type(guide), Leads):
            cast("Leads", guide).lead(world, rows)


def replan_jams(world: World, blocked: Integers, every: int) -> None:
    """Ask for those of these rows who have been blocked long enough; called every so many steps.

    Agents that no guide finds paths for are left as they are by every guide that is asked.
    """
    agents, dt = world.population.state, world.time_step
    over = agents["waiting"][blocked] - steps_of(JAMMED, dt)
    # waiting grows by one a step at the most: once in each period
    rows = blocked[(over >= 0) & (over % steps_of(AGAIN, dt) < every) & (agents["blocked_by"][blocked] >= 0)]
    guides = [cast("Replans", guide) for guide in world.guides if len(rows) and _is(type(guide), Replans)]
    if not guides:
        return
    ids = agents["id"]
    order = np.argsort(ids, kind="stable")
    others = order[np.minimum(np.searchsorted(ids[order], agents["blocked_by"][rows]), len(ids) - 1)]
    avoid = np.empty((len(rows), 3))
    avoid[:, :2] = agents["position"][others]
    x, y = (agents["position"][rows] - avoid[:, :2]).T
    beside = np.sqrt(x * x + y * y) - agents["radius"][rows]
    wide = agents["radius"][others]
    avoid[:, 2] = np.maximum(np.minimum(beside, ROUND * wide), LEAST * wide)
    for guide in guides:
        guide.ask(world, rows, avoid)
