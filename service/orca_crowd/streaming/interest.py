"""Which agents of a state a subscription is about, as rows of its columns. Equal ones are one key."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from orca_crowd.protocol import interest as models

__all__ = ["EVERYBODY", "Around", "Circle", "Everybody", "Interest", "Listed", "Rectangle", "interest_of"]

Rows = NDArray[np.intp]
Identifiers = NDArray[np.int64]
Positions = NDArray[np.float64]


class Interest(Protocol):
    """Chooses agents; hashable, and equal to every other that chooses the same."""

    def rows(self, ids: Identifiers, position: Positions) -> Rows | None:
        """Ascending rows of the chosen agents among `ids` (n,) at `position` (n, 2); None for all of them."""
        ...

    def named(self) -> Identifiers:
        """Ids that must exist where the interest is first asked for."""
        ...


class _Anonymous:
    """An interest that names nobody."""

    def named(self) -> Identifiers:
        """No ids."""
        return np.empty(0, np.int64)


@dataclass(frozen=True)
class Everybody(_Anonymous):
    """All agents of the world."""

    def rows(self, ids: Identifiers, position: Positions) -> Rows | None:
        """All."""
        return None


@dataclass(frozen=True)
class Listed:
    """Agents of a list; `data` are their ids, ascending, as native int64, so that the order asked for is no matter."""

    data: bytes

    def rows(self, ids: Identifiers, position: Positions) -> Rows | None:
        """Those of the list that are here."""
        return np.flatnonzero(np.isin(ids, self.named()))

    def named(self) -> Identifiers:
        """The list."""
        return np.frombuffer(self.data, np.int64)


@dataclass(frozen=True)
class Rectangle(_Anonymous):
    """Agents whose centre is in a closed rectangle."""

    low: tuple[float, float]
    high: tuple[float, float]

    def rows(self, ids: Identifiers, position: Positions) -> Rows | None:
        """Those inside or on an edge."""
        x, y = position[:, 0], position[:, 1]
        inside = (x >= self.low[0]) & (x <= self.high[0]) & (y >= self.low[1]) & (y <= self.high[1])
        return np.flatnonzero(inside)


@dataclass(frozen=True)
class Circle(_Anonymous):
    """Agents whose centre is in a closed circle."""

    center: tuple[float, float]
    radius: float

    def rows(self, ids: Identifiers, position: Positions) -> Rows | None:
        """Those inside or on the line."""
        return _within(position, self.center[0], self.center[1], self.radius)


@dataclass(frozen=True)
class Around:
    """Agents in a closed circle around the present place of agent `identifier`; nobody once it is gone."""

    identifier: int
    radius: float

    def rows(self, ids: Identifiers, position: Positions) -> Rows | None:
        """Those near it, itself included."""
        here = np.flatnonzero(ids == self.identifier)
        if not len(here):
            return np.empty(0, np.intp)
        x, y = position[here[0]].tolist()
        return _within(position, x, y, self.radius)

    def named(self) -> Identifiers:
        """The one in the middle."""
        return np.array([self.identifier], np.int64)


EVERYBODY = Everybody()


def interest_of(asked: Any) -> Interest:
    """The interest that a checked message asks for."""
    if isinstance(asked, models.InterestIds):
        return Listed(np.sort(np.array(asked.ids, np.int64)).tobytes())
    if isinstance(asked, models.InterestRectangle):
        return Rectangle((asked.min[0], asked.min[1]), (asked.max[0], asked.max[1]))
    if isinstance(asked, models.InterestCircle):
        return Circle((asked.center[0], asked.center[1]), asked.radius)
    if isinstance(asked, models.InterestAround):
        return Around(asked.id, asked.radius)
    return EVERYBODY


def _within(position: Positions, x: float, y: float, radius: float) -> Rows:
    """Rows within `radius` of a point, by squared distance, as the solver compares distances."""
    dx, dy = position[:, 0] - x, position[:, 1] - y
    return np.flatnonzero(dx * dx + dy * dy <= radius * radius)
