"""Worlds in a store that speaks S3, by its real driver and in real processes that are killed, frozen and raced."""

from __future__ import annotations

import signal
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import pytest

from orca_crowd.journal.errors import StoreAway, Superseded
from orca_crowd.journal.store import Store
from tests.orca_crowd.journal.keeper import History, Life, keeper, state, turn
from tests.support.s3_store import BUCKETS, S3Store

pytest.importorskip("s3fs")
pytest.importorskip("moto")


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


def test_a_world_is_taken_over_does_without_its_store_and_is_killed(s3: S3Store, s3_url: str) -> None:
    digests = History()
    with ExitStack() as stack:
        process = stack.enter_context(keeper(s3_url, s3.environment))
        old = Life(s3_url)
        stack.callback(old.close)
        acknowledged = [state(old.session)]
        # another process takes the world over while this one goes on with it
        assert process.heard() == "waits"
        process.tell("begin")
        try:
            while process.process.poll() is None:
                acknowledged.append(turn(old.session))
                time.sleep(0.01)
        except Superseded:
            assert old.superseded()
        told = process.heard()
        step, digest = told["state"]
        assert told["epoch"] > old.epoch
        assert (told["cut"], digest) == (None, digests[step])
        # nothing that was acknowledged came after the takeover
        assert acknowledged == [(each, digests[each]) for each in range(len(acknowledged))]
        assert acknowledged[-1][0] <= step <= acknowledged[-1][0] + 1

        # the store goes away, then it hangs: refused, and nothing is changed; when it is back the world goes on
        for away, back in (
            (s3.away, s3.back),
            (lambda: s3.process.send_signal(signal.SIGSTOP), lambda: s3.process.send_signal(signal.SIGCONT)),
        ):
            process.tell("wait 0.5")
            away()
            try:
                refused = process.asked("go 1")
                assert process.asked("state") == [step, digests[step]]
            finally:
                back()
            assert refused["code"] == "not-ready"
            assert "nothing was changed" in refused["detail"]
            process.tell("wait 30")
            while isinstance(heard := process.asked("go 1"), dict):
                assert heard["code"] == "not-ready"
            step += 1
            assert heard == [step, digests[step]]

        # killed in the middle: what was acknowledged is there, and what was under way may be
        process.tell("go 1000")
        for _ in range(12):
            step += 1
            assert process.heard() == [step, digests[step]]
        process.process.send_signal(signal.SIGKILL)
        process.process.wait()
        last = Life(s3_url)
        stack.callback(last.close)
        there, digest = state(last.session)
        assert (last.cut, digest) == (None, digests[there])
        assert last.epoch > told["epoch"]
        assert there >= step
        assert turn(last.session) == (there + 1, digests[there + 1])
