"""Placed grid: a grid map and where it lies in a world.

A world may have one, its grid map: what is planned cell by cell is planned on it. It stands in nobody's way by itself;
walls and walkable areas made of the same map do that (see orca_core.formats.contours).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from orca_core.errors import InvalidInput, Problem, SnapshotError
from orca_core.formats.movingai import MAX_SIDE, GridMap
from orca_core.geometry.rings import LIMIT

__all__ = ["LARGEST_CELL", "SMALLEST_CELL", "PlacedGrid"]

# a cell smaller or larger than this loses its place to rounding, or leaves the coordinates that a world takes
SMALLEST_CELL, LARGEST_CELL = 1e-3, 1e6


@dataclass(frozen=True, eq=False)
class PlacedGrid:
    """`grid` with cells of side `cell_size` (m), its lower left corner at `origin`; y grows upward, row 0 is the top.

    Raises InvalidInput for a cell size outside 1e-3 to 1e6, an origin that is not two finite numbers, and a map that
    reaches beyond the coordinates of a world.
    """

    grid: GridMap
    cell_size: float = 1.0
    origin: tuple[float, float] = (0.0, 0.0)

    def __post_init__(self) -> None:
        """Refuse what no world could use."""
        problems = []
        if not (math.isfinite(self.cell_size) and SMALLEST_CELL <= self.cell_size <= LARGEST_CELL):
            problems.append(Problem(None, "cell_size", f"must be from 1e-3 to 1e6, not {self.cell_size!r}"))
        x, y = self.origin
        if not (math.isfinite(x) and math.isfinite(y)):
            problems.append(Problem(None, "origin", f"must be two finite numbers, not {[x, y]}"))
        if not problems:
            far = max(abs(x), abs(y), abs(x + self.width), abs(y + self.height))
            if far > LIMIT:
                problems.append(Problem(None, "origin", f"puts the map up to {far:g} away, beyond ±{LIMIT:g}"))
        if problems:
            raise InvalidInput(problems)

    @property
    def width(self) -> float:
        """From left to right (m)."""
        return self.grid.width * self.cell_size

    @property
    def height(self) -> float:
        """From bottom to top (m)."""
        return self.grid.height * self.cell_size

    def center(self, column: int, row: int) -> tuple[float, float]:
        """Where the middle of a cell lies, `row` from the top; raises InvalidInput outside the map."""
        x, y = self.grid.cell_center(column, row, self.cell_size)
        return self.origin[0] + x, self.origin[1] + y

    def cell_at(self, x: float, y: float) -> tuple[int, int] | None:
        """(column, row) of the cell at a point, row from the top; None beside the map."""
        column = math.floor((x - self.origin[0]) / self.cell_size)
        up = math.floor((y - self.origin[1]) / self.cell_size)
        if not (0 <= column < self.grid.width and 0 <= up < self.grid.height):
            return None
        return column, self.grid.height - 1 - up

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Everything that a snapshot must keep, as plain arrays."""
        return {
            "size": np.array([self.grid.height, self.grid.width], np.int64),
            "free": np.packbits(self.grid.free),
            "place": np.array([self.cell_size, *self.origin]),
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> PlacedGrid:
        """What `to_arrays` described; raises SnapshotError where the arrays do not agree."""
        try:
            height, width = (int(value) for value in arrays["size"])
            bits = np.ascontiguousarray(arrays["free"], np.uint8)
            if not (1 <= height <= MAX_SIDE and 1 <= width <= MAX_SIDE) or len(bits) != -(-height * width // 8):
                raise ValueError("the cells are not as many as the size says")
            free = np.unpackbits(bits, count=height * width).astype(np.bool_).reshape(height, width)
            cell_size, x, y = (float(value) for value in arrays["place"])
            return cls(GridMap(width, height, free), cell_size, (x, y))
        except (KeyError, ValueError, InvalidInput) as error:
            raise SnapshotError(f"the grid map of this snapshot does not agree with itself: {error}") from None
