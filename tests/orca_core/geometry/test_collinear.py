"""A wall in one piece and in many is the same wall, to the last bit of its ends."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.typing import NDArray

from orca_core.geometry.collinear import merge_collinear

Floats = NDArray[np.float64]


def pieces(a: Floats, b: Floats, cuts: Floats, random: np.random.Generator) -> Floats:
    """The wall a-b cut at the fractions `cuts`, in any order, each piece in either sense."""
    t = np.concatenate([[0.0], np.sort(cuts), [1.0]])[:, None]
    points = a + (b - a) * t
    points[0], points[-1] = a, b
    segments = np.hstack([points[:-1], points[1:]])
    flip = random.random(len(segments)) < 0.5
    segments[flip] = segments[flip][:, [2, 3, 0, 1]]
    return segments[random.permutation(len(segments))]


def ends(segment: Floats) -> list[tuple[float, float]]:
    return sorted([(float(segment[0]), float(segment[1])), (float(segment[2]), float(segment[3]))])


@given(
    st.floats(-1e6, 1e6), st.floats(-1e6, 1e6), st.floats(-50, 50), st.floats(-50, 50), st.integers(0, 20),
    st.integers(0, 2**32 - 1),
)  # fmt: skip
def test_a_wall_cut_anywhere_is_the_whole_wall(x: float, y: float, dx: float, dy: float, cuts: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    a, b = np.array([x, y]), np.array([x + dx, y + dy])
    assume(np.abs(b - a).max() > 1.0)
    fractions = (np.arange(cuts) + random.uniform(0.3, 0.7, cuts)) / max(cuts, 1)
    merged = merge_collinear(pieces(a, b, fractions, random))
    assert len(merged.segments) == 1
    assert merged.count == len(fractions)
    assert ends(merged.segments[0]) == sorted([(a[0], a[1]), (b[0], b[1])])


def test_a_merged_piece_has_the_place_and_the_sense_of_its_first() -> None:
    segments = np.array(
        [[9.0, 9, 8, 7], [2, 0, 1, 0], [5, 5, 5, 6], [0, 0, 1, 0], [3, 0, 2, 0], [5, 7, 5, 6], [0, 9, 1, 9]]
    )
    merged = merge_collinear(segments)
    assert merged.segments.tolist() == [[9, 9, 8, 7], [3, 0, 0, 0], [5, 5, 5, 7], [0, 9, 1, 9]]
    assert merged.first.tolist() == [0, 1, 2, 6]
    assert merged.member.tolist() == [0, 1, 2, 1, 1, 2, 3]
    assert merged.count == 3


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ([0, 0, 2, 0], [1, 0, 3, 0]),
        ([0, 0, 3, 0], [1, 0, 2, 0]),
        ([1, 0, 2, 0], [0, 0, 3, 0]),
        ([0, 0, 3, 0], [0, 0, 3, 0]),
        ([0, 0, 3, 0], [3, 0, 0, 0]),
        ([0, -1, 0, 1], [0, 1, 1e-12, 3]),
        ([0, -1, 1e-12, 1], [0, 3, 0, 1]),
        ([0, 0, 1, 0], [1 + 1e-12, 0, 2, 0]),
    ],
    ids=["overlap", "inside", "around", "same", "same reversed", "upright", "upright reversed", "gap of rounding"],
)
def test_pieces_that_touch_or_overlap_on_one_line_are_merged(first: list[float], second: list[float]) -> None:
    assert len(merge_collinear(np.array([first, second], np.float64)).segments) == 1


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ([0, 0, 1, 0], [1, 0, 1, 1]),
        ([0, 0, 1, 0], [2, 0, 3, 0]),
        ([0, 0, 1, 0], [0, 1, 1, 1]),
        ([0, 0, 1, 0], [0, 1e-6, 1, 1e-6]),
        ([0, 0, 1, 0], [1 + 1e-6, 0, 2, 0]),
        ([0, 0, 1, 0], [1, 0, 2, 1e-6]),
        ([-1, 0, 1, 0], [0, -1, 0, 1]),
        ([0, 0, 1, 1], [0, 0, 1, -1]),
    ],
    ids=["corner", "apart", "parallel", "near parallel", "small gap", "slight bend", "cross", "spread"],
)
def test_what_is_two_walls_stays_two_with_its_bits(first: list[float], second: list[float]) -> None:
    segments = np.array([first, second], np.float64)
    merged = merge_collinear(segments)
    assert merged.segments.tobytes() == segments.tobytes()
    assert merged.count == 0


def test_walls_that_merge_with_nothing_keep_bits_order_and_sense() -> None:
    segments = np.random.default_rng(5).uniform(-50.0, 50.0, (2000, 4))
    segments[7] = [-0.0, 0.0, -1.0, -0.0]
    merged = merge_collinear(segments)
    assert merged.segments.tobytes() == segments.tobytes()
    assert merged.member.tolist() == list(range(2000))


def test_a_fine_circle_is_not_a_line() -> None:
    angle = np.linspace(0.0, 2.0 * np.pi, 2001)
    points = 1000.0 * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    assert merge_collinear(np.hstack([points[:-1], points[1:]])).count == 0


def test_a_tile_map_of_edges_becomes_its_lines() -> None:
    # every side of every tile of a board, each inner side twice
    x, y = (grid.ravel().astype(np.float64) for grid in np.meshgrid(np.arange(12), np.arange(9)))
    tiles = np.concatenate(
        [
            np.stack([x, y, x + 1, y], axis=1),
            np.stack([x + 1, y, x + 1, y + 1], axis=1),
            np.stack([x + 1, y + 1, x, y + 1], axis=1),
            np.stack([x, y + 1, x, y], axis=1),
        ]
    )
    merged = merge_collinear(tiles[np.random.default_rng(1).permutation(len(tiles))])
    assert len(merged.segments) == 10 + 13
    lengths = np.abs(merged.segments[:, 2:] - merged.segments[:, :2]).sum(axis=1)
    assert sorted(lengths.tolist()) == [9.0] * 13 + [12.0] * 10


def test_nothing_and_points_are_left_alone() -> None:
    assert merge_collinear(np.empty((0, 4))).segments.shape == (0, 4)
    dots = np.array([[1.0, 1.0, 1.0, 1.0], [0.0, 1.0, 2.0, 1.0], [1.0, 1.0, 1.0, 1.0]])
    assert merge_collinear(dots).segments.tobytes() == dots.tobytes()
