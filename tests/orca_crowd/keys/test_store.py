"""Keys in a file: made once, shown once, worthless when revoked or expired, and never to be read from the file."""

from __future__ import annotations

import stat
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from orca_crowd.keys.secret import Secret, read_secret
from orca_crowd.keys.store import KeyStore, KeyStoreError


@pytest.fixture
def store(tmp_path: Path) -> Iterator[KeyStore]:
    """An empty file of keys."""
    with closing(KeyStore(tmp_path / "keys.sqlite", make=True)) as made:
        yield made


def test_a_key_grants_its_scope_for_its_worlds(store: KeyStore) -> None:
    secret = store.create(scope="control", now=100.0, worlds=["a", "b"])
    grant = store.grant(secret, 200.0)
    assert grant is not None
    assert (grant.scope, grant.worlds, grant.key) == ("control", frozenset({"a", "b"}), secret.name)


@pytest.mark.parametrize("other", [Secret("00000000", "x" * 43), None])
def test_a_wrong_key_grants_nothing(store: KeyStore, other: Secret | None) -> None:
    secret = store.create(scope="admin", now=0.0)
    assert store.grant(other or Secret(secret.name, "x" * 43), 1.0) is None


def test_a_key_expires_at_its_moment(store: KeyStore) -> None:
    secret = store.create(scope="read", now=0.0, expires=10.0)
    assert store.grant(secret, 9.999) is not None
    assert store.grant(secret, 10.0) is None
    assert [entry.state(10.0) for entry in store.entries()] == ["expired"]


def test_a_revoked_key_is_worthless_for_whoever_has_the_file_open(store: KeyStore) -> None:
    secret = store.create(scope="read", now=0.0)
    with closing(KeyStore(store.path)) as command:
        assert command.revoke(secret.name, 5.0)
        assert not command.revoke(secret.name, 6.0)
        assert not command.revoke("nobodyss", 6.0)
    assert store.grant(secret, 5.0) is None
    assert [entry.state(5.0) for entry in store.entries()] == ["revoked"]


def test_the_file_holds_no_key_and_is_for_its_owner_alone(store: KeyStore) -> None:
    secret = store.create(scope="admin", now=0.0)
    content = b"".join(path.read_bytes() for path in store.path.parent.iterdir())
    assert secret.name.encode() in content
    assert secret.random.encode() not in content
    assert stat.S_IMODE(store.path.stat().st_mode) == 0o600


def test_two_keys_share_nothing(store: KeyStore) -> None:
    first, second = (store.create(scope="read", now=0.0) for _ in range(2))
    assert first.name != second.name
    assert store.grant(Secret(first.name, second.random), 0.0) is None


def test_a_key_is_read_as_it_is_written_and_shown_to_nobody(store: KeyStore) -> None:
    secret = store.create(scope="read", now=0.0)
    assert read_secret(secret.text()) == secret
    assert secret.random not in repr(secret)


@pytest.mark.parametrize("text", ["", "orca", "orca_abcdefgh_short", "orca_ABCDEFGH_" + "a" * 43, "x" * 100_000])
def test_other_texts_are_no_keys(text: str) -> None:
    assert read_secret(text) is None


@pytest.mark.parametrize("content", [None, b"something else", b"x" * 5000])
def test_another_file_is_no_store(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "other.sqlite"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(KeyStoreError, match=r"other\.sqlite"):
        KeyStore(path)
