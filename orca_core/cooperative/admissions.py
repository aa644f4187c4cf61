"""Admissions: in which order agents that have been let in go through narrow cells, one behind the other at each.

Who is let in is let in to a whole stretch of its path, through all narrow cells that follow upon each other, behind all
who have been let in before, at every cell of it. So those who are in wait only for those before them, and their waiting
has no circle. Who is let in together stands in the order of the plan, which has none either.

Where a path ends in a narrow cell all others have to be through before: who is let in for good brings them along.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from orca_core.cooperative.precedence import NOBODY

__all__ = ["Admissions", "VisitTable"]

Integers = NDArray[np.int64]
Flags = NDArray[np.uint8]

# of those let in just now, until they have their places
NOW = 2


@dataclass(frozen=True, eq=False)
class VisitTable:
    """The visits as `orca_core.kernels.cooperate` takes them; see there and `kernels.visits` for what they say.

    `order`, `rank`, `turn` and `admitted` are written, and `holder` (n,), whom each waits for that is not let in.
    """

    first: Integers
    cell: Integers
    step: Integers
    agent: Integers
    before: Integers
    behind: Integers
    order: Integers
    cell_first: Integers
    rank: Integers
    left: Flags
    turn: Integers
    admitted: Flags
    holder: Integers


class Admissions:
    """Lets visits in.

    `follows` (v,) says whether a visit goes on from the one before it, `stop` (v,) where its stretch is over, `ends`
    (v,) whether the path is over there too.
    """

    def __init__(self, table: VisitTable) -> None:
        """Those who begin in a narrow place are in, and nobody else."""
        self._table = table
        step, agent = table.step, table.agent
        self.follows = np.zeros(len(step), np.bool_)
        self.follows[1:] = (agent[1:] == agent[:-1]) & (step[1:] == step[:-1] + 1)
        begins = np.append(np.flatnonzero(~self.follows), len(step))
        self.stop = np.repeat(begins[1:], np.diff(begins))
        self.ends = table.behind[self.stop - 1] < 0
        self._planned = table.rank.copy()
        table.admitted[:] = 0
        self.admit_with_those_before(np.flatnonzero(~self.follows & (step == 0)))

    def stretch(self, visit: int) -> Integers:
        """The visits of a stretch from one of them on."""
        return np.arange(visit, self.stop[visit])

    def admit(self, visits: Integers) -> None:
        """Let in these visits behind all that have been let in before; among them the plan says who goes first."""
        self._table.admitted[visits] = NOW
        self._sort_cells_of(visits)
        self._table.admitted[visits] = 1

    def admit_with_those_before(self, visits: Integers) -> None:
        """Let in the stretches of these visits, and the ways of all who have to get through where one of them ends."""
        table = self._table
        until: dict[int, int] = {}
        todo = [(int(table.agent[visit]), int(self.stop[visit])) for visit in visits.tolist()]
        while todo:
            agent, stop = todo.pop()
            if until.get(agent, NOBODY) >= stop:
                continue
            until[agent] = stop
            if table.behind[stop - 1] < 0:
                todo += [(int(table.agent[row]), int(self.stop[row])) for row in self._through(stop - 1).tolist()]
        ways = [np.arange(table.first[agent], stop) for agent, stop in sorted(until.items())]
        rows = np.concatenate([*ways, np.empty(0, np.int64)])
        self.admit(rows[(table.left[rows] == 0) & (table.admitted[rows] == 0)])

    def withdraw(self, visits: Integers) -> None:
        """Take it back from somebody who has not come in."""
        self._table.admitted[visits] = 0
        self._sort_cells_of(visits)

    def is_relied_on(self, visits: Integers) -> bool:
        """Whether somebody is let in that ends where these visits lead through: it must not get there before them."""
        table = self._table
        for visit in visits.tolist():
            rows = table.order[table.rank[visit] + 1 : table.cell_first[table.cell[visit] + 1]]
            if ((table.admitted[rows] != 0) & (table.left[rows] == 0) & (table.behind[rows] < 0)).any():
                return True
        return False

    def others(self, visit: int) -> int:
        """Somebody who has to get through the cell in which the stretch of a visit ends and is not let in, or -1."""
        rows = self._through(int(self.stop[visit]) - 1)
        return int(self._table.agent[rows[0]]) if len(rows) else NOBODY

    def _through(self, last: int) -> Integers:
        """Visits of others who have to get through the cell of a visit and are not let in to it."""
        table = self._table
        cell = int(table.cell[last])
        rows: Integers = table.order[table.turn[cell] : table.cell_first[cell + 1]]
        through = (table.left[rows] == 0) & (table.admitted[rows] == 0) & (table.behind[rows] >= 0)
        through &= table.agent[rows] != table.agent[last]
        found: Integers = rows[through]
        return found

    def _sort_cells_of(self, visits: Integers) -> None:
        for cell in np.unique(self._table.cell[visits]).tolist():
            self._sort(cell)

    def _sort(self, cell: int) -> None:
        """Have those visits of a cell that are over come first, then those that were let in, then those that are now,
        as the plan has them.
        """
        table = self._table
        begin, end = int(table.turn[cell]), int(table.cell_first[cell + 1])
        rows = table.order[begin:end].copy()
        left, admitted = table.left[rows] != 0, table.admitted[rows]
        now = ~left & (admitted == NOW)
        group = np.where(left, 0, np.where(now, 2, np.where(admitted != 0, 1, 3)))
        rows = rows[np.lexsort((np.where(now, self._planned[rows], np.arange(begin, end)), group))]
        table.order[begin:end] = rows
        table.rank[rows] = np.arange(begin, end)
        table.turn[cell] = begin + int(left.sum())
