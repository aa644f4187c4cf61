"""A journal in a store of objects: a file of this machine that is read and asked, and every write of it in the store.

The file is SQLite as everywhere, and nobody's memory: it is made anew from the store whenever the world comes to life.
What is written is in the file first and acknowledged once it is in the store; where that cannot be said, the change is
taken back, here and, before anything else, there.
"""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from orca_crowd.journal.entries import FirstState
from orca_crowd.journal.errors import BadJournal, JournalError, StoreAway
from orca_crowd.journal.file import JournalFile
from orca_crowd.journal.making import fact_rows, make, parts
from orca_crowd.journal.row import Row
from orca_crowd.journal.segments import Operation
from orca_crowd.journal.store import Store
from orca_crowd.journal.trail import Trail

__all__ = ["StoredJournal", "rebuild"]


class StoredJournal(JournalFile):
    """An open journal whose writes are in the store when they return."""

    def __init__(self, path: Path, trail: Trail) -> None:
        """Open the file that was made from the store, or for it."""
        # what is durable is the store
        super().__init__(path, "process", alone=True)
        self._trail = trail

    @classmethod
    def begin(cls, path: Path, facts: Mapping[str, Any], first: FirstState, trail: Trail) -> StoredJournal:
        """A new journal that begins with a state; JournalFull where there is no room here, or no answer there."""
        JournalFile.create(path, facts, "process", first).close()
        try:
            trail.make(facts, first)
            return cls(path, trail)
        except BaseException:
            path.unlink(missing_ok=True)
            raise

    def ready(self) -> None:
        """Return when what comes can be written; JournalFull where it cannot, and nothing may be changed then."""
        owed = self._owed
        super().ready()
        with self._lock:
            if owed is not None:
                # a step that the file had no room for is not in the store either
                self._trail.owe(("advance", [owed, self.sequence, None]))
            self._trail.flush()

    def append(self, kind: str, step: int, body: bytes) -> int:
        """Record a change, and its place in the order; JournalFull where that cannot be, and nothing is recorded."""
        with self._lock:
            sequence = super().append(kind, step, body)
            try:
                self._trail.write(("append", [sequence, step, kind, body]))
            except StoreAway:
                super().withdraw()
                self._trail.owe(("withdraw", [sequence]))
                raise
        return sequence

    def withdraw(self) -> None:
        """Take the newest record back; it is owed to the store where that cannot be told now."""
        with self._lock:
            operation: Operation = ("withdraw", [self.sequence])
            super().withdraw()
            try:
                self._trail.write(operation)
            except StoreAway:
                return

    def advance(self, step: int, digest: str | None = None) -> None:
        """Record that so many steps have been taken; JournalFull where the store has that not, which is owed then."""
        with self._lock:
            super().advance(step, digest)
            self._trail.write(("advance", [step, self.sequence, digest]))

    def set_facts(self, facts: Mapping[str, Any]) -> None:
        """Other values for some rows of `world`; JournalFull where that cannot be, and they are what they were."""
        with self._lock:
            known = self.facts()
            before = {name: known.get(name) for name in facts}
            if facts.get("away") is False:
                self._trail.asleep(False)
            super().set_facts(facts)
            try:
                self._trail.write(("facts", [fact_rows(facts)]))
            except StoreAway:
                super().set_facts(before)
                self._trail.owe(("facts", [fact_rows(before)]))
                raise
            if facts.get("away"):
                self._trail.asleep(True)

    def write_snapshot(self, step: int, sequence: int, data: bytes | memoryview, memory: bytes) -> int:
        """Keep a whole state; JournalFull where that cannot be."""
        number = super().write_snapshot(step, sequence, data, memory)
        try:
            self._trail.state(number, step, sequence, data, memory, self.facts())
        except StoreAway:
            with self._lock, self._transaction():
                self._connection.execute("DELETE FROM snapshots WHERE number = ?", (number,))
                self._connection.execute("DELETE FROM snapshot_parts WHERE number = ?", (number,))
            raise
        return number

    def forget_before(self, number: int) -> None:
        """Drop snapshots before that one, and the records and digests that only they needed, here and there."""
        super().forget_before(number)
        self._trail.forget(number)

    def close(self) -> None:
        """Close the file; what is owed is tried once more."""
        try:
            self._trail.flush()
        except JournalError:
            # nobody was told that it is kept
            pass
        finally:
            super().close()


def rebuild(path: Path, row: Row, store: Store, folder: str) -> None:
    """Make the file of a world anew from what the store has; BadJournal where no whole state is left.

    Whatever the file cannot do without is checked when it is read, as in every journal.
    """
    path.unlink(missing_ok=True)
    make(path, {}, None)
    whole = 0
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("BEGIN")
        for segment in row.segments:
            for name, values in segment.operations:
                if name == "state":
                    whole += _state(connection, values, store, folder)
                else:
                    _apply(connection, name, values)
        connection.execute("COMMIT")
    if not whole:
        raise BadJournal(f"{store.url}: no state of {folder} can be read")


def _apply(connection: sqlite3.Connection, name: str, values: list[Any]) -> None:
    """Do what one operation says."""
    if name == "append":
        sequence, step, kind, body = values
        record = (sequence, step, kind, body, zlib.crc32(body))
        connection.execute("INSERT OR REPLACE INTO records VALUES (?, ?, ?, ?, ?)", record)
    elif name == "withdraw":
        connection.execute("DELETE FROM records WHERE sequence = ?", values)
    elif name == "advance":
        step, sequence, digest = values
        connection.execute("UPDATE progress SET step = ?, sequence = ?", (step, sequence))
        if digest is not None:
            connection.execute("INSERT OR REPLACE INTO digests VALUES (?, ?)", (step, digest))
    elif name == "facts":
        connection.executemany("INSERT OR REPLACE INTO world VALUES (?, ?)", values[0])
    elif name == "forget":
        connection.execute("DELETE FROM snapshots WHERE number < ?", values)
        connection.execute("DELETE FROM snapshot_parts WHERE number < ?", values)
    elif name != "life":
        raise BadJournal(f"the journal has an operation {json.dumps(name)}: use a newer server")


def _state(connection: sqlite3.Connection, values: list[Any], store: Store, folder: str) -> int:
    """Take a whole state in; 1, or 0 where it is gone or cut off: then the one before it is used."""
    number, step, sequence, size, name, memory, crc, facts = values
    connection.executemany("INSERT OR REPLACE INTO world VALUES (?, ?)", facts)
    # records are read from here on, and steps as well
    connection.execute("UPDATE progress SET step = max(step, ?), sequence = max(sequence, ?)", (step, sequence))
    data = store.get(f"{folder}/states/{name}")
    if data is None or len(data) != size:
        return 0
    for part, piece in enumerate(parts(data)):
        connection.execute("INSERT INTO snapshot_parts VALUES (?, ?, ?)", (number, part, piece))
    connection.execute("INSERT INTO snapshots VALUES (?, ?, ?, ?, ?, ?)", (number, step, sequence, size, memory, crc))
    return 1
