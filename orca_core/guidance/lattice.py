"""Lattice: the points of a grid map at every half cell that the centre of a disc may take, and the moves between them.

Half cells, and not the centres of cells: a disc a little narrower than two cells passes a gap of two cells between the
centres alone. What only a path through other points could pass is no passage here; the navigation mesh finds those.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from orca_core.guidance.planner import Point
from orca_core.guidance.sight import least_clearance, square_distance

__all__ = ["Lattice"]

Flags = NDArray[np.bool_]

# the moves whose legality is kept; each of the others is one of these the other way round
MOVES = ((1, 0), (0, 1), (1, 1), (-1, 1))


class Lattice:
    """Points by number, `row * columns + column`, row 0 at the bottom; the point lies at half its column and row."""

    def __init__(self, blocked: Flags, radius: float) -> None:
        """`blocked` (height, width) of cells, row 0 at the bottom; radius in cells."""
        halves = np.repeat(np.repeat(blocked, 2, axis=0), 2, axis=1)
        # in half cells from here on
        least = 2.0 * least_clearance(radius)
        reach = math.floor(least) + 2
        padded = np.pad(halves, reach, constant_values=True)
        self.rows, self.columns = halves.shape[0] + 1, halves.shape[1] + 1
        self.free = np.frombuffer(self._legal(padded, (0, 0), least, reach), np.bool_)
        self._steps = [(dy * self.columns + dx, self._legal(padded, (dx, dy), least, reach)) for dx, dy in MOVES]
        self.component = self._components()

    def point(self, number: int) -> Point:
        """Where a point of the lattice lies, in cells."""
        return (number % self.columns) * 0.5, (number // self.columns) * 0.5

    def around(self, point: Point) -> list[int]:
        """The numbers of the free points up to a cell and a half away in x and y."""
        column, row = math.floor(2.0 * point[0]), math.floor(2.0 * point[1])
        near = [
            r * self.columns + c
            for r in range(max(0, row - 2), min(self.rows, row + 4))
            for c in range(max(0, column - 2), min(self.columns, column + 4))
        ]
        return [number for number in near if self.free[number]]

    def neighbours(self, number: int) -> list[int]:
        """Where a disc can move to from a point."""
        found = []
        for offset, legal in self._steps:
            if legal[number]:
                found.append(number + offset)
            back = number - offset
            if 0 <= back < self.free.size and legal[back]:
                found.append(back)
        return found

    def nearest(self, point: Point, component: int | None = None) -> Point | None:
        """The free point, of one component or of any, nearest to a point; the first of several."""
        numbers = np.flatnonzero(self.free if component is None else self.component == component)
        if not len(numbers):
            return None
        dx, dy = (numbers % self.columns) * 0.5 - point[0], (numbers // self.columns) * 0.5 - point[1]
        return self.point(int(numbers[np.argmin(dx * dx + dy * dy)]))

    def _legal(self, padded: Flags, move: Point, least: float, reach: int) -> bytes:
        """From which points, a byte each, a move of half cells keeps `least` half cells from all that is blocked."""
        legal = np.ones((self.rows, self.columns), np.bool_)
        for dy in range(-reach, reach):
            for dx in range(-reach, reach):
                if square_distance((0.0, 0.0), move, dx, dy) < least:
                    y, x = reach + dy, reach + dx
                    legal &= ~padded[y : y + self.rows, x : x + self.columns]
        return legal.tobytes()

    def _components(self) -> NDArray[np.int64]:
        """A number for each free point, equal for those between which there are moves; -1 for the others."""
        component = [-1] * self.free.size
        number = 0
        for seed in np.flatnonzero(self.free).tolist():
            if component[seed] >= 0:
                continue
            component[seed] = number
            pending = [seed]
            while pending:
                for other in self.neighbours(pending.pop()):
                    if component[other] < 0:
                        component[other] = number
                        pending.append(other)
            number += 1
        return np.array(component, np.int64)
