"""Walkers: what the agents of all scenes have in common, places for them, and scenes made of rectangles.

A walker is as wide as a person's shoulders and goes as fast as people do. Everybody has a goal of his own: a crowd
sent to one point could never arrive.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from orca_core.errors import InvalidInput
from orca_core.geometry.walkable import WalkableArea
from orca_crowd.scenes.outline import outline
from orca_crowd.scenes.scene import Gate, SceneData

__all__ = ["APART", "OPTIONS", "WALKER", "Box", "Points", "floor", "places", "walk"]

# min x, min y, max x, max y
Box = tuple[float, float, float, float]
Points = NDArray[np.float64]

WALKER: Mapping[str, float | int] = {
    "radius": 0.25,
    "max_speed": 1.6,
    "preferred_speed": 1.3,
    "time_horizon": 2.0,
    "obstacle_horizon": 0.25,
    "neighbor_distance": 5.0,
    "max_neighbors": 10,
    "goal_tolerance": 0.2,
}
TIME_STEP = 0.1
RATE = 20.0
# between two places, so that one more walker passes between those who have arrived
APART = 1.1
# by how much a place is moved off the lattice, at most, each way: whoever stands on an exact lattice meets others
# head-on
JITTER = 0.02
# beside all that is to be seen, m
MARGIN = 1.5

OPTIONS: Mapping[str, bool | str] = {}


def places(box: Box, count: int, chance: np.random.Generator, apart: float = APART) -> Points:
    """`count` places (count, 2) in a box, in any order, no two nearer than `apart` less the jitter.

    Raises InvalidInput where the box has not so many.
    """
    low_x, low_y, high_x, high_y = box
    columns, rows = (int(side / apart + 1e-9) + 1 for side in (high_x - low_x, high_y - low_y))
    if columns * rows < count:
        raise InvalidInput(f"there is room for {columns * rows} walkers in {box}, not for {count}")
    chosen = chance.permutation(columns * rows)[:count]
    spots = np.column_stack((low_x + apart * (chosen % columns), low_y + apart * (chosen // columns)))
    # the lattice in the middle of its box
    spots += 0.5 * np.array([high_x - low_x - apart * (columns - 1), high_y - low_y - apart * (rows - 1)])
    jittered: Points = spots + chance.uniform(-JITTER, JITTER, spots.shape)
    return jittered


def floor(boxes: Sequence[Box]) -> WalkableArea:
    """The union of rectangles as a walkable area; those that belong together overlap."""
    each = WalkableArea(tuple((np.array([(x0, y0), (x1, y0), (x1, y1), (x0, y1)]),) for x0, y0, x1, y1 in boxes))
    return WalkableArea(tuple(map(tuple, outline([each]))))


def walk(
    positions: Points,
    goals: Points,
    *,
    seed: int,
    time_limit: float,
    boxes: Sequence[Box] = (),
    gate: Gate | None = None,
    walkable: Sequence[WalkableArea] | None = None,
) -> SceneData:
    """A scene of walkers on a floor of rectangles or of areas, or in the open where there are none.

    Ways are found by paths wherever there are walls.
    """
    ground = tuple(walkable) if walkable is not None else (floor(boxes),) if boxes else ()
    both = np.concatenate([positions, goals, *(np.reshape(box, (2, 2)) for box in boxes)])
    low, high = both.min(axis=0) - MARGIN, both.max(axis=0) + MARGIN
    return SceneData(
        time_step=TIME_STEP,
        rate=RATE,
        defaults={**WALKER, "guidance": "path"} if ground else WALKER,
        columns={"id": np.arange(len(positions), dtype=np.int64), "position": positions, "goal": goals},
        view=(float(low[0]), float(low[1]), float(high[0]), float(high[1])),
        walkable=ground,
        seed=seed,
        options=OPTIONS,
        time_limit=time_limit,
        gate=gate,
    )
