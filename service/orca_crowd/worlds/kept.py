"""Which worlds have a journal where a cluster keeps them, seen from front ends, which open none."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Set
from contextlib import closing
from pathlib import Path
from typing import Protocol

from orca_crowd.journal.store import Store
from orca_crowd.settings import Settings
from orca_crowd.worlds.archive import SUFFIX

__all__ = ["Kept", "KeptInFolder", "KeptInStore", "kept_of"]


Wanted = Callable[[str], bool]


def anybody(_: str) -> bool:
    """Every world is wanted."""
    return True


class Kept(Protocol):
    """Calls block; StoreAway where a store gives no answer."""

    def has(self, world: str) -> bool:
        """Whether a world has a journal."""
        ...

    def awake(self, there: Set[str], wanted: Wanted = anybody) -> list[str]:
        """Worlds that have a journal and were not put away, without those that are there or not wanted."""
        ...


class KeptInFolder:
    """Journals in a folder of data; whether a world was put away stands in its file, which is read when it changed."""

    def __init__(self, folder: Path) -> None:
        """Nothing is known yet."""
        self._folder = folder / "worlds"
        self._asleep: dict[str, int] = {}

    def has(self, world: str) -> bool:
        """Whether a world has a journal."""
        return (self._folder / (world + SUFFIX)).exists()

    def awake(self, there: Set[str], wanted: Wanted = anybody) -> list[str]:
        """Worlds that have a journal and were not put away, without those that are there or not wanted."""
        try:
            found = [path.name.removesuffix(SUFFIX) for path in self._folder.iterdir() if path.name.endswith(SUFFIX)]
        except FileNotFoundError:
            return []
        return [name for name in found if name not in there and wanted(name) and not self._is_asleep(name)]

    def _is_asleep(self, world: str) -> bool:
        """Whether this one is; also where its file cannot be read now, which is looked at the next time."""
        path = self._folder / (world + SUFFIX)
        try:
            changed = path.stat().st_mtime_ns
            if self._asleep.get(world) == changed:
                return True
            with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=1.0)) as connection:
                row = connection.execute("SELECT value FROM world WHERE name = 'away'").fetchone()
        except (OSError, sqlite3.Error):
            return True
        if row is None or row[0] != "true":
            self._asleep.pop(world, None)
            return False
        self._asleep[world] = changed
        return True


class KeptInStore:
    """Journals in a store, see journal/trail.py for the names of its objects."""

    def __init__(self, url: str) -> None:
        """Nothing is asked yet; BadStore where the URL is none that can be used."""
        self._store = Store(url)

    def has(self, world: str) -> bool:
        """Whether a world has a journal."""
        return self._store.has(f"made/{world}")

    def awake(self, there: Set[str], wanted: Wanted = anybody) -> list[str]:
        """Worlds that have a journal and were not put away, without those that are there or not wanted."""
        found = [name for name in self._store.names("made") if name not in there and wanted(name)]
        asleep = set(self._store.names("asleep")) if found else set()
        return [name for name in found if name not in asleep]


def kept_of(settings: Settings) -> Kept | None:
    """Where the journals of these settings are, None where there are none; BadStore for a URL that cannot be used."""
    if settings.store is not None:
        return KeptInStore(settings.store)
    return None if settings.folder is None else KeptInFolder(settings.folder)
