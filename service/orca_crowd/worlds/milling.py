"""Goals for agents that mill about on a grid map: always a place in plain view, with room on both sides of the way.

Steering alone finds no way around a corner, so an agent is only ever sent along a straight line that is clear of
blocked cells by `clearance`. Where it goes is decided by seed, id, step and position and by nothing else: no generator
is kept, so the same question gets the same answer in any order, in any batch, after a restart. Only + - * / and sqrt
are used, which are the same on every machine.

Lengths are in cells, one metre each; the world convention is that of `orca_core.formats.movingai`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from orca_core.formats.movingai import GridMap

__all__ = ["Milling"]

Points = NDArray[np.float64]

# places a cell is divided into, each way, where the distance to blocked cells is known
PARTS = 16
# distance between two looks along a line
STRIDE = 0.0625
# what can hide between two known places and two looks: half a diagonal of the one, half of the other
UNSEEN = 0.5 * np.sqrt(2.0) / PARTS + 0.5 * STRIDE
# the room that a line needs may grow by this much per metre where the agent starts too near a wall
OPENING = 0.25
# directions tried for one goal, the farthest way, and the shortest that is worth going
TRIES = 24
REACH = 24.0
SHORTEST = 0.9


class Milling:
    """Chooses goals on one map; holds only what it has computed from it."""

    def __init__(self, grid: GridMap, clearance: float, seed: int) -> None:
        """Measure the map once: for every place the distance to the nearest blocked cell, up to one cell.

        Raises ValueError for a clearance that not even the middle of a corridor one cell wide offers.
        """
        if not 0.0 <= clearance <= 0.5 - UNSEEN:
            raise ValueError(f"clearance must be from 0 to {0.5 - UNSEEN:.3f}, not {clearance}")
        self.clearance = clearance
        self.seed = seed
        self._distance = _distances(np.ascontiguousarray(grid.free[::-1]))
        # centres of free cells (n, 2), where an agent that sees no way is sent
        y, x = np.nonzero(grid.free[::-1])
        self.centres = np.column_stack((x + 0.5, y + 0.5))
        # every direction between two cells up to eight apart, as a unit vector
        across, up = (axis.ravel() for axis in np.meshgrid(np.arange(-8, 9), np.arange(-8, 9)))
        primitive = np.gcd(across, up) == 1
        offsets = np.column_stack((across, up))[primitive].astype(np.float64)
        self._along_axes = np.nonzero((offsets == 0.0).any(axis=1))[0]
        self._directions = offsets / np.sqrt(offsets[:, 0] * offsets[:, 0] + offsets[:, 1] * offsets[:, 1])[:, None]

    def next_goals(self, agent_ids: NDArray[np.int64], positions: Points, step: int) -> dict[str, Points]:
        """New goals for agents that have arrived or stalled: ids (n,) and positions (n, 2) to a column `goal` (n, 2).

        From several directions the one is taken in which a long way is clear, and on it a place in the farther half.
        """
        ids = np.asarray(agent_ids, dtype=np.int64)
        positions = np.asarray(positions, dtype=np.float64).reshape(len(ids), 2)
        chances = _chances(self.seed, ids, step, 2 * TRIES + 1)
        chosen = (chances[:, :TRIES] * len(self._directions)).astype(np.int64)
        # along the axes always, since nothing else leads through a corridor one cell wide
        chosen[:, : len(self._along_axes)] = self._along_axes
        directions = self._directions[chosen]
        lengths = self._clear_lengths(positions, directions)
        # long ways are preferred, but not always the longest: else all would go to and fro in the same hall
        best = np.argmax(lengths * (0.25 + chances[:, TRIES : 2 * TRIES]), axis=1)
        row = np.arange(len(ids))
        length = lengths[row, best]
        goals = positions + directions[row, best] * (length * (0.5 + 0.5 * chances[:, -1]))[:, None]
        # who sees no way steps back to the middle of the nearest free cell, and will see one from there
        for index in np.nonzero(length < SHORTEST)[0]:
            offsets = self.centres - positions[index]
            goals[index] = self.centres[np.argmin((offsets * offsets).sum(axis=1))]
        return {"goal": goals}

    def _clear_lengths(self, positions: Points, directions: Points) -> Points:
        """How far each of (n, k, 2) unit directions is clear from each of (n, 2) positions: (n, k), at most REACH."""
        looks = np.arange(1, int(REACH / STRIDE) + 1) * STRIDE
        # the full room, or less at first where the position itself has less
        wanted = self.clearance + UNSEEN
        here = self._distance_at(positions)
        needed = np.minimum(wanted, here[:, None] + OPENING * looks)
        lengths = np.empty(directions.shape[:2])
        for index in range(len(positions)):
            places = positions[index] + directions[index][:, None, :] * looks[:, None]
            blocked = self._distance_at(places) < needed[index]
            first = np.where(blocked.any(axis=1), blocked.argmax(axis=1), len(looks))
            lengths[index] = first * STRIDE
        # a goal has the full room too
        ends = positions[:, None, :] + directions * lengths[..., None]
        return np.where(self._distance_at(ends) >= wanted, lengths, 0.0)

    def _distance_at(self, places: Points) -> Points:
        """Distance to the nearest blocked cell as it is known near each place; 0 outside the map."""
        rows, columns = self._distance.shape
        column = np.floor(places[..., 0] * PARTS).astype(np.int64)
        row = np.floor(places[..., 1] * PARTS).astype(np.int64)
        inside = (column >= 0) & (column < columns) & (row >= 0) & (row < rows)
        return np.where(inside, self._distance[np.where(inside, row, 0), np.where(inside, column, 0)], 0.0)


def _distances(free: NDArray[np.bool_]) -> Points:
    """Distance from the middle of each part of each cell to the nearest blocked cell, exact up to 1, y upward."""
    height, width = free.shape
    padded = np.pad(free, 1)
    middles = (np.arange(PARTS) + 0.5) / PARTS
    # how far a place in a cell is from the cell before, its own and the one after, along one axis
    gaps = {-1: middles, 0: np.zeros(PARTS), 1: 1.0 - middles}
    nearest = np.ones((height, width, PARTS, PARTS))
    for up, gap_up in gaps.items():
        for across, gap_across in gaps.items():
            blocked = ~padded[1 + up : 1 + up + height, 1 + across : 1 + across + width]
            gap = np.sqrt((gap_up * gap_up)[:, None] + gap_across * gap_across)
            nearest[blocked] = np.minimum(nearest[blocked], gap)
    return np.ascontiguousarray(nearest.transpose(0, 2, 1, 3).reshape(height * PARTS, width * PARTS))


def _chances(seed: int, ids: NDArray[np.int64], step: int, count: int) -> Points:
    """`count` numbers in [0, 1) for each id, by the finaliser of splitmix64 (Steele, Lea, Flood, 2014)."""
    mask = (1 << 64) - 1
    root = np.uint64((seed * 0x9E3779B97F4A7C15 + step * 0xD1B54A32D192ED03) & mask)
    words = _mixed(ids.astype(np.uint64) ^ _mixed(np.array([root]))[0])[:, None]
    words = _mixed(words + np.arange(1, count + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15))
    return (words >> np.uint64(11)).astype(np.float64) * 2.0**-53


def _mixed(words: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Mix the bits of 64-bit words; products wrap around."""
    words = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return words ^ (words >> np.uint64(31))
