"""What SQLite and the operating system say of a disk that takes no more, as one error."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from types import TracebackType

from orca_crowd.journal.errors import JournalFull

__all__ = ["full", "no_room"]


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


def no_room(path: Path, error: Exception) -> JournalFull:
    return JournalFull(f"{path.name} cannot be written: {error}")
