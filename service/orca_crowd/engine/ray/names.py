"""How the actors of worlds are called.

A world has two names for an actor, of which one is in use: while it moves, the process that takes it over is there
under the other one, warm, before the first has let go. A number that grew with every move was rejected: to find a world
would take a list of all actors, where two names are two look-ups.
"""

from __future__ import annotations

from typing import Final

__all__ = ["PLACES", "actor_name", "other_place", "world_of"]

PLACES: Final = ("a", "b")


def actor_name(world: str, place: str) -> str:
    """The name of the actor in a place of a world."""
    return f"{world}/{place}"


def world_of(name: str) -> str:
    """The world that an actor is of; ids of worlds have no slash."""
    return name.rpartition("/")[0]


def other_place(place: str) -> str:
    """The one that is free while the first is in use."""
    return PLACES[1 - PLACES.index(place)]
