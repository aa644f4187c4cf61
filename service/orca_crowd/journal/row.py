"""What a store holds of a world, read from a whole state on: see trail.py for the names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from orca_crowd.journal.errors import BadJournal, StoreAway
from orca_crowd.journal.segments import Operation, Segment, parted, unseal
from orca_crowd.journal.store import Store

__all__ = ["Mark", "Row", "is_behind", "last_number", "log_name", "marks", "past_name", "read_row"]

# states that are looked at first: one that cannot be read falls back to the one before
STATES: Final = 2
# objects can be put together by another process between their names and their contents
TRIES: Final = 5


@dataclass
class Row:
    """Objects in their order, from the `begin` of a state on."""

    segments: list[Segment] = field(default_factory=list)
    # where it begins, and the highest number that any object has
    made: int = 0
    last: int = 0
    epoch: int = 0
    damage: str | None = None
    # numbers that are objects of their own, with their bytes; of them those that a life began with
    loose: list[tuple[int, bytes]] = field(default_factory=list)
    lives: set[int] = field(default_factory=set)
    # numbers that were put together, and are objects of their own still
    leftover: list[int] = field(default_factory=list)
    # by first and last number, of all there are
    pasts: list[tuple[int, int]] = field(default_factory=list)
    # whole states by name, the oldest first
    states: list[str] = field(default_factory=list)


class Mark(NamedTuple):
    """The object that a record is in, by its sequence, or a step."""

    record: bool
    value: int
    number: int


def marks(number: int, operations: Sequence[Operation]) -> list[Mark]:
    """The records and steps of one object."""
    return [Mark(name == "append", values[0], number) for name, values in operations if name in ("append", "advance")]


def log_name(folder: str, number: int) -> str:
    """The object of a number."""
    return f"{folder}/log/{number:020d}"


def past_name(folder: str, first: int, last: int) -> str:
    """The object that many have become."""
    return f"{folder}/past/{first:020d}-{last:020d}"


def last_number(store: Store, folder: str, made: int) -> int:
    """The highest number of any object that is there now, not before `made`; `made` - 1 where there is none."""
    names = store.names(folder)
    pasts = _pasts(_inside("past/", names))
    return max([*_numbers(_inside("log/", names)), *(last for _, last in pasts), made - 1])


def is_behind(store: Store, folder: str, number: int) -> bool:
    """Whether an object that was just written is behind the others.

    It is not where its number was used before and is free again, since that one was put together with others: those are
    there, or a state that begins behind them.
    """
    names = store.names(folder)
    pasts = _pasts(_inside("past/", names))
    begins = (int(name.partition("-")[0]) for name in _inside("states/", names))
    return not any(first <= number <= last for first, last in pasts) and not any(begin > number for begin in begins)


def read_row(store: Store, folder: str, made: int, end: int) -> Row:
    """Everything from one of the last states on, not before `made` and not from `end` on.

    StoreAway where it cannot be read now, BadJournal where no state is left."""
    for _ in range(TRIES):
        names = store.names(folder)
        states = sorted(_inside("states/", names))
        states = [name for name in states if int(name.partition("-")[0]) >= made]
        beginnings = sorted({int(name.partition("-")[0]) for name in states})
        # a state that its life could not announce any more is none, so it may take one before these
        found: Row | None = None
        for back in _order(len(beginnings)):
            row = _read_from(store, folder, names, (made, end), beginnings[-back])
            if row is None:
                break
            row.states = states
            if not any(name == "state" for segment in row.segments for name, _ in segment.operations):
                continue
            if row.damage is None:
                return row
            found = found or row
        else:
            if found is not None:
                return found
            raise BadJournal(f"{store.url}: there is no whole state of {folder}")
    raise StoreAway(f"{store.url}: what there is of {folder} changes while it is read")


def _order(count: int) -> list[int]:
    """Which state to begin with, counted from the newest: one with another behind it, then the others."""
    return sorted(range(1, count + 1), key=lambda back: (back != STATES, back))


def _read_from(store: Store, folder: str, names: list[str], of: tuple[int, int], begin: int) -> Row | None:
    """Objects from a number on; None where some were put together meanwhile."""
    made, end = of
    row = Row(made=made)
    numbers = [number for number in _numbers(_inside("log/", names)) if made <= number < end]
    row.pasts = [pair for pair in _pasts(_inside("past/", names)) if made <= pair[0] < end]
    row.last = min(max([*numbers, *(last for _, last in row.pasts), made - 1]), end - 1)
    wanted = [pair for pair in row.pasts if pair[1] >= begin]
    found: dict[int, bytes] = {}
    for data in store.get_all([past_name(folder, *pair) for pair in wanted]):
        if data is None:
            return None
        for piece in parted(data):
            segment = unseal(piece)
            if segment is not None:
                found[segment.number] = piece
    loose = [number for number in numbers if number >= begin]
    for number, data in zip(loose, store.get_all([log_name(folder, number) for number in loose]), strict=True):
        if data is None:
            return None
        if number in found:
            row.leftover.append(number)
        else:
            found[number] = data
            row.loose.append((number, data))
    _decode(row, found, begin)
    return row


def _inside(folder: str, names: list[str]) -> list[str]:
    return [name.removeprefix(folder) for name in names if name.startswith(folder)]


def _numbers(names: list[str]) -> list[int]:
    return sorted(int(name) for name in names)


def _pasts(names: list[str]) -> list[tuple[int, int]]:
    found = (name.partition("-") for name in names)
    return sorted((int(first), int(last)) for first, _, last in found)


def _decode(row: Row, found: dict[int, bytes], begin: int) -> None:
    """Read as far as it is whole; the epoch of whatever can be read behind that counts as well."""
    for number in range(begin, row.last + 1):
        segment = unseal(found[number], number) if number in found else None
        if segment is None:
            row.damage = row.damage or f"object {number} of the journal is missing or damaged"
            continue
        for name, values in segment.operations:
            if name == "life":
                row.epoch = max(row.epoch, int(values[0]))
                row.lives.add(number)
        if row.damage is None:
            row.segments.append(segment)
