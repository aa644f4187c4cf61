"""What stands in a journal, as it is read."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["FirstState", "Record", "SnapshotEntry"]


@dataclass(frozen=True, slots=True)
class Record:
    """One accepted change: its place in the order, the steps taken before it, what it is, and its bytes."""

    sequence: int
    step: int
    kind: str
    body: bytes


@dataclass(frozen=True, slots=True)
class SnapshotEntry:
    """A whole snapshot: after which step and which record it was taken."""

    number: int
    step: int
    sequence: int
    size: int


@dataclass(frozen=True, slots=True)
class FirstState:
    """What a journal begins with: steps taken, the bytes of the state, and what the server remembers beside it."""

    step: int
    data: bytes
    memory: bytes
