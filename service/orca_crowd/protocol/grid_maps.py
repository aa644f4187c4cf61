"""The grid map of a world on the wire: rows of characters as in a MovingAI file, the side of a cell, where it lies."""

from __future__ import annotations

from typing import Any

import numpy as np
from pydantic import Field

from orca_core.errors import InvalidInput
from orca_core.formats import movingai
from orca_core.geometry.placed_grid import PlacedGrid
from orca_crowd.errors import ApiError, InvalidRequest, problem_of
from orca_crowd.protocol.models import Number, Strict, Vector
from orca_crowd.settings import Settings

__all__ = ["GridMapBody", "check_cells", "grid_map_of", "shown_grid_map"]


class GridMapBody(Strict):
    """A map of free and blocked cells for whoever plans cell by cell; nobody is held by it."""

    rows: list[str] = Field(min_length=1, description="From the top; `.`, `G` and `S` are free, all else is blocked.")
    cell_size: Number = Field(1.0, description="Side of a cell.")
    origin: Vector = Field([0.0, 0.0], description="Where the lower left corner of the map lies.")


def grid_map_of(body: GridMapBody | None) -> PlacedGrid | None:
    """As the library takes it; faults are named as those of a file with these rows are."""
    if body is None:
        return None
    head = f"type octile\nheight {len(body.rows)}\nwidth {len(body.rows[0])}\nmap\n"
    try:
        # what a row may hold is checked where files are read; a line break in one would make two of it
        if any("\n" in row or "\r" in row for row in body.rows):
            raise InvalidRequest("rows of a grid map hold no line breaks")
        grid = movingai.parse_map(head + "\n".join(body.rows))
        return PlacedGrid(grid, float(body.cell_size), (float(body.origin[0]), float(body.origin[1])))
    except InvalidInput as error:
        raise problem_of(error) from None


def check_cells(cells: int, settings: Settings) -> None:
    """429 for a map with more cells than the server takes."""
    if cells > settings.map_cells:
        raise ApiError("limit", f"the map has {cells} cells, the limit map_cells is {settings.map_cells}")


def shown_grid_map(grid_map: PlacedGrid | None) -> dict[str, Any] | None:
    """A grid map as it travels, `.` for what is free and `@` for what is not."""
    if grid_map is None:
        return None
    characters = np.where(grid_map.grid.free, np.uint8(ord(".")), np.uint8(ord("@")))
    return {
        "rows": [row.tobytes().decode("ascii") for row in characters],
        "cell_size": grid_map.cell_size,
        "origin": list(grid_map.origin),
    }
