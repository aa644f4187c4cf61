"""What lies in the folder of a server: by kind, by world, and what belongs to no world."""

from __future__ import annotations

import os
import sqlite3
from collections import Counter
from collections.abc import Collection
from contextlib import closing
from pathlib import Path

__all__ = ["lost", "lying", "too_long"]

# what belongs to a journal, by the end of its name
KINDS = (".sqlite-wal", ".sqlite-shm", ".sqlite-journal", ".sqlite", ".reserve")
SHOWN = 12
COUNTS = {
    "pages": "SELECT * FROM pragma_page_count",
    "of them free": "SELECT * FROM pragma_freelist_count",
    "records": "SELECT count(*) FROM records",
    "snapshots": "SELECT count(*) FROM snapshots",
    "bytes of snapshots": "SELECT coalesce(sum(length(data)), 0) FROM snapshot_parts",
    "bytes remembered": "SELECT coalesce(sum(length(memory)), 0) FROM snapshots",
}


def sizes(folder: Path) -> dict[str, int]:
    """Bytes of each file; one that goes meanwhile is left out."""
    found = {}
    for path in folder.iterdir():
        try:
            found[path.name] = path.stat().st_size
        except FileNotFoundError:
            continue
    return found


def lying(data: Path, known: Collection[str]) -> list[str]:
    """The room that is left, what takes the rest, and what is in the largest journals; `known` are the worlds."""
    system = os.statvfs(data)
    lines = [f"the disk has {system.f_bavail * system.f_frsize:,} of {system.f_blocks * system.f_frsize:,} bytes free"]
    folder = data / "worlds"
    found = sizes(folder)
    kinds: Counter[str] = Counter()
    for name, size in found.items():
        kinds[next((kind for kind in KINDS if name.endswith(kind)), name)] += size
    lines += [f"{size:12,} bytes in {kind}" for kind, size in kinds.most_common()]
    for name, size in sorted(found.items(), key=lambda each: -each[1])[:SHOWN]:
        world = next((name.removesuffix(kind) for kind in KINDS if name.endswith(kind)), name)
        state = "" if world in known else ", of no world"
        inside = f": {inside_of(folder / name)}" if name.endswith(".sqlite") else ""
        lines.append(f"{size:12,} bytes: {name}{state}{inside}")
    return lines


def inside_of(path: Path) -> str:
    """What a journal holds, in a line; the reason where it cannot be read."""
    try:
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
            return ", ".join(f"{connection.execute(sql).fetchone()[0]:,} {what}" for what, sql in COUNTS.items())
    except sqlite3.Error as error:
        return str(error)


def lost(data: Path, known: Collection[str]) -> list[str]:
    """Files in the folder of worlds that belong to none of those that are there."""
    own = {world + kind for world in known for kind in KINDS}
    return sorted(set(sizes(data / "worlds")) - own)


def too_long(data: Path, file_bytes: int, log_bytes: int) -> list[str]:
    """Journals that are longer than they may be, with their log."""
    limits = {".sqlite": file_bytes, ".sqlite-wal": log_bytes}
    return [
        f"{name} has {size:,} bytes"
        for name, size in sorted(sizes(data / "worlds").items())
        if any(name.endswith(kind) and size > limit for kind, limit in limits.items())
    ]
