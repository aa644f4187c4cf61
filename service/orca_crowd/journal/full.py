"""What SQLite and the operating system say of a disk that takes no more, as one error."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from types import TracebackType
from typing import Final

from orca_crowd.journal.errors import JournalFull, StoreAway

__all__ = ["LOCK_SECONDS", "full", "is_locked", "no_room"]

# how long one waits for a process that has a file locked, which takes milliseconds unless it is frozen
LOCK_SECONDS: Final = 10.0
LOCKED: Final = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED})


class full:  # noqa: N801 - used as a call
    """JournalFull for what SQLite and the operating system say of a disk that takes no more.

    A class and no generator, which takes twice as long.
    """

    __slots__ = ("_path",)

    def __init__(self, path: Path) -> None:
        self._path = path

    def __enter__(self) -> None:
        pass

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if isinstance(error, sqlite3.OperationalError | OSError):
            raise no_room(self._path, error) from error


def is_locked(error: Exception) -> bool:
    """Whether another process had the file for longer than one waits: a frozen one, in the middle of what it wrote."""
    return isinstance(error, sqlite3.OperationalError) and error.sqlite_errorcode & 0xFF in LOCKED


def no_room(path: Path, error: Exception) -> JournalFull:
    """What is to be raised for it."""
    kind = StoreAway if is_locked(error) else JournalFull
    return kind(f"{path.name} cannot be written: {error}")
