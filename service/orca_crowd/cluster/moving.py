"""A world goes from one node to another while it is used: the next process is warm before the first lets go.

The world stands still from the moment at which its journal is closed in one process until it is open in the other:
its state is in the journal as a whole by then, so that nothing is computed again. Front ends find out by being refused,
and ask anew.
"""

from __future__ import annotations

import logging
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Final

from orca_crowd.clock import Clock
from orca_crowd.cluster.asking import Asking
from orca_crowd.engine.ray.cluster import ActorAway, ClusterError, Needs, NoSuchActor
from orca_crowd.engine.ray.names import PLACES, actor_name, other_place, world_of

__all__ = ["Moved", "NotMoved", "move", "worlds_of_nodes"]

log = logging.getLogger("orca_crowd")

# how long a process may take to be warm, and a world to be let go or taken
WARM_SECONDS: Final = 120.0
HAND_SECONDS: Final = 60.0
QUESTION_SECONDS: Final = 5.0


class NotMoved(Exception):
    """The world is where it was; the message says why."""


@dataclass(frozen=True)
class Moved:
    """A world has moved, and stood still for so many seconds."""

    world: str
    node: str
    seconds: float


async def worlds_of_nodes(asking: Asking) -> dict[str, list[str]]:
    """The worlds that each node has, by its id; what does not answer is left out."""
    found: dict[str, list[str]] = {}
    for name in await asking.ask("names"):
        with suppress(NoSuchActor, ActorAway):
            told = await asking.actor(name, "describe", 0.0, seconds=QUESTION_SECONDS)
            if told["state"] == "serving":
                found.setdefault(told["node"], []).append(world_of(name))
    return {node: sorted(worlds) for node, worlds in found.items()}


async def move(asking: Asking, clock: Clock, world: str, needs: Needs) -> Moved:
    """Have another node take a world over; NotMoved where that cannot be."""
    there = await asking.ask("existing", [actor_name(world, place) for place in PLACES])
    if len(there) != 1:
        raise NotMoved(f"world {world!r} is on its way already" if there else f"there is no world {world!r}")
    old = there[0]
    told = await asking.actor(old, "describe", QUESTION_SECONDS, seconds=2 * QUESTION_SECONDS)
    if not told["kept"]:
        raise NotMoved(f"world {world!r} keeps no journal to go by")
    order = await asking.actor(old, "order", seconds=QUESTION_SECONDS)
    place = other_place(order.place)
    new = actor_name(world, place)
    order = replace(order, place=place, waits=True)
    await asking.ask("make", new, order, needs, True, told["node"])
    try:
        node = await _warm(asking, clock, new)
    except ClusterError as error:
        await asking.ask("end", new, True)
        raise NotMoved(f"no other node takes world {world!r}: {error}") from None
    began, let_go = clock.now(), True
    try:
        await asking.actor(old, "release", seconds=HAND_SECONDS)
    except ClusterError as error:
        # what it was about to acknowledge it cannot any more: the next one takes the journal over
        log.warning("world %s was not let go: %s", world, error)
        let_go = False
    await asking.actor(new, "take", let_go, seconds=HAND_SECONDS)
    await asking.actor(new, "describe", HAND_SECONDS, seconds=HAND_SECONDS)
    stood = clock.now() - began
    await asking.ask("end", old, True)
    return Moved(world, node, stood)


async def _warm(asking: Asking, clock: Clock, name: str) -> str:
    """Wait until a process waits for its world; the node that it is on."""
    until = clock.now() + WARM_SECONDS
    while True:
        try:
            told = await asking.actor(name, "describe", QUESTION_SECONDS, seconds=2 * QUESTION_SECONDS)
            if told["state"] == "waiting":
                return str(told["node"])
        except ActorAway:
            # it has no place yet
            pass
        if clock.now() > until:
            raise ActorAway(f"actor {name!r} is not there after {WARM_SECONDS:g} seconds")
