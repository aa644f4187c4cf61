"""Who comes in: the key of a request or a handshake, and what it allows. No sockets; told the time.

Without a file of keys, or with one in which no key was ever made, everybody may do everything: the command sees to it
that such a server listens on the loopback address alone. Once a key was made everybody needs one, also when all are
revoked.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final

from orca_crowd.errors import ApiError
from orca_crowd.keys.buckets import Buckets
from orca_crowd.keys.scopes import EVERYTHING, Grant, Scope
from orca_crowd.keys.secret import read_secret
from orca_crowd.keys.store import KeyStore
from orca_crowd.keys.tries import FailedTries

__all__ = ["KEY_SUBPROTOCOL", "Doorkeeper", "key_of_header", "key_of_subprotocols"]

# browsers cannot set headers of a handshake: there the key is a subprotocol that nobody speaks
KEY_SUBPROTOCOL: Final = "orca-crowd.key."


def key_of_header(authorization: str | None) -> str | None:
    """The key in an Authorization header, None where there is none; 401 where it is of another kind."""
    if authorization is None:
        return None
    kind, _, text = authorization.partition(" ")
    if kind.lower() != "bearer":
        raise _unauthorized("the Authorization header must be: Bearer, then a key")
    return text.strip()


def key_of_subprotocols(offered: Iterable[str]) -> str | None:
    """The key among the subprotocols of a handshake."""
    return next((name.removeprefix(KEY_SUBPROTOCOL) for name in offered if name.startswith(KEY_SUBPROTOCOL)), None)


class Doorkeeper:
    """Decides about every request of one server."""

    def __init__(
        self,
        path: Path | None,
        tries: FailedTries,
        buckets: Buckets,
        refused: Callable[[str], None] = lambda reason: None,
    ) -> None:
        """Look for keys in this file, which may be made while the server runs; without one there are none.

        `refused` hears why somebody is not let in: `missing`, `wrong`, `tries`, `rate`, `scope` or `world`.

        KeyStoreError where the file is something else.
        """
        self._path = path
        self._store: KeyStore | None = None
        self._tries = tries
        self._buckets = buckets
        self._refused = refused
        self._find()

    @property
    def open(self) -> bool:
        """Whether nobody needs a key."""
        return self._find() is None

    def close(self) -> None:
        """Close the file."""
        if self._store is not None:
            self._store.close()

    def _find(self) -> KeyStore | None:
        """The file of keys, once a key was made in it."""
        if self._store is None and self._path is not None and self._path.exists():
            self._store = KeyStore(self._path)
        return self._store if self._store is not None and self._store.used() else None

    def admit(self, text: str | None, address: str, now: float, wall: float) -> Grant:
        """What the key allows, sent from this address; 401 without a right one, 429 after too many wrong ones.

        `now` are seconds of the server's clock and `wall` seconds since 1970, by which keys expire.
        """
        store = self._find()
        if store is None:
            return EVERYTHING
        if text is None:
            self._refused("missing")
            raise _unauthorized("this server wants a key: send it as Authorization: Bearer <key>")
        wait = self._tries.wait(address, now)
        if wait > 0.0:
            self._refused("tries")
            raise _slower(f"too many wrong keys came from {address}", wait)
        secret = read_secret(text)
        grant = store.grant(secret, wall) if secret is not None else None
        if grant is None:
            self._tries.failed(address, now)
            self._refused("wrong")
            # unknown, wrong, expired and revoked are not told apart
            raise _unauthorized("the key is not valid here")
        return grant

    def knows(self, text: str | None, wall: float) -> bool:
        """Whether this key is let in at this moment; costs nobody a try."""
        store = self._find()
        if store is None:
            return True
        secret = read_secret(text) if text is not None else None
        return secret is not None and store.grant(secret, wall) is not None

    def charge(self, grant: Grant, now: float) -> None:
        """Count a request or message against the key's bucket; 429 where that is empty."""
        wait = self._buckets.take(grant.key, now) if grant.key is not None else 0.0
        if wait > 0.0:
            self._refused("rate")
            raise _slower(f"key {grant.key} asks more often than the limit requests_per_second", wait)

    def check(self, grant: Grant, scope: Scope, world: str | None = None) -> None:
        """403 where the key does not allow this, or does not go for this world."""
        if not grant.allows(scope):
            self._refused("scope")
            raise ApiError("forbidden", f"this needs a key with scope {scope}, and the key has scope {grant.scope}")
        if world is not None and not grant.sees(world):
            self._refused("world")
            raise ApiError("forbidden", f"the key does not go for world {world[:64]!r}")


def _unauthorized(detail: str) -> ApiError:
    return ApiError("unauthorized", detail, headers={"WWW-Authenticate": "Bearer"})


def _slower(detail: str, wait: float) -> ApiError:
    # whole seconds are rounded up: rounded down, who waits as told would come too early
    headers = {"Retry-After": str(math.ceil(wait))}
    return ApiError("limit", f"{detail}; try again in {wait:.1f} seconds", headers=headers)
