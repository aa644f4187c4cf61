"""What a server is given that holds worlds for others, who pass requests on to it."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Final

from orca_crowd.journal.watch import Writing
from orca_crowd.keys.doorkeeper import Doorkeeper
from orca_crowd.worlds.journals import Journals

__all__ = ["ASKED", "Hosted"]

# the world that a request is about, which whoever passes it on has named; also one that is yet to be made
ASKED: Final[ContextVar[str | None]] = ContextVar("asked", default=None)


@dataclass(frozen=True)
class Hosted:
    """`journals` makes what keeps the worlds, None where nothing is kept; `door` knows those who pass requests on;
    `left` is told of a world that was deleted or put away.
    """

    journals: Callable[[Writing], Journals | None]
    door: Doorkeeper
    left: Callable[[str], object]
