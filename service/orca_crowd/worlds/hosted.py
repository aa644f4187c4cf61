"""What a server is given that holds one world for others, who pass requests on to it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from orca_crowd.journal.watch import Writing
from orca_crowd.keys.doorkeeper import Doorkeeper
from orca_crowd.worlds.archive import Archive

__all__ = ["Hosted"]


@dataclass(frozen=True)
class Hosted:
    """`world` is its id; `archive` makes what keeps the world, None where nothing is kept; `door` knows those who pass
    requests on; `turn` returns when the world may be brought back.
    """

    world: str
    archive: Callable[[Writing], Archive | None]
    door: Doorkeeper
    turn: Callable[[], Awaitable[object]]
