"""Overlay: unions and differences that come out whatever touches, as the geometry library alone does not have them.

Where shapes touch at points, run along each other or are hairs hardly wider than rounding, the library has been seen to
give up ("unable to assign free hole to a shell"). Then the same is done once more with all corners on a grid about as
fine as the noise of computing, which does not fail, and on coarser ones should it do so after all. What the library can
do keeps its bits; the grid is a power of two, so that the others are the same everywhere too.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely.errors import GEOSException

__all__ = ["common", "faces_within", "less", "parted", "united"]

Shapes = NDArray[np.object_]
Result = TypeVar("Result")

# a grid is at least so fine (m), and otherwise so many times as coarse as the largest coordinate is rounded
FINEST = 1e-9
ROUNDING = 16.0 * 2.0**-52
# by how much each of the grids that are tried is coarser than the one before, and how many are
COARSER, GRIDS = 16.0, 4


def united(shapes: Sequence[Any] | Shapes) -> Any:
    """The union of polygons."""
    return _done(lambda grid: shapely.union_all(_on(shapes, grid), grid_size=grid), shapes)


def less(area: Any, cut: Any) -> Any:
    """What another shape leaves of an area."""
    return _done(lambda grid: shapely.difference(*_on([area, cut], grid), grid_size=grid), [area, cut])


def common(area: Any, other: Any) -> Any:
    """What two shapes have in common."""
    return _done(lambda grid: shapely.intersection(*_on([area, other], grid), grid_size=grid), [area, other])


def parted(shape: Any) -> Shapes:
    """The constrained Delaunay triangles of a MultiPolygon; what is left out is no wider than rounding."""
    try:
        return _triangles(shape)
    except GEOSException:
        parts = [_parted(part) for part in shapely.get_parts(shape)]
        return np.concatenate([np.empty(0, object), *parts])


def faces_within(rings: Sequence[Any]) -> Any:
    """What rings enclose that do not cross, each within an even number of others an outer one, else a hole."""
    try:
        with np.errstate(all="ignore"):
            return shapely.build_area(shapely.geometrycollections(rings))
    except GEOSException:
        lines = united(rings)
        faces = shapely.get_parts(shapely.polygonize(shapely.get_parts(lines)))
        points = shapely.point_on_surface(faces)
        around = sum(shapely.contains_properly(shapely.polygons(ring), points).astype(np.int64) for ring in rings)
        return united(faces[np.asarray(around) % 2 == 1])


def _parted(part: Any) -> Shapes:
    """The triangles of one polygon which rounding may have let touch or cross itself."""
    for grid in (None, *_grids([part])):
        try:
            with np.errstate(all="ignore"):
                return _triangles(_valid(part if grid is None else shapely.set_precision(part, grid)))
        except GEOSException:
            continue
    return np.empty(0, object)


def _triangles(shape: Any) -> Shapes:
    with np.errstate(all="ignore"):
        found: Shapes = shapely.get_parts(shapely.constrained_delaunay_triangles(shape))
    return found


def _done(work: Callable[[float | None], Result], shapes: Sequence[Any] | Shapes) -> Result:
    """Work without a grid, or on the finest on which it comes out."""
    # the library may compute with numbers that are none on the way to a good end, or before it raises
    with np.errstate(all="ignore"):
        try:
            return work(None)
        except GEOSException:
            *grids, last = _grids(shapes)
        for grid in grids:
            try:
                return work(grid)
            except GEOSException:
                continue
        return work(last)


def _grids(shapes: Sequence[Any] | Shapes) -> list[float]:
    """The sides of the cells of the grids that are tried, ascending."""
    bounds = np.abs(shapely.bounds(np.asarray(shapes, object)))
    finest = FINEST + ROUNDING * float(np.nanmax(bounds, initial=0.0))
    return [2.0 ** math.ceil(math.log2(finest)) * COARSER**k for k in range(GRIDS)]


def _on(shapes: Sequence[Any] | Shapes, grid: float | None) -> Any:
    """The shapes as the library takes them: valid, where that was not the trouble at first."""
    return shapes if grid is None else [_valid(shape) for shape in shapes]


def _valid(shape: Any) -> Any:
    """A polygon, or several, without crossing itself; lines as they are."""
    if shapely.get_dimensions(shape) < 2 or shapely.is_valid(shape):
        return shape
    made = shapely.make_valid(shape)
    parts = shapely.get_parts(shapely.get_parts(made))
    return shapely.MultiPolygon([part for part in parts if part.geom_type == "Polygon" and not part.is_empty])
