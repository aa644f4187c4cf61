"""Small maps and instances for the tests of planning."""

from __future__ import annotations

import numpy as np

from orca_core.formats.movingai import GridMap
from orca_core.mapf.instance import Instance

__all__ = ["grid_of", "instance_of", "random_instance"]


def grid_of(*rows: str) -> GridMap:
    """A map drawn with '.' for free and '@' for blocked cells."""
    free = np.array([[character == "." for character in row] for row in rows])
    return GridMap(free.shape[1], free.shape[0], free)


def instance_of(drawn: str) -> Instance:
    """Agents a, b, … start at small letters and end at the capitals; rows are separated by blanks."""
    rows = drawn.split()
    grid = grid_of(*("".join("@" if character == "@" else "." for character in row) for row in rows))
    places = {character: (column, row) for row, text in enumerate(rows) for column, character in enumerate(text)}
    names = sorted(name for name in places if name.islower())
    return Instance.from_places(grid, [places[name] for name in names], [places[name.upper()] for name in names])


def random_instance(seed: int, agents: int, side: int = 12, blocked: float = 0.15) -> Instance:
    """Agents on a random map, all within its largest connected part."""
    random_state = np.random.default_rng(seed)
    free = random_state.random((side, side)) >= blocked
    best: set[tuple[int, int]] = set()
    left = {(x, y) for y in range(side) for x in range(side) if free[y, x]}
    while left:
        pending, part = [left.pop()], set()
        while pending:
            x, y = pending.pop()
            part.add((x, y))
            for place in ((x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)):
                if place in left:
                    left.discard(place)
                    pending.append(place)
        best = max(best, part, key=len)
    cells = sorted(best)
    starts = random_state.permutation(len(cells))[:agents]
    goals = random_state.permutation(len(cells))[:agents]
    grid = GridMap(side, side, free)
    return Instance.from_places(grid, [cells[i] for i in starts], [cells[i] for i in goals])
