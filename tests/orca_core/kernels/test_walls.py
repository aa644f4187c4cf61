"""No displacement crosses a wall, lands on one, or is touched where none is near."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from orca_core.kernels.orientation import WORK
from orca_core.kernels.tree import STACK
from orca_core.kernels.walls import clip_at_walls, wall_phase
from orca_core.tree import BoxTree
from tests.oracles import surface as oracle

Floats = NDArray[np.float64]


def clip(
    p: tuple[float, float], q: tuple[float, float], walls: list[list[float]], room: int = 64
) -> tuple[float, float, bool]:
    segments = np.array(walls, np.float64).reshape(-1, 4)
    tree = BoxTree.over_segments(segments)
    scratch = (np.empty(STACK, np.int64), np.empty(room, np.int64), np.empty(WORK))
    x, y, crossed = clip_at_walls(*p, *q, segments, tree.nodes, tree.leaves, tree.order, tree.boxes, *scratch)
    return float(x), float(y), bool(crossed)


def test_a_free_move_keeps_its_bits() -> None:
    assert clip((0.0, 0.0), (0.1 + 0.2, -0.0), []) == (0.1 + 0.2, -0.0, False)
    assert clip((0.0, 0.0), (0.1 + 0.2, 1e-310), [[3.0, -5.0, 3.0, 5.0], [-1.0, 1.0, 1.0, 1.0]]) == (
        0.1 + 0.2,
        1e-310,
        False,
    )


@pytest.mark.parametrize("reach", [10.0, 20.0, 1e6])
def test_a_move_of_any_length_stops_short_of_the_wall_on_its_side(reach: float) -> None:
    x, y, crossed = clip((0.0, 0.0), (reach, 0.0), [[3.0, -5.0, 3.0, 5.0]])
    assert crossed
    assert y == 0.0
    assert 3.0 - 1e-9 < x < 3.0
    # and once more from there, hard against it
    again, _, crossed = clip((x, y), (x + reach, 0.0), [[3.0, -5.0, 3.0, 5.0]])
    assert crossed
    assert x <= again < 3.0


def test_landing_exactly_on_a_wall_counts_as_reaching_it() -> None:
    x, _, crossed = clip((0.0, 0.0), (3.0, 0.0), [[3.0, -5.0, 3.0, 5.0]])
    assert crossed
    assert x < 3.0


def test_the_end_of_a_wall_blocks_lengthwise_and_from_aside() -> None:
    x, y, crossed = clip((0.0, 0.0), (5.0, 0.0), [[3.0, 0.0, 9.0, 0.0]])
    assert crossed
    assert 3.0 - 1e-9 < x < 3.0
    assert y == 0.0
    assert clip((0.0, 0.0), (6.0, 0.0), [[3.0, 0.0, 3.0, 2.0]])[2]
    # past the end by the least there is
    assert not clip((0.0, 0.0), (6.0, 0.0), [[3.0, 5e-324, 3.0, 2.0]])[2]


def test_who_stands_on_a_wall_may_leave_to_either_side_or_walk_along_it() -> None:
    wall = [[-1.0, 0.0, 1.0, 0.0]]
    for target in [(0.2, 0.5), (0.2, -0.5), (0.7, 0.0), (1.7, 0.0)]:
        assert clip((0.0, 0.0), target, wall) == (*target, False)
    # but not through the next one
    assert clip((0.0, 0.0), (0.0, 2.0), [*wall, [-1.0, 1.0, 1.0, 1.0]])[2]


def test_scratch_that_is_too_small_changes_nothing() -> None:
    walls = [[3.0 + k / 8, -5.0, 3.0 + k / 8, 5.0] for k in range(40)]
    assert clip((0.0, 0.0), (100.0, 1.0), walls, room=1) == clip((0.0, 0.0), (100.0, 1.0), walls)


coordinates = st.one_of(st.integers(-4, 4).map(float), st.floats(-4.0, 4.0))


@given(
    st.lists(st.tuples(*[coordinates] * 4), min_size=1, max_size=8),
    st.lists(st.tuples(coordinates, coordinates), min_size=2),
)
def test_no_walk_ever_crosses(walls: list[tuple[float, ...]], targets: list[tuple[float, float]]) -> None:
    segments = [list(wall) for wall in walls]
    here = targets[0]
    for target in targets[1:]:
        x, y, crossed = clip(here, target, segments)
        assert not oracle.crosses_wall(np.array([here]), np.array([[x, y]]), np.array(segments))
        assert crossed or (x, y) == target
        # cut short only where a wall is in the way
        assert not crossed or oracle.crosses_wall(np.array([here]), np.array([target]), np.array(segments))
        here = (x, y)


def test_the_phase_writes_only_the_rows_it_shortens() -> None:
    segments = np.array([[3.0, -5.0, 3.0, 5.0]])
    tree = BoxTree.over_segments(segments)
    position = np.zeros((5, 2))
    following = np.array([[1.0, 1.0], [9.0, 0.0], [9.0, 9.0], [9.0, 0.0], [9.0, 0.0]])
    velocity = following / 0.5
    given = following.copy()
    # the last place is not asked for, and the agent at another is marked as far from every wall
    order, marks = np.array([2, 0, 4, 1, 3]), np.array([3, 6, 5, 2, 2], np.uint8)
    scratch = (np.empty(STACK, np.int64), np.empty(1, np.int64), np.empty(WORK))
    arrays = (segments, tree.nodes, tree.leaves, tree.order, tree.boxes)
    assert wall_phase(position, velocity, following, 0.5, order, marks, np.uint8(2), 0, 4, *arrays, *scratch) == 2
    assert (following[[0, 3, 4]] == given[[0, 3, 4]]).all()
    assert (following[1:3, 0] < 3.0).all()
    assert (velocity == following / 0.5).all()
