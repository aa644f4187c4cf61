"""The same polygon has the same bits however it was written, and what is no polygon is refused with its reason."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import shapely
from hypothesis import given
from hypothesis import strategies as st

from orca_core.errors import Problem
from orca_core.geometry.rings import MERGE_DISTANCE, Polygon, normalised_polygon, signed_area, tidy_ring

SQUARE = [(0.0, 0.0), (10.0, 0.0), (10.0, 10.0), (0.0, 10.0)]
HOLE = [(2.0, 2.0), (4.0, 2.0), (4.0, 4.0), (2.0, 4.0)]


def normalise(*rings: Any) -> list[Polygon]:
    problems: list[Problem] = []
    polygons = normalised_polygon(rings, 3, "geometry", "", problems, drop_collinear=True)
    assert problems == []
    return polygons


def fault(*rings: Any) -> str:
    problems: list[Problem] = []
    assert normalised_polygon(rings, 3, "geometry", "", problems) == []
    assert {(problem.item, problem.field) for problem in problems} == {(3, "geometry")}
    return "; ".join(problem.message for problem in problems)


def bits(polygons: list[Polygon]) -> list[list[bytes]]:
    return [[ring.tobytes() for ring in polygon] for polygon in polygons]


@pytest.mark.parametrize(
    "ring",
    [
        SQUARE[::-1],
        SQUARE[2:] + SQUARE[:2],
        [*SQUARE, SQUARE[0]],
        [SQUARE[0], SQUARE[1], SQUARE[1], *SQUARE[2:]],
        [SQUARE[0], (5.0, 0.0), *SQUARE[1:]],
        [SQUARE[0], (1e-3, 0.0), (5.0, 1e-16), *SQUARE[1:], (0.0, 1.0)],
        [SQUARE[0], SQUARE[1], (10.0, 1e-9), *SQUARE[2:]],
        [SQUARE[0], SQUARE[1], (10.0 + 1e-9, 1e-9), *SQUARE[2:]],
        [(10.0, 1e-9), SQUARE[1], SQUARE[0], SQUARE[3], SQUARE[2]],
        [(-0.0, 0.0), (10.0, -0.0), (10.0, 10.0), (0.0, 10.0)],
        [SQUARE[0], SQUARE[1], (15.0, 0.0), SQUARE[1], *SQUARE[2:]],
    ],
    ids=["clockwise", "rotated", "closed", "duplicate", "collinear", "several collinear", "tiny edge", "tiny corner",
         "tiny edge clockwise", "negative zeros", "spike"],
)  # fmt: skip
def test_every_writing_of_a_square_is_the_square(ring: list[tuple[float, float]]) -> None:
    assert bits(normalise(ring)) == bits(normalise(SQUARE))


def test_outer_rings_run_counter_clockwise_and_holes_clockwise() -> None:
    for outer in (SQUARE, SQUARE[::-1]):
        for hole in (HOLE, HOLE[::-1]):
            ((ring, inner),) = normalise(outer, hole)
            assert signed_area(ring) == 100.0
            assert signed_area(inner) == -4.0


def test_the_order_of_holes_does_not_matter() -> None:
    other = [(6.0, 6.0), (7.0, 6.0), (7.0, 7.0)]
    assert bits(normalise(SQUARE, HOLE, other)) == bits(normalise(SQUARE, other, HOLE))


@given(
    st.integers(3, 24), st.integers(0, 2**32 - 1), st.booleans(), st.booleans(), st.integers(0, 23), st.integers(0, 5)
)
def test_any_polygon_has_one_form(n: int, seed: int, backward: bool, closed: bool, start: int, repeats: int) -> None:
    random = np.random.default_rng(seed)
    angle = np.sort(random.uniform(0.0, 2.0 * math.pi, n))
    ring = random.uniform(2.0, 9.0, n)[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    if len(tidy_ring(ring, drop_collinear=True)) < n or not shapely.Polygon(ring).is_valid:
        return
    written = np.roll(ring, start, axis=0)[:: -1 if backward else 1]
    # vertices in the middle of edges, duplicates, a closing vertex
    for k in random.integers(0, n, repeats):
        written = np.insert(written, k + 1, written[k] * 0.5 + written[(k + 1) % len(written)] * 0.5, axis=0)
        written = np.insert(written, k, written[k], axis=0)
    if closed:
        written = np.concatenate([written, written[:1]])
    assert bits(normalise(written)) == bits(normalise(ring))
    assert len(normalise(ring)[0][0]) == n


def test_collinear_vertices_stay_where_they_are_not_to_be_merged() -> None:
    problems: list[Problem] = []
    ((ring,),) = normalised_polygon([[SQUARE[0], (5.0, 0.0), *SQUARE[1:]]], None, "geometry", "", problems)
    assert ring.tolist() == [[0, 0], [5, 0], [10, 0], [10, 10], [0, 10]]


def test_a_chain_of_tiny_edges_is_thinned_and_not_swallowed() -> None:
    arc = np.linspace(0.0, 0.5 * math.pi, 400)
    ring = np.concatenate([[[0.0, 0.0]], 1e-5 * np.stack([np.cos(arc), np.sin(arc)], axis=1)])
    kept = tidy_ring(ring, drop_collinear=False)
    edges = np.sqrt(((np.roll(kept, -1, axis=0) - kept) ** 2).sum(axis=1))
    assert edges.min() >= MERGE_DISTANCE
    assert len(kept) > 80
    assert signed_area(kept) == pytest.approx(0.25 * math.pi * 1e-10, rel=1e-2)


def test_a_ring_that_touches_itself_falls_into_parts() -> None:
    pinched = [(0, 0), (1, 0), (1, 1), (2, 1), (2, 2), (1, 2), (1, 1), (0, 1)]
    first, second = normalise(pinched)
    assert first[0].tolist() == [[0, 0], [1, 0], [1, 1], [0, 1]]
    assert second[0].tolist() == [[1, 1], [2, 1], [2, 2], [1, 2]]


def test_a_hole_on_the_edge_is_a_bay() -> None:
    ((ring,),) = normalise(SQUARE, [(0.0, 1.0), (3.0, 1.0), (3.0, 3.0), (0.0, 3.0)])
    assert signed_area(ring) == 94.0


@pytest.mark.parametrize(
    ("rings", "message"),
    [
        ([[(0, 0), (1, 1), (1, 0), (0, 1)]], "crosses itself near (0.5, 0.5)"),
        ([[(0, 0), (1, 1), (2, 2), (2, 0), (1, 1), (0, 2)]], "crosses itself near (1.0, 1.0)"),
        ([[(0, 0), (4, 0), (4, 4), (1, 4), (1, 1), (3, 1), (3, 5), (0, 5)]], "crosses itself"),
        ([[(0, 0), (1, 1)]], "2 distinct points; a ring needs three"),
        ([[(0, 0)]], "1 distinct points"),
        ([[(0, 0), (1, 1), (0, 0), (1, 1)]], "2 distinct points"),
        ([[(0, 0), (1, 1), (2, 2)]], "encloses no area"),
        ([[(0, 0), (1e-8, 0), (0, 1e-8)]], "encloses no area"),
        ([[(0, 0), (1, math.nan), (1, 0)]], "point 1 is [1.0, nan]; coordinates must be finite"),
        ([[(0, 0), (1, 0), (math.inf, 2)]], "point 2 is [inf, 2.0]"),
        ([[(0, 0), (1, 0), (1e9 + 1, 2)]], "must lie within ±1e+09"),
        ([[(0, 0, 1), (1, 0, 1), (1, 2, 1)]], "must be a list of [x, y] pairs"),
        ([["a", "b"]], "must be a list of [x, y] pairs"),
        ([[]], "an empty list"),
        ([], "must have an outer ring"),
        ([SQUARE, SQUARE], "its holes take it all"),
        ([SQUARE, [(9, 1), (12, 1), (12, 2), (9, 2)]], "ring 1 is a hole and must lie inside"),
        ([SQUARE, [(19, 1), (22, 1), (22, 2)]], "ring 1 is a hole and must lie inside"),
        ([SQUARE, HOLE, [(3, 3), (5, 3), (5, 5), (3, 5)]], "rings 1 and 2 are holes and must not overlap"),
        ([SQUARE, [(2, 2), (4, 4), (4, 2), (2, 4)]], "ring 1: crosses itself near (3.0, 3.0)"),
    ],
)  # fmt: skip
def test_what_is_no_polygon_is_refused(rings: Any, message: str) -> None:
    assert message in fault(*rings)


def test_every_fault_is_named() -> None:
    message = fault([(0, 0), (1, math.nan), (1, 0)], [(0, 0), (1, 1)], HOLE)
    assert "ring 0: point 1" in message
    assert "ring 1: has 2 distinct points" in message
    assert "ring 2" not in message


def test_coordinates_at_the_limit_are_accepted() -> None:
    ((ring,),) = normalise([(-1e9, -1e9), (1e9, -1e9), (1e9, 1e9)])
    assert ring.tolist() == [[-1e9, -1e9], [1e9, -1e9], [1e9, 1e9]]
