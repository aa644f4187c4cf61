"""What keeps worlds, as the registry sees it: all in one folder (archive.py), or each by itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from orca_crowd.worlds.recovery import Restore
from orca_crowd.worlds.session import Session

__all__ = ["Journals"]


class Journals(Protocol):
    """Makes, finds and brings back journals. Its calls take time and belong into helper threads."""

    def open(self) -> None:
        """Be there for this server alone; ArchiveLocked or OSError where that cannot be."""
        ...

    def close(self) -> None:
        """Let another server have them."""
        ...

    def names(self) -> list[str]:
        """The worlds that are to be brought back at the start, the oldest first."""
        ...

    def has(self, name: str) -> bool:
        """Whether a world has a journal."""
        ...

    def delete(self, name: str) -> None:
        """Remove the journal of a world that has ended."""
        ...

    def begin(self, session: Session, facts: Mapping[str, Any]) -> None:
        """Let a session keep a journal from here on; 507 where there is no room, and then there is none."""
        ...

    def past(self, name: str, step: int) -> bytes:
        """The snapshot of a world as it was when it left a step; 422 and 410 where there is none."""
        ...

    def bring_back(self, name: str, restore: Restore) -> tuple[Session, dict[str, Any], str | None]:
        """A world as it was acknowledged last, what it is besides, and what had to be left out; or BadJournal."""
        ...
