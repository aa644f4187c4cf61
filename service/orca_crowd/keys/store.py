"""Keys in a file: made and revoked by the command, looked up by the server, which sees every change at once.

One SQLite file, so that a command and a running server may use it together. Nothing in it is a key: it holds salted
digests.
"""

from __future__ import annotations

import json
import os
import secrets
import sqlite3
import threading
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from orca_crowd.keys.scopes import Grant, Scope
from orca_crowd.keys.secret import SALT_BYTES, Secret, digest, matches, new_secret

__all__ = ["KeyEntry", "KeyStore", "KeyStoreError"]

APPLICATION: Final = 0x4F52434B
VERSION: Final = 1
TABLE: Final = """
CREATE TABLE keys (
    name TEXT PRIMARY KEY, label TEXT NOT NULL, scope TEXT NOT NULL, worlds TEXT, created REAL NOT NULL, expires REAL,
    revoked REAL, salt BLOB NOT NULL, digest BLOB NOT NULL
)
"""
# looked at for a name that nobody has, so that the answer takes as long as for one that somebody has
NOBODY: Final = (bytes(SALT_BYTES), bytes(32))


class KeyStoreError(Exception):
    """The file cannot be used as a store of keys; the message says why."""


@dataclass(frozen=True)
class KeyEntry:
    """What may be shown of a key; times in seconds since 1970."""

    name: str
    label: str
    scope: Scope
    worlds: tuple[str, ...] | None
    created: float
    expires: float | None
    revoked: float | None

    def state(self, now: float) -> str:
        """`valid`, `expired` or `revoked`."""
        if self.revoked is not None:
            return "revoked"
        return "expired" if self.expires is not None and now >= self.expires else "valid"


class KeyStore:
    """The keys of a file; calls may come from any thread."""

    def __init__(self, path: Path, *, make: bool = False) -> None:
        """Open a file; with `make` it is made where there is none. KeyStoreError where it is something else."""
        self.path = path
        self._lock = threading.Lock()
        self._used = False
        if make and not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            # for the owner alone from the first moment
            os.close(os.open(path, os.O_CREAT | os.O_WRONLY | os.O_CLOEXEC, 0o600))
        if not path.exists():
            raise KeyStoreError(f"there is no file of keys {path}; make the first key with: orca-crowd keys create")
        self._connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False, timeout=10.0)
        try:
            self._prepare(make)
        except sqlite3.DatabaseError as error:
            self._connection.close()
            raise KeyStoreError(f"{path} cannot be read as a file of keys: {error}") from None
        except KeyStoreError:
            self._connection.close()
            raise

    def _prepare(self, make: bool) -> None:
        (application,) = self._connection.execute("PRAGMA application_id").fetchone()
        (version,) = self._connection.execute("PRAGMA user_version").fetchone()
        if application == 0 and make:
            self._connection.execute(f"PRAGMA application_id = {APPLICATION}")
            self._connection.execute(f"PRAGMA user_version = {VERSION}")
            self._connection.execute(TABLE)
        elif application != APPLICATION:
            raise KeyStoreError(f"{self.path} is no file of keys")
        elif version != VERSION:
            raise KeyStoreError(f"{self.path} has layout {version}, this version reads {VERSION}")

    def create(
        self,
        *,
        scope: Scope,
        now: float,
        label: str = "",
        worlds: Collection[str] | None = None,
        expires: float | None = None,
    ) -> Secret:
        """A new key: the only time that its text is to be had."""
        secret = new_secret()
        salt = secrets.token_bytes(SALT_BYTES)
        bound = None if worlds is None else json.dumps(sorted(worlds))
        values = (secret.name, label, scope, bound, now, expires, None, salt, digest(secret.random, salt))
        with self._lock:
            self._connection.execute(f"INSERT INTO keys VALUES ({', '.join('?' * len(values))})", values)
        return secret

    def revoke(self, name: str, now: float) -> bool:
        """Make a key worthless at once; False where there is none of this name that was still worth something."""
        with self._lock:
            done = self._connection.execute(
                "UPDATE keys SET revoked = ? WHERE name = ? AND revoked IS NULL", (now, name)
            )
        return done.rowcount == 1

    def entries(self) -> list[KeyEntry]:
        """All keys, the oldest first, revoked and expired ones too."""
        with self._lock:
            rows = self._connection.execute(
                "SELECT name, label, scope, worlds, created, expires, revoked FROM keys ORDER BY created, name"
            ).fetchall()
        return [
            KeyEntry(
                name, label, scope, None if worlds is None else tuple(json.loads(worlds)), created, expires, revoked
            )
            for name, label, scope, worlds, created, expires, revoked in rows
        ]

    def used(self) -> bool:
        """Whether a key was ever made; then nobody comes in without one."""
        if not self._used:
            with self._lock:
                self._used = self._connection.execute("SELECT 1 FROM keys LIMIT 1").fetchone() is not None
        return self._used

    def grant(self, secret: Secret, now: float) -> Grant | None:
        """What a key allows; None where it is unknown, wrong, expired or revoked, which are not told apart."""
        with self._lock:
            row = self._connection.execute(
                "SELECT scope, worlds, expires, revoked, salt, digest FROM keys WHERE name = ?", (secret.name,)
            ).fetchone()
        found: tuple[Any, ...] = row or ("read", None, None, now, *NOBODY)
        scope, worlds, expires, revoked, salt, kept = found
        # compared first, so that the time tells nothing of the rest
        right = matches(secret.random, salt, kept)
        if not right or revoked is not None or (expires is not None and now >= expires):
            return None
        return Grant(scope, None if worlds is None else frozenset(json.loads(worlds)), secret.name)

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._connection.close()
