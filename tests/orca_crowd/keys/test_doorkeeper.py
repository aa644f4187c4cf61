"""Who comes in, and what is said to who does not."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from orca_crowd.errors import ApiError
from orca_crowd.keys.buckets import Buckets
from orca_crowd.keys.doorkeeper import Doorkeeper, key_of_header, key_of_subprotocols
from orca_crowd.keys.scopes import EVERYTHING, Grant
from orca_crowd.keys.store import KeyStore
from orca_crowd.keys.tries import FailedTries


@pytest.fixture
def store(tmp_path: Path) -> Iterator[KeyStore]:
    """An empty file of keys."""
    with closing(KeyStore(tmp_path / "keys.sqlite", make=True)) as made:
        yield made


@pytest.fixture
def keeper(store: KeyStore) -> Iterator[Doorkeeper]:
    """One that takes three wrong keys, and two requests at once."""
    with closing(Doorkeeper(store.path, FailedTries(tries=3, seconds=60.0), Buckets(rate=1.0, burst=2.0))) as made:
        yield made


def refused(call: object, *values: object) -> ApiError:
    """The refusal of a call."""
    with pytest.raises(ApiError) as caught:
        call(*values)  # type: ignore[operator]
    return caught.value


def test_without_keys_everybody_may_do_everything(keeper: Doorkeeper, tmp_path: Path) -> None:
    assert keeper.open
    assert keeper.admit("anything", "a", 0.0, 0.0) is EVERYTHING
    tries, buckets = FailedTries(tries=1, seconds=1.0), Buckets(rate=1.0, burst=1.0)
    assert Doorkeeper(None, tries, buckets).admit(None, "a", 0.0, 0.0) is EVERYTHING

    # the file may come while the server runs
    path = tmp_path / "later.sqlite"
    with closing(Doorkeeper(path, tries, buckets)) as door:
        assert door.open
        with closing(KeyStore(path, make=True)) as later:
            assert door.open
            later.create(scope="read", now=0.0)
        assert not door.open


def test_once_a_key_was_made_everybody_needs_one(store: KeyStore, keeper: Doorkeeper) -> None:
    door = keeper
    secret = store.create(scope="read", now=0.0)
    assert not door.open
    assert door.admit(secret.text(), "a", 0.0, 0.0).key == secret.name
    assert refused(door.admit, None, "a", 0.0, 0.0).code == "unauthorized"
    store.revoke(secret.name, 1.0)
    refusal = refused(door.admit, secret.text(), "a", 0.0, 1.0)
    assert (refusal.status, refusal.headers) == (401, {"WWW-Authenticate": "Bearer"})


def test_wrong_keys_are_limited_and_right_ones_are_not(store: KeyStore, keeper: Doorkeeper) -> None:
    door = keeper
    secret = store.create(scope="read", now=0.0)
    for _ in range(3):
        assert refused(door.admit, "wrong", "a", 0.0, 0.0).code == "unauthorized"
    limited = refused(door.admit, secret.text(), "a", 0.0, 0.0)
    assert (limited.status, limited.headers) == (429, {"Retry-After": "20"})
    # whole seconds, and never too few
    assert refused(door.admit, secret.text(), "a", 0.6, 0.6).headers == {"Retry-After": "20"}
    assert door.admit(secret.text(), "b", 0.0, 0.0).scope == "read"
    assert door.admit(secret.text(), "a", 20.0, 20.0).scope == "read"


def test_no_refusal_tells_the_key(store: KeyStore, keeper: Doorkeeper) -> None:
    secret = store.create(scope="read", now=0.0, expires=1.0)
    refusal = refused(keeper.admit, secret.text(), "a", 2.0, 2.0)
    assert secret.random not in str(refusal)


def test_scopes_and_worlds_are_checked(keeper: Doorkeeper) -> None:
    bound = Grant("control", frozenset({"a"}), "k")
    keeper.check(bound, "control", "a")
    assert "scope admin" in refused(keeper.check, bound, "admin", "a").detail
    assert refused(keeper.check, bound, "read", "b").status == 403


def test_a_key_that_asks_too_often_waits(keeper: Doorkeeper) -> None:
    door, grant = keeper, Grant("read", None, "k")
    door.charge(grant, 0.0)
    door.charge(grant, 0.0)
    assert refused(door.charge, grant, 0.0).status == 429
    door.charge(grant, 1.0)
    for _ in range(10):
        door.charge(EVERYTHING, 0.0)


def test_where_keys_are_found() -> None:
    assert key_of_header(None) is None
    assert key_of_header("Bearer orca_x") == "orca_x"
    assert key_of_header("bearer  orca_x ") == "orca_x"
    assert refused(key_of_header, "Basic abc").status == 401
    assert key_of_subprotocols(["orca-crowd.v1.json", "orca-crowd.key.orca_x"]) == "orca_x"
    assert key_of_subprotocols(["orca-crowd.v1.json"]) is None
