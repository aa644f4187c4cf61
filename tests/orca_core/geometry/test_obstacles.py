"""Obstacles become the segments that were given, in the order in which they came."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from orca_core.errors import AlreadyExists, Gone, InvalidInput, NotFound, SnapshotError
from orca_core.geometry.obstacles import Obstacle, ObstacleSet

BOX = [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)]


def box(k: float) -> Obstacle:
    return Obstacle(np.add(BOX, [3.0 * k, 0.0]), closed=True)


def flat(obstacles: ObstacleSet, merge: bool = False) -> tuple[bytes, list[int], int]:
    segments, source, merged = obstacles.segments(merge)
    return segments.tobytes(), source.tolist(), merged


def test_segments_are_the_points_in_order() -> None:
    obstacles = ObstacleSet()
    assert obstacles.segments(False)[0].shape == (0, 4)
    ids = obstacles.add(
        [Obstacle([(5, 0), (3, 0), (3, 2)], id=40), Obstacle(BOX, closed=True), Obstacle([(-0.0, 9), (1, 9)])]
    )
    assert ids == [40, 0, 1]
    segments, source, merged = obstacles.segments(False)
    assert segments.tolist() == [
        [5, 0, 3, 0],
        [3, 0, 3, 2],
        [0, 0, 1, 0],
        [1, 0, 1, 1],
        [1, 1, 0, 1],
        [0, 1, 0, 0],
        [0, 9, 1, 9],
    ]
    assert math.copysign(1.0, segments[6, 0]) == -1.0
    assert source.tolist() == [40, 40, 0, 0, 0, 0, 1]
    assert merged == 0


def test_repeated_points_and_a_closing_point_make_no_segment() -> None:
    obstacles = ObstacleSet()
    obstacles.add(
        [Obstacle([BOX[0], BOX[0], *BOX[1:], BOX[3], BOX[0]], closed=True), Obstacle([(0, 5), (0, 5), (1, 5), (1, 5)])]
    )
    clean = ObstacleSet()
    clean.add([Obstacle(BOX, closed=True), Obstacle([(0, 5), (1, 5)])])
    assert flat(obstacles) == flat(clean)


def test_merging_joins_pieces_across_obstacles() -> None:
    cut, whole = ObstacleSet(), ObstacleSet()
    cut.add(
        [
            Obstacle([(4, 4), (5, 5)]),
            *(Obstacle([(x, 0), (x + 1, 0)]) for x in range(-5, 15)),
            Obstacle([(0, 1), (1, 1)]),
        ]
    )
    whole.add([Obstacle([(4, 4), (5, 5)]), Obstacle([(-5, 0), (15, 0)]), Obstacle([(0, 1), (1, 1)])])
    segments, source, merged = cut.segments(True)
    assert segments.tobytes() == whole.segments(True)[0].tobytes() == whole.segments(False)[0].tobytes()
    assert source.tolist() == [0, 1, 21]
    assert merged == 19
    assert len(cut.segments(False)[0]) == 22


def test_two_boxes_that_share_a_side_have_it_once() -> None:
    obstacles = ObstacleSet()
    obstacles.add([Obstacle(BOX, closed=True), Obstacle(np.add(BOX, [1.0, 0.0]), closed=True)])
    segments, _, merged = obstacles.segments(True)
    assert len(segments) == 5
    assert merged == 3


def test_removed_and_added_again_is_as_fresh() -> None:
    fresh = ObstacleSet()
    fresh.add([box(3), box(2), box(1), box(0)])
    worn = ObstacleSet()
    ids = worn.add([box(k) for k in range(4)])
    for _ in range(100):
        for identifier in ids:
            worn.remove(identifier)
        assert len(worn.segments(True)[0]) == 0
        ids = [worn.add([box(k)])[0] for k in (3, 2, 1, 0)]
    for merge in (False, True):
        assert worn.segments(merge)[0].tobytes() == fresh.segments(merge)[0].tobytes()
    assert worn.ids == [400, 401, 402, 403]


def test_an_obstacle_set_again_keeps_its_place() -> None:
    obstacles = ObstacleSet()
    obstacles.add([box(0), box(1), box(2)])
    obstacles.set(1, Obstacle([(7, 7), (8, 8)], id=1))
    assert obstacles.segments(False)[1].tolist() == [0] * 4 + [1] + [2] * 4
    assert obstacles.get(1).points.tolist() == [[7, 7], [8, 8]]


@pytest.mark.parametrize(
    ("obstacle", "message"),
    [
        (Obstacle([(0, 0)]), "1 distinct points; an obstacle needs two"),
        (Obstacle([(0, 0), (0, 0)]), "1 distinct points"),
        (Obstacle([(0, 0), (-0.0, 0)]), "1 distinct points"),
        (Obstacle([(0, 0), (1, 0)], closed=True), "2 distinct points; a closed obstacle needs three"),
        (Obstacle([(0, 0), (1, 0), (2, 0)], closed=True), "encloses no area"),
        (Obstacle([(0, 0), (1, 1), (1, 0), (0, 1)], closed=True), "crosses itself near (0.5, 0.5)"),
        (Obstacle([(0, 0), (math.nan, 1)]), "point 1 is [nan, 1.0]"),
        (Obstacle([(0, 0), (math.inf, 1)]), "must be finite"),
        (Obstacle([(0, 0), (0, -1.1e9)]), "must lie within"),
        (Obstacle([]), "an empty list"),
        (Obstacle([0, 1, 2, 3]), "must be a list of [x, y] pairs"),
    ],
)  # fmt: skip
def test_what_is_no_obstacle_is_refused_and_changes_nothing(obstacle: Obstacle, message: str) -> None:
    obstacles = ObstacleSet()
    obstacles.add([box(0), box(1)])
    before = flat(obstacles)
    with pytest.raises(InvalidInput) as caught:
        obstacles.add([box(5), obstacle, box(6)])
    assert [(problem.item, problem.field) for problem in caught.value.problems] == [(1, "points")]
    assert message in caught.value.problems[0].message
    with pytest.raises(InvalidInput):
        obstacles.set(0, obstacle)
    assert flat(obstacles) == before
    assert obstacles.ids == [0, 1]


def test_an_open_polyline_may_cross_itself_and_a_closed_one_may_touch_itself() -> None:
    obstacles = ObstacleSet()
    obstacles.add([Obstacle([(0, 0), (1, 1), (1, 0), (0, 1)])])
    obstacles.add([Obstacle([(0, 0), (1, 0), (1, 1), (2, 1), (2, 2), (1, 2), (1, 1), (0, 1)], closed=True)])
    assert len(obstacles.segments(False)[0]) == 3 + 8


def test_faults_of_values_and_of_ids_are_reported_together() -> None:
    with pytest.raises(InvalidInput) as caught:
        ObstacleSet().add([Obstacle(BOX, id=-1), Obstacle([(0, 0)]), Obstacle(BOX, id=7), Obstacle(BOX, id=7)])
    assert [(problem.item, problem.field) for problem in caught.value.problems] == [(0, "id"), (1, "points"), (3, "id")]


def test_ids_of_obstacles_that_were_removed() -> None:
    obstacles = ObstacleSet()
    obstacles.add([box(0)])
    obstacles.remove(0)
    with pytest.raises(Gone):
        obstacles.set(0, box(0))
    with pytest.raises(NotFound):
        obstacles.remove(1)
    with pytest.raises(AlreadyExists):
        obstacles.add([Obstacle(BOX, id=0)])
    with pytest.raises(InvalidInput, match="must be 1 or left out"):
        obstacles.set(obstacles.add([box(1)])[0], Obstacle(BOX, id=9))


def test_a_copy_keeps_what_was_there() -> None:
    obstacles = ObstacleSet()
    obstacles.add([box(0), box(1)])
    kept, before = obstacles.copy(), flat(obstacles)
    obstacles.remove(0)
    obstacles.set(1, box(9))
    assert flat(kept) == before


def test_points_cannot_be_changed_behind_the_back() -> None:
    points = np.array(BOX)
    obstacles = ObstacleSet()
    obstacles.add([Obstacle(points, closed=True)])
    points[0] = 99.0
    assert obstacles.get(0).points[0].tolist() == [0, 0]
    with pytest.raises(ValueError, match="read-only"):
        obstacles.get(0).points[0] = 1.0


def test_arrays_bring_back_the_same_set() -> None:
    obstacles = ObstacleSet()
    obstacles.add([box(0), Obstacle([(-0.0, 1), (5, 5), (0.1 + 0.2, 3)], id=2**53 - 1), box(2)])
    obstacles.remove(0)
    back = ObstacleSet.from_arrays(obstacles.to_arrays())
    assert flat(back) == flat(obstacles)
    assert back.add([box(5)]) == obstacles.add([box(5)])
    with pytest.raises(Gone):
        back.get(0)
    empty = ObstacleSet.from_arrays(ObstacleSet().to_arrays())
    assert len(empty) == 0


@pytest.mark.parametrize("broken", ["points", "length", "id", "closed"])
def test_arrays_that_do_not_agree_are_no_snapshot(broken: str) -> None:
    obstacles = ObstacleSet()
    obstacles.add([box(0), box(1)])
    arrays: dict[str, Any] = obstacles.to_arrays()
    for damaged in ({**arrays, broken: arrays[broken][:-1]}, {k: v for k, v in arrays.items() if k != broken}):
        with pytest.raises(SnapshotError):
            ObstacleSet.from_arrays(damaged)
