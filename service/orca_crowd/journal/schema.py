"""The tables of a journal, as any SQLite tool shows them.

- `world`: what the world is besides its state, a row each: id, name, clock, time to live, durability, the version of
  the server that made the file, and the digest of its kernels. Values are JSON.
- `records`: every accepted change in its order. `step` is the number of steps taken when it took effect, `kind` says
  what `body` holds (codec.py), `crc` is the CRC-32 of the body.
- `progress`: one row, how far the world was after its last step: steps taken, and the newest record then. Records that
  came since tell by themselves how far it is.
- `digests`: the SHA-256 of the state right after a step, now and then, for a replay to be held against.
- `snapshots` and `snapshot_parts`: whole states. A snapshot is whole once its row in `snapshots` is there, which is
  written last; `step` and `sequence` say after which step and which record it was taken. `memory` is what the server
  remembers of the world beside its state (answers by key, who owns what).
"""

from __future__ import annotations

from typing import Final

__all__ = ["APPLICATION", "TABLES", "VERSION"]

# "ORCA", where `file` and SQLite keep whose file it is
APPLICATION: Final = 0x4F524341
# of this layout; a file of a later one is refused and not guessed at. In layout 1 the progress went with every record
VERSION: Final = 2

TABLES: Final = """
CREATE TABLE world (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE records (
    sequence INTEGER PRIMARY KEY, step INTEGER NOT NULL, kind TEXT NOT NULL, body BLOB NOT NULL, crc INTEGER NOT NULL
);
CREATE TABLE progress (one INTEGER PRIMARY KEY CHECK (one = 1), step INTEGER NOT NULL, sequence INTEGER NOT NULL);
CREATE TABLE digests (step INTEGER PRIMARY KEY, sha256 TEXT NOT NULL);
CREATE TABLE snapshots (
    number INTEGER PRIMARY KEY, step INTEGER NOT NULL, sequence INTEGER NOT NULL, size INTEGER NOT NULL,
    memory BLOB NOT NULL, crc INTEGER NOT NULL
);
CREATE TABLE snapshot_parts (number INTEGER NOT NULL, part INTEGER NOT NULL, data BLOB NOT NULL);
CREATE INDEX snapshot_parts_by_number ON snapshot_parts (number, part);
INSERT INTO progress VALUES (1, 0, 0);
"""
