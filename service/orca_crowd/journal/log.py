"""The write-ahead log of a journal, and how it is kept short.

A log is used from its beginning again once all of it was copied to where it belongs and nothing was written since. In a
world that is never still for as long as a disk takes, that moment does not come by itself, and the log would grow for
ever: what was written while the rest was copied is copied while the writer waits, which is little.
"""

from __future__ import annotations

import sqlite3
from contextlib import AbstractContextManager, closing
from pathlib import Path

from orca_crowd.journal.folder import log_of, size_of

__all__ = ["CHECKPOINT_BYTES", "Log"]

# bytes in the log from which on a checkpoint is worth asking for
CHECKPOINT_BYTES = 4 * 2**20
# how often what was written meanwhile is copied beside the writer, and is as little each time
ROUNDS = 2


class Log:
    """The log of one file."""

    def __init__(self, path: Path, writer: AbstractContextManager[object]) -> None:
        """`path` is the journal's; nobody of this process writes to it while `writer` is held."""
        self._path = path
        self._log = log_of(path)
        self._writer = writer

    @property
    def bytes(self) -> int:
        """Bytes that are not yet where they belong."""
        return size_of(self._log)

    def copy(self) -> None:
        """Copy it to where it belongs and empty it. For a helper thread; sqlite3.OperationalError on a full disk.

        A reader of another process that keeps its transaction open keeps the log from being emptied, and nobody waits
        for it.
        """
        # a connection of its own: on the writer's the lock would be held for as long as the disk takes
        with self._connected() as connection:
            for _ in range(ROUNDS):
                connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
            with self._writer:
                connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()

    def copy_at_once(self) -> None:
        """The same while the writer waits, for whoever holds it already."""
        with self._connected() as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()

    def _connected(self) -> AbstractContextManager[sqlite3.Connection]:
        return closing(sqlite3.connect(self._path, isolation_level=None, timeout=0.0))
