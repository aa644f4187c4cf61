"""A disk that takes no more: what can be refused is, what is done is kept, and it goes on when there is room."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from orca_crowd.journal.errors import JournalFull
from orca_crowd.journal.file import JournalFile
from orca_crowd.journal.folder import free_bytes
from orca_crowd.journal.reserve import RESERVE_BYTES


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of one megabyte; mounting it needs root, which the machines that check this project are."""
    where = tmp_path / "disk"
    where.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(where)], capture_output=True, check=False
    )
    if mounted.returncode != 0:
        pytest.skip("mounting a small file system needs root")
    yield where
    subprocess.run(["umount", "--lazy", str(where)], check=True)


def fill(disk: Path, name: str = "ballast") -> Path:
    """Take all the room there is."""
    ballast = disk / name
    free = os.statvfs(disk)
    ballast.write_bytes(bytes(free.f_bavail * free.f_frsize))
    return ballast


def test_a_change_is_refused_and_a_step_that_is_done_is_kept(small_disk: Path) -> None:
    with closing(JournalFile.create(small_disk / "w.sqlite", {}, "process")) as journal:
        journal.ready()
        journal.append("change", 0, b"first")
        ballast = fill(small_disk)

        with pytest.raises(JournalFull, match=r"w\.sqlite cannot be written"):
            journal.append("change", 0, bytes(50_000))
        assert journal.sequence == 1

        # done already: it takes the room that was kept for it
        journal.advance(1, "ab" * 32)
        with pytest.raises(JournalFull):
            journal.ready()

        ballast.unlink()
        journal.ready()
        journal.append("change", 1, b"second")
        journal.close()
        with closing(JournalFile(journal.path, "process")) as again:
            assert (again.step, [record.body for record in again.records(0)]) == (1, [b"first", b"second"])


def test_a_file_is_made_whole_or_not_at_all(small_disk: Path) -> None:
    fill(small_disk)
    with pytest.raises(JournalFull):
        JournalFile.create(small_disk / "w.sqlite", {}, "process")
    assert [path.name for path in small_disk.iterdir()] == ["ballast"]


def test_with_however_little_room_a_file_is_made_whole_or_not_at_all(small_disk: Path) -> None:
    """From no page to enough of them: SQLite makes files of its own, each of which may be the one without room."""
    ballast = fill(small_disk)
    made = []
    for pages in range(40):
        size = ballast.stat().st_size
        os.truncate(ballast, size - 4096)
        try:
            JournalFile.create(small_disk / "w.sqlite", {}, "process").delete()
            made.append(pages)
        except JournalFull:
            assert not made
        assert [path.name for path in small_disk.iterdir()] == ["ballast"]
    assert 0 < len(made) < 40


def test_who_died_with_a_full_disk_is_opened_with_the_room_that_was_kept(small_disk: Path) -> None:
    code = f"""
        import os, signal
        from pathlib import Path
        from orca_crowd.journal.file import JournalFile

        journal = JournalFile.create(Path({str(small_disk)!r}) / "w.sqlite", {{}}, "process")
        journal.ready()
        journal.append("change", 0, b"first")
        os.kill(os.getpid(), signal.SIGKILL)
    """
    subprocess.run([sys.executable, "-c", textwrap.dedent(code)], check=False, timeout=60)
    fill(small_disk)
    # the file that SQLite needs to open another is not there, or as good as not there
    (small_disk / "w.sqlite-shm").unlink()
    fill(small_disk, "more")
    with pytest.raises(JournalFull, match=r"w\.sqlite cannot be opened"):
        JournalFile(small_disk / "w.sqlite")
    with closing(JournalFile(small_disk / "w.sqlite", alone=True)) as journal:
        assert [record.body for record in journal.records(0)] == [b"first"]


def test_a_snapshot_does_not_take_the_last_of_the_room(small_disk: Path) -> None:
    with closing(JournalFile.create(small_disk / "w.sqlite", {}, "process")) as journal:
        journal.ready()
        free = free_bytes(small_disk)
        with pytest.raises(JournalFull, match=r"a snapshot needs \d+ bytes, \d+ are free"):
            journal.write_snapshot(0, 0, bytes(free // 2), b"")
        assert free_bytes(small_disk) == free
        # it is in the log and in the file for a while
        number = journal.write_snapshot(0, 0, bytes(free // 3), b"")
        journal.checkpoint()
        with pytest.raises(JournalFull):
            journal.write_snapshot(0, 0, bytes(free // 3), b"")
        # what was forgotten is used again
        journal.write_snapshot(1, 0, b"", b"")
        journal.forget_before(number + 1)
        journal.write_snapshot(2, 0, bytes(free // 3), b"")


def test_the_log_of_a_full_disk_gives_room_back(small_disk: Path) -> None:
    """The same few pages over and over fill a log, and are few where they belong."""
    with closing(JournalFile.create(small_disk / "w.sqlite", {}, "process")) as journal:
        journal.ready()

        def until_it_is_full() -> None:
            while True:
                journal.ready()
                journal.append("change", journal.step, b"")
                journal.advance(journal.step + 1)

        with pytest.raises(JournalFull):
            until_it_is_full()
        step = journal.step
        journal.checkpoint()
        for _ in range(50):
            journal.ready()
            journal.append("change", step, b"")
            journal.advance(step)


def test_a_mark_that_found_no_room_is_made_up_for(tmp_path: Path) -> None:
    """Where even the reserve does not help, as with a limit on the size of files, nothing is taken until it does."""
    code = f"""
        import resource, signal
        from pathlib import Path
        from orca_crowd.journal.errors import JournalFull
        from orca_crowd.journal.file import JournalFile

        journal = JournalFile.create(Path({str(tmp_path)!r}) / "w.sqlite", {{}}, "process")
        journal.ready()
        journal.append("change", 0, b"first")
        # the log is as long as a file may be; the signal for that is ignored by Python
        length = Path({str(tmp_path)!r}, "w.sqlite-wal").stat().st_size
        _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (max(length, {RESERVE_BYTES}), hard))
        steps = 0
        try:
            while True:
                journal.advance(steps + 1)
                steps += 1
        except JournalFull:
            pass
        try:
            journal.ready()
            raise SystemExit("ready, though a mark is owed")
        except JournalFull:
            pass
        resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
        journal.ready()
        assert journal.step == steps + 1, (journal.step, steps)
        journal.close()
        assert JournalFile(journal.path, "process").step == steps + 1
    """
    subprocess.run([sys.executable, "-c", textwrap.dedent(code)], check=True, timeout=60)
