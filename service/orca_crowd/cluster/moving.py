"""A process of worlds goes from one node to another while they are used: the next one is warm before the first lets go.

A world stands still from the moment at which its journal is closed in one process until it is open in the other: its
state is in the journal as a whole by then, so that nothing is computed again. Front ends find out by being refused, and
ask anew. A process that several worlds share moves with all of them.
"""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Final

from orca_crowd.clock import Clock
from orca_crowd.cluster.asking import Asking
from orca_crowd.cluster.stopping import without_journal
from orca_crowd.engine.ray.cluster import ActorAway, ClusterError, Needs, NoSuchActor
from orca_crowd.engine.ray.names import PLACES, actor_name, home_of_actor, is_shared, other_place

__all__ = ["Moved", "NotMoved", "homes_of_nodes", "move"]

log = logging.getLogger("orca_crowd")

# how long a process may take to be warm, and a world to be let go or taken
WARM_SECONDS: Final = 120.0
HAND_SECONDS: Final = 60.0
QUESTION_SECONDS: Final = 5.0
# between two looks at whether it is back
BACK_SECONDS: Final = 0.01


class NotMoved(Exception):
    """The worlds are where they were; the message says why."""


@dataclass(frozen=True)
class Moved:
    """A process has moved, with so many worlds, which stood still for so many seconds."""

    home: str
    worlds: int
    node: str
    seconds: float


async def homes_of_nodes(asking: Asking) -> dict[str, dict[str, list[str]]]:
    """By the id of a node its processes with their worlds; what does not answer is left out."""
    found: dict[str, dict[str, list[str]]] = {}
    for name in sorted(await asking.ask("names")):
        with suppress(NoSuchActor, ActorAway):
            told = await asking.actor(name, "worlds", seconds=QUESTION_SECONDS)
            home = home_of_actor(name)
            # one of its own without its world is about to end
            if told["state"] == "serving" and (told["worlds"] or is_shared(home)):
                found.setdefault(told["node"], {})[home] = sorted(told["worlds"])
    return found


async def move(asking: Asking, clock: Clock, home: str, needs: Needs) -> Moved:
    """Have another node take the worlds of a process over; NotMoved where that cannot be."""
    there = await asking.ask("existing", [actor_name(home, place) for place in PLACES])
    if len(there) != 1:
        raise NotMoved(f"{home!r} is on its way already" if there else f"there is no process {home!r}")
    old = there[0]
    told = await asking.actor(old, "worlds", seconds=2 * QUESTION_SECONDS)
    kept = told["worlds"]
    lost = without_journal(kept)
    if lost is not None:
        raise NotMoved(f"{lost} in {home!r} keeps no journal to go by")
    order = await asking.actor(old, "order", seconds=QUESTION_SECONDS)
    place = other_place(order.place)
    new = actor_name(home, place)
    order = replace(order, place=place, waits=True)
    await asking.ask("make", new, order, needs, True, told["node"])
    try:
        node = await _warm(asking, clock, new)
    except ClusterError as error:
        await asking.ask("end", new, True)
        raise NotMoved(f"no other node takes {home!r}: {error}") from None
    began, let_go = clock.now(), True
    try:
        await asking.actor(old, "release", seconds=HAND_SECONDS)
    except ClusterError as error:
        # what it was about to acknowledge it cannot any more: the next one takes the journal over
        log.warning("%s did not let go: %s", home, error)
        let_go = False
    await asking.actor(new, "take", let_go, seconds=HAND_SECONDS)
    until = clock.now() + HAND_SECONDS
    for world in kept:
        await _back(asking, clock, new, world, until)
    stood = clock.now() - began
    await asking.ask("end", old, True)
    return Moved(home, len(kept), node, stood)


async def _back(asking: Asking, clock: Clock, name: str, world: str, until: float) -> None:
    """Wait until a process answers for a world."""
    while clock.now() < until:
        with suppress(ActorAway):
            told = await asking.actor(name, "describe", QUESTION_SECONDS, world, seconds=2 * QUESTION_SECONDS)
            if told["state"] == "serving" and told["life"] and told["life"]["ready"]:
                return
        await asyncio.sleep(BACK_SECONDS)


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
