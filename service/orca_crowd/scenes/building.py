"""Building: a storey of twelve rooms along two hallways that cross, and everybody leaves it by one of four exits."""

from __future__ import annotations

import math

import numpy as np

from orca_crowd.scenes.scene import SEED, SceneData
from orca_crowd.scenes.walkers import APART, Box, places, walk

__all__ = ["building"]

# half the storey, half the width of the hallways, m
ACROSS, UP, HALL = 24.0, 13.0, 1.5
WALL = 0.2
# of a quarter; those next to the hallway up and down leave by its end, the others by that of the hallway along
ROOMS = 3
RIM = 0.6
# between an exit and the place where people gather
FREE = 3.0


def building(count: int = 240, door: float = 1.2, exit_width: float = 2.0, seed: int = SEED) -> SceneData:
    """`count` walkers in twelve rooms with doors of `door` metres, and four exits of `exit_width` metres."""
    chance = np.random.default_rng(seed)
    boxes: list[Box] = [(-ACROSS, -HALL, ACROSS, HALL), (-HALL, -UP, HALL, UP)]
    crowds: dict[tuple[float, float], list[np.ndarray]] = {(1, 0): [], (-1, 0): [], (0, 1): [], (0, -1): []}
    quarters = [(x, y) for x in (1.0, -1.0) for y in (1.0, -1.0)]
    rooms = [(x, y, number) for x, y in quarters for number in range(ROOMS)]
    # from hallway to facade
    first, each = HALL + WALL, (ACROSS - HALL) / ROOMS
    for place, (x, y, number) in enumerate(rooms):
        low, high = HALL + number * each + WALL, HALL + (number + 1) * each
        middle = 0.5 * (low + high)
        boxes.append(_mirrored((low, first, high, UP), x, y))
        boxes.append(_mirrored((middle - 0.5 * door, HALL - 0.1, middle + 0.5 * door, first + 0.1), x, y))
        inside = _mirrored((low + RIM, first + RIM, high - RIM, UP - RIM), x, y)
        share = count // len(rooms) + (place < count % len(rooms))
        crowds[(x, 0.0) if number else (0.0, y)].append(places(inside, share, chance))
    # people gather on squares before the exits
    largest = max(sum(map(len, crowd)) for crowd in crowds.values())
    side = 0.5 * APART * math.ceil(math.sqrt(largest)) + RIM
    goals = []
    for (x, y), crowd in crowds.items():
        facade = ACROSS if x else UP
        # as if it were the exit on the right, and then turned
        gap = (facade - 0.1, -0.5 * exit_width, facade + WALL + 0.1, 0.5 * exit_width)
        square = (facade + WALL, -side, facade + WALL + FREE + 2.0 * side, side)
        ground = (square[0] + FREE, -side + RIM, square[2] - RIM, side - RIM)
        boxes += [_turned(gap, x, y), _turned(square, x, y)]
        goals.append(places(_turned(ground, x, y), sum(map(len, crowd)), chance))
    starts = [part for crowd in crowds.values() for part in crowd]
    return walk(np.concatenate(starts), np.concatenate(goals), seed=seed, time_limit=90.0 + 0.5 * count, boxes=boxes)


def _mirrored(box: Box, x: float, y: float) -> Box:
    xs, ys = sorted((x * box[0], x * box[2])), sorted((y * box[1], y * box[3]))
    return xs[0], ys[0], xs[1], ys[1]


def _turned(box: Box, x: float, y: float) -> Box:
    """A box on the right, on the side into which (x, y) points."""
    return _mirrored(box, x, 1.0) if x else _mirrored((box[1], box[0], box[3], box[2]), 1.0, y)
