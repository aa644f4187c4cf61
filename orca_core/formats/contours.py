"""Contours of the free cells of a grid: polygons with holes, and the same rings as walls.

Everything is exact: a vertex is a whole number of cells times the cell size, one rounding each. Collinear pieces are
merged, so a vertex is always a corner. What lies outside the map counts as blocked, so the rim of the map is a boundary
wherever a free cell touches it. The world convention (y upward) is that of `movingai`.

The walkable side is on the LEFT of every edge: outer rings run counter-clockwise, holes clockwise.

Two free cells that touch at a corner only are not connected: no body passes through a point. Where four cells meet
like a checkerboard there are therefore two corners at one place, and rings touch there. A ring never visits a place
twice: a walk around the free cells that comes back to a place is cut there, so every polygon is valid by the rules of
OGC simple features (a hole may touch the outer ring, or another hole, at single points).

How: the corners of a lattice row, in order, are the ends of its horizontal edges, two by two, and those of a lattice
column the ends of its vertical edges, so all edges are found by two sorts. Only corners are then walked in Python. The
usual tracing, edge by edge, was rejected: it costs ten times as much on rooms and warehouses.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite

import numpy as np
import shapely
from numpy.typing import NDArray

from orca_core.errors import InvalidInput, Problem
from orca_core.formats.movingai import GridMap
from orca_core.geometry.obstacles import Obstacle
from orca_core.geometry.walkable import WalkableArea

__all__ = ["obstacles", "polygons", "walkable_areas"]

Ring = NDArray[np.float64]
Corner = tuple[float, float]
# where the lower left corner of a map lies unless told otherwise
CORNER = (0.0, 0.0)


def walkable_areas(grid: GridMap, cell_size: float = 1.0, origin: Corner = CORNER) -> list[WalkableArea]:
    """The free cells as one walkable area, a polygon per connected piece; raises as `polygons` does."""
    return [WalkableArea(polygons=tuple(polygons(grid, cell_size, origin)))]


def obstacles(grid: GridMap, cell_size: float = 1.0, origin: Corner = CORNER) -> list[Obstacle]:
    """Every ring between free cells and blocked ones or the rim, polygon by polygon; raises as `polygons` does.

    A ring with nothing free in it is a closed obstacle, which is solid. One that goes round free cells, as the outer
    rings do, is a line that ends where it began, of the same segments in the same order: closed it would fill the very
    place where agents are to walk.
    """
    found = polygons(grid, cell_size, origin)
    rings = [ring for polygon in found for ring in polygon]
    return [
        Obstacle(points=np.vstack((ring, ring[:1]))) if hollow else Obstacle(points=ring, closed=True)
        for ring, hollow in zip(rings, _round_free_cells(found, rings, cell_size), strict=True)
    ]


def polygons(grid: GridMap, cell_size: float = 1.0, origin: Corner = CORNER) -> list[tuple[Ring, ...]]:
    """One polygon per connected piece of free cells: rings (k, 2) float64, not closed by a copy, the outer one first.

    `origin` is where the lower left corner of the map lies. Polygons are in order of their lower left corner (x first).
    Raises InvalidInput for a cell size outside 1e-3 to 1e6 and for a map without a free cell, which would wall in
    nothing and bind nobody.
    """
    # a size this small or large loses cells to rounding, or leaves the coordinates that a world takes
    if not (isfinite(cell_size) and 1e-3 <= cell_size <= 1e6):
        raise InvalidInput([Problem(None, "cell_size", f"must be from 1e-3 to 1e6, not {cell_size!r}")])
    if not grid.free.any():
        raise InvalidInput("the map has no free cell, must have at least one")
    # lattice coordinates count upward, rows of the map downward
    free = np.ascontiguousarray(grid.free[::-1])
    corners = _corners(free)
    rings, first = _rings(corners)
    owners = _owners(free, corners, rings, first)
    # cut the list of vertices into rings, and hand each ring to its polygon; an outer ring is one that owns itself
    vertices = np.column_stack((corners.x[rings], corners.y[rings])).astype(np.float64) * cell_size + origin
    bounds = first.tolist()
    members: dict[int, list[Ring]] = {ring: [] for ring, owner in enumerate(owners) if ring == owner}
    for outer, found in members.items():
        found.append(vertices[bounds[outer] : bounds[outer + 1]].copy())
    for ring, owner in enumerate(owners):
        if ring != owner:
            members[owner].append(vertices[bounds[ring] : bounds[ring + 1]].copy())
    return [tuple(found) for found in members.values()]


def _round_free_cells(found: list[tuple[Ring, ...]], rings: list[Ring], cell_size: float) -> list[bool]:
    """For each ring whether any free cell lies within it."""
    # one free cell of each piece tells: the one at the lowest left corner of its outer ring, to the upper right of it
    lowest = [outer[np.lexsort((outer[:, 1], outer[:, 0]))[0]] for outer, *_ in found]
    cells = shapely.STRtree(shapely.points(np.array(lowest) + 0.5 * cell_size))
    hollow, _ = cells.query(np.array([shapely.Polygon(ring) for ring in rings], object), predicate="contains")
    round_cells = set(hollow.tolist())
    return [k in round_cells for k in range(len(rings))]


@dataclass(frozen=True)
class _Corners:
    """Corners of the contours in order of (x, y), and the edges between them; arrays (n,) and (n / 2,) int64."""

    x: NDArray[np.int64]
    y: NDArray[np.int64]
    # the corner at which the edge that leaves this one ends
    following: NDArray[np.int64]
    # is another corner at the same place
    double: NDArray[np.bool_]
    # the corner at which each vertical edge starts and the key (x, y) of its lower end, in order of that key
    vertical_source: NDArray[np.int64]
    vertical_key: NDArray[np.int64]


def _corners(free: NDArray[np.bool_]) -> _Corners:
    """Find all corners and join them by directed edges with the free side on the left; `free` has y upward."""
    height, width = free.shape
    padded = np.pad(free, 1)
    # the four cells around each lattice vertex, by [upper][right]
    cells = [[padded[:-1, :-1], padded[:-1, 1:]], [padded[1:, :-1], padded[1:, 1:]]]
    columns: list[NDArray[np.int64]] = []
    for upper in (0, 1):
        for right in (0, 1):
            cell, opposite = cells[upper][right], cells[1 - upper][1 - right]
            # a cell unlike both its neighbours has a corner here; in a checkerboard only the free cells have theirs
            corner = (cell != cells[upper][1 - right]) & (cell != cells[1 - upper][right]) & (cell | (opposite != cell))
            y, x = np.nonzero(corner)
            # with the free side on the left the edge that leaves is the horizontal one for a free cell at the upper
            # right or lower left, and the vertical one for the other two; for blocked cells the other way round
            leaves_sideways = cell[y, x] == (upper == right)
            columns.append(np.stack((x, y, np.full_like(x, right), np.full_like(x, upper), leaves_sideways)))
    table = np.concatenate(columns, axis=1)
    order = np.argsort((table[0] * (height + 1) + table[1]) * 2 + table[2], kind="stable")
    x, y, right, upper, sideways = table[:, order]
    key = x * (height + 1) + y
    # corners pair up along each row and each column; of two at one place, the one that ends an edge comes first
    across = np.argsort((y * (width + 1) + x) * 2 + right, kind="stable")
    along = np.argsort(key * 2 + upper, kind="stable")
    partner_across, partner_along = np.empty_like(x), np.empty_like(x)
    partner_across[across[0::2]], partner_across[across[1::2]] = across[1::2], across[0::2]
    partner_along[along[0::2]], partner_along[along[1::2]] = along[1::2], along[0::2]
    double = np.zeros(len(x), dtype=np.bool_)
    double[1:] |= key[1:] == key[:-1]
    double[:-1] |= key[1:] == key[:-1]
    return _Corners(
        x=x,
        y=y,
        following=np.where(sideways == 1, partner_across, partner_along),
        double=double,
        vertical_source=np.where(sideways[along[0::2]] == 1, along[1::2], along[0::2]),
        vertical_key=key[along[0::2]],
    )


def _rings(corners: _Corners) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Walk the edges and cut each walk where it comes to a place twice.

    Gives the corners (n,) ring after ring, and where each ring begins (rings + 1,). Every walk starts at its lowest
    left corner, and the ring that holds that corner comes last of the walk's rings.
    """
    following, double = corners.following.tolist(), corners.double.tolist()
    places = (corners.x * (int(corners.y.max()) + 1) + corners.y).tolist()
    done = [False] * len(following)
    rings: list[int] = []
    first = [0]
    for start in range(len(following)):
        if done[start]:
            continue
        path: list[int] = []
        # where in the path a double place stands
        seen: dict[int, int] = {}
        corner = start
        while not done[corner]:
            done[corner] = True
            if double[corner]:
                begin = seen.get(places[corner])
                if begin is not None:
                    # the walk is back at this place: what lies between is a ring of its own
                    for cut in path[begin:]:
                        seen.pop(places[cut], None)
                    rings += path[begin:]
                    first.append(len(rings))
                    del path[begin:]
                seen[places[corner]] = len(path)
            path.append(corner)
            corner = following[corner]
        rings += path
        first.append(len(rings))
    return np.array(rings, dtype=np.int64), np.array(first, dtype=np.int64)


def _owners(
    free: NDArray[np.bool_], corners: _Corners, rings: NDArray[np.int64], first: NDArray[np.int64]
) -> list[int]:
    """For each ring the outer ring of its polygon; an outer ring owns itself.

    From the lowest left corner of a hole the free cells to the left end at a ring of the same polygon that reaches
    farther to the left, so a chain of such looks ends at the outer ring.
    """
    height = free.shape[0]
    begin = first[:-1]
    sizes = np.diff(first)
    # twice the signed area by the shoelace formula, exact in integers
    succeeding = np.arange(1, len(rings) + 1)
    succeeding[first[1:] - 1] = begin
    x, y = corners.x[rings], corners.y[rings]
    areas = np.add.reduceat(x * y[succeeding] - x[succeeding] * y, begin)
    # corners are numbered by (x, y), so the smallest number is the lowest left corner
    lowest = np.minimum.reduceat(rings, begin)
    ring_of = np.empty(len(rings), dtype=np.int64)
    ring_of[rings] = np.repeat(np.arange(len(begin)), sizes)
    # where the run of free cells to the left of each hole begins, and the vertical edge that stands there
    holes = np.nonzero(areas < 0)[0]
    hole_x, hole_y = corners.x[lowest[holes]], corners.y[lowest[holes]]
    starts = np.where(free & ~np.pad(free, ((0, 0), (1, 0)))[:, :-1], np.arange(free.shape[1]), 0)
    run_x = np.maximum.accumulate(starts, axis=1)[hole_y, hole_x - 1]
    edge = np.searchsorted(corners.vertical_key, run_x * (height + 1) + hole_y, side="right") - 1
    beside = ring_of[corners.vertical_source[edge]]
    # from left to right, so that a hole's neighbour has its owner already
    owners = np.arange(len(begin))
    for index in np.argsort(lowest[holes], kind="stable"):
        owners[holes[index]] = owners[beside[index]]
    return [int(owner) for owner in owners]
