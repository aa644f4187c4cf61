"""Which controller each agent belongs to, by name; agents that nobody owns are everybody's. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from orca_crowd.errors import ApiError, Fault

__all__ = ["Ownership"]

Integers = NDArray[np.int64]
NOBODY: Final = -1


class Ownership:
    """Owned agents as two arrays that are replaced and never written, so that what they were is kept for nothing.

    A dictionary by id was the other choice; ten thousand agents of one order would cost ten thousand look-ups in it,
    and one search in a sorted array.
    """

    def __init__(self) -> None:
        """Nobody owns anything."""
        # ids ascending, and the number of the owner of each
        self._ids: Integers = np.empty(0, np.int64)
        self._owners: Integers = np.empty(0, np.int64)
        self._numbers: dict[str, int] = {}

    def keep(self) -> tuple[Integers, Integers, dict[str, int]]:
        """What `put_back` needs to undo whatever follows."""
        return self._ids, self._owners, self._numbers

    def put_back(self, kept: tuple[Integers, Integers, dict[str, int]]) -> None:
        """Be again what `keep` saw."""
        self._ids, self._owners, self._numbers = kept

    def kept(self) -> list[tuple[str, Integers]]:
        """Every controller with its agents, int64 (n,), for a snapshot."""
        return [(name, self.owned(name)) for name in self._numbers]

    def put_back_kept(self, kept: Sequence[tuple[str, Integers]]) -> None:
        """Be what `kept` told."""
        for name, ids in kept:
            self.give(ids, name)

    def check(self, ids: Integers, controller: str | None) -> None:
        """Refuse with 403 where another controller owns one of the agents, int64 (n,); None owns none."""
        if not len(self._ids):
            return
        owners = self._owners_of(ids)
        own = NOBODY if controller is None else self._numbers.get(controller, NOBODY)
        foreign = np.flatnonzero((owners != NOBODY) & (owners != own))
        if len(foreign):
            names = {number: name for name, number in self._numbers.items()}
            faults = [
                Fault(int(item), "id", f"agent {ids[item]} is owned by {names[int(owners[item])]!r}")
                for item in foreign
            ]
            more = f" and {len(foreign) - 1} more are not yours" if len(foreign) > 1 else ""
            raise ApiError("owned", f"{faults[0].message}{more}", faults)

    def give(self, ids: Integers, controller: str) -> None:
        """Let the agents, each named once, belong to a controller; 403 where one belongs to another already."""
        self.check(ids, controller)
        fresh = ids[self._owners_of(ids) == NOBODY]
        numbers = self._numbers
        if controller not in numbers:
            numbers = {**numbers, controller: max(numbers.values(), default=NOBODY) + 1}
        together = np.concatenate([self._ids, fresh])
        owners = np.concatenate([self._owners, np.full(len(fresh), numbers[controller], np.int64)])
        order = np.argsort(together, kind="stable")
        self._set(together[order], owners[order], numbers)

    def take_back(self, ids: Integers, controller: str) -> None:
        """Let the agents be everybody's again; 403 where one belongs to another controller."""
        self.check(ids, controller)
        self.forget(ids)

    def forget(self, ids: Integers) -> None:
        """The agents are gone, whoever owned them."""
        if len(self._ids):
            left = ~np.isin(self._ids, ids)
            self._set(self._ids[left], self._owners[left], self._numbers)

    def owned(self, controller: str) -> Integers:
        """The agents of a controller, int64 (n,), ascending."""
        own: Integers = self._ids[self._owners == self._numbers.get(controller, NOBODY)]
        return own

    def _owners_of(self, ids: Integers) -> Integers:
        """Number of the owner of each agent, NOBODY where there is none."""
        if not len(self._ids):
            return np.full(len(ids), NOBODY, np.int64)
        if np.array_equal(ids, self._ids):
            return self._owners
        place = np.minimum(np.searchsorted(self._ids, ids), len(self._ids) - 1)
        return np.where(self._ids[place] == ids, self._owners[place], NOBODY)

    def _set(self, ids: Integers, owners: Integers, numbers: dict[str, int]) -> None:
        """Replace all three; a name that owns nothing any more is forgotten, so that names do not pile up."""
        present = set(np.unique(owners).tolist())
        self._ids, self._owners = ids, owners
        self._numbers = {name: number for name, number in numbers.items() if number in present}
