"""One journal as a file: what is written to it, and what is read from it. No world, no clock, no event loop.

Write-ahead logging. With durability `process` a commit is with the operating system when it returns, which survives the
death of this process; with `power` it is on the disk. Whoever opens the file with another tool meanwhile sees the last
commit and blocks nobody.

Checkpoints (the log's pages copied to where they belong) are asked for by `checkpoint` (log.py) and never happen inside
a commit, where SQLite puts them by default and where a step would wait for them.

A snapshot is written in parts, each a short transaction, so that a large one holds up the steps only for a part.
"""

from __future__ import annotations

import json
import sqlite3
import threading
import time
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Literal

from orca_crowd.journal.entries import FirstState, Record, SnapshotEntry
from orca_crowd.journal.errors import BadJournal, JournalFull, StoreAway
from orca_crowd.journal.fence import ALONE, Fence
from orca_crowd.journal.folder import free_bytes, remove_beside, remove_journal, size_of, sync_folder
from orca_crowd.journal.full import LOCK_SECONDS, full, is_locked, no_room
from orca_crowd.journal.log import Log
from orca_crowd.journal.making import fact_rows, make, parts
from orca_crowd.journal.reserve import RESERVE_BYTES, Reserve
from orca_crowd.journal.schema import APPLICATION, VERSION

__all__ = ["Durability", "JournalFile"]

Durability = Literal["process", "power"]

# between two parts of a snapshot
PAUSE_SECONDS = 0.0005
# records that are read in one piece
RECORDS_AT_ONCE = 256
INSERT_RECORD = "INSERT INTO records VALUES (?, ?, ?, ?, ?)"
UPDATE_PROGRESS = "UPDATE progress SET step = ?, sequence = ?"
# what SQLite says where a file cannot grow, or cannot be made
NO_ROOM = frozenset({sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN})


class JournalFile:
    """An open journal; all calls may come from any thread, one after another."""

    def __init__(
        self, path: Path, durability: Durability | None = None, *, alone: bool = False, fence: Fence = ALONE
    ) -> None:
        """Open a file that is there, to be written as durably as it was made for; BadJournal where it is none.

        SQLite makes a file of its own to open one, for which a full disk has no room: JournalFull; StoreAway while
        another process has it locked. `alone` says that
        nobody else has the file open, so that the reserve which an earlier process left behind is given up for it.
        """
        self.path = path
        self._fence = fence
        self._lock = threading.RLock()
        self._reserve = Reserve(path.with_suffix(".reserve"))
        self._log = Log(path, self._lock)
        self._owed: int | None = None
        try:
            self._open(durability)
        except JournalFull:
            if not alone or not self._reserve.give_up():
                raise
            self._open(durability)

    def _open(self, durability: Durability | None) -> None:
        self._connection = sqlite3.connect(
            self.path, isolation_level=None, check_same_thread=False, timeout=LOCK_SECONDS
        )
        try:
            self._prepare(durability)
            self.step, self.sequence = self._furthest()
        except (sqlite3.DatabaseError, TypeError, ValueError) as error:
            self._connection.close()
            # neither a lock nor a full disk says anything about the file
            if is_locked(error):
                raise StoreAway(f"{self.path.name} cannot be opened: {error}") from error
            if isinstance(error, sqlite3.OperationalError) and error.sqlite_errorcode & 0xFF in NO_ROOM:
                raise JournalFull(f"{self.path.name} cannot be opened: {error}") from error
            raise BadJournal(f"{self.path.name} cannot be read as a journal: {error}") from None
        except BaseException:
            self._connection.close()
            raise

    @classmethod
    def create(
        cls,
        path: Path,
        facts: Mapping[str, Any],
        durability: Durability,
        first: FirstState | None = None,
        fence: Fence = ALONE,
    ) -> JournalFile:
        """A new file that begins with a state; JournalFull where there is no room, and then there is no file.

        Made under another name, so that a file of this name is always a whole one, whoever dies meanwhile.
        """
        with full(path):
            made = path.with_suffix(".new")
            made.unlink(missing_ok=True)
            # of a world that ended before: its log would be taken for this one's
            remove_beside(path)
            try:
                make(made, fence.facts(facts), first)
                made.rename(path)
                if durability == "power":
                    sync_folder(path.parent)
                return cls(path, durability, fence=fence)
            except BaseException:
                for each in (made, made.with_name(made.name + "-journal"), path):
                    each.unlink(missing_ok=True)
                remove_beside(path)
                raise

    def _prepare(self, durability: Durability | None) -> None:
        """Check whose file it is and how it is to be written."""
        (application,) = self._connection.execute("PRAGMA application_id").fetchone()
        (version,) = self._connection.execute("PRAGMA user_version").fetchone()
        if application != APPLICATION:
            raise BadJournal(f"{self.path.name} is a SQLite file, but no journal of a world")
        if not 1 <= version <= VERSION:
            raise BadJournal(f"{self.path.name} has layout {version}, this server reads {VERSION}: use a newer server")
        if durability is None:
            durability = self.facts().get("durability", "process")
        self._connection.execute(f"PRAGMA journal_mode = {self._fence.mode}")
        if version != VERSION:
            # what layout 1 says is true in layout 2; a server that knows 1 alone would miss records from here on
            self._connection.execute(f"PRAGMA user_version = {VERSION}")
        self._connection.execute(f"PRAGMA synchronous = {self._fence.synchronous.get(durability, 'FULL')}")
        self._connection.execute("PRAGMA wal_autocheckpoint = 0")
        # Debian's SQLite overwrites what is deleted: to forget would take as much room as what is forgotten
        self._connection.execute("PRAGMA secure_delete = OFF")
        self._execute = self._fence.around(self._connection)

    def _furthest(self) -> tuple[int, int]:
        """Steps taken and the newest record: what the last step left, or the records since."""
        step, sequence = self._connection.execute("SELECT step, sequence FROM progress").fetchone()
        newest = self._connection.execute("SELECT step, sequence FROM records ORDER BY sequence DESC LIMIT 1")
        for record_step, record_sequence in newest:
            step, sequence = max(step, record_step), max(sequence, record_sequence)
        return int(step), int(sequence)

    # writing

    def ready(self) -> None:
        """Return when there is room for what comes; JournalFull where there is not, and nothing may be changed then."""
        if self._owed is None and self._reserve.held:
            return
        with self._lock, full(self.path):
            if self._owed is not None:
                self._write_progress(self._owed)
                self._owed = None
            self._reserve.hold()

    def append(self, kind: str, step: int, body: bytes) -> int:
        """Record a change, and its place in the order; JournalFull where there is no room, and nothing is recorded."""
        sequence = self.sequence + 1
        with self._lock:
            try:
                # a statement by itself is a transaction; the progress follows with the next step
                self._execute(INSERT_RECORD, (sequence, step, kind, body, zlib.crc32(body)))
            except (sqlite3.OperationalError, OSError) as error:
                raise no_room(self.path, error) from error
            self.step, self.sequence = step, sequence
        return sequence

    def withdraw(self) -> None:
        """Take the newest record back: what it asked for was refused. Its place is given to the next one.

        Where there is no room even for this, the record stays, and a replay refuses it as it was refused.
        """
        with self._lock, suppress(JournalFull), full(self.path):
            self._execute("DELETE FROM records WHERE sequence = ?", (self.sequence,))
            self.sequence -= 1

    def advance(self, step: int, digest: str | None = None) -> None:
        """Record that so many steps have been taken, and the digest after the last of them.

        The steps are done and cannot be refused, so the reserve is given up for this where the disk is full.
        JournalFull where even that is not enough: then `ready` refuses until this could be recorded.
        """
        with self._lock:
            try:
                self._write_progress(step, digest)
            except (sqlite3.OperationalError, OSError):
                self._owed = step
                self._reserve.release()
                with full(self.path):
                    self._write_progress(step, digest)
                self._owed = None

    def set_facts(self, facts: Mapping[str, Any]) -> None:
        """Other values for some rows of `world`."""
        with self._lock, full(self.path), self._transaction():
            self._connection.executemany("INSERT OR REPLACE INTO world VALUES (?, ?)", fact_rows(facts))

    def write_snapshot(self, step: int, sequence: int, data: bytes | memoryview, memory: bytes) -> int:
        """Keep a whole state, part by part; other calls may come in between. Its number.

        JournalFull where it would take the last of the room: a world goes on without it, and not without records.
        """
        with self._lock, full(self.path):
            self._check_room(len(data) + len(memory))
            number = int(self._connection.execute("SELECT coalesce(max(number), 0) + 1 FROM snapshots").fetchone()[0])
            # parts of one that was not finished
            self._execute("DELETE FROM snapshot_parts WHERE number >= ?", (number,))
        for part, piece in enumerate(parts(data)):
            with self._lock, full(self.path):
                self._execute("INSERT INTO snapshot_parts VALUES (?, ?, ?)", (number, part, piece))
            # the lock is not fair: without a pause this thread would have it back before a step is awake
            time.sleep(PAUSE_SECONDS)
        with self._lock, full(self.path):
            self._execute(
                "INSERT INTO snapshots VALUES (?, ?, ?, ?, ?, ?)",
                (number, step, sequence, len(data), memory, zlib.crc32(memory)),
            )
        return number

    def forget_before(self, number: int) -> None:
        """Drop snapshots before that one, and the records and digests that only they needed."""
        with self._lock, full(self.path), self._transaction():
            rows = self._read("SELECT step, sequence FROM snapshots WHERE number = ?", number)
            if not rows:
                raise ValueError(f"there is no snapshot {number}")
            step, sequence = rows[0]
            self._connection.execute("DELETE FROM snapshot_parts WHERE number < ?", (number,))
            self._connection.execute("DELETE FROM snapshots WHERE number < ?", (number,))
            self._connection.execute("DELETE FROM records WHERE sequence <= ?", (sequence,))
            self._connection.execute("DELETE FROM digests WHERE step < ?", (step,))
            # the newest of them may have been the only one that told how many there were
            self._connection.execute("UPDATE progress SET sequence = max(sequence, ?)", (sequence,))

    def checkpoint(self) -> None:
        """Copy the log to where it belongs, and hardly hold up whoever writes meanwhile. For a helper thread.

        JournalFull where the file cannot grow by what the log has for it, not even by the room that is kept.
        """
        with full(self.path):
            try:
                self._log.copy()
            except sqlite3.OperationalError:
                if not self._copy_with_the_reserve():
                    raise

    def _copy_with_the_reserve(self) -> bool:
        """Whether the room that is kept was enough: a log has the same pages many times over and is the larger one."""
        with self._lock:
            pages, _, size = self._pages()
            # no attempt that would take the room and bring none
            if not self._reserve.held or pages * size - size_of(self.path) > RESERVE_BYTES // 2:
                return False
            self._reserve.release()
            try:
                self._log.copy_at_once()
            finally:
                with suppress(OSError):
                    self._reserve.hold()
        return True

    def close(self) -> None:
        """Close the file; its log is copied and gone. Nothing happens where it is closed."""
        with self._lock:
            self._connection.close()
            self._reserve.release()

    def delete(self) -> None:
        """Close and remove the file and what belongs to it."""
        self.close()
        remove_journal(self.path)

    # reading

    def facts(self) -> dict[str, Any]:
        """The rows of `world`."""
        with self._lock:
            return {name: json.loads(value) for name, value in self._read("SELECT name, value FROM world")}

    def snapshots(self) -> list[SnapshotEntry]:
        """The whole snapshots, the oldest first."""
        with self._lock:
            rows = self._read("SELECT number, step, sequence, size FROM snapshots ORDER BY number")
        return [SnapshotEntry(*row) for row in rows]

    def snapshot(self, entry: SnapshotEntry) -> tuple[bytes, bytes]:
        """The bytes of a snapshot, and what the server remembered; BadJournal where some are missing or changed."""
        with self._lock:
            parts = self._read("SELECT data FROM snapshot_parts WHERE number = ? ORDER BY part", entry.number)
            data = b"".join(part for (part,) in parts)
            ((memory, crc),) = self._read("SELECT memory, crc FROM snapshots WHERE number = ?", entry.number)
        # the snapshot's own digest is checked by who restores it
        if len(data) != entry.size or zlib.crc32(memory) != crc:
            raise BadJournal(f"snapshot {entry.number} of {self.path.name} is not whole")
        return data, memory

    def records(self, after: int, until: int | None = None) -> Iterator[Record]:
        """Records in order from the one behind `after`; BadJournal at the first that is missing or damaged."""
        last = self.sequence if until is None else until
        expected = after + 1
        while expected <= last:
            with self._lock:
                rows = self._read(
                    "SELECT sequence, step, kind, body, crc FROM records WHERE sequence >= ? ORDER BY sequence LIMIT ?",
                    expected,
                    min(RECORDS_AT_ONCE, last + 1 - expected),
                )
            for sequence, step, kind, body, crc in rows:
                if sequence != expected or not isinstance(body, bytes) or zlib.crc32(body) != crc:
                    raise BadJournal(f"record {expected} of {self.path.name} is missing or damaged")
                expected += 1
                yield Record(sequence, step, kind, body)
            if not rows:
                raise BadJournal(f"record {expected} of {self.path.name} is missing or damaged")

    def digests(self, first: int, last: int) -> dict[int, str]:
        """The digests of steps from `first` to `last`, by step."""
        with self._lock:
            return dict(self._read("SELECT step, sha256 FROM digests WHERE step BETWEEN ? AND ?", first, last))

    @property
    def log_bytes(self) -> int:
        """Bytes of the log, which are not yet where they belong."""
        return self._log.bytes

    @property
    def size(self) -> int:
        """Bytes of the file and its log."""
        return size_of(self.path) + self.log_bytes

    @property
    def used(self) -> int:
        """Bytes of the file that hold something, once the log is copied: what was forgotten leaves room inside."""
        with self._lock:
            pages, free, size = self._pages()
        return (pages - free) * size

    # inside

    def _write_progress(self, step: int, digest: str | None = None) -> None:
        if digest is None:
            self._execute(UPDATE_PROGRESS, (step, self.sequence))
        else:
            with self._transaction():
                self._execute(UPDATE_PROGRESS, (step, self.sequence))
                self._execute("INSERT OR REPLACE INTO digests VALUES (?, ?)", (step, digest))
        self.step = step

    def _pages(self) -> tuple[int, int, int]:
        """Pages of the file, those of them that hold nothing, and bytes of a page."""
        asked = (f"PRAGMA {name}" for name in ("page_count", "freelist_count", "page_size"))
        count, free, size = (int(self._connection.execute(each).fetchone()[0]) for each in asked)
        return count, free, size

    def _check_room(self, size: int) -> None:
        """Refuse what would fill the log and the file to the last byte; twice, since it is in both for a while."""
        _, free, page = self._pages()
        needed, there = size + max(0, size - free * page) + RESERVE_BYTES, free_bytes(self.path.parent)
        if there < needed:
            raise JournalFull(f"{self.path.name} cannot be written: a snapshot needs {needed} bytes, {there} are free")

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            self._fence.check(self._connection)
            yield
            self._connection.execute("COMMIT")
        except BaseException:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
            raise

    def _read(self, statement: str, *values: Any) -> list[tuple[Any, ...]]:
        """Rows; BadJournal where the file is damaged, StoreAway while another process has it locked."""
        try:
            return self._connection.execute(statement, values).fetchall()
        except sqlite3.DatabaseError as error:
            if is_locked(error):
                raise StoreAway(f"{self.path.name} cannot be read: {error}") from None
            raise BadJournal(f"{self.path.name} is damaged: {error}") from None
