"""Which ways a change of walls has a part in, for followers who are some of many agents."""

from __future__ import annotations

import numpy as np
import pytest

from orca_core.kernels.follow import STOPPED, WAY
from orca_core.kernels.touched import AROUND, find_touched

NO_HEIGHTS = np.empty((0, 2))
# of the followers, by row of the agents
ROWS = np.array([7, 2, 11])
RADII = (0.5, 0.5, 2.0)


def touched(box: list[float], gone: int, standing: int = WAY) -> list[int]:
    """For three followers who go from (0, 0), (0, 10) and (0, 20) ten metres to the right, past a waypoint each."""
    position = np.full((12, 2), 1e6)
    position[ROWS] = [[0.0, 0.0], [0.0, 10.0], [0.0, 20.0]]
    goal = np.array([[10.0, 0.0], [10.0, 10.0], [10.0, 20.0]])
    points = np.array([[5.0, 1.0], [5.0, 11.0], [5.0, 21.0]])
    # what lies behind the followers' own radii would let everything be touched
    radius = np.concatenate([RADII, np.full(20, 1e6)])[: len(ROWS)]
    found = np.zeros(len(ROWS), np.uint8)
    find_touched(
        ROWS, position, radius, goal, np.full(3, standing, np.uint8), np.arange(3), np.arange(1, 4), points,
        np.array([box]), np.array([gone], np.uint8), NO_HEIGHTS, NO_HEIGHTS, found,
    )  # fmt: skip
    return found.tolist()


@pytest.mark.parametrize(
    ("box", "expected"),
    [
        ([4.0, -1.0, 6.0, 2.0], [1, 0, 0]),
        ([4.0, 9.0, 6.0, 12.0], [0, 1, 0]),
        # beside the way, nearer than the wider disc of the last one reaches and farther than those of the others
        ([4.0, 21.0 + 0.9 * AROUND * 2.0, 6.0, 30.0], [0, 0, 1]),
        ([4.0, 11.0 + 1.1 * AROUND * 0.5, 6.0, 11.5 + 1.1 * AROUND * 0.5], [0, 0, 0]),
        ([100.0, 100.0, 101.0, 101.0], [0, 0, 0]),
    ],
)
def test_what_stands_now_cuts_off_the_ways_that_lead_there(box: list[float], expected: list[int]) -> None:
    assert touched(box, gone=0) == expected


def test_what_is_gone_lets_those_go_straight_whom_it_kept_from_it() -> None:
    # straight past the first box is shorter than past the waypoint; the others are nowhere near
    assert touched([4.0, -0.5, 6.0, 0.05], gone=1) == [1, 0, 0]
    assert touched([4.0, 100.0, 6.0, 101.0], gone=1) == [0, 0, 0]
    # who had no way may have one
    assert touched([4.0, 100.0, 6.0, 101.0], gone=1, standing=STOPPED) == [1, 1, 1]
