"""The file of a journal: what is written is read again, damage is seen, a full disk refuses and loses nothing."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from orca_crowd.journal.errors import BadJournal
from orca_crowd.journal.file import JournalFile
from orca_crowd.journal.log import CHECKPOINT_BYTES
from orca_crowd.journal.making import PART_BYTES
from orca_crowd.journal.schema import VERSION


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[JournalFile]:
    """A fresh journal."""
    made = JournalFile.create(tmp_path / "w.sqlite", {"id": "w", "clock": {"mode": "manual"}}, "process")
    with closing(made):
        yield made


def reopened(journal: JournalFile) -> JournalFile:
    """The same file, as another process would find it."""
    journal.close()
    return JournalFile(journal.path, "process")


def test_what_is_written_is_read_again(journal: JournalFile) -> None:
    journal.ready()
    assert journal.append("change", 0, b"one") == 1
    journal.advance(3, "ab" * 32)
    assert journal.append("change", 3, b"two") == 2
    journal.advance(7)
    journal.set_facts({"clock": {"mode": "realtime", "rate": 20}})

    with closing(reopened(journal)) as again:
        assert (again.step, again.sequence) == (7, 2)
        assert [(record.sequence, record.step, record.body) for record in again.records(0)] == [
            (1, 0, b"one"),
            (2, 3, b"two"),
        ]
        assert [record.sequence for record in again.records(1)] == [2]
        assert again.digests(0, 9) == {3: "ab" * 32}
        assert again.facts() == {"id": "w", "clock": {"mode": "realtime", "rate": 20}}


def test_any_tool_looks_inside_while_it_is_written(journal: JournalFile) -> None:
    journal.append("change", 0, b"one")
    with closing(sqlite3.connect(f"file:{journal.path}?mode=ro", uri=True)) as other:
        cursor = other.execute("SELECT sequence, kind FROM records")
        # the reader is in the middle of its answer, and the writer goes on
        assert cursor.fetchone() == (1, "change")
        journal.append("change", 0, b"two")
        assert cursor.fetchall() == []


def test_a_record_is_withdrawn_and_its_place_is_given_again(journal: JournalFile) -> None:
    journal.append("change", 0, b"kept")
    journal.append("change", 0, b"refused")
    journal.withdraw()
    assert journal.append("change", 0, b"next") == 2
    assert [record.body for record in journal.records(0)] == [b"kept", b"next"]


def test_snapshots_come_back_in_one_piece(journal: JournalFile) -> None:
    data = os.urandom(2 * PART_BYTES + 17)
    number = journal.write_snapshot(5, 0, data, b"memory")
    (entry,) = journal.snapshots()
    assert (entry.number, entry.step, entry.sequence, entry.size) == (number, 5, 0, len(data))
    assert journal.snapshot(entry) == (data, b"memory")


def test_steps_are_recorded_while_a_snapshot_is_written(journal: JournalFile) -> None:
    writer = threading.Thread(target=journal.write_snapshot, args=(0, 0, bytes(64 * PART_BYTES), b""))
    writer.start()
    between = 0
    while writer.is_alive():
        journal.advance(between)
        between += 1
    writer.join()
    # one at least got in between two parts
    assert between > 1
    assert len(journal.snapshots()) == 1


def test_a_snapshot_that_was_not_finished_is_none(journal: JournalFile) -> None:
    journal.write_snapshot(1, 0, b"first", b"")
    journal._connection.execute("INSERT INTO snapshot_parts VALUES (2, 0, 'cut')")
    with closing(reopened(journal)) as again:
        assert [entry.step for entry in again.snapshots()] == [1]
        # its parts do not get into the next one
        again.write_snapshot(2, 0, b"second", b"")
        assert again.snapshot(again.snapshots()[-1])[0] == b"second"


def test_what_an_old_snapshot_needed_is_forgotten_with_it(journal: JournalFile) -> None:
    journal.write_snapshot(0, 0, b"zero", b"")
    journal.append("change", 0, b"one")
    journal.advance(4, "00" * 32)
    journal.append("change", 4, b"two")
    number = journal.write_snapshot(4, 2, b"four", b"")
    journal.append("change", 4, b"three")
    journal.forget_before(number)
    assert [entry.step for entry in journal.snapshots()] == [4]
    assert [record.body for record in journal.records(2)] == [b"three"]
    with pytest.raises(BadJournal, match=r"record 1 .* missing"):
        list(journal.records(0))


def test_damage_is_seen_where_it_is(journal: JournalFile) -> None:
    for body in (b"one", b"two", b"three"):
        journal.append("change", 0, body)
    journal._connection.execute("UPDATE records SET body = 'twx' WHERE sequence = 2")
    reading = journal.records(0)
    assert next(reading).body == b"one"
    with pytest.raises(BadJournal, match=r"record 2 .* damaged"):
        next(reading)


def test_a_snapshot_with_a_part_missing_is_refused(journal: JournalFile) -> None:
    journal.write_snapshot(0, 0, bytes(2 * PART_BYTES), b"")
    journal._connection.execute("DELETE FROM snapshot_parts WHERE part = 1")
    with pytest.raises(BadJournal, match="not whole"):
        journal.snapshot(journal.snapshots()[0])


@pytest.mark.parametrize("content", [b"", b"not a database at all" * 100, b"SQLite format 3\0" + bytes(5000)])
def test_a_file_of_something_else_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "w.sqlite"
    path.write_bytes(content)
    with pytest.raises(BadJournal, match=r"w\.sqlite"):
        JournalFile(path, "process")


def test_a_journal_of_a_later_layout_is_not_guessed_at(journal: JournalFile) -> None:
    journal._connection.execute(f"PRAGMA user_version = {VERSION + 1}")
    journal.close()
    with pytest.raises(BadJournal, match="newer server"):
        JournalFile(journal.path, "process")


def test_a_journal_of_the_first_layout_goes_on(journal: JournalFile) -> None:
    """There the progress went with every record, and one that was withdrawn took it back."""
    for body in (b"one", b"two"):
        journal.append("change", 3, body)
    journal._connection.execute("UPDATE progress SET step = 3, sequence = 2")
    journal._connection.execute("PRAGMA user_version = 1")
    with closing(reopened(journal)) as again:
        assert (again.step, again.sequence) == (3, 2)
        again.append("change", 4, b"three")
        # a server that knows the first layout alone would not see this one
        assert again._connection.execute("PRAGMA user_version").fetchone() == (VERSION,)
        with closing(reopened(again)) as third:
            assert (third.step, third.sequence) == (4, 3)


def test_how_far_it_is_survives_that_everything_is_forgotten(journal: JournalFile) -> None:
    journal.append("change", 7, b"one")
    journal.forget_before(journal.write_snapshot(7, 1, b"", b""))
    with closing(reopened(journal)) as again:
        assert (again.sequence, list(again.records(1))) == (1, [])


def test_the_log_is_copied_when_asked_for_and_not_before(journal: JournalFile) -> None:
    for _ in range(300):
        journal.append("change", 0, bytes(8000))
    assert journal.log_bytes > 300 * 8000
    journal.checkpoint()
    # its room is given back
    assert journal.log_bytes == 0
    for _ in range(10):
        journal.append("change", 0, bytes(8000))
    with closing(reopened(journal)) as again:
        assert len(list(again.records(0))) == 310


def test_the_log_of_a_world_that_is_never_still_stays_short(journal: JournalFile) -> None:
    """Something is written while each checkpoint copies, so that none of them ends with everything copied."""
    over = threading.Event()
    longest = []

    def tidy() -> None:
        while not over.is_set():
            if journal.log_bytes > CHECKPOINT_BYTES:
                journal.checkpoint()
                longest.append(journal.log_bytes)

    helper = threading.Thread(target=tidy)
    helper.start()
    try:
        for step in range(4000):
            journal.append("change", step, bytes(8000))
            journal.advance(step)
    finally:
        over.set()
        helper.join()
    # some 40 MB went through it
    assert len(longest) > 2
    assert max(longest) < CHECKPOINT_BYTES


def test_a_reader_of_another_connection_holds_nobody_up(journal: JournalFile) -> None:
    journal.append("change", 0, b"one")
    with closing(sqlite3.connect(journal.path, isolation_level=None)) as tool:
        tool.execute("BEGIN")
        assert tool.execute("SELECT count(*) FROM records").fetchone() == (1,)
        journal.append("change", 0, b"two")
        # what it may still read stays in the log
        journal.checkpoint()
        assert journal.log_bytes > 0
        journal.append("change", 0, b"three")
        assert tool.execute("SELECT count(*) FROM records").fetchone() == (1,)
        tool.execute("COMMIT")
    journal.checkpoint()
    assert journal.log_bytes == 0


def test_what_was_forgotten_is_room_inside(journal: JournalFile) -> None:
    journal.write_snapshot(0, 0, bytes(8 * PART_BYTES), b"")
    number = journal.write_snapshot(0, 0, b"small", b"")
    journal.checkpoint()
    size, used = journal.size, journal.used
    assert used > 8 * PART_BYTES
    journal.forget_before(number)
    # neither the log nor the file needs room for it
    assert journal.log_bytes < PART_BYTES
    assert journal.used < PART_BYTES
    journal.write_snapshot(0, 0, bytes(7 * PART_BYTES), b"")
    journal.checkpoint()
    assert journal.size <= size


def test_nothing_is_left_of_a_deleted_journal(journal: JournalFile, tmp_path: Path) -> None:
    journal.ready()
    journal.append("change", 0, b"one")
    journal.delete()
    assert list(tmp_path.iterdir()) == []
