"""Exact questions to a walkable area, against rational arithmetic that looks at every edge."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from orca_core.kernels.area import edge_blocks, first_block, nearest
from orca_core.kernels.orientation import WORK
from orca_core.kernels.tree import STACK
from orca_core.tree import BoxTree
from tests.oracles import surface as oracle
from tests.support.surface import Walkers

Floats = NDArray[np.float64]

SQUARE = [(0.0, 0.0), (10.0, 0.0), (10.0, 10.0), (0.0, 10.0)]
BENT = [(0.0, 0.0), (10.0, 0.0), (10.0, 4.0), (4.0, 4.0), (4.0, 10.0), (0.0, 10.0)]


def star(random: np.random.Generator, count: int, low: float, high: float) -> Floats:
    # no two of them half a turn apart: such a ring could cross itself
    angle = (np.arange(count) + random.uniform(0.0, 0.5, count)) * (2.0 * math.pi / count)
    return random.uniform(low, high, count)[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1)


@given(st.integers(3, 40), st.integers(0, 2**32 - 1))
def test_inside_is_exact_on_vertices_edges_and_everywhere(count: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    walkers = Walkers([[star(random, count, 5.0, 9.0)]], np.empty((0, 2)))
    edges = walkers.boundaries.edges
    middles = edges[:, :2] * 0.5 + edges[:, 2:] * 0.5
    levels = np.stack([random.uniform(-9, 9, len(edges)), edges[:, 1]], axis=1)
    points = np.concatenate([edges[:, :2], middles, np.nextafter(middles, 0.0), levels, random.uniform(-9, 9, (40, 2))])
    assert walkers.inside(points).tolist() == [oracle.inside(point, edges) for point in points]
    assert walkers.inside(edges[:, :2]).all()


def blocked(walkers: Walkers, p: tuple[float, float], q: tuple[float, float]) -> list[int]:
    b = walkers.boundaries
    work = np.empty(WORK)
    return [k for k in range(len(b.edges)) if edge_blocks(*p, *q, k, b.edges, b.following, b.preceding, work)]


@pytest.mark.parametrize(
    ("p", "q", "through"),
    [
        ((5, 5), (5, -1), [0]),
        ((5, 5), (5, 0), []),
        ((5, 0), (7, 0), []),
        ((5, 0), (5, 3), []),
        ((5, 0), (5, -5e-324), [0]),
        ((5, 0), (12, 0), [1]),
        ((5, 5), (11, -1), [0, 1]),
        ((0, 0), (-1, 2), [3]),
        ((10, 5), (5, -1), [0]),
        # past one edge and back over another: a path that leaves is blocked wherever it ends
        ((5, 5), (-3, -3), [0, 3]),
    ],
)
def test_moves_that_leave_a_square(p: tuple[float, float], q: tuple[float, float], through: list[int]) -> None:
    assert blocked(Walkers([[SQUARE]], np.empty((0, 2))), p, q) == through


@pytest.mark.parametrize(
    ("p", "q", "free"),
    [
        # round the corner (4, 4), which juts in: through the vertex itself, along either edge and past it
        ((3, 5), (5, 3), True),
        ((2, 2), (5, 5), False),
        ((4, 9), (4, 2), True),
        ((9, 4), (2, 4), True),
        ((4, 4), (3, 9), True),
        ((4, 4), (9, 3), True),
        ((4, 4), (5, 5), False),
        ((4, 4), (4, 9), True),
        ((4, 9), (9, 4), False),
        ((3, 9), (9, 3), False),
    ],
)
def test_moves_by_a_corner_that_juts_in(p: tuple[float, float], q: tuple[float, float], free: bool) -> None:
    walkers = Walkers([[BENT]], np.empty((0, 2)))
    assert (blocked(walkers, p, q) == []) is free


def test_a_pinch_is_no_way_from_part_to_part() -> None:
    pinched = [(0, 0), (1, 0), (1, 1), (2, 1), (2, 2), (1, 2), (1, 1), (0, 1)]
    walkers = Walkers([[pinched]], np.empty((0, 2)))
    assert blocked(walkers, (0.5, 0.5), (1.5, 1.5)) != []


def test_a_thin_wall_blocks_though_both_ends_are_inside() -> None:
    # two rooms in one area, parted by a slot a ten-thousandth wide
    slot = [(0, 0), (10, 0), (10, 10), (5.0001, 10), (5.0001, 1), (5, 1), (5, 10), (0, 10)]
    walkers = Walkers([[slot]], np.empty((0, 2)))
    assert walkers.inside(np.array([[4.9, 5.0], [5.1, 5.0]])).all()
    assert blocked(walkers, (4.9, 5.0), (5.1, 5.0)) != []


def test_the_first_of_several_edges_is_found_with_its_place() -> None:
    b = Walkers([[SQUARE, [(4, 4), (6, 4), (6, 6), (4, 6)]]], np.empty((0, 2))).boundaries
    found, work = np.arange(len(b.edges)), np.empty(WORK)
    for count in (len(b.edges), -1):
        edge, fraction = first_block(1.0, 5.0, 21.0, 5.0, b.edges, b.following, b.preceding, found, count, work)
        assert b.edges[edge].tolist() == [4, 4, 4, 6]
        assert fraction == pytest.approx(0.15)
        assert first_block(1.0, 5.0, 2.0, 6.0, b.edges, b.following, b.preceding, found, count, work) == (-1, 1.0)


@given(st.integers(1, 60), st.sampled_from([1e-3, 1.0, 1e3]), st.integers(0, 2**32 - 1))
def test_nearest_is_nearest(count: int, reach: float, seed: int) -> None:
    random = np.random.default_rng(seed)
    edges = random.uniform(-50, 50, (count, 4))
    edges[::5] = np.round(edges[::5])
    tree = BoxTree.over_segments(edges)
    for room in (count, 1):
        p = random.uniform(-100, 100, 2)
        scratch = (np.empty(STACK, np.int64), np.empty(room, np.int64))
        arrays = (edges, tree.nodes, tree.leaves, tree.order, tree.boxes)
        edge, squared, x, y = nearest(p[0], p[1], reach, *arrays, *scratch)
        a, e = edges[:, :2], edges[:, 2:] - edges[:, :2]
        t = np.clip(((p - a) * e).sum(axis=1) / (e**2).sum(axis=1), 0.0, 1.0)[:, None]
        away = ((p - a - e * t) ** 2).sum(axis=1)
        assert squared == pytest.approx(away.min(), rel=1e-9, abs=1e-12)
        assert away[edge] == pytest.approx(away.min(), rel=1e-9, abs=1e-12)
        assert (x - p[0]) ** 2 + (y - p[1]) ** 2 == pytest.approx(squared, rel=1e-9, abs=1e-12)


def test_nearest_of_nothing() -> None:
    none = np.empty((0, 4))
    tree = BoxTree.over_segments(none)
    scratch = (np.empty(STACK, np.int64), np.empty(1, np.int64))
    assert nearest(1.0, 2.0, 0.5, none, tree.nodes, tree.leaves, tree.order, tree.boxes, *scratch)[0] == -1
