"""Milling: every goal in plain view with room beside the way, chosen by seed, id, step and place alone."""

from __future__ import annotations

import numpy as np
import pytest
import shapely

from orca_core.formats.contours import polygons
from orca_core.formats.movingai import GridMap
from orca_crowd.worlds.milling import SHORTEST, UNSEEN, Milling

ROWS = [
    "@@@@@@@@@@@@@@@@",
    "@......@.......@",
    "@......@.......@",
    "@..............@",
    "@......@.......@",
    "@......@.@@@@@.@",
    "@@@@.@@@.@...@.@",
    "@......@.@.@.@.@",
    "@........@.@...@",
    "@@@@@@@@@@@@@@@@",
]
CLEARANCE = 0.3


@pytest.fixture(scope="module")
def grid() -> GridMap:
    free = np.array([[cell == "." for cell in row] for row in ROWS], dtype=np.bool_)
    return GridMap(width=free.shape[1], height=free.shape[0], free=free)


@pytest.fixture(scope="module")
def milling(grid: GridMap) -> Milling:
    return Milling(grid, CLEARANCE, seed=5)


def boundary_of(grid: GridMap) -> shapely.Geometry:
    return shapely.union_all([shapely.Polygon(outer, holes) for outer, *holes in polygons(grid)]).boundary


def goals_of(milling: Milling, ids: np.ndarray, positions: np.ndarray, step: int) -> np.ndarray:
    return milling.next_goals(ids, positions, step)["goal"]


def test_every_way_is_clear(grid: GridMap, milling: Milling) -> None:
    boundary = boundary_of(grid)
    positions = np.repeat(milling.centres, 8, axis=0)
    ids = np.arange(len(positions))
    for step in range(4):
        goals = goals_of(milling, ids, positions, step)
        ways = shapely.linestrings(np.stack((positions, goals), axis=1))
        # from the middle of a cell there is always the full room, along the whole way
        assert shapely.distance(boundary, ways).min() >= CLEARANCE
        # and there is a way to go
        assert np.mean(shapely.length(ways) >= 0.5 * SHORTEST) > 0.95


def test_all_of_a_connected_map_is_visited(milling: Milling) -> None:
    # 40 walkers in one corner room who always arrive
    positions = np.tile(milling.centres[0], (40, 1))
    ids = np.arange(40)
    seen = set()
    for step in range(150):
        positions = goals_of(milling, ids, positions, step)
        seen |= {(int(x), int(y)) for x, y in positions}
    assert len(seen) > 0.85 * len(milling.centres)


def test_a_start_close_to_a_wall_gets_away_from_it(grid: GridMap, milling: Milling) -> None:
    boundary = boundary_of(grid)
    # along the left wall, nearer than the clearance
    positions = np.column_stack((np.full(60, 1.2), np.linspace(5.2, 8.8, 60)))
    goals = goals_of(milling, np.arange(60), positions, 3)
    ways = shapely.linestrings(np.stack((positions, goals), axis=1))
    assert shapely.distance(boundary, shapely.points(goals)).min() >= CLEARANCE
    # no way comes nearer to a wall than where it began
    assert shapely.distance(boundary, ways).min() >= 0.2 - UNSEEN
    assert np.median(shapely.length(ways)) > SHORTEST


def test_who_sees_no_way_goes_to_the_middle_of_the_nearest_free_cell() -> None:
    free = np.zeros((3, 5), dtype=np.bool_)
    free[1, [1, 3]] = True
    milling = Milling(GridMap(width=5, height=3, free=free), CLEARANCE, seed=0)
    goals = goals_of(milling, np.arange(3), np.array([[1.4, 1.3], [3.9, 1.5], [-4.0, 9.0]]), 0)
    assert goals.tolist() == [[1.5, 1.5], [3.5, 1.5], [1.5, 1.5]]


def test_a_goal_does_not_depend_on_who_else_asks(milling: Milling) -> None:
    ids = np.arange(50) * 7 + 2**52
    positions = milling.centres[:50]
    together = goals_of(milling, ids, positions, 9)
    order = np.random.default_rng(1).permutation(50)
    assert (goals_of(milling, ids[order], positions[order], 9) == together[order]).all()
    one_by_one = [goals_of(milling, ids[i : i + 1], positions[i : i + 1], 9)[0] for i in range(50)]
    assert (np.array(one_by_one) == together).all()


def test_seed_id_and_step_each_change_the_goal(grid: GridMap, milling: Milling) -> None:
    ids = np.arange(40)
    positions = np.tile([4.5, 6.5], (40, 1))
    base = goals_of(milling, ids, positions, 1)
    for other in (
        goals_of(milling, ids, positions, 2),
        goals_of(milling, ids + 40, positions, 1),
        goals_of(Milling(grid, CLEARANCE, seed=6), ids, positions, 1),
    ):
        assert np.mean((other != base).any(axis=1)) > 0.8
    assert len(np.unique(base, axis=0)) > 20


def test_nobody_asks_nothing(milling: Milling) -> None:
    assert goals_of(milling, np.empty(0, np.int64), np.empty((0, 2)), 0).shape == (0, 2)


@pytest.mark.parametrize("clearance", [-0.1, 0.5])
def test_a_clearance_that_no_corridor_offers_is_refused(grid: GridMap, clearance: float) -> None:
    with pytest.raises(ValueError, match="clearance must be from 0 to"):
        Milling(grid, clearance, seed=0)
