"""Sight: whether a disc can move straight from one point of a grid map to another.

Lengths are in cells, y grows upward from the lower edge of the map. Blocked are squares, their boundary included, and
everything outside the map. A disc of radius 0 passes no corner and does not slip through where two blocked cells touch.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from orca_core.guidance.planner import Point
from orca_core.kernels.clearance import kept_clear, narrowest_passage

__all__ = ["Sight", "least_clearance", "passing", "square_distance"]

Flags = NDArray[np.bool_]

# what a disc keeps from a wall may be missing by rounding, but it never touches one
SLACK = 1e-9
# how often a point is moved away from what is too near
MOVES = 8


def least_clearance(radius: float) -> float:
    """The distance from blocked squares under which a disc is refused."""
    return max(float(kept_clear(radius)) - SLACK, SLACK)


def passing(radius: float) -> float:
    """The radius with which a way is looked for: kept on both sides of a gap, it fits passages and nothing narrower."""
    return 0.5 * float(narrowest_passage(kept_clear(radius), kept_clear(radius)))


class Sight:
    """Straight moves over one map."""

    def __init__(self, blocked: Flags) -> None:
        """`blocked` (height, width), row 0 at the bottom."""
        # one ring of the outside is enough: whatever goes farther meets it first
        ringed = np.pad(blocked, 1, constant_values=True)
        self._height, self._width = ringed.shape
        self._blocked: list[list[bool]] = ringed.tolist()
        self._before: list[list[int]] = np.pad(np.cumsum(ringed, axis=1), ((0, 0), (1, 0))).tolist()

    def moved_clear(self, point: Point, radius: float, wanted: float) -> Point | None:
        """A point beside one that keeps `radius`, which keeps `wanted`, a little more; None where none is so near.

        Away from the nearest square, as far as is wanting, and again while another one is too near then.
        """
        if not self.sees(point, point, radius):
            return None
        x, y = point
        for _ in range(MOVES):
            if self.sees((x, y), (x, y), wanted):
                return x, y
            near = self._nearest((x, y), wanted)
            dx, dy = x - near[0], y - near[1]
            distance = math.sqrt(dx * dx + dy * dy)
            if not distance > 0.0:
                return None
            x, y = near[0] + dx / distance * wanted, near[1] + dy / distance * wanted
        return None

    def _nearest(self, point: Point, reach: float) -> Point:
        """The nearest point of a blocked square within reach, or outside the map; the point itself where none is."""
        x, y = point
        best, found = math.inf, point
        for row in range(max(0, math.floor(y - reach)), min(self._height, math.floor(y + reach) + 3)):
            for column in range(max(0, math.floor(x - reach)), min(self._width, math.floor(x + reach) + 3)):
                if self._blocked[row][column]:
                    at = min(max(x, column - 1.0), float(column)), min(max(y, row - 1.0), float(row))
                    squared = (at[0] - x) * (at[0] - x) + (at[1] - y) * (at[1] - y)
                    if squared < best:
                        best, found = squared, at
        return found

    def sees(self, a: Point, b: Point, radius: float) -> bool:
        """Whether every point from a to b keeps the radius from all that is blocked."""
        least = least_clearance(radius)
        (ax, ay), (bx, by) = a, b
        inside = min(ax, bx) >= 0.0 and max(ax, bx) <= self._width - 2
        if not (inside and min(ay, by) >= 0.0 and max(ay, by) <= self._height - 2):
            return False
        first = max(0, math.floor(min(ay, by) - least) + 1)
        last = min(self._height - 1, math.floor(max(ay, by) + least) + 1)
        for row in range(first, last + 1):
            # the stretch that is near enough to this row to touch something in it
            low, high = _within(ay, by, row - 1.0 - least, float(row) + least)
            x0, x1 = ax + low * (bx - ax), ax + high * (bx - ax)
            left = max(0, math.floor(min(x0, x1) - least) + 1)
            right = min(self._width - 1, math.floor(max(x0, x1) + least) + 1)
            if self._before[row][right + 1] == self._before[row][left]:
                continue
            for column in range(left, right + 1):
                if self._blocked[row][column] and square_distance(a, b, column - 1.0, row - 1.0) < least:
                    return False
        return True


def square_distance(a: Point, b: Point, x: float, y: float) -> float:
    """Distance of the stretch a-b from the unit square with its lower left corner at x, y; 0 where they meet."""
    # they meet where some part of the stretch is within the square in both directions
    low, high = _within(a[0], b[0], x, x + 1.0)
    lower, upper = _within(a[1], b[1], y, y + 1.0)
    if max(low, lower) <= min(high, upper):
        return 0.0
    # else the nearest two points are an end of the one or a corner of the other
    nearest = min(_beside(a, x, y), _beside(b, x, y))
    for corner in ((x, y), (x + 1.0, y), (x, y + 1.0), (x + 1.0, y + 1.0)):
        nearest = min(nearest, _from_stretch(corner, a, b))
    return math.sqrt(nearest)


def _within(a: float, b: float, low: float, high: float) -> tuple[float, float]:
    """Between which parts of the way from a to b the value is within low..high; the first is larger where never."""
    if a == b:
        return (0.0, 1.0) if low <= a <= high else (1.0, 0.0)
    enter, leave = (low - a) / (b - a), (high - a) / (b - a)
    return max(0.0, min(enter, leave)), min(1.0, max(enter, leave))


def _beside(point: Point, x: float, y: float) -> float:
    """Squared distance of a point from a unit square."""
    dx = max(x - point[0], 0.0, point[0] - x - 1.0)
    dy = max(y - point[1], 0.0, point[1] - y - 1.0)
    return dx * dx + dy * dy


def _from_stretch(point: Point, a: Point, b: Point) -> float:
    """Squared distance of a point from a stretch."""
    ex, ey = b[0] - a[0], b[1] - a[1]
    squared = ex * ex + ey * ey
    part = ((point[0] - a[0]) * ex + (point[1] - a[1]) * ey) / squared if squared > 0.0 else 0.0
    part = min(1.0, max(0.0, part))
    dx, dy = a[0] + part * ex - point[0], a[1] + part * ey - point[1]
    return dx * dx + dy * dy
