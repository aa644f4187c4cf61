"""Shrinking never comes nearer to a wall than the radius, and takes no more than it must."""

from __future__ import annotations

import math

import numpy as np
import pytest
import shapely
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from orca_core.errors import Problem
from orca_core.geometry.rings import normalised_polygon, polygonal, polygons_of
from orca_core.geometry.shrink import shrunk

Floats = NDArray[np.float64]


def star(random: np.random.Generator, count: int, low: float, high: float) -> Floats:
    angle = np.sort(random.uniform(0.0, 2.0 * math.pi, count))
    return random.uniform(low, high, count)[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1)


@given(st.integers(3, 60), st.integers(3, 30), st.sampled_from([0.05, 0.3, 0.7, 1.5]), st.integers(0, 2**32 - 1))
def test_nothing_is_nearer_than_the_radius_nor_much_is_missing(outer: int, hole: int, radius: float, seed: int) -> None:
    random = np.random.default_rng(seed)
    area = shapely.Polygon(star(random, outer, 4.0, 12.0), [star(random, hole, 0.5, 1.5)])
    if not area.is_valid:
        return
    inner = shrunk(polygonal(area), radius)
    if not inner.is_empty:
        assert inner.is_valid
        assert shapely.distance(inner, area.boundary) >= radius - 1e-12
        assert area.buffer(1e-12).covers(inner)
    # round the corners that jut in the facets lie at most 2 % of the radius too far inside
    missing = area.buffer(-1.02 * radius, quad_segs=32).difference(inner.buffer(1e-3))
    assert missing.area < 1e-9


@pytest.mark.parametrize("amplitude", [1e-5, 1e-4, 1e-3, 1e-2])
def test_fine_and_noisy_outlines_keep_the_radius_too(amplitude: float) -> None:
    random = np.random.default_rng(3)
    ring = star(random, 700, 5.0 - amplitude, 5.0 + amplitude)
    around = shapely.Polygon([(-20, -20), (20, -20), (20, 20), (-20, 20)], [ring])
    for area in (shapely.Polygon(ring), around):
        for radius in (0.69, 1.3):
            inner = shrunk(polygonal(area), radius)
            assert shapely.distance(inner, area.boundary) >= radius - 1e-12


@pytest.mark.parametrize("corner", [(1.0, 1.0), (1.0, 0.01), (3.0, 0.2), (0.2, 3.0), (-1.0, 2.0)])
def test_sharp_corners_and_tips_have_facets_and_no_long_mitre(corner: tuple[float, float]) -> None:
    # an obstacle with a tip at the origin, in a wide area
    x, y = corner
    tip = [(0.0, 0.0), (-2.0 - abs(x), -abs(y)), (-2.0 - abs(x), abs(y))]
    area = shapely.Polygon([(-20, -20), (20, -20), (20, 20), (-20, 20)], [tip])
    inner = shrunk(polygonal(area), 0.5)
    assert shapely.distance(inner, area.boundary) >= 0.5 - 1e-12
    assert shapely.distance(inner, shapely.Point(0, 0)) <= 0.5 / math.cos(math.pi / 16) + 1e-12
    assert inner.covers(shapely.Point(0.52, 0.0))


def test_a_low_step_becomes_a_ramp() -> None:
    # a floor that rises by 1 cm at x = 5: a disc of 0.5 rolls over it
    area = shapely.Polygon([(0, 0), (5, 0), (5, 0.01), (10, 0.01), (10, 5), (0, 5)])
    ((outer,),) = polygons_of(shrunk(polygonal(area), 0.5), drop_collinear=True)
    steps = np.diff(outer[outer[:, 1] < 1.0], axis=0)
    assert len(steps) == 3
    # no edge of the lower side is steeper than 22.5 degrees
    assert (np.abs(steps[:, 1]) <= 0.4143 * np.abs(steps[:, 0])).all()


def test_convex_areas_are_shrunk_to_parallels_exactly() -> None:
    inner = shrunk(shapely.MultiPolygon([shapely.box(0, 0, 10, 10)]), 0.5)
    assert inner.equals(shapely.box(0.5, 0.5, 9.5, 9.5))


@pytest.mark.parametrize("radius", [5.0, 5.1, 50.0])
def test_an_area_without_a_place_vanishes(radius: float) -> None:
    assert shrunk(shapely.MultiPolygon([shapely.box(0, 0, 10, 10)]), radius).is_empty


def test_a_narrow_passage_parts_the_area() -> None:
    rooms = shapely.union_all([shapely.box(0, 0, 4, 4), shapely.box(4, 1.5, 6, 2.4), shapely.box(6, 0, 10, 4)])
    assert len(shrunk(polygonal(rooms), 0.44).geoms) == 1
    assert len(shrunk(polygonal(rooms), 0.46).geoms) == 2


def test_coordinates_far_from_the_origin() -> None:
    # where doubles are 1e-7 apart
    far = shapely.box(1e9 - 10, -1e9, 1e9, -1e9 + 10)
    inner = shrunk(shapely.MultiPolygon([far]), 0.5)
    assert inner.area == pytest.approx(81.0, rel=1e-6)
    assert shapely.distance(inner, far.boundary) == pytest.approx(0.5, abs=1e-6)


@pytest.mark.parametrize("seed", range(30))
@pytest.mark.parametrize("far", [0.0, 1e6])
def test_streets_exactly_as_wide_as_a_disc(seed: int, far: float) -> None:
    # where nothing but rounding decides whether there is a way, neither a wall is touched nor a place lost
    random = np.random.default_rng(seed)
    streets = shapely.buffer(shapely.linestrings(random.uniform(-10, 10, (10, 2, 2))), 0.5, cap_style="square")
    shape = shapely.transform(shapely.union_all(streets), lambda points: points + far)
    problems: list[Problem] = []
    area = shapely.MultiPolygon(
        [
            (rings[0], rings[1:])
            for part in polygonal(shape).geoms
            for rings in normalised_polygon(
                [line.coords for line in (part.exterior, *part.interiors)], 0, "", "", problems
            )
        ]
    )
    inner = shapely.MultiPolygon([(p[0], p[1:]) for p in polygons_of(shrunk(area, 0.5), drop_collinear=True)])
    assert problems == []
    assert all(part.is_valid for part in inner.geoms)
    assert shapely.distance(inner, area.boundary) >= 0.5 - 1e-8
    assert area.buffer(-0.515, quad_segs=32).difference(inner.buffer(1e-3)).area < 1e-9
