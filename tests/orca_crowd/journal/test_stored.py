"""Journals in a store of objects: what is acknowledged is there, what an older life writes is refused."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path

import pytest

from orca_crowd.journal import trail as trails
from orca_crowd.journal.entries import FirstState
from orca_crowd.journal.errors import BadStore, StoreAway, Superseded
from orca_crowd.journal.store import Store
from orca_crowd.journal.stored import StoredJournal, rebuild
from orca_crowd.journal.trail import Trail
from tests.support.s3_store import S3Store

pytest.importorskip("fsspec")

FACTS = {"id": "w", "clock": {"mode": "manual"}, "durability": "power"}
FIRST = FirstState(3, b"state" * 1000, b"memory")


class Failing(Store):
    """A store that fails as it is told to."""

    def __init__(self, url: str) -> None:
        """Nothing fails yet."""
        super().__init__(url)
        # `lost` writes nothing, `unanswered` writes and says that it failed
        self.failure = ""
        self.gate = threading.Event()
        self.gate.set()

    def put_new(self, name: str, data: bytes) -> bool:
        """As the store, or as it was told."""
        self.gate.wait(30)
        if self.failure == "lost":
            raise StoreAway("away")
        written = super().put_new(name, data)
        if self.failure == "unanswered":
            raise StoreAway("away")
        return written


@pytest.fixture(params=["file", "memory", "s3"])
def url(request: pytest.FixtureRequest, s3: S3Store | None, tmp_path: Path) -> Iterator[str]:
    """A store of its own."""
    if request.param == "file":
        yield f"file://{tmp_path}/store"
        return
    if request.param == "s3":
        yield request.getfixturevalue("s3_url")
        return
    yield f"memory://{tmp_path.name}"
    import fsspec

    with suppress(FileNotFoundError):
        fsspec.filesystem("memory").rm(f"/{tmp_path.name}", recursive=True)


class Life:
    """One life of the world `w`."""

    def __init__(self, url: str, folder: Path, now: int) -> None:
        """Take it over, or make it."""
        self.store = Failing(url)
        self.trail = Trail(self.store, "w")
        path = folder / f"{now}.sqlite"
        row = self.trail.claim(now)
        if row is None:
            self.journal = StoredJournal.begin(path, FACTS, FIRST, self.trail)
        else:
            rebuild(path, row, self.store, self.trail.folder)
            self.journal = StoredJournal(path, self.trail)
        self.journal.ready()

    def facts(self) -> tuple[int, list[tuple[int, int, bytes]], list[int]]:
        """Steps, records, and snapshots."""
        entries = self.journal.snapshots()
        records = [(each.sequence, each.step, each.body) for each in self.journal.records(entries[0].sequence)]
        for entry in entries:
            self.journal.snapshot(entry)
        return self.journal.step, records, [entry.number for entry in entries]


Lives = Callable[[int], Life]


@pytest.fixture
def lives(url: str, tmp_path: Path) -> Iterator[Lives]:
    """One life after the other, at a time in milliseconds."""
    found: list[Life] = []

    def begin(now: int) -> Life:
        found.append(Life(url, tmp_path, now))
        return found[-1]

    yield begin
    for life in found:
        life.journal.close()
        life.trail.close()


def test_what_was_acknowledged_is_there_in_the_next_life(lives: Lives) -> None:
    first = lives(1000)
    assert first.journal.append("commands", 3, b"one") == 1
    first.journal.advance(4, "0" * 64)
    first.journal.append("commands", 4, b"refused")
    first.journal.withdraw()
    assert first.journal.append("commands", 4, b"two") == 2
    first.journal.advance(7)
    first.journal.set_facts({"away": True, "ttl": 5})
    assert first.store.names("asleep") == ["w"]
    second = lives(900)
    assert second.trail.epoch == 1001
    assert second.facts() == first.facts() == (7, [(1, 3, b"one"), (2, 4, b"two")], [1])
    assert second.journal.facts() == first.journal.facts() == {**FACTS, "away": True, "ttl": 5}
    assert second.journal.digests(0, 9) == {4: "0" * 64}
    second.journal.set_facts({"away": False})
    assert second.store.names("asleep") == []


def test_an_older_life_writes_nothing_more_ever(lives: Lives, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trails, "PACK_OBJECTS", 10**9)
    old, other = lives(1000), lives(2000)
    assert old.trail.superseded()
    assert not other.trail.superseded()
    with pytest.raises(Superseded):
        old.journal.append("commands", 3, b"late")
    # nor when what the next life began with was put together with others, and a third came and went
    third = lives(3000)
    for step in range(4, 9):
        third.journal.advance(step)
    third.trail._packing.pack()
    with pytest.raises(Superseded):
        other.journal.advance(9)
    with pytest.raises(Superseded):
        old.journal.advance(9)
    assert lives(4000).facts() == (8, [], [1])


def test_a_life_that_writes_all_the_time_is_taken_over_all_the_same(
    lives: Lives, monkeypatch: pytest.MonkeyPatch
) -> None:
    old, names, get_all = lives(1000), Store.names, Store.get_all
    acknowledged = [3]

    def write() -> None:
        with suppress(Superseded):
            old.journal.advance(acknowledged[-1] + 1)
            acknowledged.append(acknowledged[-1] + 1)

    def listed(store: Store, folder: str) -> list[str]:
        found = names(store, folder)
        write()
        return found

    def read(store: Store, wanted: Sequence[str]) -> list[bytes | None]:
        found = get_all(store, wanted)
        write()
        return found

    monkeypatch.setattr(Store, "names", listed)
    monkeypatch.setattr(Store, "get_all", read)
    new = lives(2000)
    assert len(acknowledged) > 1
    assert new.facts() == (acknowledged[-1], [], [1])
    with pytest.raises(Superseded):
        old.journal.advance(99)


@pytest.mark.parametrize("forgotten", [False, True])
def test_a_life_that_was_slow_to_begin_does_not_begin_in_the_past(
    forgotten: bool, lives: Lives, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trails, "PACK_OBJECTS", 10**9)
    old, names = lives(1000), Store.names

    def listed(store: Store, folder: str) -> list[str]:
        # much happens before what was listed is made use of, and the next number is used and free again
        found = names(store, folder)
        monkeypatch.setattr(Store, "names", names)
        for step in range(4, 9):
            old.journal.advance(step)
        if forgotten:
            number = old.journal.write_snapshot(8, 0, b"later", b"")
        old.trail._packing.pack()
        old.journal.advance(9)
        if forgotten:
            old.journal.forget_before(number)
        return found

    monkeypatch.setattr(Store, "names", listed)
    new = lives(2000)
    with pytest.raises(Superseded):
        old.journal.advance(10)
    new.journal.advance(11)
    assert new.facts() == lives(3000).facts() == (11, [], [2 if forgotten else 1])


@pytest.mark.parametrize("failure", ["lost", "unanswered"])
def test_what_was_refused_is_not_there_and_what_was_taken_is(failure: str, lives: Lives) -> None:
    life = lives(1000)
    life.journal.append("commands", 3, b"one")
    life.store.failure = failure
    with pytest.raises(StoreAway):
        life.journal.append("commands", 3, b"refused")
    with pytest.raises(StoreAway):
        life.journal.ready()
    with pytest.raises(StoreAway):
        life.journal.set_facts({"ttl": 5})
    # a step that was taken cannot be refused: it is recorded before anything else
    with pytest.raises(StoreAway):
        life.journal.advance(4)
    life.store.failure = ""
    life.journal.ready()
    assert life.journal.append("commands", 4, b"two") == 2
    again = lives(2000)
    assert again.facts() == life.facts() == (4, [(1, 3, b"one"), (2, 4, b"two")], [1])
    assert again.journal.facts() == {**FACTS, "ttl": None}


def test_a_process_that_dies_between_the_write_and_its_answer(lives: Lives) -> None:
    life = lives(1000)
    life.store.failure = "unanswered"
    with pytest.raises(StoreAway):
        life.journal.advance(4)
    # nobody was told of it, and it is there: that is allowed; what is not there would not be
    assert lives(2000).facts() == (4, [], [1])
    life.store.failure = ""
    # its own last object was there before, and it finds that out; the next one it does not write
    life.journal.ready()
    with pytest.raises(Superseded):
        life.journal.advance(5)


def test_a_slow_store_holds_nobody_up_for_long(lives: Lives, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trails, "ANSWER_SECONDS", 0.05)
    life = lives(1000)
    life.store.gate.clear()
    with pytest.raises(StoreAway, match="has not answered"):
        life.journal.append("commands", 3, b"slow")
    with pytest.raises(StoreAway):
        life.journal.ready()
    assert not life.trail.superseded()
    life.store.gate.set()
    monkeypatch.setattr(trails, "ANSWER_SECONDS", 30.0)
    life.journal.ready()
    assert lives(2000).facts() == (3, [], [1])


def test_states_are_read_from_where_they_were_taken_and_the_past_is_dropped(
    lives: Lives, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trails, "PACK_OBJECTS", 10**9)
    life = lives(1000)
    numbers = []
    for round_ in range(4):
        step, sequence = 10 * round_ + 10, life.journal.append("commands", life.journal.step, b"%d" % round_)
        life.journal.advance(step)
        # what comes while the state is being written is read from the row
        life.journal.advance(step + 1)
        numbers.append(life.journal.write_snapshot(step, sequence, b"s" * 300_000, b"m"))
        life.trail._packing.pack()
    again = lives(2000)
    # the last two states, all records since, and the last step
    assert again.facts() == (41, [(4, 31, b"3")], numbers[-2:])
    again.journal.append("commands", 41, b"four")
    again.journal.forget_before(numbers[-1])
    names = again.store.names("worlds/w")
    assert sum(name.startswith("states/") for name in names) == 1
    assert lives(3000).facts() == (41, [(5, 41, b"four")], numbers[-1:])


def test_what_is_damaged_is_left_out_and_told(lives: Lives, tmp_path: Path) -> None:
    life = lives(1000)
    for number in range(3):
        life.journal.append("commands", 3, b"%d" % number)
    last = life.store.names("worlds/w/log")[-1]
    whole = life.store.get(f"worlds/w/log/{last}")
    assert whole is not None
    life.store.put(f"worlds/w/log/{last}", whole[:-3])
    again = lives(2000)
    assert again.trail.damage == f"object {int(last)} of the journal is missing or damaged"
    assert [body for _, _, body in again.facts()[1]] == [b"0", b"1"]
    # a new row begins behind it, and is whole
    again.journal.close()
    again.journal = StoredJournal.begin(tmp_path / "anew.sqlite", FACTS, FirstState(3, b"new", b""), again.trail)
    again.journal.advance(5)
    third = lives(3000)
    assert (third.trail.damage, third.facts()) == (None, (5, [], [1]))
    # two bytes of a state: the one before it is used
    number = third.journal.write_snapshot(5, 0, b"late", b"")
    mine = f"-{number}-{third.trail.life.hex()}"
    (state,) = [name for name in third.store.names("worlds/w/states") if name.endswith(mine)]
    third.store.put(f"worlds/w/states/{state}", b"l")
    assert lives(4000).facts() == (5, [], [1])


def test_a_deleted_world_is_gone_and_its_id_is_free(lives: Lives) -> None:
    life = lives(1000)
    life.journal.append("commands", 3, b"one")
    other = lives(1500)
    other.trail.delete()
    assert other.store.names("") == []
    # who was there before has nothing to say; who deleted it has an answer to give
    assert life.trail.superseded()
    assert not other.trail.superseded()
    anew = lives(2000)
    assert anew.facts() == (3, [], [1])
    # what the old one still writes is nobody's
    with suppress(Superseded):
        life.journal.append("commands", 3, b"late")
    anew.journal.advance(9)
    assert lives(3000).facts() == (9, [], [1])


@pytest.mark.parametrize(
    ("url", "what"),
    [
        ("ftp://host/folder", "known are file://"),
        ("s3://", "s3fs|name a bucket"),
        ("memory://", "name a bucket or a folder"),
        ("s3://bucket/worlds", r"pip install 'orca-crowd\[s3\]'"),
    ],
)
def test_what_is_no_store_is_refused_and_what_would_be(url: str, what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "s3fs", None)
    # fsspec remembers what it has found
    monkeypatch.delitem(import_module("fsspec.registry")._registry, "s3", raising=False)
    with pytest.raises(BadStore, match=what):
        Store(url)


def test_a_store_that_replaces_what_it_must_not_is_refused(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    store = Store(url)
    store.check()
    assert store.names("") == []

    def careless(name: str, data: bytes) -> bool:
        store.put(name, data)
        return True

    monkeypatch.setattr(store, "put_new", careless)
    with pytest.raises(BadStore, match="replaces"):
        store.check()
