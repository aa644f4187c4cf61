"""Registry: what a world keeps under ids that the client chooses or is given, in order of insertion, never reused.

A copy costs nothing until one of the two is changed, so that a transaction can keep the registry as it was.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic, TypeVar

from orca_core.errors import AlreadyExists, Gone, InvalidInput, NotFound, Problem

__all__ = ["LAST_ID", "Registry"]

# the largest integer that every JSON reader keeps
LAST_ID = 2**53 - 1

Item = TypeVar("Item")


class Registry(Generic[Item]):
    """Items by id; `noun` names them in messages."""

    def __init__(self, noun: str) -> None:
        """Start empty."""
        self.noun = noun
        self._items: dict[int, Item] = {}
        self._ranks: dict[int, int] = {}
        self._inserted = 0
        self._gone: set[int] = set()
        self._next = 0
        self._shared = False

    def copy(self) -> Registry[Item]:
        """Another registry with the same items; a later change of either does not show in the other."""
        other: Registry[Item] = Registry(self.noun)
        other._items, other._gone, other._next = self._items, self._gone, self._next
        other._ranks, other._inserted = self._ranks, self._inserted
        self._shared = other._shared = True
        return other

    def __len__(self) -> int:
        """Number of items."""
        return len(self._items)

    @property
    def ids(self) -> list[int]:
        """Ids in order of insertion."""
        return list(self._items)

    @property
    def gone(self) -> list[int]:
        """Ids that were removed, ascending."""
        return sorted(self._gone)

    @property
    def next_id(self) -> int:
        """Where the search for the next id to give begins."""
        return self._next

    def values(self) -> list[Item]:
        """Items in order of insertion."""
        return list(self._items.values())

    def get(self, identifier: int) -> Item:
        """The item; raises NotFound or Gone."""
        self._require(identifier)
        return self._items[identifier]

    def rank(self, identifier: int) -> int:
        """A number of the item that ascends in order of insertion; raises NotFound or Gone."""
        self._require(identifier)
        return self._ranks[identifier]

    def __contains__(self, identifier: int) -> bool:
        """Whether an item is kept under the id."""
        return identifier in self._items

    def claim(self, wanted: Sequence[int | None]) -> list[int]:
        """The ids that items asking for `wanted` (None: any) would have; changes nothing.

        Raises InvalidInput for ids out of range or asked for twice, AlreadyExists for those in use or used before.
        """
        problems: list[Problem] = []
        asked: set[int] = set()
        for item, identifier in enumerate(wanted):
            if identifier is None:
                continue
            if isinstance(identifier, bool) or not 0 <= identifier <= LAST_ID:
                problems.append(Problem(item, "id", f"must be an integer from 0 to {LAST_ID}, not {identifier!r}"))
            elif identifier in asked:
                problems.append(Problem(item, "id", f"{identifier} appears twice in this request; ids must differ"))
            asked.add(identifier)
        if problems:
            raise InvalidInput(problems)
        self._require_new(wanted)
        chosen: list[int] = []
        following = self._next
        for identifier in wanted:
            if identifier is None:
                while following in asked or following in self._items or following in self._gone:
                    following += 1
                identifier = following
                following += 1
            chosen.append(identifier)
        return chosen

    def _require_new(self, wanted: Sequence[int | None]) -> None:
        """Raise AlreadyExists where one of these is in use or was used before; of several it names each."""
        taken: list[Problem] = []
        for item, identifier in enumerate(wanted):
            if identifier in self._items:
                taken.append(
                    Problem(item, "id", f"{identifier} exists already; leave the id out to be given a free one")
                )
            elif identifier in self._gone:
                taken.append(Problem(item, "id", f"{identifier} was removed; an id is never used again"))
        if taken:
            raise AlreadyExists(f"{self.noun} {taken[0].message}", taken if len(wanted) > 1 else ())

    def insert(self, ids: Sequence[int], items: Sequence[Item]) -> None:
        """Append items under ids from `claim`."""
        self._own()
        self._items.update(zip(ids, items, strict=True))
        self._ranks.update(zip(ids, range(self._inserted, self._inserted + len(ids)), strict=True))
        self._inserted += len(ids)
        while self._next in self._items or self._next in self._gone:
            self._next += 1

    def replace(self, identifier: int, item: Item) -> None:
        """Put another item in the place of one; raises NotFound or Gone."""
        self._require(identifier)
        self._own()
        self._items[identifier] = item

    def remove(self, identifier: int) -> None:
        """Take an item out for good; raises NotFound or Gone."""
        self._require(identifier)
        self._own()
        del self._items[identifier], self._ranks[identifier]
        self._gone.add(identifier)

    def restore(self, ids: Sequence[int], items: Sequence[Item], gone: Sequence[int], next_id: int) -> None:
        """Become what `ids`, `values`, `gone` and `next_id` of another registry said."""
        self._items = dict(zip(ids, items, strict=True))
        self._ranks = {identifier: rank for rank, identifier in enumerate(ids)}
        self._inserted = len(ids)
        self._gone = set(gone)
        self._next = next_id
        self._shared = False

    def _require(self, identifier: int) -> None:
        """Raise where nothing is kept under the id."""
        if identifier in self._items:
            return
        if identifier in self._gone:
            raise Gone(f"{self.noun} {identifier} was removed")
        raise NotFound(f"there is no {self.noun} {identifier}")

    def _own(self) -> None:
        """Part from the copies before a change."""
        if self._shared:
            self._items, self._gone, self._shared = dict(self._items), set(self._gone), False
            self._ranks = dict(self._ranks)
