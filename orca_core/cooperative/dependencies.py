"""Dependencies: who passes the same narrow place as whom, from the same side or from the other, and who visits what.

Two things are told of a plan. Of each corridor the agents that enter it from one end and those that enter it from the
other, without time: agents of different groups depend on each other across the corridor, agents of one group at its
entrance. And of each narrow cell the visits that the plan has there, in its order. The first says who has to be looked
at; the second is what is fallen back on where nobody's way is clear: in the order of a plan in which nobody meets
anybody there is no circle of waiting, which "whoever comes first" alone runs into as soon as corridors follow upon
each other.

The side of entry comes from the cell of the path before the corridor, and not from which end is nearer: on most maps
corridors are one cell long and both ends are one. Where a path begins in a corridor its side is that of the end that it
does not leave by, and where it both begins and ends in one it has no side and belongs to both groups' dependencies by
its visits alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from orca_core.cooperative.corridors import Corridors
from orca_core.cooperative.waypoints import without_waiting

__all__ = ["Dependencies", "Traversal", "Visits", "build", "visits_of"]

Path = NDArray[np.int64]
Integers = NDArray[np.int64]


@dataclass(frozen=True)
class Traversal:
    """One passage of an agent through a corridor: cells of its path before it and behind it, -1 where it begins or
    ends inside, and the time step of the plan in which it enters.
    """

    agent: int
    corridor: int
    before: int
    behind: int
    time: int


@dataclass(frozen=True, eq=False)
class Visits:
    """Visits of narrow cells; those of agent i are the rows `first[i]` to `first[i + 1]`, in the order of its path.

    `cell`, `step` (place in the path without waiting), `agent` and `time` (time step of the plan) are int64 (v,).
    `order` (v,) holds the visits by cell and within a cell by time, those of cell c at `cell_first[c]` to
    `cell_first[c + 1]`.
    """

    first: Integers
    cell: Integers
    step: Integers
    agent: Integers
    time: Integers
    order: Integers
    cell_first: Integers


@dataclass(frozen=True, eq=False)
class Dependencies:
    """All of it: `sides[corridor]` are the two groups, each a list of traversals; `visits` by cell and time."""

    sides: list[tuple[list[Traversal], list[Traversal]]]
    inside: list[list[Traversal]]
    visits: Visits

    def crossing(self, corridor: int) -> list[tuple[int, int]]:
        """Pairs of agents that enter a corridor from opposite ends, each once, the lower number first, ascending."""
        one, other = self.sides[corridor]
        pairs = {(min(a.agent, b.agent), max(a.agent, b.agent)) for a in one for b in other if a.agent != b.agent}
        return sorted(pairs)

    def entering(self, corridor: int) -> list[tuple[int, int]]:
        """Pairs of agents that enter a corridor from the same end, as `crossing`."""
        pairs = {
            (min(a.agent, b.agent), max(a.agent, b.agent))
            for group in self.sides[corridor]
            for a in group
            for b in group
            if a.agent != b.agent
        }
        return sorted(pairs)


def build(paths: Sequence[Path], corridors: Corridors) -> Dependencies:
    """The dependencies of a plan, whose paths are int64 (t,) of cells by time step."""
    visits = visits_of(paths, corridors.place)
    sides: list[tuple[list[Traversal], list[Traversal]]] = [([], []) for _ in range(corridors.count)]
    inside: list[list[Traversal]] = [[] for _ in range(corridors.count)]
    first_side: dict[int, int] = {}
    for traversal in _traversals(paths, corridors):
        # the cell outside an end by which a corridor is entered names the side; the first to be seen is the one
        outside, turned = (traversal.before, False) if traversal.before >= 0 else (traversal.behind, True)
        if outside < 0:
            inside[traversal.corridor].append(traversal)
            continue
        known = first_side.setdefault(traversal.corridor, outside)
        group = int((outside != known) != turned)
        sides[traversal.corridor][group].append(traversal)
    return Dependencies(sides, inside, visits)


def _traversals(paths: Sequence[Path], corridors: Corridors) -> list[Traversal]:
    """Every passage through a corridor, by agent and time."""
    found = []
    for agent, path in enumerate(paths):
        cells, times = without_waiting(path)
        place = corridors.place[cells]
        begins = np.flatnonzero(np.concatenate(([True], place[1:] != place[:-1])))
        ends = np.append(begins[1:], len(cells))
        for begin, end in zip(begins.tolist(), ends.tolist(), strict=True):
            if 0 <= place[begin] < corridors.count:
                before = int(cells[begin - 1]) if begin else -1
                behind = int(cells[end]) if end < len(cells) else -1
                found.append(Traversal(agent, int(place[begin]), before, behind, int(times[begin])))
    return found


def visits_of(paths: Sequence[Path], place: NDArray[np.int32], passing: NDArray[np.bool_] | None = None) -> Visits:
    """All visits of narrow cells, and their order at each cell; whoever is `passing` (n,) gets past anybody there."""
    first = np.zeros(len(paths) + 1, np.int64)
    columns: list[list[Integers]] = [[], [], [], []]
    for agent, path in enumerate(paths):
        cells, times = without_waiting(path)
        steps = np.flatnonzero(place[cells] >= 0)
        if passing is not None and passing[agent]:
            steps = steps[:0]
        first[agent + 1] = first[agent] + len(steps)
        for column, values in zip(
            columns, (cells[steps], steps, np.full(len(steps), agent, np.int64), times[steps]), strict=True
        ):
            column.append(values)
    cell, step, agents, time = (np.concatenate([*column, np.empty(0, np.int64)]) for column in columns)
    # stable, so that whoever has the lower number comes first where a plan that does not hold says the same time
    order = np.lexsort((time, cell)).astype(np.int64)
    cell_first = np.searchsorted(cell[order], np.arange(len(place) + 1)).astype(np.int64)
    return Visits(first, cell, step, agents, time, order, cell_first)
