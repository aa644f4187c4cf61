"""A server that wants keys, and a key of every kind: right, wrong, expired, revoked, of each scope, bound to worlds."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import httpx

from orca_crowd.keys.store import KeyStore
from tests.support.mortal_server import MortalServer

__all__ = ["SECOND", "WORLD", "Guarded", "guarded_server", "rows"]

WORLD, SECOND = "w", "other"


def rows(count: int) -> dict[str, Any]:
    """So many agents in a row."""
    return {"agents": [{"position": [3.0 * number, 0.0]} for number in range(count)]}


class Guarded:
    """The server, its keys by kind, and what it says of its worlds to who may see everything."""

    def __init__(self, server: MortalServer, store: KeyStore) -> None:
        """Make the keys."""
        self.server = server
        self.store = store
        now = time.time()

        def key(scope: Any, **members: Any) -> str:
            return store.create(scope=scope, now=now, **members).text()

        self.keys: dict[str, str | None] = {
            "none": None,
            "wrong": "orca_aaaaaaaa_" + "x" * 43,
            "nonsense": "let-me-in",
            "expired": key("admin", expires=now - 1.0),
            "revoked": key("admin"),
            "read": key("read"),
            "control": key("control"),
            "admin": key("admin"),
            **{f"{scope} here": key(scope, worlds=[WORLD]) for scope in ("read", "control", "admin")},
            **{f"{scope} elsewhere": key(scope, worlds=["elsewhere"]) for scope in ("read", "control", "admin")},
        }
        right = self.keys["read"]
        assert right is not None
        # the name of one with the secret of another
        self.keys["mixed"] = right[:14] + str(self.keys["admin"])[14:]
        store.revoke(str(self.keys["revoked"])[5:13], now)

    def headers(self, kind: str) -> dict[str, str]:
        """How the key of a kind is sent."""
        key = self.keys[kind]
        return {} if key is None else {"Authorization": f"Bearer {key}"}

    def ask(self, kind: str, method: str, path: str, **members: Any) -> httpx.Response:
        """A call with the key of a kind."""
        # a connection that outlives the call would be one that a test has left behind
        headers = {**self.headers(kind), "Connection": "close", **members.pop("headers", {})}
        return self.server.client.request(method, path, headers=headers, **members)

    def state(self) -> dict[str, Any]:
        """Everything that a call could change: worlds as shown, their digests, records in their journals."""
        worlds = self.ask("admin", "GET", "/v1/worlds").json()["worlds"]
        digests = {w["id"]: self.ask("admin", "GET", f"/v1/worlds/{w['id']}/digest").json() for w in worlds}
        journals = {path.name: self._recorded(path) for path in self.folder.glob("*.sqlite")}
        return {"worlds": worlds, "digests": digests, "journals": journals}

    @staticmethod
    def _recorded(path: Path) -> list[Any]:
        """Everything that a journal holds but whole states."""
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as journal:
            return [
                journal.execute(f"SELECT * FROM {table}").fetchall()
                for table in ("world", "records", "progress", "digests")
            ]

    @property
    def folder(self) -> Path:
        """Where the journals are."""
        return self.server.data / "worlds"

    @property
    def address(self) -> str:
        """Of the stream of WORLD."""
        return f"ws://{self.server.client.base_url.netloc.decode()}/v1/worlds/{WORLD}/stream"


@contextmanager
def guarded_server(folder: Path, *options: str, **settings: Any) -> Iterator[Guarded]:
    """One that runs, with two worlds: the first of three agents, an obstacle and an area."""
    server = MortalServer(folder, "--engine", "inline", *options)
    # a table of wrong keys is no attack
    environment = {
        f"ORCA_CROWD_{name.upper()}": str(value) for name, value in {"failed_tries": 10**5, **settings}.items()
    }
    with closing(KeyStore(server.data / "keys.sqlite", make=True)) as store:
        guarded = Guarded(server, store)
        try:
            server.start(**environment)
            for name in (WORLD, SECOND):
                answer = guarded.ask("admin", "POST", "/v1/worlds", json={"id": name, "time_step": 0.1})
                assert answer.status_code == 201, answer.text
                path = f"/v1/worlds/{name}"
                guarded.ask("admin", "POST", f"{path}/agents", json=rows(3)).raise_for_status()
                wall = {"obstacles": [{"points": [[-3, 3], [3, 3]]}]}
                guarded.ask("admin", "POST", f"{path}/obstacles", json=wall).raise_for_status()
                square = {"type": "Polygon", "coordinates": [[[-50, -50], [50, -50], [50, 50], [-50, 50]]]}
                guarded.ask(
                    "admin", "POST", f"{path}/walkable", json={"areas": [{"geometry": square}]}
                ).raise_for_status()
            yield guarded
        finally:
            server.close()
