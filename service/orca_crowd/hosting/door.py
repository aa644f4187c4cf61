"""Who comes into a process of worlds: front ends, by a word that was made with the process and told over Ray alone.

They have let their caller in and say what he may do: `<the word>.<scope>`.
"""

from __future__ import annotations

import hmac
from typing import Final, get_args

from orca_crowd.errors import ApiError
from orca_crowd.keys.buckets import Buckets
from orca_crowd.keys.doorkeeper import Doorkeeper
from orca_crowd.keys.scopes import Grant, Scope
from orca_crowd.keys.tries import FailedTries

__all__ = ["FrontDoor"]

GRANTS: Final = {scope: Grant(scope) for scope in get_args(Scope)}


class FrontDoor(Doorkeeper):
    """Lets in who has the word; keys, rates and tries are the front end's business."""

    def __init__(self, word: str) -> None:
        """`word` is known to this process and to front ends."""
        super().__init__(None, FailedTries(tries=1, seconds=1.0), Buckets(rate=1.0, burst=1.0))
        self._word = word.encode()

    @property
    def open(self) -> bool:
        """Nobody comes in without the word."""
        return False

    def admit(self, text: str | None, address: str, now: float, wall: float) -> Grant:
        """What the front end says that its caller may do; 401 for anybody else."""
        word, _, scope = (text or "").rpartition(".")
        if not hmac.compare_digest(word.encode(), self._word) or scope not in GRANTS:
            raise ApiError("unauthorized", "this is a process of worlds: ask a front end", headers={})
        return GRANTS[scope]

    def knows(self, text: str | None, wall: float) -> bool:
        """Keys are looked at by the front end, also while a socket is open."""
        return True
