"""The files of a journal in their folder: what lies beside it, how it is removed, how much room there is."""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["free_bytes", "log_of", "remove_beside", "remove_journal", "size_of", "sync_folder"]


def log_of(path: Path) -> Path:
    """Where SQLite keeps the log of a file."""
    return path.with_name(path.name + "-wal")


def size_of(path: Path) -> int:
    """Bytes of a file; 0 where there is none."""
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


def free_bytes(folder: Path) -> int:
    """Bytes that may still be written to the file system of a folder."""
    system = os.statvfs(folder)
    return system.f_bavail * system.f_frsize


def remove_journal(path: Path) -> None:
    """Remove a closed file, then what belongs to it: without the file the rest is known to be nobody's."""
    path.unlink(missing_ok=True)
    remove_beside(path)
    path.with_suffix(".reserve").unlink(missing_ok=True)


def remove_beside(path: Path) -> None:
    """Remove what SQLite keeps beside a file."""
    for each in (log_of(path), path.with_name(path.name + "-shm"), path.with_name(path.name + "-journal")):
        each.unlink(missing_ok=True)


def sync_folder(folder: Path) -> None:
    """Let the disk have the names in a folder; SQLite sees to what is in the files alone."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
