"""When a barrier world steps: all its controllers are ready, or the time for them has passed. Pure; told the time."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["Barrier"]


class Barrier:
    """Who is waited for and who is ready, for the next step of one world.

    The time runs from the step before, from the first registration, or from when the world was given this clock,
    whichever was last. With nobody registered no step is due, so that a world waits for its first controller and does
    not run away before it comes.
    """

    def __init__(self, timeout: float, names: Iterable[str], now: float) -> None:
        """`timeout` in seconds, from now; `names` are the controllers that are there already."""
        self.timeout = timeout
        self._ready: dict[str, bool] = dict.fromkeys(names, False)
        self._since = now

    def retime(self, timeout: float, now: float) -> None:
        """Wait so long from now on; whoever is ready stays so."""
        self.timeout = timeout
        self._since = now

    def join(self, name: str, now: float) -> None:
        """Wait for one more; one that is there already, and registers anew, is not ready any more."""
        if not self._ready:
            self._since = now
        self._ready[name] = False

    def leave(self, name: str) -> None:
        """Wait for it no longer; nothing happens where it is not there."""
        self._ready.pop(name, None)

    def ready(self, name: str) -> None:
        """It has given its orders for the next step; nothing happens where it is not there."""
        if name in self._ready:
            self._ready[name] = True

    def absent(self) -> list[str]:
        """Who is not ready, in the order of registration."""
        return [name for name, ready in self._ready.items() if not ready]

    def deadline(self) -> float | None:
        """The moment from which on a step is due, which may be past; None while there is none."""
        if not self._ready:
            return None
        return self._since + self.timeout if self.absent() else self._since

    def due(self, now: float) -> bool:
        """Whether to step now."""
        deadline = self.deadline()
        return deadline is not None and now >= deadline

    def stepped(self, now: float) -> None:
        """The step was taken: everybody is waited for anew."""
        self._ready = dict.fromkeys(self._ready, False)
        self._since = now
