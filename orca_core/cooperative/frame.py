"""Frame: where the cells of a grid map are in the plane, with rows that go down or up."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from orca_core.formats import contours
from orca_core.formats.movingai import GridMap
from orca_core.geometry.obstacles import Obstacle

__all__ = ["Frame"]

Floats = NDArray[np.float64]


class Frame:
    """Cells in the plane: column 0 is at x = 0, and row 0 at y = 0 with y growing downward as in the files of maps.

    With `upward` y grows upward, as in worlds that show a map as its file looks: row 0 is at the top there.
    """

    def __init__(self, grid: GridMap, cell_size: float = 1.0, *, upward: bool = False) -> None:
        """Place a map; its upper left corner, or with `upward` its lower left one, is the origin."""
        self.grid = grid
        self.cell_size = float(cell_size)
        self.upward = upward

    def centers(self, cells: NDArray[np.int64]) -> Floats:
        """Centres (n, 2) of cells (n,), numbered row by row from the top left."""
        rows, columns = np.divmod(np.asarray(cells, np.int64), self.grid.width)
        up = self.grid.height - 1 - rows if self.upward else rows
        return np.stack(((columns + 0.5) * self.cell_size, (up + 0.5) * self.cell_size), axis=1)

    def center(self, cell: int) -> tuple[float, float]:
        """Centre of one cell."""
        x, y = self.centers(np.array([cell]))[0].tolist()
        return x, y

    def cells(self, positions: Floats) -> NDArray[np.int64]:
        """The cell (n,) in which each of the positions (n, 2) is; -1 outside the map."""
        scaled = np.floor(np.asarray(positions, np.float64) / self.cell_size)
        inside = (scaled >= 0.0).all(axis=1) & (scaled[:, 0] < self.grid.width) & (scaled[:, 1] < self.grid.height)
        column, up = (np.where(inside, scaled[:, axis], 0.0).astype(np.int64) for axis in (0, 1))
        rows = self.grid.height - 1 - up if self.upward else up
        return np.where(inside, rows * self.grid.width + column, -1)

    def obstacles(self) -> list[Obstacle]:
        """The rings between free cells and others, as closed walls, the free side on the left as one sees it."""
        rings = [ring for polygon in contours.polygons(self.grid, self.cell_size) for ring in polygon]
        if not self.upward:
            height = self.grid.height * self.cell_size
            # a mirror turns left to right, so the rings are walked the other way round
            rings = [np.column_stack((ring[::-1, 0], height - ring[::-1, 1])) for ring in rings]
        return [Obstacle(points=ring, closed=True) for ring in rings]

    def blocked(self) -> NDArray[np.uint8]:
        """1 where nobody can be, uint8 (height + 2, width + 2) in rows of growing y, with a rim of one cell."""
        free = self.grid.free[::-1] if self.upward else self.grid.free
        return np.pad(~free, 1, constant_values=True).astype(np.uint8)

    @property
    def numbers(self) -> NDArray[np.int64]:
        """The number of each cell where rows are counted in the direction of y, int64 (cells,)."""
        cells = np.arange(self.grid.width * self.grid.height)
        rows, columns = np.divmod(cells, self.grid.width)
        return (self.grid.height - 1 - rows) * self.grid.width + columns if self.upward else cells

    @property
    def cells_by_number(self) -> NDArray[np.int64]:
        """The cell of each such number: turning rows over twice changes nothing."""
        return self.numbers
