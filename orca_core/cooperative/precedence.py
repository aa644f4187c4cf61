"""Precedence: who goes first at a narrow place of those who come to it. One rule for maps and for polygons.

The nearest to its entrance goes first, of those who are equally near the one with the lower row, and it stays the first
until it is in or comes no nearer for a while. Those who come behind somebody who is in go before the others, but after
so many from one side the other has its turn, if anybody waits there: a platoon is bounded, or the other side starves.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["BY_PLACE", "MOST", "NOBODY", "PATIENCE", "Precedence"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

# so many go through from one side while somebody waits at another
MOST = 4
# seconds after which the first loses its turn if it has come no nearer
PATIENCE = 15.0
NOBODY = -1

BY_PLACE = ("first", "first_since", "first_near", "turn", "passed")


class Precedence:
    """By place: the row of who goes `first`, since which step it has come no nearer and how near it was then, the side
    whose `turn` it is, and how many have come in from there since.
    """

    def __init__(self, places: int, time_step: float, threshold: float = 0.0) -> None:
        """Nobody has come; distances that differ by no more than `threshold` are the same."""
        self._time_step, self._threshold = time_step, threshold
        self.first = np.full(places, NOBODY, np.int64)
        self.first_since = np.zeros(places, np.int64)
        self.first_near = np.zeros(places)
        self.turn = np.full(places, NOBODY, np.int64)
        self.passed = np.zeros(places, np.int64)

    def kept(self) -> Mapping[str, NDArray[Any]]:
        """All that it knows."""
        return {name: getattr(self, name) for name in BY_PLACE}

    def put_back(self, kept: Mapping[str, NDArray[Any]]) -> None:
        """Go on from what `kept` said."""
        for name in BY_PLACE:
            setattr(self, name, kept[name].copy())

    def enter(self, place: int, agent: int, side: int) -> None:
        """Somebody has come in from a side."""
        if side != self.turn[place]:
            self.turn[place], self.passed[place] = side, 0
        self.passed[place] += 1
        if self.first[place] == agent:
            self.first[place] = NOBODY

    def tired(self, place: int, sides: Integers) -> bool:
        """Whether as many as may have come in from one side while somebody waits at another of these sides."""
        return bool(self.passed[place] >= MOST and (sides != self.turn[place]).any())

    def choose(
        self, place: int, coming: Integers, side: Integers, distance: Floats, occupied: Integers, step: int
    ) -> int:
        """Who of `coming` (m,) goes first; `side` and `distance` are by row, `occupied` the sides of those who are in.

        Ask once a step: whoever was the first stays so while it comes nearer.
        """
        kept = int(self.first[place])
        stays = kept >= 0 and bool((coming == kept).any())
        if stays:
            if distance[kept] < self.first_near[place]:
                self.first_near[place], self.first_since[place] = distance[kept], step
            if (step - self.first_since[place]) * self._time_step <= PATIENCE:
                return kept
        pool = coming
        if self.passed[place] >= MOST:
            # the others have their turn, the nearest of them
            pool = coming[side[coming] != self.turn[place]]
        elif len(occupied):
            # while somebody is in, those who come behind it
            pool = coming[np.isin(side[coming], occupied)]
        if not len(pool):
            pool = coming
        if stays and len(pool) > 1:
            pool = pool[pool != kept]
        chosen = self.nearest(pool, distance)
        self.first[place], self.first_since[place] = chosen, step
        self.first_near[place] = distance[chosen]
        return chosen

    def nearest(self, agents: Integers, distance: Floats) -> int:
        """The nearest of some agents, of those who are equally near the one with the lowest row."""
        near = distance[agents]
        return int(agents[near <= near.min() + self._threshold].min())
