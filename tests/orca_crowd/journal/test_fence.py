"""A journal that was taken over: whoever had it before writes nothing more, and so acknowledges nothing."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from orca_crowd.journal import fence as fence_module
from orca_crowd.journal import file as file_module
from orca_crowd.journal.entries import FirstState
from orca_crowd.journal.errors import BadJournal, JournalFull, StoreAway, Superseded
from orca_crowd.journal.fence import Fence, epoch_of, take_over
from orca_crowd.journal.file import JournalFile

FACTS = {"id": "w", "durability": "process"}
WRITES: dict[str, Callable[[JournalFile], object]] = {
    "record": lambda file: file.append("step", 3, b"body"),
    "step": lambda file: file.advance(4),
    "digest": lambda file: file.advance(4, "d"),
    "fact": lambda file: file.set_facts({"name": "n"}),
    "snapshot": lambda file: file.write_snapshot(3, 0, b"state", b"memory"),
    "withdrawal": lambda file: file.withdraw(),
    "forgetting": lambda file: file.forget_before(1),
}


def made(path: Path, epoch: int) -> JournalFile:
    return JournalFile.create(path, FACTS, "process", FirstState(3, b"state", b"memory"), Fence(epoch, shared=True))


@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES)
def test_an_older_life_writes_nothing(tmp_path: Path, write: Callable[[JournalFile], object]) -> None:
    path = tmp_path / "w.sqlite"
    old = made(path, 1000)
    old.append("step", 3, b"first")
    write(old)
    old.append("step", 4, b"second")
    before = (old.step, old.sequence)
    assert take_over(path, 2000) == (2000, 1000)
    new = JournalFile(path, fence=Fence(2000, shared=True))
    assert (new.step, new.sequence) == before
    with pytest.raises(Superseded):
        write(old)
    assert (JournalFile._furthest(new), len(new.snapshots())) == (before, len(old.snapshots()))
    write(new)
    for file in (old, new):
        file.close()


def test_epochs_only_go_up(tmp_path: Path) -> None:
    path = tmp_path / "w.sqlite"
    assert epoch_of(path) is None
    made(path, 1000).close()
    assert epoch_of(path) == 1000
    # a clock that went back
    assert take_over(path, 5) == (1001, 1000)
    assert epoch_of(path) == 1001


def test_a_journal_of_one_machine_can_be_taken_over(tmp_path: Path) -> None:
    path = tmp_path / "w.sqlite"
    (tmp_path / "none").write_bytes(b"nothing of ours" * 100)
    with pytest.raises(BadJournal):
        take_over(tmp_path / "none", 1)
    JournalFile.create(path, FACTS, "process", FirstState(3, b"state", b"memory")).close()
    assert take_over(path, 9) == (9, 9)
    shared = JournalFile(path, fence=Fence(9, shared=True))
    assert shared.append("step", 3, b"body") == 1
    # no log that other machines could not read
    assert not path.with_name(path.name + "-wal").exists()
    shared.close()


def test_a_file_that_cannot_be_written_is_told_as_one(tmp_path: Path) -> None:
    with pytest.raises((JournalFull, BadJournal)):
        take_over(tmp_path / "nowhere" / "w.sqlite", 1)


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody waits long for a lock."""
    for module in (fence_module, file_module):
        monkeypatch.setattr(module, "LOCK_SECONDS", 0.02)


@contextmanager
def frozen(path: Path) -> Iterator[None]:
    """Another process has stopped in the middle of what it writes."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("BEGIN EXCLUSIVE")
        yield
        connection.execute("ROLLBACK")


@pytest.mark.usefixtures("impatient")
def test_a_file_that_a_frozen_process_has_locked_is_not_damaged(tmp_path: Path) -> None:
    path = tmp_path / "w.sqlite"
    with closing(made(path, 1000)) as file:
        file.append("step", 3, b"first")
        file.advance(4)
        asked: list[Callable[[], object]] = [
            lambda: take_over(path, 2000),
            lambda: JournalFile(path, fence=Fence(1000, shared=True)),
            file.snapshots,
            lambda: list(file.records(0)),
            file.facts,
            *(lambda write=write: write(file) for name, write in WRITES.items() if name != "withdrawal"),
        ]
        with frozen(path):
            for ask in asked:
                with pytest.raises(StoreAway, match="locked"):
                    ask()
        # nothing of it has happened but for the step, which was taken and is written with the next one
        assert epoch_of(path) == 1000
        file.ready()
        assert [record.sequence for record in file.records(0)] == [1]
        assert (file.step, file.sequence, len(file.snapshots())) == (4, 1, 1)
