"""Worlds in a store that speaks S3, by its real driver and in real processes that are killed, frozen and raced."""

from __future__ import annotations

import signal
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from typing import Any

import pytest

from orca_crowd.journal.errors import StoreAway
from orca_crowd.journal.store import Store
from tests.orca_crowd.journal.keeper import Keeper, history, keeper
from tests.support.s3_store import BUCKETS, S3Store

pytest.importorskip("s3fs")
pytest.importorskip("moto")

TURNS = 1000


@pytest.fixture(scope="module")
def digests(kernels: None) -> list[str]:
    """What the world is after each turn, whoever takes them."""
    return history(2 * TURNS)


def begin(life: Keeper) -> tuple[int, int, str]:
    """Let it live; its epoch, and the state that it begins with."""
    told = life.asked("begin")
    assert told["cut"] is None
    return (told["epoch"], *told["state"])


@pytest.mark.parametrize("bucket", BUCKETS)
def test_of_many_who_write_an_object_one_does(bucket: str, s3_url: str) -> None:
    store = Store(s3_url.replace("plain", bucket))
    store.check()
    for name in ("log/1", "log/2"):
        with ThreadPoolExecutor(8) as pool:
            written = list(pool.map(lambda n, name=name: store.put_new(name, b"%d" % n), range(8)))  # type: ignore[misc]
        assert sum(written) == 1
        assert store.get(name) == b"%d" % written.index(True)
    # one driver, and one set of connections, whoever asks
    assert Store(store.url)._system is store._system


def test_a_bucket_that_is_not_there_says_nothing_of_what_is_in_it(s3_url: str) -> None:
    store = Store(s3_url.replace("plain", "nowhere"))
    for ask in (store.check, lambda: store.get("made/w"), lambda: store.has("made/w"), lambda: store.get_all(["a"])):
        with pytest.raises(StoreAway, match="bucket does not exist"):
            ask()


def test_a_world_is_taken_over_does_without_its_store_and_is_killed(
    s3: S3Store, s3_url: str, digests: list[str]
) -> None:
    with ExitStack() as stack:
        # they begin when they are told, and are started at the same time
        old, life, last = (stack.enter_context(keeper(s3_url, s3.environment)) for _ in range(3))
        for each in (old, life, last):
            assert each.heard() == "waits"
        assert begin(old)[1:] == (0, digests[0])
        assert old.asked("go 1") == [1, digests[1]]

        # one takes the world over while the other is in the middle of it
        old.tell(f"go {TURNS}")
        epoch, step, digest = begin(life)
        assert digest == digests[step]
        told: Any = [1]
        while isinstance(heard := old.heard(), list):
            told = heard
            assert told[1] == digests[told[0]]
        assert heard["known"] is True
        assert "another process" in heard["superseded"]
        # nothing that it has acknowledged came after the takeover
        assert told[0] <= step < TURNS

        # the store goes away, then it hangs: refused, and nothing is changed; when it is back the world goes on
        for away, back in (
            (s3.away, s3.back),
            (lambda: s3.process.send_signal(signal.SIGSTOP), lambda: s3.process.send_signal(signal.SIGCONT)),
        ):
            away()
            try:
                refused = life.asked("go 1")
                assert life.asked("state") == [step, digests[step]]
            finally:
                back()
            assert refused["code"] == "not-ready"
            assert "nothing was changed" in refused["detail"]
            while isinstance(heard := life.asked("go 1"), dict):
                assert heard["code"] == "not-ready"
            step += 1
            assert heard == [step, digests[step]]

        # killed in the middle: what was acknowledged is there, and what was under way may be
        life.tell(f"go {TURNS}")
        acknowledged = [life.heard() for _ in range(12)]
        life.process.send_signal(signal.SIGKILL)
        life.process.wait()
        assert acknowledged == [[each, digests[each]] for each in range(step + 1, step + 13)]
        later, there, digest = begin(last)
        assert later > epoch
        assert step + 12 <= there
        assert digest == digests[there]
        assert last.asked("go 1") == [there + 1, digests[there + 1]]
