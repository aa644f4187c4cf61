"""The error tree of the library.

    OrcaError
    ├── InvalidInput      a value that no world accepts; names every item and field
    ├── AlreadyExists     an id that is taken, or was once
    ├── NotFound          an id that never existed here
    ├── Gone              an id that existed and was removed
    └── SnapshotError     bytes that are not a whole snapshot

Whatever raises one of these has changed nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["AlreadyExists", "Gone", "InvalidInput", "NotFound", "Notice", "OrcaError", "Problem", "SnapshotError"]


@dataclass(frozen=True)
class Problem:
    """One fault in an input: the item's position in the request, its field, and what would be right."""

    item: int | None
    field: str | None
    message: str

    def __str__(self) -> str:
        """Render as `item 3, radius: must be …`."""
        where = ", ".join(
            part for part in (f"item {self.item}" if self.item is not None else "", self.field or "") if part
        )
        return f"{where}: {self.message}" if where else self.message


@dataclass(frozen=True)
class Notice:
    """A warning that goes with an accepted input; nothing was refused."""

    code: str
    item: int | None
    field: str | None
    message: str


class OrcaError(Exception):
    """Root of the tree; `code` is stable and part of the interface, `problems` name items of a request where that has
    several.
    """

    code = "error"

    def __init__(self, message: str, problems: Sequence[Problem] = ()) -> None:
        """Take one sentence, and what is wrong with which item."""
        super().__init__(message)
        self.problems = list(problems)


class InvalidInput(OrcaError):
    """A value outside what the solver or the world accepts; `problems` names each one."""

    code = "invalid"

    def __init__(self, problems: Sequence[Problem] | str) -> None:
        """Take the list of faults, or one message without a place."""
        named = [Problem(None, None, problems)] if isinstance(problems, str) else list(problems)
        shown = "; ".join(str(problem) for problem in named[:3])
        more = len(named) - 3
        super().__init__(f"{shown}; and {more} more" if more > 0 else shown, named)


class AlreadyExists(OrcaError):
    """The id is in use, or was used before: ids are never given twice in a world's life."""

    code = "exists"


class NotFound(OrcaError):
    """No such id was ever in this world."""

    code = "not-found"


class Gone(OrcaError):
    """The id was in this world and has been removed."""

    code = "gone"


class SnapshotError(OrcaError):
    """The bytes are not a whole snapshot of a version that this library reads."""

    code = "bad-snapshot"
