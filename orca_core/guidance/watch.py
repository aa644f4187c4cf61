"""Watch: what stands in a world, as a guide last looked at it, and what has changed since.

Ways that a change has no part in are still the shortest, and need not be planned again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from orca_core.errors import SnapshotError
from orca_core.geometry.placed_grid import PlacedGrid
from orca_core.guidance.planners import planned_on
from orca_core.guidance.storeys import BEYOND, EVERY_HEIGHT

if TYPE_CHECKING:
    from orca_core.statics import Statics
    from orca_core.world import World

__all__ = ["Change", "Watch"]

Floats = NDArray[np.float64]

# more walls than this and everything counts as changed
MOST = 256


@dataclass(frozen=True, eq=False)
class Change:
    """Where something has changed: `boxes` (b, 4), of which something is `gone` uint8 (b,) or new; None: anywhere.

    `heights` (b, 2) are those at which it has, without rows where at every height.
    """

    boxes: Floats | None
    gone: NDArray[np.uint8]
    heights: Floats


ALL = np.empty((0, 2))
EVERYWHERE = Change(None, np.empty(0, np.uint8), ALL)


class Watch:
    """Looks at the walls, the areas and the grid map of one world."""

    def __init__(self) -> None:
        """Nothing was seen yet."""
        self._seen: Statics | None = None
        self._grid: PlacedGrid | None = None
        self._whole, self._areas = b"", b""
        # the walls as they were seen, where the statics that had them are not at hand
        self._walls: tuple[Floats, Floats] | None = None

    @property
    def current(self) -> Statics | None:
        """What was seen last."""
        return self._seen

    def look(self, world: World) -> Change | None:
        """Look now: what has changed since the last time, None where nothing has."""
        statics, grid = world.statics(), world.grid_map
        if self._seen is statics and self._grid is grid:
            return None
        walls = (self._seen.walls, self._seen.wall_range) if self._seen is not None else self._walls
        before, areas_before = self._whole, self._areas
        self._whole, self._areas = _digests(world)
        self._seen, self._grid, self._walls = statics, grid, None
        if not before or before == self._whole:
            return None
        if walls is None or areas_before != self._areas:
            return EVERYWHERE
        return _difference(*walls, statics.walls, statics.wall_range)

    def kept(self, world: World | None) -> dict[str, NDArray[Any]]:
        """As arrays; with the walls that were seen, where they are others by now."""
        told: dict[str, NDArray[Any]] = {
            "geometry": np.frombuffer(self._whole, np.uint8),
            "areas": np.frombuffer(self._areas, np.uint8),
        }
        now = None if world is None else world.statics()
        walls = self._walls
        if self._seen is not None and now is not None and now is not self._seen:
            walls = (self._seen.walls, self._seen.wall_range)
        if walls is not None:
            told["walls"] = walls[0]
            if len(walls[1]):
                # a snapshot has finite numbers alone
                told["wall_range"] = np.clip(walls[1], -BEYOND, BEYOND)
        return told

    @classmethod
    def of(cls, world: World, kept: Mapping[str, NDArray[Any]]) -> Watch:
        """What `kept` told; raises SnapshotError where that cannot be."""
        made = cls()
        made._whole = kept["geometry"].tobytes()
        # an older library kept less, and everything counts as changed after it
        made._areas = kept["areas"].tobytes() if "areas" in kept else b""
        walls = kept.get("walls")
        if walls is not None:
            ranges = kept.get("wall_range", ALL)
            fit = len(ranges) in (0, len(walls)) and ranges.dtype == np.float64 and ranges.shape[1:] == (2,)
            if not fit or walls.dtype != np.float64 or walls.ndim != 2 or walls.shape[1] != 4:
                raise SnapshotError(f"the ways of this snapshot do not agree with each other: {walls.shape} of walls")
            ranges = np.where(ranges >= BEYOND, np.inf, np.where(ranges <= -BEYOND, -np.inf, ranges))
            made._walls = (np.ascontiguousarray(walls), ranges)
        elif _digests(world)[0] == made._whole:
            made._seen, made._grid = world.statics(), world.grid_map
        return made


def _difference(before: Floats, ranges_before: Floats, after: Floats, ranges_after: Floats) -> Change | None:
    """The walls (m, 4) that are gone and those that are new, in the order in which they stand or stood; those that
    stand at other heights now are gone, and new.
    """
    storeys = bool(len(ranges_before) or len(ranges_after))
    if storeys:
        before, after = _with_heights(before, ranges_before), _with_heights(after, ranges_after)
    # what both begin and end with is the same, mostly all but a few
    shared = min(len(before), len(after))
    unlike = np.flatnonzero((before[:shared] != after[:shared]).any(axis=1))
    start = int(unlike[0]) if len(unlike) else shared
    left = shared - start
    unlike = np.flatnonzero((before[::-1][:left] != after[::-1][:left]).any(axis=1))
    end = int(unlike[0]) if len(unlike) else left
    old, new = before[start : len(before) - end], after[start : len(after) - end]
    if len(old) + len(new) > 4 * MOST:
        return EVERYWHERE
    was, now = {row.tobytes() for row in old}, {row.tobytes() for row in new}
    gone = [row for row in old if row.tobytes() not in now]
    come = [row for row in new if row.tobytes() not in was]
    if len(gone) + len(come) > MOST:
        return EVERYWHERE
    rows = np.array([*gone, *come]).reshape(-1, before.shape[1])
    if not len(rows):
        # the same walls in another order
        return None
    ends = rows[:, :2], rows[:, 2:4]
    boxes = np.concatenate([np.minimum(*ends), np.maximum(*ends)], axis=1)
    heights = np.ascontiguousarray(rows[:, 4:]) if storeys else ALL
    return Change(boxes, np.repeat(np.array([1, 0], np.uint8), [len(gone), len(come)]), heights)


def _with_heights(walls: Floats, ranges: Floats) -> Floats:
    """Walls with the heights at which they stand, (m, 6); without rows of heights they stand at all."""
    heights = ranges if len(ranges) else np.broadcast_to(EVERY_HEIGHT, (len(walls), 2))
    return np.concatenate([walls, heights], axis=1)


def _digests(world: World) -> tuple[bytes, bytes]:
    """sha256 of everything, and of the walkable areas and the grid map that is planned on, as they were given."""
    digest = hashlib.sha256()
    cells = planned_on(world.options, world.grid_map)
    for array in () if cells is None else cells.to_arrays().values():
        digest.update(array.tobytes())
    for area in world.walkable():
        digest.update(np.array([area.clearance, float(area.shrunk)]).tobytes())
        for polygon in area.polygons:
            for ring in polygon:
                digest.update(np.ascontiguousarray(ring).tobytes() + b"/")
    areas = digest.digest()
    statics = world.statics()
    standing = statics.walls.tobytes() + statics.wall_range.tobytes()
    return hashlib.sha256(standing + areas).digest(), areas
