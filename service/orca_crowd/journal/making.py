"""A new journal: its tables, what the world is, and the state that it begins with."""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from orca_crowd.journal.entries import FirstState
from orca_crowd.journal.schema import APPLICATION, TABLES, VERSION

__all__ = ["PAGE_BYTES", "PART_BYTES", "fact_rows", "make", "parts"]

# a step or a small change rewrites a page or two, so small pages make them cheap; smaller ones make snapshots dear
PAGE_BYTES = 2048
# bytes of one part of a snapshot: a commit of about a third of a millisecond
PART_BYTES = 262_144


def make(path: Path, facts: Mapping[str, Any], first: FirstState | None) -> None:
    """A file that is not there yet, whole and closed when this returns."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute(f"PRAGMA page_size = {PAGE_BYTES}")
        connection.execute(f"PRAGMA application_id = {APPLICATION}")
        connection.execute(f"PRAGMA user_version = {VERSION}")
        connection.executescript(f"BEGIN; {TABLES}")
        connection.executemany("INSERT INTO world VALUES (?, ?)", fact_rows(facts))
        if first is not None:
            _write_first(connection, first)
        connection.execute("COMMIT")


def _write_first(connection: sqlite3.Connection, first: FirstState) -> None:
    """Inside the transaction that makes the tables."""
    for part, piece in enumerate(parts(first.data)):
        connection.execute("INSERT INTO snapshot_parts VALUES (1, ?, ?)", (part, piece))
    connection.execute(
        "INSERT INTO snapshots VALUES (1, ?, 0, ?, ?, ?)",
        (first.step, len(first.data), first.memory, zlib.crc32(first.memory)),
    )
    connection.execute("UPDATE progress SET step = ?", (first.step,))


def parts(data: bytes | memoryview) -> Iterator[memoryview]:
    """A snapshot in pieces, each small enough for a short transaction."""
    whole = memoryview(data)
    return (whole[start : start + PART_BYTES] for start in range(0, len(whole), PART_BYTES))


def fact_rows(facts: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The rows of the table `world`."""
    return [(name, json.dumps(value)) for name, value in facts.items()]
