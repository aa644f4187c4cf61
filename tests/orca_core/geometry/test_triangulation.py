"""Triangles that cover an area exactly, and know what lies across their edges."""

from __future__ import annotations

import numpy as np
import pytest
import shapely
from hypothesis import given
from hypothesis import strategies as st

from orca_core.geometry.rings import polygonal
from orca_core.geometry.triangulation import triangulated

squares = st.tuples(st.integers(0, 8), st.integers(0, 8), st.integers(1, 4), st.integers(1, 4))


@given(st.lists(squares, max_size=8), st.lists(squares, max_size=2))
def test_triangles_cover_the_area_exactly(holes: list[tuple[int, ...]], more: list[tuple[int, ...]]) -> None:
    area = shapely.box(0, 0, 10, 10).difference(
        shapely.union_all([shapely.box(x, y, x + w, y + h) for x, y, w, h in holes])
    )
    area = shapely.union_all([area, *(shapely.box(x + 20, y, x + w + 20, y + h) for x, y, w, h in more)])
    cut = triangulated(polygonal(area))
    corners = cut.vertices[cut.triangles]
    shapes = shapely.polygons(corners)
    # no overlap and no gap: as much as the area, all of it inside
    assert shapely.area(shapes).sum() == pytest.approx(area.area, abs=1e-9)
    assert shapely.union_all(shapes).symmetric_difference(area).area == pytest.approx(0.0, abs=1e-9)
    assert (shapely.area(shapes) > 0.0).all()
    assert all(shape.exterior.is_ccw for shape in shapes)
    # the edges with nothing across are the boundary of the area and nothing else
    triangle, edge = np.nonzero(cut.across < 0)
    ends = corners[triangle, edge], corners[triangle, (edge + 1) % 3]
    assert np.sqrt(((ends[0] - ends[1]) ** 2).sum(axis=1)).sum() == pytest.approx(area.length, abs=1e-9)
    # across and back again
    for number, row in enumerate(cut.across.tolist()):
        assert all(other < 0 or number in cut.across[other] for other in row)
    # parts that do not hang together have different numbers
    assert len(np.unique(cut.component)) == len(polygonal(area).geoms)


def test_nothing_has_no_triangles() -> None:
    cut = triangulated(shapely.MultiPolygon())
    assert (len(cut.vertices), len(cut.triangles), len(cut.across), len(cut.component)) == (0, 0, 0, 0)
