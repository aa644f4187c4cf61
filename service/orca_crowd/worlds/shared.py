"""The journal of one world in a folder that several machines reach: taken over by whoever runs the world, see fence.py.

The folder has no lock: each world has its own, which is its epoch.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path

from orca_crowd.clock import Clock
from orca_crowd.journal.fence import Fence, epoch_of, take_over
from orca_crowd.journal.watch import Writing
from orca_crowd.settings import Settings
from orca_crowd.worlds.archive import Archive

__all__ = ["SharedArchive"]


class SharedArchive(Archive):
    """Makes, finds and brings back the journal of one world."""

    def __init__(self, folder: Path, settings: Settings, world: str, clock: Clock) -> None:
        """Nothing happens before `claim`."""
        super().__init__(folder, settings)
        self._world = world
        self._clock = clock

    def watch(self, writing: Writing) -> None:
        """`writing` goes around writes that somebody waits for."""
        self._writing = writing

    def claim(self) -> tuple[int, int]:
        """Take the world over from whoever had it; the epoch, and the first one that it had.

        BadJournal or JournalFull where that cannot be.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        now, path = int(self._clock.wall() * 1000), self.path(self._world)
        epoch, created = take_over(path, now) if path.exists() else (now, now)
        self._fence = Fence(epoch, shared=True)
        return epoch, created

    def superseded(self) -> bool:
        """Whether somebody else has taken the world over since, or deleted it and made another."""
        try:
            epoch = epoch_of(self.path(self._world))
        except sqlite3.Error:
            # a file that cannot be read now says nothing; who writes to it learns
            return False
        return epoch is not None and epoch != self._fence.epoch

    def open(self) -> None:
        """Nothing is locked."""
        self.folder.mkdir(parents=True, exist_ok=True)

    def names(self) -> list[str]:
        """The world, if it has a journal."""
        return [self._world] if self.path(self._world).exists() else []
