"""Who may write a journal that several machines can reach: the one process whose epoch stands in the file.

A process that brings a world to life takes the file over by raising its epoch, a number that never goes back, in one
transaction. Whoever wrote it before and still lives, because its node was taken for dead or its process hung, finds
another number inside the transaction of its next record or step and writes nothing: it cannot acknowledge what would
be lost. A lock that the living hold was rejected: a process that hangs would keep its world from coming back.

Files that several machines reach have no write-ahead log, whose index is memory that processes of one machine share.
They have a rollback journal, for which SQLite needs the locks of the file system and nothing else.

An epoch is the milliseconds since 1970 at which it was taken, or one more than the last where a clock went back, so
that a world that is made under the id of a deleted one has a later epoch than that.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from orca_crowd.journal.errors import BadJournal, JournalFull, StoreAway, Superseded
from orca_crowd.journal.full import LOCK_SECONDS, is_locked

__all__ = ["ALONE", "Fence", "epoch_of", "take_over"]

EPOCH: Final = "SELECT value FROM world WHERE name = 'epoch'"
NO_ROOM: Final = frozenset({sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR})

Execute = Callable[[str, tuple[Any, ...]], sqlite3.Cursor]


@dataclass(frozen=True)
class Fence:
    """How a file is shared: by one machine alone (`epoch` None and `shared` False), or by several.

    With `shared` and without an epoch a file is only read.
    """

    epoch: int | None = None
    shared: bool = False

    @property
    def mode(self) -> str:
        """The kind of log that SQLite keeps."""
        return "PERSIST" if self.shared else "WAL"

    @property
    def synchronous(self) -> Mapping[str, str]:
        """What is waited for, by durability: without a write-ahead log NORMAL would wait for the disk as well."""
        return {"process": "OFF", "power": "FULL"} if self.shared else {"process": "NORMAL", "power": "FULL"}

    def facts(self, facts: Mapping[str, Any]) -> dict[str, Any]:
        """What a new file says of a world, and of its epoch."""
        return dict(facts) if self.epoch is None else {"created": self.epoch, **facts, "epoch": self.epoch}

    def check(self, connection: sqlite3.Connection) -> None:
        """Superseded unless the file has our epoch; inside a transaction that has the right to write."""
        if self.epoch is None:
            return
        row = connection.execute(EPOCH).fetchone()
        if row is None or int(row[0]) != self.epoch:
            raise Superseded("another process has taken this world over")

    def around(self, connection: sqlite3.Connection) -> Execute:
        """Carries out a statement that writes, alone or inside a transaction, if the file has our epoch."""
        if self.epoch is None:
            return connection.execute

        def execute(statement: str, values: tuple[Any, ...] = ()) -> sqlite3.Cursor:
            if connection.in_transaction:
                return connection.execute(statement, values)
            connection.execute("BEGIN IMMEDIATE")
            try:
                self.check(connection)
                cursor = connection.execute(statement, values)
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise
            return cursor

        return execute


ALONE: Final = Fence()


def epoch_of(path: Path) -> int | None:
    """The epoch that a file has; None where it has none, or is not there. sqlite3.Error where it cannot be read."""
    if not path.exists():
        return None
    with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=1.0)) as connection:
        row = connection.execute(EPOCH).fetchone()
    return None if row is None else int(row[0])


def take_over(path: Path, now: int) -> tuple[int, int]:
    """Raise the epoch of a file, `now` is in milliseconds; nobody with an older one writes any more.

    The new epoch, and the one that the world was made in.

    BadJournal where it is no journal, JournalFull where it cannot be written, StoreAway while it is locked.
    """
    try:
        with closing(sqlite3.connect(path, isolation_level=None, timeout=LOCK_SECONDS)) as connection:
            connection.execute("PRAGMA journal_mode = PERSIST")
            connection.execute("BEGIN IMMEDIATE")
            row = connection.execute(EPOCH).fetchone()
            epoch = now if row is None else max(now, int(json.loads(row[0])) + 1)
            write = "INSERT OR REPLACE INTO world VALUES ('epoch', ?)"
            connection.execute(write, (json.dumps(epoch),))
            connection.execute("INSERT OR IGNORE INTO world VALUES ('created', ?)", (json.dumps(epoch),))
            (created,) = connection.execute("SELECT value FROM world WHERE name = 'created'").fetchone()
            connection.execute("COMMIT")
            return epoch, int(json.loads(created))
    except sqlite3.OperationalError as error:
        if is_locked(error):
            raise StoreAway(f"{path.name} cannot be taken over: {error}") from None
        if error.sqlite_errorcode & 0xFF in NO_ROOM:
            raise JournalFull(f"{path.name} cannot be taken over: {error}") from None
        raise BadJournal(f"{path.name} cannot be taken over: {error}") from None
    except (sqlite3.DatabaseError, ValueError, TypeError) as error:
        raise BadJournal(f"{path.name} cannot be taken over: {error}") from None
