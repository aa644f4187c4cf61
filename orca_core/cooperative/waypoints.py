"""Waypoints: cell paths pulled tight for a disc, with the ends of every narrow stretch kept.

Greedy: from each waypoint the path is followed for as long as its cells are in sight, and the last one in sight is the
next waypoint. Where a path enters a narrow place and where it leaves one a waypoint stays in any case, and so does its
goal: pulled straight through a gap, a path would not know of the gap any more, and nobody could wait in front of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from orca_core._jit import compile_all
from orca_core.cooperative.frame import Frame
from orca_core.kernels.pulling import pull

__all__ = ["Waypoints"]

Path = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Waypoints:
    """Those of agent i are the rows `first[i]` to `first[i + 1]` of `cell` and `step`, int64, in the order of its path.

    `step` is the place of a waypoint in the path without waiting, `cell` its cell. The start is the first of them.
    """

    first: NDArray[np.int64]
    cell: NDArray[np.int64]
    step: NDArray[np.int64]

    @classmethod
    def of(
        cls, paths: Sequence[Path], frame: Frame, place: NDArray[np.int32], radius: NDArray[np.float64] | float
    ) -> Waypoints:
        """Pull paths, each int64 (t,) of cells without waiting, for discs of `radius`, (n,) or one for all.

        Radii are in the unit of the frame.
        `place` int32 (cells,) is not negative for narrow cells.
        """
        compile_all()
        blocked = frame.blocked()
        reach = np.broadcast_to(np.asarray(radius) / frame.cell_size, len(paths))
        first = np.zeros(len(paths) + 1, np.int64)
        cells, steps = [], []
        for agent, path in enumerate(paths):
            narrow = place[path] >= 0
            # both ends of every narrow stretch, and the mouths before and behind: a path may turn round in one
            kept = np.zeros(len(path), np.uint8)
            kept[1:] |= narrow[1:] != narrow[:-1]
            kept[:-1] |= narrow[:-1] != narrow[1:]
            kept[0] = kept[-1] = 1
            points = np.ascontiguousarray(frame.centers(path) / frame.cell_size)
            chosen = np.empty(len(path), np.int64)
            count = int(pull(points, kept, float(reach[agent]), blocked, chosen))
            first[agent + 1] = first[agent] + count
            cells.append(path[chosen[:count]])
            steps.append(chosen[:count])
        return cls(
            first, np.concatenate([*cells, np.empty(0, np.int64)]), np.concatenate([*steps, np.empty(0, np.int64)])
        )

    def of_agent(self, agent: int) -> NDArray[np.int64]:
        """The cells (w,) of the waypoints of one agent, its start first."""
        return self.cell[self.first[agent] : self.first[agent + 1]]


def without_waiting(path: Path) -> tuple[Path, NDArray[np.int64]]:
    """The cells of a path with each stay taken once, and the time steps at which they are entered."""
    entered = np.flatnonzero(np.concatenate(([True], path[1:] != path[:-1])))
    return path[entered], entered
