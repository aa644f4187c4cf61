"""Group: who takes part where agents have locked each other up: the one, those it sees, and those that they see."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from orca_core.formats.movingai import GridMap
from orca_core.guidance.sight import Sight

__all__ = ["Watch"]

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


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

    def group(self, places: Floats, agent: int, reach: float, most: int, free: Flags) -> Sequence[int]:
        """The agent, its neighbours and theirs, ascending, of those who are `free` (n,) to take part."""
        members = {agent}
        for neighbour in self.near(places, agent, reach, most, free):
            members.add(neighbour)
            members.update(self.near(places, neighbour, reach, most, free))
        return sorted(members)
