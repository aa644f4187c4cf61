"""Contours of grids: exact areas, valid polygons, merged corners, and points on the right side of every ring."""

from __future__ import annotations

import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from orca_core.errors import InvalidInput
from orca_core.formats.contours import obstacles, polygons, walkable_areas
from orca_core.formats.movingai import GridMap

RING = """
.....
.@@@.
.@.@.
.@@@.
.....
"""


def grid_of(picture: str) -> GridMap:
    """A grid from rows of '.' and '@'."""
    rows = picture.split()
    free = np.array([[cell == "." for cell in row] for row in rows], dtype=np.bool_)
    return GridMap(width=free.shape[1], height=free.shape[0], free=free)


def shapes_of(grid: GridMap, cell_size: float = 1.0) -> list[shapely.Polygon]:
    return [shapely.Polygon(outer, holes) for outer, *holes in polygons(grid, cell_size)]


def corners_of(ring: np.ndarray) -> set[tuple[float, float]]:
    return {(float(x), float(y)) for x, y in ring}


def flood_labels(free: np.ndarray) -> np.ndarray:
    """Oracle: pieces of free cells joined by sides, by flooding; 0 is blocked."""
    labels = np.zeros(free.shape, dtype=np.int64)
    for row, column in np.argwhere(free):
        if labels[row, column]:
            continue
        label = labels.max() + 1
        open_cells = [(row, column)]
        while open_cells:
            i, j = open_cells.pop()
            if 0 <= i < free.shape[0] and 0 <= j < free.shape[1] and free[i, j] and not labels[i, j]:
                labels[i, j] = label
                open_cells += [(i + 1, j), (i - 1, j), (i, j + 1), (i, j - 1)]
    return labels


def assert_exact(grid: GridMap, cell_size: float) -> None:
    """Everything that is true of the contours of every grid."""
    found = polygons(grid, cell_size)
    shapes = shapes_of(grid, cell_size)
    assert all(shapely.is_valid(shapes)), [shapely.is_valid_reason(shape) for shape in shapes]
    # each polygon is one piece: same number, same area, and the centres of its cells inside of it alone
    labels = flood_labels(grid.free)
    assert len(shapes) == labels.max()
    seen = set()
    centres = np.array([grid.cell_center(column, row, cell_size) for row, column in np.ndindex(*grid.free.shape)])
    for shape in shapes:
        inside = shapely.contains_xy(shape, centres).reshape(grid.free.shape)
        (label,) = np.unique(labels[inside])
        assert label != 0
        assert (inside == (labels == label)).all()
        assert shape.area == pytest.approx(inside.sum() * cell_size * cell_size, rel=1e-12)
        seen.add(int(label))
    assert len(seen) == len(shapes)
    for outer, *holes in found:
        # the walkable side on the left
        assert shapely.LinearRing(outer).is_ccw
        assert not any(shapely.LinearRing(hole).is_ccw for hole in holes)
        for ring in (outer, *holes):
            # every vertex is a whole number of cells, a corner, and given once
            cells = np.rint(ring / cell_size)
            assert (ring == cells * cell_size).all()
            assert len(corners_of(ring)) == len(ring)
            before, after = cells - np.roll(cells, 1, axis=0), np.roll(cells, -1, axis=0) - cells
            assert ((before * after).sum(axis=1) == 0).all()
            assert (np.count_nonzero(before, axis=1) == 1).all()


def test_three_wide_two_high() -> None:
    ((outer,),) = polygons(grid_of("..@ @.."), 2.0)
    assert corners_of(outer) == {(0, 4), (0, 2), (2, 2), (2, 0), (6, 0), (6, 2), (4, 2), (4, 4)}
    assert_exact(grid_of("..@ @.."), 2.0)


def test_row_0_is_at_the_top() -> None:
    ((outer,),) = polygons(grid_of("@@@ @@@ .@@"))
    assert corners_of(outer) == {(0, 0), (1, 0), (1, 1), (0, 1)}


def test_collinear_pieces_are_merged_along_the_rim() -> None:
    ((outer,),) = polygons(grid_of("....... ....... ......."))
    assert corners_of(outer) == {(0, 0), (7, 0), (7, 3), (0, 3)}


def test_a_blocked_border_keeps_the_area_inside() -> None:
    ((outer,),) = polygons(grid_of("@@@@@ @...@ @...@ @@@@@"))
    assert corners_of(outer) == {(1, 1), (4, 1), (4, 3), (1, 3)}


def test_a_checkerboard_is_as_many_squares_as_free_cells() -> None:
    grid = grid_of(".@.@ @.@. .@.@")
    found = polygons(grid)
    assert [len(polygon) for polygon in found] == [1] * 6
    assert [len(polygon[0]) for polygon in found] == [4] * 6
    assert_exact(grid, 1.0)


def test_an_area_within_a_hole_is_a_polygon_of_its_own() -> None:
    around, within = polygons(grid_of(RING))
    assert len(around) == 2
    assert corners_of(around[0]) == {(0, 0), (5, 0), (5, 5), (0, 5)}
    assert corners_of(around[1]) == {(1, 1), (4, 1), (4, 4), (1, 4)}
    assert [corners_of(ring) for ring in within] == [{(2, 2), (3, 2), (3, 3), (2, 3)}]


def test_holes_in_holes_in_holes() -> None:
    size = 13
    distance = np.minimum.reduce(np.meshgrid(*[np.minimum(np.arange(size), size - 1 - np.arange(size))] * 2))
    grid = GridMap(width=size, height=size, free=distance % 2 == 0)
    assert [len(polygon) for polygon in polygons(grid)] == [2, 2, 2, 1]
    assert_exact(grid, 0.25)


def test_a_hole_belongs_to_the_area_around_it_and_not_to_the_ring_beside_it() -> None:
    # to the left of the hole at the right stands another hole, and beyond it the outer ring
    grid = grid_of("......... .@@@.@@.. .@.@.@@.. .@@@..... .........")
    around, within = polygons(grid)
    assert [len(around), len(within)] == [3, 1]
    assert_exact(grid, 1.0)


@pytest.mark.parametrize(
    ("picture", "rings"),
    [
        # the blocked centre touches the blocked corner: a hole that touches the outer ring
        ("..@ .@. ...", 2),
        # two blocked cells touch: two holes that share a point
        (".... .@.. ..@. ....", 3),
        # four blocked cells around a free one: they are one hole, the free one an area of its own
        ("..... ..@.. .@.@. ..@.. .....", 3),
        # with a way out, the inside and the outside are one area with three holes
        ("..... ..@.. .@.@. ..... .....", 4),
    ],
)
def test_rings_that_touch_are_cut_apart(picture: str, rings: int) -> None:
    grid = grid_of(picture)
    assert sum(len(polygon) for polygon in polygons(grid)) == rings
    assert_exact(grid, 1.0)


@settings(max_examples=150, deadline=None)
@given(
    arrays.arrays(np.bool_, st.tuples(st.integers(1, 9), st.integers(1, 9))).filter(lambda free: bool(free.any())),
    st.sampled_from([1.0, 0.1, 3.0, 1 / 3]),
)
def test_random_grids(free: np.ndarray, cell_size: float) -> None:
    assert_exact(GridMap(width=free.shape[1], height=free.shape[0], free=free), cell_size)


@pytest.mark.parametrize("share", [0.5, 0.65, 0.8])
def test_a_larger_noisy_grid(share: float) -> None:
    free = np.random.default_rng(7).random((150, 90)) < share
    grid = GridMap(width=90, height=150, free=free)
    shapes = shapes_of(grid)
    assert all(shapely.is_valid(shapes))
    assert len(shapes) == flood_labels(free).max()
    assert sum(shape.area for shape in shapes) == free.sum()


def test_walls_are_the_same_rings_and_solid_where_nothing_in_them_is_free() -> None:
    # a hole with a free cell in it, and two without
    grid = grid_of("....... .@@@.@. .@.@... .@@@.@@ .......")
    walls = obstacles(grid, 2.0, (-3.0, 5.0))
    rings = [ring for polygon in polygons(grid, 2.0, (-3.0, 5.0)) for ring in polygon]
    assert [(wall.closed, wall.points.min(axis=0).tolist()) for wall in walls] == [
        (False, [-3.0, 5.0]),
        (False, [-1.0, 7.0]),
        (True, [7.0, 11.0]),
        (False, [1.0, 9.0]),
    ]
    # closed or not, they are the segments of the ring in its order
    for wall, ring in zip(walls, rings, strict=True):
        assert wall.segments().tolist() == np.hstack([ring, np.roll(ring, -1, axis=0)]).tolist()
    # between free and blocked or outside, nothing else: the lengths add up
    padded = np.pad(grid.free, 1)
    sides = (padded[1:] != padded[:-1]).sum() + (padded[:, 1:] != padded[:, :-1]).sum()
    assert sum(shapely.LinearRing(wall.points).length for wall in walls) == 2.0 * sides


def test_the_walkable_area_is_one_with_all_polygons() -> None:
    (area,) = walkable_areas(grid_of(RING), 2.0)
    assert [[ring.tolist() for ring in polygon] for polygon in area.polygons] == [
        [ring.tolist() for ring in polygon] for polygon in polygons(grid_of(RING), 2.0)
    ]
    assert (area.clearance, area.horizon, area.shrunk, area.id) == (0.0, None, False, None)


@pytest.mark.parametrize("cell_size", [0.0, -1.0, float("nan"), float("inf"), 1e-4, 1e7])
def test_a_cell_size_out_of_range_is_refused(cell_size: float) -> None:
    with pytest.raises(InvalidInput, match="cell_size: must be from 1e-3 to 1e6"):
        polygons(grid_of(".."), cell_size)


def test_a_map_without_a_free_cell_is_refused() -> None:
    with pytest.raises(InvalidInput, match="no free cell, must have at least one"):
        walkable_areas(grid_of("@@ @@"))
