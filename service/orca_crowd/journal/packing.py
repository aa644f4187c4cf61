"""Many small objects of a journal become one, and what nobody needs any more is removed. For helper threads."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Final

from orca_crowd.journal.row import Row, log_name, past_name
from orca_crowd.journal.segments import joined
from orca_crowd.journal.store import Store

__all__ = ["PACK_OBJECTS", "Packing"]

# objects that are put together at a time
PACK_OBJECTS: Final = 256


class Packing:
    """The objects of one world, as far as they can be put together or removed."""

    def __init__(self, store: Store, folder: str) -> None:
        """None yet."""
        self._store = store
        self._folder = folder
        self._loose: list[tuple[int, bytes]] = []
        self._lives: set[int] = set()
        self._pasts: list[tuple[int, int]] = []
        self._states: list[str] = []
        self._leftover: list[int] = []
        self._lock = threading.Lock()
        self._packing = threading.Lock()

    def begin(self, row: Row, lives: Sequence[tuple[int, bytes]]) -> None:
        """Go on behind what was read, with the objects that a life began with."""
        # behind what is damaged a past would have a gap
        self._loose = [*row.loose, *lives] if row.damage is None else []
        self._lives = {*row.lives, *(number for number, _ in lives)}
        self._pasts = list(row.pasts)
        self._states = list(row.states)
        self._leftover = [each for each in row.leftover if each not in self._lives]

    def restart(self) -> None:
        """A new row begins: what was before it stays as it is."""
        with self._lock:
            self._loose, self._pasts, self._states = [], [], []

    def add(self, number: int, data: bytes) -> int:
        """One more object; how many there are to be put together."""
        with self._lock:
            self._loose.append((number, data))
            return len(self._loose)

    def pack(self) -> None:
        """Put together what there is; StoreAway where that cannot be, and nothing is lost then."""
        with self._packing:
            with self._lock:
                pieces = list(self._loose)
            if len(pieces) < 2:
                return
            first, last = pieces[0][0], pieces[-1][0]
            self._store.put(past_name(self._folder, first, last), joined([data for _, data in pieces]))
            with self._lock:
                del self._loose[: len(pieces)]
                self._pasts.append((first, last))
            # the process that had the world before finds its next number taken by the first object of the next life
            done = [number for number, _ in pieces if number not in self._lives] + self._leftover
            self._leftover = []
            self._store.remove([log_name(self._folder, number) for number in done])

    def state(self, name: str) -> None:
        """One more whole state."""
        with self._lock:
            self._states.append(name)

    def forget(self, number: int) -> None:
        """Remove the states before that one and what only they needed; StoreAway where that cannot be now."""
        with self._lock:
            old = [name for name in self._states if int(name.split("-")[1]) < number]
            kept = [name for name in self._states if name not in old]
            begin = min((int(name.partition("-")[0]) for name in kept), default=0)
            gone = [pair for pair in self._pasts if pair[1] < begin]
            self._states, self._pasts = kept, [pair for pair in self._pasts if pair not in gone]
        self._store.remove([f"{self._folder}/states/{name}" for name in old])
        self._store.remove([past_name(self._folder, *pair) for pair in gone])
