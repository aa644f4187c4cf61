"""Ids of agents: the client's to choose or the world's to give, never given twice in a world's life."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from orca_core.errors import AlreadyExists, Gone, InvalidInput, NotFound, Problem

__all__ = ["MAXIMUM_IDENTIFIER", "Identifiers", "rows_of"]

Integers = NDArray[np.int64]

# the largest integer that every JSON reader keeps exactly
MAXIMUM_IDENTIFIER = 2**53 - 1


class Identifiers:
    """Which ids were ever used, as disjoint half-open intervals, and where the present ones stand.

    Intervals keep this small in the long run: with ids given by the world a million additions and removals are one
    interval.
    `used` is int64 (k, 2), sorted. The present ids live in the agents' own table; `lookup` is told of them.
    """

    def __init__(self) -> None:
        """Start with no id used."""
        self.used: Integers = np.empty((0, 2), np.int64)
        self.next = 0
        self._ascending: bool | None = None
        self._sorted: Integers | None = None
        self._order: Integers | None = None

    def copy(self) -> Identifiers:
        """An independent copy; the interval table is never changed in place and may be shared."""
        other = Identifiers()
        other.used, other.next = self.used, self.next
        other._ascending, other._sorted, other._order = self._ascending, self._sorted, self._order
        return other

    def was_used(self, ids: Integers) -> NDArray[np.bool_]:
        """Which of the ids were given at any time."""
        if not len(self.used):
            return np.zeros(len(ids), bool)
        at = np.searchsorted(self.used[:, 0], ids, side="right") - 1
        used: NDArray[np.bool_] = (at >= 0) & (ids < self.used[np.maximum(at, 0), 1])
        return used

    def check_new(self, ids: Integers) -> None:
        """Refuse ids out of range or twice in the request (InvalidInput) and ids that are or were in use
        (AlreadyExists).
        """
        problems = [
            Problem(int(item), "id", f"must be an integer from 0 to 2^53 - 1, not {ids[item]}")
            for item in np.flatnonzero((ids < 0) | (ids > MAXIMUM_IDENTIFIER))
        ]
        problems += _duplicates(ids)
        if problems:
            raise InvalidInput(problems)
        taken = np.flatnonzero(self.was_used(ids))
        if len(taken):
            shown = ", ".join(str(ids[item]) for item in taken[:5])
            raise AlreadyExists(
                f"id {shown}{' and others' if len(taken) > 5 else ''}: in use or used before; ids are never given "
                "twice, choose others or leave them out",
                _each(ids, taken, "is in use or was used before"),
            )

    def allocate(self, count: int, avoid: Integers | None = None) -> Integers:
        """The next `count` ids that were never used and are not among `avoid`, ascending; they are not yet claimed."""
        used = self.used
        if avoid is not None and len(avoid):
            used = _union(used, avoid)
        given: list[Integers] = []
        cursor, needed = self.next, count
        while needed:
            at = int(np.searchsorted(used[:, 0], cursor, side="right")) - 1
            if at >= 0 and cursor < used[at, 1]:
                cursor = int(used[at, 1])
                at += 1
            else:
                at += 1
            end = int(used[at, 0]) if at < len(used) and used[at, 0] > cursor else cursor + needed
            take = min(needed, end - cursor)
            given.append(np.arange(cursor, cursor + take, dtype=np.int64))
            cursor += take
            needed -= take
        return np.concatenate(given) if given else np.empty(0, np.int64)

    def claim(self, ids: Integers, allocated: bool) -> None:
        """Mark ids as used; `allocated` tells that they came from `allocate`."""
        self.used = _union(self.used, ids)
        if allocated and len(ids):
            self.next = int(ids[-1]) + 1
        self.forget_order()

    def forget_order(self) -> None:
        """The set of present ids has changed."""
        self._ascending = self._sorted = self._order = None

    def lookup(self, present: Integers, ids: Integers) -> Integers:
        """Index of each id among the present ones (int64, same length).

        Raises InvalidInput for an id named twice, NotFound for one that never was, Gone for one that was removed.
        """
        if np.array_equal(ids, present):
            # everybody, in order: what a controller that owns the whole crowd names every step
            return np.arange(len(ids), dtype=np.int64)
        problems = _duplicates(ids)
        if problems:
            raise InvalidInput(problems)
        ordered = self._ordered(present)
        if not len(ids):
            return np.empty(0, np.int64)
        if len(ordered):
            at = np.minimum(np.searchsorted(ordered, ids), len(ordered) - 1)
            missing = ordered[at] != ids
        else:
            at = np.zeros(len(ids), np.int64)
            missing = np.ones(len(ids), bool)
        if missing.any():
            places = np.flatnonzero(missing)
            lost = ids[places]
            used = self.was_used(lost)
            if not used.all():
                never = _each(ids, places[~used], "is no agent of this world")
                raise NotFound(f"no agent {_shown(lost[~used])} in this world", never)
            removed = _each(ids, places, "was removed")
            raise Gone(f"agent {_shown(lost)} was removed; ids are never given twice", removed)
        return at if self._order is None else self._order[at]

    def _ordered(self, present: Integers) -> Integers:
        """The present ids ascending; a sorted copy only where they do not stand so already, as given ones do."""
        if self._ascending is None:
            self._ascending = bool((present[1:] > present[:-1]).all())
            self._order = None if self._ascending else np.argsort(present, kind="stable")
            self._sorted = None if self._order is None else present[self._order]
        return present if self._sorted is None else self._sorted


def rows_of(indices: Integers) -> slice | Integers:
    """The same rows as a slice where they stand one behind another, which numpy reads and writes many times faster."""
    if not len(indices):
        return slice(0, 0)
    first, last = int(indices[0]), int(indices[-1])
    if last - first == len(indices) - 1 and (indices[1:] > indices[:-1]).all():
        return slice(first, last + 1)
    return indices


def _shown(ids: Integers) -> str:
    return ", ".join(str(value) for value in ids[:5]) + (f" and {len(ids) - 5} more" if len(ids) > 5 else "")


def _each(ids: Integers, places: Integers, what: str) -> list[Problem]:
    """What is wrong with the ids at `places`; nothing where only one was named, for it is clear which."""
    return [Problem(int(place), "id", f"{ids[place]} {what}") for place in places] if len(ids) > 1 else []


def _duplicates(ids: Integers) -> list[Problem]:
    """A problem for each id that stood earlier in the same request."""
    # ascending ids, the usual case, need no sorting
    if (ids[1:] > ids[:-1]).all():
        return []
    order = np.argsort(ids, kind="stable")
    again = order[1:][ids[order[1:]] == ids[order[:-1]]]
    return [Problem(int(item), "id", f"{ids[item]} is named twice in one request") for item in np.sort(again)]


def _union(used: Integers, ids: Integers) -> Integers:
    """Intervals that cover `used` and the single ids, merged where they touch."""
    if not len(ids):
        return used
    # ids that follow each other, as given ones do, are one interval before anything is sorted
    breaks = np.flatnonzero(ids[1:] != ids[:-1] + 1)
    starts = np.concatenate([used[:, 0], ids[:1], ids[breaks + 1]])
    ends = np.concatenate([used[:, 1], ids[breaks] + 1, ids[-1:] + 1])
    order = np.argsort(starts, kind="stable")
    starts, ends = starts[order], np.maximum.accumulate(ends[order])
    opens = np.flatnonzero(np.concatenate([[True], starts[1:] > ends[:-1]]))
    closes = np.concatenate([opens[1:] - 1, [len(starts) - 1]])
    return np.stack([starts[opens], ends[closes]], axis=1)
