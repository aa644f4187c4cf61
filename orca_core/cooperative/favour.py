"""Favour: an agent that has waited long for a goal in a narrow place gets there, while those who have to pass wait.

A plan ends with everybody at its goal, so whoever ends in a narrow place goes there after all who have to pass, and
where others keep coming that is never. Planned for first it does not help: it would be in everybody's way for good. So
one of those at a time, the one that has waited the longest and is near, is let in out of turn: whoever has to get past
its goal is bound for a cell on its own side, for this one plan. It gets another goal as soon as it is there, and all go
on as before.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from orca_core.formats.movingai import GridMap
from orca_core.mapf.grid_graph import UNREACHABLE, distances, neighbours_of

__all__ = ["NOBODY", "Favour"]

Integers = NDArray[np.int64]

# steps that one has waited, cells that it is away at most, and steps for which it is let in at most
WAITED = 200
NEAR = 12
LASTS = 200
NOBODY = -1


class Favour:
    """Who is let in out of turn, `agent`, at most until the step `until`; NOBODY mostly."""

    def __init__(self, grid: GridMap, place: NDArray[np.int32]) -> None:
        """`place` int32 (cells,) is not negative for narrow cells."""
        self._grid, self._narrow = grid, place >= 0
        self._neighbours = neighbours_of(grid)
        self.agent, self.until = NOBODY, 0

    def ends(self, step: int, there: NDArray[np.bool_]) -> bool:
        """Whether the one that is let in is there, or has had its time; nobody is let in any more then."""
        if self.agent == NOBODY or not (there[self.agent] or step >= self.until):
            return False
        self.agent = NOBODY
        return True

    def goals(self, step: int, starts: Integers, goals: Integers, waited: Integers) -> Integers:
        """What to plan for: the goals (n,), or for whoever has to get past the goal of who is let in another cell.

        `waited` (n,) is for how many steps each has been under way, -1 for whoever is not.
        """
        if self.agent == NOBODY:
            long = np.flatnonzero(self._narrow[goals] & (waited >= WAITED))
            for agent in long[np.argsort(-waited[long], kind="stable")].tolist():
                if distances(self._neighbours, goals[agent : agent + 1])[0, starts[agent]] <= NEAR:
                    self.agent, self.until = agent, step + LASTS
                    break
            else:
                return goals
        bound = self._held_back(starts, goals)
        if bound is None:
            # nowhere to wait: as if nobody had been let in
            self.agent = NOBODY
            return goals
        return bound

    def _held_back(self, starts: Integers, goals: Integers) -> Integers | None:
        """The goals with a cell to wait at for each that the goal of the one cuts off; None where there are too few."""
        shut = self._grid.free.copy()
        end = int(goals[self.agent])
        shut.reshape(-1)[end] = False
        around = neighbours_of(GridMap(self._grid.width, self._grid.height, shut))
        ways = distances(around, goals)
        away = []
        for agent, start in enumerate(starts.tolist()):
            # whoever stands in that cell gets out of it on either side
            doors = [start] if start != end else [cell for cell in self._neighbours[start].tolist() if cell >= 0]
            if agent != self.agent and min(int(ways[agent, door]) for door in doors) >= UNREACHABLE:
                away.append(agent)
        bound = goals.copy()
        taken = set(np.delete(goals, away).tolist())
        for agent in away:
            near = distances(around if starts[agent] != end else self._neighbours, starts[agent : agent + 1])[0]
            near[self._narrow] = UNREACHABLE
            near[list(taken)] = UNREACHABLE
            cell = int(np.argmin(near))
            if near[cell] >= UNREACHABLE:
                return None
            bound[agent] = cell
            taken.add(cell)
        return bound
