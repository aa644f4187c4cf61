"""Group: who takes part where agents have locked each other up: the one, those it sees, and those that they see."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from orca_core.formats.movingai import GridMap
from orca_core.guidance.sight import Sight

__all__ = ["CLOSE", "Watch", "crowd"]

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Integers = NDArray[np.int64]

# cells between the centres of two who are in each other's way
CLOSE = 1.25


class Watch:
    """Who sees whom at the moment; places are in cells, y downward from the top of the map."""

    def __init__(self, grid: GridMap) -> None:
        """Ready to look over this map."""
        # rows of the map from the top make the picture upside down, in which who sees whom is the same
        self._sight = Sight(~grid.free)

    def near(self, places: Floats, agent: int, reach: float, most: int, among: Flags | None = None) -> list[int]:
        """The agents nearest to one, nearest first, within `reach` and past no blocked cell; at most so many.

        `among` (n,) leaves others out.
        """
        dx, dy = places[:, 0] - places[agent, 0], places[:, 1] - places[agent, 1]
        squared = dx * dx + dy * dy
        close = squared < reach * reach
        close[agent] = False
        if among is not None:
            close &= among
        candidates = np.flatnonzero(close)
        found: list[int] = []
        here = (float(places[agent, 0]), float(places[agent, 1]))
        for other in candidates[np.argsort(squared[candidates], kind="stable")].tolist():
            if len(found) == most:
                break
            if self._sight.sees(here, (float(places[other, 0]), float(places[other, 1])), 0.0):
                found.append(other)
        return found

    def group(self, places: Floats, agent: int, reach: float, most: int, free: Flags) -> Integers:
        """The agent, its neighbours and theirs, of those who are `free` (n,) to take part, int64 (m,), ascending.

        Whoever stands so close to one of them that it would be in the way takes part too, and so on.
        """
        members = {agent}
        for neighbour in self.near(places, agent, reach, most, free):
            members.add(neighbour)
            members.update(self.near(places, neighbour, reach, most, free))
        return crowd(places, np.array(sorted(members), np.int64), free)


def crowd(places: Floats, members: Integers, free: Flags) -> Integers:
    """These and whoever is close to one of them, and close to one of those, of who is `free`; ascending."""
    inside = np.zeros(len(places), np.bool_)
    inside[members] = True
    pending = members
    while len(pending):
        dx = places[pending, 0][:, None] - places[:, 0]
        dy = places[pending, 1][:, None] - places[:, 1]
        close = (dx * dx + dy * dy < CLOSE * CLOSE).any(axis=0) & free & ~inside
        inside |= close
        pending = np.flatnonzero(close)
    return np.flatnonzero(inside)
