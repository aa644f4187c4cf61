"""Flow groups: which agents with guidance `flow` have the same goal, radius and storey, kept by what commands change.

Looking at every agent costs more than steering it along a field, so groups are found anew only when somebody was given
another goal, radius, height or guidance, came or went; and then only those who differ are looked up.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from orca_core.agent_columns import COLUMNS
from orca_core.guidance.storeys import Storeys, heights_at
from orca_core.state import AgentState

__all__ = ["FlowGroups", "Key"]

Integers = NDArray[np.int64]

# x and y of the goal, a radius (m), and where there are several storeys the two numbers of one
Key = tuple[float, ...]

FLOW = COLUMNS["guidance"].choices.index("flow")
# beyond so many groups that nobody is in any more they are numbered anew
STALE = 64


class FlowGroups:
    """A number for each key, and for each agent that of its group."""

    def __init__(self) -> None:
        """Nobody has been looked at yet."""
        self._seen: tuple[Any, ...] | None = None
        self._numbers: dict[Key, int] = {}
        # bits of goal, radius and storey, those of -1 for who is not guided, as they were when last looked at
        self._bits = np.empty((0, 3), np.int64)
        self._group = np.empty(0, np.int64)
        # the keys in use, those of most agents first; equal numbers by who comes first in index order
        self.wanted: list[Key] = []
        self.generation = 0

    def look(self, agents: AgentState, storeys: Storeys) -> None:
        """Bring the groups up to date with the agents, and with the storeys there are."""
        now = (agents.placed, agents.aimed, agents.count, *((storeys, agents.written) if storeys else ()))
        if self._seen == now:
            return
        self._seen = now
        if not (agents.told("guidance") == FLOW).any():
            if self.wanted:
                self.__init__()  # type: ignore[misc]
                self._seen = now
                self.generation += 1
            return
        guided = (agents["guidance"] == FLOW) & (agents["has_goal"] == 1)
        # adding zero makes one of both zeros, so that equal goals have equal bits
        values = [agents["goal"] + 0.0, agents["radius"] + 0.0]
        if storeys:
            values.append(storeys.of(heights_at(agents, np.arange(agents.count))) + 0.0)
        bits = np.column_stack(values).view(np.int64)
        bits[~guided] = -1
        if bits.shape == self._bits.shape:
            differing = np.flatnonzero((bits != self._bits).any(axis=1))
            group = self._group.copy()
        else:
            differing, group = np.arange(len(bits)), np.full(len(bits), -1, np.int64)
        if not len(differing):
            return
        distinct, which = np.unique(bits[differing], axis=0, return_inverse=True)
        group[differing] = np.array([self._number(row) for row in distinct], np.int64)[which.reshape(-1)]
        self._bits, self._group = bits, group
        self._count()
        self.generation += 1

    def _number(self, row: Integers) -> int:
        """The number of a key, by its bits; -1 for who has none."""
        if (row == -1).all():
            return -1
        return self._numbers.setdefault(tuple(row.view(np.float64).tolist()), len(self._numbers))

    def _count(self) -> None:
        """Put the keys in order."""
        held = np.flatnonzero(self._group >= 0)
        numbers, first, count = np.unique(self._group[held], return_index=True, return_counts=True)
        if len(self._numbers) > len(numbers) + STALE:
            names = list(self._numbers)
            self._numbers = {names[number]: place for place, number in enumerate(numbers.tolist())}
            self._group[held] = np.searchsorted(numbers, self._group[held])
            numbers = np.arange(len(numbers))
        names = list(self._numbers)
        order = np.lexsort((first, -count))
        self.wanted = [names[number] for number in numbers[order].tolist()]

    def teams(self, ready: Sequence[Key]) -> Mapping[Key, Integers]:
        """Who is guided by which of the fields that are there, rows ascending.

        Whose radius has none takes that to its goal for the next larger radius, else for the largest smaller one.
        """
        by_goal: dict[Key, list[float]] = {}
        for key in ready:
            by_goal.setdefault(key[:2] + key[3:], []).append(key[2])
        place = np.full(len(self._numbers) + 1, -1, np.int64)
        index = {key: number for number, key in enumerate(ready)}
        for key, number in self._numbers.items():
            radii = by_goal.get(key[:2] + key[3:])
            if radii:
                larger = [radius for radius in radii if radius >= key[2]]
                place[number] = index[(*key[:2], min(larger) if larger else max(radii), *key[3:])]
        team = place[self._group]
        order = np.argsort(team, kind="stable")
        begin = np.searchsorted(team[order], np.arange(len(ready) + 1))
        parts = (order[begin[k] : begin[k + 1]] for k in range(len(ready)))
        return {key: np.ascontiguousarray(part) for key, part in zip(ready, parts, strict=True) if len(part)}
