"""Reservations: the paths that are there at the moment, and by cell and time who is there."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from orca_core.kernels.occupancy import collides_with, release, reserve

__all__ = ["Reservations"]

Table = NDArray[np.int32]


class Reservations:
    """Paths of up to `agents` agents on `cells` cells, for `horizon` time steps; whoever has come to an end stays
    there.
    """

    def __init__(self, agents: int, cells: int, horizon: int) -> None:
        """Nobody is anywhere yet."""
        self.horizon = horizon
        self.first: Table = np.full((cells, horizon), -1, np.int32)
        self.link: Table = np.full((agents, horizon), -1, np.int32)
        self.paths: Table = np.full((agents, horizon), -1, np.int32)
        # time steps with the end of each path, 0 for who has none
        self.length: Table = np.zeros(agents, np.int32)

    def enter(self, agent: int, path: Table) -> None:
        """Let an agent that has none have this path, int32 (t,)."""
        reserve(agent, path, len(path), self.first, self.link, self.paths)
        self.length[agent] = len(path)

    def leave(self, agent: int) -> None:
        """Take the path of an agent away."""
        release(agent, self.first, self.link, self.paths)
        self.length[agent] = 0

    def path(self, agent: int) -> Table:
        """A copy of the path of an agent, int32 (t,)."""
        return self.paths[agent, : self.length[agent]].copy()

    def colliding(self, agent: int) -> NDArray[np.int64]:
        """Whoever meets this agent, int64 (m,), ascending."""
        mask = np.zeros(len(self.length), np.uint8)
        collides_with(agent, self.first, self.link, self.paths, mask)
        return np.flatnonzero(mask)
