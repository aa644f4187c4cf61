"""Standing: what stands for discs of one radius, from which flow grids are made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from orca_core.agent_columns import LARGEST
from orca_core.guidance.storeys import EVERY_HEIGHT, Heights
from orca_core.statics import Statics

__all__ = ["Standing"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Standing:
    """What stands for discs of one radius: `walls` (m, 4), and the directed edges (e, 4) within which centres are, with
    what they keep from each; `edges` is None in an open plane.
    """

    radius: float
    walls: Floats
    edges: Floats | None
    clearance: Floats

    @classmethod
    def of(cls, statics: Statics, radius: float, heights: Heights = EVERY_HEIGHT) -> Standing:
        """What stands in a world at some heights; the radius must be one of those that the statics were made for."""
        bounds, walls = statics.boundaries, statics.walls
        if len(statics.wall_range):
            low, high = heights
            met = (statics.wall_range[:, 0] <= high) & (low <= statics.wall_range[:, 1])
            walls = np.ascontiguousarray(walls[met])
        if not len(bounds.class_radius):
            return cls(radius, walls, None, np.empty(0))
        group = int(np.searchsorted(bounds.class_radius, radius))
        first, last = bounds.class_start[group : group + 2].tolist()
        return cls(radius, walls, np.ascontiguousarray(statics.edges[first:last]), bounds.edge_clearance[first:last])

    @property
    def anything(self) -> bool:
        """Whether anything stands at all; else every way is straight."""
        return bool(len(self.walls)) or self.edges is not None

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Everything, as arrays of finite numbers."""
        return {
            "radius": np.array([self.radius]),
            "walls": self.walls,
            "edges": np.empty((0, 4)) if self.edges is None else self.edges,
            "clearance": self.clearance,
            "open_plane": np.array([self.edges is None], np.uint8),
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> Standing:
        """What `to_arrays` has told, to the bit; raises KeyError or ValueError where it does not agree."""
        radius, walls, edges, clearance = (
            np.ascontiguousarray(arrays[name], np.float64) for name in ("radius", "walls", "edges", "clearance")
        )
        open_plane = arrays["open_plane"]
        if radius.shape != (1,) or open_plane.shape != (1,) or clearance.shape != (len(edges),):
            raise ValueError("there is not one number of each for what stood")
        if walls.shape != (len(walls), 4) or edges.shape != (len(edges), 4) or (open_plane[0] and len(edges)):
            raise ValueError("what stood is not told by its ends")
        for values in (radius, walls, edges, clearance):
            if not (np.abs(values) <= LARGEST).all():
                raise ValueError(f"what stood is not within {LARGEST:g} m")
        return cls(float(radius[0]), walls, None if open_plane[0] else edges, clearance)

    def fingerprint(self) -> tuple[bytes, ...]:
        """Equal for what stands in the same places, in whatever order."""
        edges = np.empty((0, 5)) if self.edges is None else np.column_stack([self.edges, self.clearance])
        return (*(_sorted(part).tobytes() for part in (self.walls, edges)), bytes([self.edges is None]))


def _sorted(rows: Floats) -> Floats:
    """Rows in the order of their numbers."""
    return np.ascontiguousarray(rows[np.lexsort(rows.T)])
