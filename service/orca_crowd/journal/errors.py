"""What can be wrong with a journal.

JournalError
├── BadJournal     the file is none of ours, or damaged before its last whole snapshot: its world cannot be had
├── JournalFull    there is no room to write: what was to be recorded must be refused
│   └── StoreAway  the store gives no answer, or refuses, or another process has the file locked: the same
├── BadStore       there can be no journals at this URL
└── Superseded     another process has taken the world over: nothing may be written, and so nothing acknowledged
"""

from __future__ import annotations

__all__ = ["BadJournal", "BadStore", "JournalError", "JournalFull", "StoreAway", "Superseded"]


class JournalError(Exception):
    """Root of the tree; the message says which file, what, and what can be done."""


class BadJournal(JournalError):
    """The file cannot be read as a journal."""


class JournalFull(JournalError):
    """No room on the disk; nothing was recorded."""


class StoreAway(JournalFull):
    """What keeps journals cannot be read or written now. Of a store it is not known whether what was under way is
    there; of a file that another process has locked it is known that it is not.
    """


class BadStore(JournalError):
    """There can be no journals at this URL; the message says what can be done."""


class Superseded(JournalError):
    """Another process writes this journal now."""
