"""Walkable areas: one boundary whatever the writing, one class a radius, each edge with what its area says."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from orca_core.errors import Gone, InvalidInput, NotFound, SnapshotError
from orca_core.geometry.walkable import Boundaries, WalkableArea, WalkableSet, contains

SQUARE = [(0.0, 0.0), (10.0, 0.0), (10.0, 10.0), (0.0, 10.0)]
HOLE = [(4.0, 4.0), (6.0, 4.0), (6.0, 6.0), (4.0, 6.0)]
RADII = np.array([0.0, 0.5])


def area(*rings: Any, **more: Any) -> WalkableArea:
    return WalkableArea((rings,), **more)


def compiled(*areas: WalkableArea, radii: Any = RADII, merge: bool = True) -> Boundaries:
    walkable = WalkableSet()
    walkable.add(areas)
    return walkable.compile(np.asarray(radii, np.float64), merge)


def bits(boundaries: Boundaries) -> dict[str, bytes]:
    return {name: array.tobytes() for name, array in boundaries.to_arrays().items()}


def rows(boundaries: Boundaries, k: int) -> list[list[float]]:
    first, last = boundaries.class_start[k : k + 2]
    return boundaries.edges[first:last].tolist()


@pytest.mark.parametrize(
    "ring",
    [
        SQUARE[::-1],
        [*SQUARE, SQUARE[0]],
        [SQUARE[0], (5.0, 0.0), *SQUARE[1:]],
        [SQUARE[0], SQUARE[1], SQUARE[1], (10.0, 1e-9), *SQUARE[2:]],
    ],
    ids=["clockwise", "closed", "collinear", "duplicate and tiny edge"],
)
def test_any_writing_of_a_square_has_the_same_boundaries(ring: Any) -> None:
    assert bits(compiled(area(ring))) == bits(compiled(area(SQUARE)))


def test_the_walkable_side_is_on_the_left_and_the_rings_are_linked() -> None:
    boundaries = compiled(area(SQUARE, HOLE))
    assert rows(boundaries, 0) == [
        [0, 0, 10, 0], [10, 0, 10, 10], [10, 10, 0, 10], [0, 10, 0, 0],
        [4, 4, 4, 6], [4, 6, 6, 6], [6, 6, 6, 4], [6, 4, 4, 4],
    ]  # fmt: skip
    assert rows(boundaries, 1)[:4] == [
        [0.5, 0.5, 9.5, 0.5],
        [9.5, 0.5, 9.5, 9.5],
        [9.5, 9.5, 0.5, 9.5],
        [0.5, 9.5, 0.5, 0.5],
    ]
    for k in range(2):
        first, last = boundaries.class_start[k : k + 2]
        edges = boundaries.edges[first:last]
        assert (edges[boundaries.following[first:last], :2] == edges[:, 2:]).all()
        assert (edges[boundaries.preceding[first:last], 2:] == edges[:, :2]).all()


def test_areas_side_by_side_are_one_without_a_seam() -> None:
    left, right = [(0, 0), (5, 0), (5, 10), (0, 10)], [(5, 0), (10, 0), (10, 10), (5, 10)]
    seamless = compiled(area(SQUARE))
    apart, together = compiled(area(left), area(right)), compiled(WalkableArea(((left,), (right,))))
    for boundaries in (apart, together):
        assert boundaries.edges.tobytes() == seamless.edges.tobytes()


def test_collinear_vertices_are_edges_where_they_are_not_merged() -> None:
    boundaries = compiled(area([SQUARE[0], (5.0, 0.0), *SQUARE[1:]]), radii=[0.0], merge=False)
    assert len(boundaries.edges) == 5


def test_edges_have_what_their_area_says() -> None:
    boundaries = compiled(
        area([(0, 0), (5, 0), (5, 10), (0, 10)], clearance=1.0, id=70),
        area([(5, 1), (10, 1), (10, 10), (5, 10)], horizon=3.0, id=5),
        area([(9, 4), (12, 4), (12, 6), (9, 6)], shrunk=True, clearance=0.25, id=6),
    )
    for k, inset in enumerate(RADII.tolist()):
        first, last = boundaries.class_start[k : k + 2]
        seen = {}
        for edge, clearance, horizon, source in zip(
            boundaries.edges[first:last].tolist(),
            boundaries.edge_clearance[first:last].tolist(),
            boundaries.edge_horizon[first:last].tolist(),
            boundaries.edge_area[first:last].tolist(),
            strict=True,
        ):
            seen[edge[0] / 2 + edge[2] / 2, edge[1] / 2 + edge[3] / 2] = (source, clearance, horizon)
        assert seen[inset, 5.0] == (70, 1.0, -1.0)
        # what is shrunk already does not shrink
        assert seen[12.0, 5.0] == (6, 0.25, -1.0)
        right = [key for key in seen if key[0] == 10.0 - inset]
        assert len(right) == 2
        assert all(seen[key] == (5, 0.0, 3.0) for key in right)


def test_a_shrunk_area_alone_is_taken_as_it_is() -> None:
    boundaries = compiled(area(SQUARE, shrunk=True), radii=[0.5, 30.0])
    assert rows(boundaries, 0) == rows(boundaries, 1) == rows(compiled(area(SQUARE)), 0)


def test_a_radius_without_a_place_has_an_empty_class() -> None:
    boundaries = compiled(area(SQUARE), radii=[0.5, 5.0, 6.0])
    assert boundaries.class_empty.tolist() == [False, True, True]
    assert not contains(boundaries, 1, np.array([[5.0, 5.0]])).any()


def test_no_area_has_no_class() -> None:
    boundaries = WalkableSet().compile(RADII, True)
    assert boundaries.class_count == 0
    assert boundaries.class_start.tolist() == [0]
    assert boundaries.index.node_start.tolist() == [0]


def test_too_many_radii_are_refused_with_their_number() -> None:
    walkable = WalkableSet()
    walkable.add([area(SQUARE)])
    with pytest.raises(InvalidInput, match="65 distinct radii are in use; with walkable areas there may be 64"):
        walkable.compile(np.linspace(0.1, 0.2, 65), True)
    assert walkable.compile(np.linspace(0.1, 0.2, 3), True, max_radii=3).class_count == 3
    # where there is no area nothing limits them
    assert WalkableSet().compile(np.linspace(0.1, 0.2, 65), True).class_count == 0


def test_contains_is_closed() -> None:
    boundaries = compiled(area(SQUARE, HOLE))
    points = np.array([[0.5, 0.5], [0.4999999999999999, 5], [0.5, 5], [5, 5], [9.5, 9.5], [3.5, 5], [3.6, 5], [-20, 5]])
    assert contains(boundaries, 1, points).tolist() == [True, False, True, False, True, True, False, False]
    assert contains(boundaries, 0, np.array([[4.0, 4.0], [5.0, 4.0], [5.0, 4.0000001]])).tolist() == [True, True, False]


@pytest.mark.parametrize(
    ("bad", "field", "message"),
    [
        (area([(0, 0), (1, 1), (1, 0), (0, 1)]), "geometry", "crosses itself"),
        (area([(0, 0), (1, 1)]), "geometry", "2 distinct points"),
        (area(SQUARE, [(9, 1), (12, 1), (12, 2)]), "geometry", "ring 1 is a hole"),
        (WalkableArea(()), "geometry", "at least one polygon"),
        (WalkableArea(((),)), "geometry", "outer ring"),
        (WalkableArea(((SQUARE,), ([(0, 0), (1, math.inf), (2, 0)],))), "geometry", "polygon 1: point 1"),
        (area(SQUARE, clearance=-0.1), "clearance", "not below 0"),
        (area(SQUARE, clearance=math.nan), "clearance", "finite"),
        (area(SQUARE, horizon=1e-7), "horizon", "at least 1e-06"),
        (area(SQUARE, horizon=math.inf), "horizon", "finite"),
    ],
)
def test_what_is_no_area_is_refused_and_changes_nothing(bad: WalkableArea, field: str, message: str) -> None:
    walkable = WalkableSet()
    walkable.add([area(SQUARE)])
    before = bits(walkable.compile(RADII, True))
    with pytest.raises(InvalidInput) as caught:
        walkable.add([area(HOLE), bad])
    assert [(problem.item, problem.field) for problem in caught.value.problems] == [(1, field)]
    assert message in caught.value.problems[0].message
    with pytest.raises(InvalidInput):
        walkable.set(0, bad)
    assert bits(walkable.compile(RADII, True)) == before
    assert walkable.ids == [0]


def test_areas_come_and_go() -> None:
    walkable = WalkableSet()
    alone = bits(compiled(area(SQUARE)))
    assert walkable.add([area(SQUARE), area([(10, 4), (14, 4), (14, 6), (10, 6)])]) == [0, 1]
    kept = walkable.copy()
    assert len(walkable.compile(RADII, True).edges) > 8
    walkable.remove(1)
    assert bits(walkable.compile(RADII, True)) == alone
    walkable.set(0, area(HOLE))
    assert rows(walkable.compile(RADII, True), 0)[0] == [4, 4, 6, 4]
    assert len(kept.compile(RADII, True).edges) > 8
    with pytest.raises(Gone):
        walkable.get(1)
    with pytest.raises(NotFound):
        walkable.set(2, area(SQUARE))


def test_compiled_classes_are_kept_for_what_has_not_changed() -> None:
    walkable = WalkableSet()
    walkable.add([area(SQUARE, HOLE)])
    first = walkable.compile(np.array([0.5]), True)
    both = walkable.compile(RADII, True)
    assert rows(both, 1) == rows(first, 0)
    assert bits(walkable.compile(np.array([0.5]), True)) == bits(first)
    assert len(walkable.compile(np.array([0.5]), False).edges) == len(first.edges)


def test_arrays_bring_back_the_same_areas_and_boundaries() -> None:
    walkable = WalkableSet()
    walkable.add(
        [
            area(SQUARE, HOLE, clearance=0.1),
            area(HOLE, id=9, horizon=2.5),
            WalkableArea(((SQUARE,), (HOLE,)), shrunk=True),
        ]
    )
    walkable.remove(9)
    boundaries = walkable.compile(RADII, True)
    back = WalkableSet.from_arrays(walkable.to_arrays())
    assert {name: array.tobytes() for name, array in back.to_arrays().items()} == {
        name: array.tobytes() for name, array in walkable.to_arrays().items()
    }
    assert bits(back.compile(RADII, True)) == bits(boundaries)
    assert bits(Boundaries.from_arrays(boundaries.to_arrays())) == bits(boundaries)
    assert len(WalkableSet.from_arrays(WalkableSet().to_arrays())) == 0


def test_boundaries_of_a_snapshot_hold_whatever_the_library_would_make_today() -> None:
    walkable = WalkableSet()
    walkable.add([area(SQUARE)])
    arrays = {name: array.copy() for name, array in walkable.compile(RADII, True).to_arrays().items()}
    arrays["edges"][4:] += 2.0**-50
    adopted = Boundaries.from_arrays(arrays)
    back = WalkableSet.from_arrays(walkable.to_arrays())
    back.adopt(adopted, True)
    assert bits(back.compile(RADII, True)) == bits(adopted)
    # a radius more leaves the others their bits
    assert rows(back.compile(np.array([0.0, 0.25, 0.5]), True), 2) == rows(adopted, 1)


@pytest.mark.parametrize(
    "broken", ["points", "length", "rings", "polygons", "id", "clearance", "horizon", "gone", "next_id"]
)
def test_area_arrays_that_do_not_agree_are_no_snapshot(broken: str) -> None:
    walkable = WalkableSet()
    walkable.add([area(SQUARE, HOLE), area(SQUARE)])
    arrays = walkable.to_arrays()
    damaged = {k: v for k, v in arrays.items() if k != broken}
    with pytest.raises(SnapshotError):
        WalkableSet.from_arrays(damaged)
    if broken != "gone":
        with pytest.raises(SnapshotError):
            WalkableSet.from_arrays({**arrays, broken: arrays[broken][:-1]})


@pytest.mark.parametrize("broken", list(Boundaries.empty().to_arrays()))
def test_boundary_arrays_that_do_not_agree_are_no_snapshot(broken: str) -> None:
    arrays = compiled(area(SQUARE)).to_arrays()
    for damaged in ({**arrays, broken: arrays[broken][:-1]}, {k: v for k, v in arrays.items() if k != broken}):
        with pytest.raises(SnapshotError):
            Boundaries.from_arrays(damaged)
    if broken in ("following", "preceding"):
        with pytest.raises(SnapshotError, match="leaves its class"):
            Boundaries.from_arrays({**arrays, broken: arrays[broken] + 1})
