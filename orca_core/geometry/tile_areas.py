"""Areas in tiles: what of an area lies in each of some boxes side by side, with corners exactly on their lines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import shapely
from numpy.typing import NDArray

from orca_core.geometry.overlay import common

__all__ = ["on_the_lines", "parts_within"]

# left, bottom, right, top
Box = tuple[float, float, float, float]


def parts_within(area: Any, boxes: Sequence[Box]) -> list[Any]:
    """What of an area lies in each box; of the plane, None, all. The only box has all of it."""
    shapes = [shapely.box(*box) for box in boxes]
    if area is None:
        return [shapely.MultiPolygon([shape]) for shape in shapes]
    if len(boxes) == 1:
        return [area]
    shapely.prepare(area)
    return [common(area, shape) for shape in shapes]


def on_the_lines(area: Any, box: Box, touch: float) -> Any:
    """An area whose corners are on the sides of a box where rounding has put them beside, by less than `touch`."""

    def put(points: NDArray[np.float64]) -> NDArray[np.float64]:
        for axis in (0, 1):
            for line in (box[axis], box[axis + 2]):
                points[np.abs(points[:, axis] - line) <= touch, axis] = line
        return points

    return shapely.transform(area, put)
