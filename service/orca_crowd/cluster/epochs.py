"""The newest life of each world that a front end has heard of. After the loss of a node its processes can go on
answering for seconds: what an older life says is not passed on.
"""

from __future__ import annotations

from collections import OrderedDict

__all__ = ["Epochs"]

# worlds that are remembered; the one that was not asked for longest is forgotten first
REMEMBERED = 100_000


class Epochs:
    """By world, the highest epoch seen."""

    def __init__(self) -> None:
        """Nothing is known."""
        self._highest: OrderedDict[str, int] = OrderedDict()

    def believed(self, world: str, epoch: int) -> bool:
        """Whether this life of a world is the newest that is known; from now on none before it is believed."""
        if epoch < self._highest.get(world, 0):
            return False
        self._highest[world] = epoch
        self._highest.move_to_end(world)
        if len(self._highest) > REMEMBERED:
            self._highest.popitem(last=False)
        return True
