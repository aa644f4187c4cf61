"""How the actors of worlds are called, and which of them has a world.

A world has a process of its own, or is in one of so many that all worlds share. Which one follows from its id, so that
every front end knows it and nothing has to be kept. A table that fills one process after another was rejected: it would
have to be found, shared and made anew after a death like the worlds themselves.

A process has two names for its actor, of which one is in use: while its worlds move, the process that takes them over
is there under the other one, warm, before the first has let go. A number that grew with every move was rejected: to
find a world would take a list of all actors, where two names are two look-ups.
"""

from __future__ import annotations

from typing import Final
from zlib import crc32

__all__ = ["PLACES", "actor_name", "home_of", "home_of_actor", "is_shared", "other_place", "shared_by"]

PLACES: Final = ("a", "b")
# ids of worlds have no slash
SHARED: Final = "shared/"


def home_of(world: str, processes: int) -> str:
    """What the process of a world is called: as the world, or one of `processes` that are shared."""
    if not processes:
        return world
    return f"{SHARED}{crc32(world.encode()) % processes + 1}-of-{processes}"


def is_shared(home: str) -> bool:
    """Whether several worlds may be in this process."""
    return home.startswith(SHARED)


def shared_by(name: str) -> int:
    """Among how many processes worlds are shared where there is an actor of this name; 0 where they are not."""
    return int(home_of_actor(name).rpartition("-")[2]) if is_shared(name) else 0


def actor_name(home: str, place: str) -> str:
    """The name of the actor in a place of a process."""
    return f"{home}/{place}"


def home_of_actor(name: str) -> str:
    """The process that an actor is."""
    return name.rpartition("/")[0]


def other_place(place: str) -> str:
    """The one that is free while the first is in use."""
    return PLACES[1 - PLACES.index(place)]
