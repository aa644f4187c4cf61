"""The folder of journals: one file a world, used by one server at a time."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import closing, nullcontext
from pathlib import Path
from typing import IO, Any

from orca_core import _jit
from orca_core.world import World
from orca_crowd import __version__
from orca_crowd.errors import ApiError, Fault, InvalidRequest
from orca_crowd.journal.codec import pack
from orca_crowd.journal.entries import FirstState
from orca_crowd.journal.errors import JournalFull
from orca_crowd.journal.fence import ALONE, Fence
from orca_crowd.journal.file import JournalFile
from orca_crowd.journal.folder import remove_journal
from orca_crowd.journal.recorder import Policy, Recorder
from orca_crowd.journal.watch import Writing
from orca_crowd.settings import Settings
from orca_crowd.worlds.recovery import Replay, Restore, put_aside, recover, start_at
from orca_crowd.worlds.session import Session

__all__ = ["Archive", "ArchiveLocked"]

SUFFIX = ".sqlite"
# what belongs to a journal and is nothing without it, and a journal that was never finished
LOOSE = (SUFFIX + "-wal", SUFFIX + "-shm", ".reserve")
UNFINISHED = (".new", ".new-journal")


class ArchiveLocked(Exception):
    """Another server uses the folder; the message says what can be done."""


class Archive:
    """Makes, finds and brings back journals. Its calls take time and belong into helper threads."""

    def __init__(self, folder: Path, settings: Settings, writing: Writing = nullcontext) -> None:
        """Nothing happens before `open`; `writing` goes around writes that somebody waits for."""
        self._writing = writing
        self.folder = folder / "worlds"
        self._settings = settings
        self._policy = Policy(settings.digest_steps, settings.snapshot_seconds, settings.journal_bytes)
        self._lock: IO[bytes] | None = None
        self._fence: Fence = ALONE

    def open(self) -> None:
        """Take the folder for this server alone; ArchiveLocked or OSError where that cannot be."""
        if self._lock is None:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._lock = _lock(self.folder.parent / "lock")
            self._clear()

    def _clear(self) -> None:
        """Remove what a server left that died while it made or deleted a journal: parts of a file that is not there."""
        present = {path.name for path in self.folder.iterdir()}
        for name in present:
            whole = next((name.removesuffix(end) + SUFFIX for end in LOOSE if name.endswith(end)), None)
            if name.endswith(UNFINISHED) or (whole is not None and whole not in present):
                (self.folder / name).unlink(missing_ok=True)

    def close(self) -> None:
        """Let another server have the folder."""
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    def path(self, name: str) -> Path:
        """Where the journal of a world is."""
        return self.folder / (name + SUFFIX)

    def has(self, name: str) -> bool:
        """Whether a world has a journal."""
        return self.path(name).exists()

    def names(self) -> list[str]:
        """Every world that has a journal, the oldest file first."""
        found = [path for path in self.folder.iterdir() if path.name.endswith(SUFFIX)]
        return [path.name.removesuffix(SUFFIX) for path in sorted(found, key=lambda path: path.stat().st_ctime_ns)]

    def delete(self, name: str) -> None:
        """Remove the journal of a world that has ended, and what belongs to it; a damaged file put aside stays."""
        remove_journal(self.path(name))

    def begin(self, session: Session, facts: Mapping[str, Any]) -> None:
        """Let a session keep a journal from here on; 507 where there is no room, and then there is no file."""
        path = self.path(session.name)
        described = {"version": __version__, "kernels": _jit.kernel_digest(), **facts}
        try:
            first = FirstState(session.world.step_count, session.world.snapshot(), pack(session.memory()))
            file = JournalFile.create(path, described, facts["durability"], first, self._fence)
            try:
                file.ready()
            except BaseException:
                file.delete()
                raise
        except JournalFull as full:
            raise ApiError("no-room", f"there is no room for a journal: {full}; nothing was changed") from None
        session.recorder = Recorder(file, session.world, self._policy, self._writing)

    def past(self, name: str, step: int) -> bytes:
        """The snapshot of a world as it was when it left a step, with every change that was accepted there.

        422 for a step that was not taken yet, 410 for one that the journal has forgotten.
        """
        with closing(JournalFile(self.path(name), fence=Fence(shared=self._fence.shared))) as file:
            if step > file.step:
                fault = Fault(None, "step", f"must be at most {file.step}, the steps that were taken, not {step}")
                raise InvalidRequest([fault])
            entries = [entry for entry in file.snapshots() if entry.step <= step]
            if not entries:
                raise ApiError("gone", f"the journal of world {name!r} does not go back to step {step}")
            session = start_at(file, entries[-1], name, World.restore, self._settings)
            replay = Replay(session)
            replay.records(file, entries[-1].sequence, last_step=step)
            replay.to(step)
            return session.world.snapshot()

    def bring_back(self, name: str, restore: Restore) -> tuple[Session, dict[str, Any], str | None]:
        """A world as it was acknowledged last, what it is besides, and what had to be left out.

        BadJournal where no whole state is left.
        """
        recovered = recover(self.path(name), name, restore, self._settings, self._fence)
        facts = recovered.file.facts()
        if recovered.cut is not None:
            recovered.file = put_aside(recovered, facts, pack(recovered.session.memory()), self._fence)
        recovered.session.recorder = Recorder(recovered.file, recovered.session.world, self._policy, self._writing)
        return recovered.session, facts, recovered.cut


def _lock(path: Path) -> IO[bytes]:
    """The file that is locked while this process lives, however it ends."""
    import fcntl

    # not truncated before it is known to be ours
    lock = path.open("ab")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        lock.close()
        raise ArchiveLocked(
            f"another server uses the folder {path.parent}; stop it, or give this one another with --data"
        ) from None
    lock.truncate(0)
    lock.write(str(os.getpid()).encode())
    lock.flush()
    return lock
