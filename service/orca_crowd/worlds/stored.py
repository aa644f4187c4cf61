"""The journal of one world in a store of objects, taken over by whoever runs the world: see journal/trail.py."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from orca_core import _jit
from orca_crowd import __version__
from orca_crowd.clock import Clock
from orca_crowd.errors import ApiError
from orca_crowd.journal.codec import pack
from orca_crowd.journal.entries import FirstState
from orca_crowd.journal.errors import BadJournal, JournalFull
from orca_crowd.journal.recorder import Recorder
from orca_crowd.journal.store import Store
from orca_crowd.journal.stored import StoredJournal, rebuild
from orca_crowd.journal.trail import NUMBERS, Trail
from orca_crowd.journal.watch import Writing
from orca_crowd.settings import Settings
from orca_crowd.worlds.archive import Archive
from orca_crowd.worlds.recovery import Restore, recover
from orca_crowd.worlds.session import Session

__all__ = ["StoredArchive"]

FOLDERS: Final = "orca-crowd-journals-"


class StoredArchive(Archive):
    """Makes, finds and brings back the journal of one world; its file here is nobody's memory."""

    def __init__(self, url: str, settings: Settings, world: str, clock: Clock) -> None:
        """Nothing is asked before `claim`; BadStore where the URL is none that can be used."""
        self._home = _own_folder()
        super().__init__(self._home, settings)
        self._world = world
        self._clock = clock
        self._trail = Trail(Store(url), world)

    def watch(self, writing: Writing) -> None:
        """`writing` goes around writes that somebody waits for."""
        self._writing = writing

    def claim(self) -> tuple[int, int]:
        """Take the world over from whoever had it; the epoch, and the first one that it had.

        StoreAway where that cannot be now, BadJournal where no state is left.
        """
        self.open()
        trail = self._trail
        path = self.path(self._world)
        try:
            row = trail.claim(int(self._clock.wall() * 1000))
            if row is None:
                return trail.epoch, trail.epoch
            rebuild(path, row, trail.store, trail.folder)
        except BadJournal:
            # the world is there and has failed, which its registry finds out and tells
            path.touch()
            raise
        return trail.epoch, row.made // NUMBERS

    def superseded(self) -> bool:
        """Whether somebody else has taken the world over since, or deleted it."""
        return self._trail.superseded()

    def open(self) -> None:
        """Nothing is locked."""
        self.folder.mkdir(parents=True, exist_ok=True)

    def close(self) -> None:
        """Nothing is left on this machine."""
        self._trail.close()
        shutil.rmtree(self._home, ignore_errors=True)

    def names(self) -> list[str]:
        """The world, if it has a journal."""
        return [self._world] if self.path(self._world).exists() else []

    def delete(self, name: str) -> None:
        """Remove the journal of a world that has ended."""
        self._trail.delete()
        shutil.rmtree(self._home, ignore_errors=True)

    def begin(self, session: Session, facts: Mapping[str, Any]) -> None:
        """Let a session keep a journal from here on; 507 where that cannot be, and then there is none."""
        described = {"version": __version__, "kernels": _jit.kernel_digest(), **facts}
        try:
            first = FirstState(session.world.step_count, session.world.snapshot(), pack(session.memory()))
            file = StoredJournal.begin(self.path(session.name), described, first, self._trail)
        except JournalFull as full:
            raise ApiError("no-room", f"there is no room for a journal: {full}; nothing was changed") from None
        session.recorder = Recorder(file, session.world, self._policy, self._writing)

    def bring_back(self, name: str, restore: Restore) -> tuple[Session, dict[str, Any], str | None]:
        """A world as it was acknowledged last, what it is besides, and what had to be left out.

        What is damaged stays in the store, and a new row begins behind it.
        """
        path, trail = self.path(name), self._trail
        recovered = recover(path, name, restore, self._settings, opened=StoredJournal(path, trail))
        facts = recovered.file.facts()
        cut = recovered.cut or trail.damage
        if cut is not None:
            recovered.file.close()
            world, memory = recovered.session.world, pack(recovered.session.memory())
            first = FirstState(world.step_count, world.snapshot(), memory)
            recovered.file = StoredJournal.begin(path, facts, first, trail)
            trail.damage = None
        recovered.session.recorder = Recorder(recovered.file, recovered.session.world, self._policy, self._writing)
        return recovered.session, facts, cut


def _own_folder() -> Path:
    """A folder of this process; those of processes that were killed are removed."""
    base = Path(tempfile.gettempdir())
    for each in base.glob(f"{FOLDERS}*"):
        pid = each.name.removeprefix(FOLDERS).partition("-")[0]
        with suppress(OSError):
            if pid.isdigit() and not Path(f"/proc/{pid}").exists() and each.stat().st_uid == os.getuid():
                shutil.rmtree(each, ignore_errors=True)
    return Path(tempfile.mkdtemp(prefix=f"{FOLDERS}{os.getpid()}-"))
