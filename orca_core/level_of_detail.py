"""LevelOfDetail: agents far from every place of interest are solved less often, or with fewer neighbours."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from orca_core.agent_columns import LARGEST, MOST_NEIGHBORS
from orca_core.errors import InvalidInput, Problem

__all__ = ["MOST_INTEREST", "LevelOfDetail"]

# how many points and boxes of interest there may be together, and of how many steps one is solved at the least
MOST_INTEREST = 64
MOST_EVERY = 1000


@dataclass(frozen=True)
class LevelOfDetail:
    """Where detail matters, and what becomes of agents farther than `distance` (m) from all of it.

    They are solved when (step + index) mod `every` is zero, with at most `neighbors` neighbours (None: as many as they
    have). `points` are (x, y), `boxes` (min x, min y, max x, max y); with neither everybody is far.
    """

    distance: float
    every: int = 1
    neighbors: int | None = None
    points: tuple[tuple[float, float], ...] = ()
    boxes: tuple[tuple[float, float, float, float], ...] = ()

    @classmethod
    def from_mapping(cls, given: object, field: str) -> LevelOfDetail | None:
        """Build from `{distance, every, neighbors, points, boxes}`, all but the distance optional; None from None.

        Raises InvalidInput naming every fault by its place under `field`.
        """
        if given is None or isinstance(given, LevelOfDetail):
            return given
        if not isinstance(given, Mapping):
            raise InvalidInput([Problem(None, field, f"must be an object or null, not {given!r}")])
        problems = [
            Problem(None, f"{field}.{name}", f"is not a member; there are {', '.join(cls.__dataclass_fields__)}")
            for name in given
            if name not in cls.__dataclass_fields__
        ]
        distance: Any = given.get("distance")
        if not _is_number(distance) or not 0.0 <= distance <= LARGEST:
            problems.append(
                Problem(None, f"{field}.distance", f"must be a number from 0 to {LARGEST:g}, not {distance!r}")
            )
        every, neighbors = given.get("every", 1), given.get("neighbors")
        if not _is_whole(every) or not 1 <= every <= MOST_EVERY:
            problems.append(
                Problem(None, f"{field}.every", f"must be an integer from 1 to {MOST_EVERY}, not {every!r}")
            )
        if neighbors is not None and (not _is_whole(neighbors) or not 0 <= neighbors <= MOST_NEIGHBORS):
            message = f"must be an integer from 0 to {MOST_NEIGHBORS} or null, not {neighbors!r}"
            problems.append(Problem(None, f"{field}.neighbors", message))
        points, faults = _rows(given.get("points", ()), 2, f"{field}.points", "[x, y]")
        boxes, more = _rows(given.get("boxes", ()), 4, f"{field}.boxes", "[min x, min y, max x, max y]")
        problems += faults + more
        problems += [
            Problem(number, f"{field}.boxes", f"must have min before max in x and y, not {list(box)!r}")
            for number, box in enumerate(boxes)
            if box[0] > box[2] or box[1] > box[3]
        ]
        if len(points) + len(boxes) > MOST_INTEREST:
            message = f"hold {len(points) + len(boxes)} points and boxes together; there may be {MOST_INTEREST}"
            problems.append(Problem(None, f"{field}.points", message))
        if problems:
            raise InvalidInput(problems)
        return cls(float(distance), every, neighbors, points, boxes)

    def as_mapping(self) -> dict[str, Any]:
        """The same as plain values."""
        return {
            "distance": self.distance,
            "every": self.every,
            "neighbors": self.neighbors,
            "points": [list(point) for point in self.points],
            "boxes": [list(box) for box in self.boxes],
        }

    def table(self) -> NDArray[np.float64]:
        """The same (1 + places, 4), as `kernels.detail` reads it."""
        neighbors = MOST_NEIGHBORS if self.neighbors is None else self.neighbors
        places = [*((x, y, x, y) for x, y in self.points), *self.boxes]
        return np.array([(len(places), self.distance, self.every, neighbors), *places], np.float64)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _rows(given: object, width: int, field: str, wanted: str) -> tuple[tuple[Any, ...], list[Problem]]:
    """Rows of so many numbers each, and what is wrong with them."""
    if not isinstance(given, list | tuple):
        return (), [Problem(None, field, f"must be a list of {wanted}, not {given!r}")]
    rows, problems = [], []
    for number, row in enumerate(given):
        good = isinstance(row, list | tuple) and len(row) == width
        if not good or not all(_is_number(value) and abs(value) <= LARGEST for value in row):
            message = f"must be {wanted}, numbers of magnitude at most {LARGEST:g}, not {row!r}"
            problems.append(Problem(number, field, message))
        else:
            rows.append(tuple(float(value) for value in row))
    return tuple(rows), problems
