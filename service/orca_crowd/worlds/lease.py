"""The right to step a world, held for a time, so that a controller that died blocks nobody. Pure; told the time."""

from __future__ import annotations

from orca_crowd.errors import ApiError

__all__ = ["Lease"]


class Lease:
    """Who may step, and until when. Nobody's until somebody takes it, and nobody's again once it ran out."""

    def __init__(self) -> None:
        """Start free."""
        self._holder: str | None = None
        self._until = 0.0

    def holder(self, now: float) -> str | None:
        """Who holds it at this moment."""
        if self._holder is not None and now >= self._until:
            self._holder = None
        return self._holder

    def take(self, holder: str, seconds: float, now: float) -> None:
        """Take it or hold it longer; 409 while somebody else does."""
        self.check(holder, now)
        self._holder, self._until = holder, now + seconds

    def release(self, holder: str | None, now: float) -> None:
        """Give it back; nothing happens where nobody holds it, 409 where somebody else does."""
        self.check(holder, now)
        self._holder = None

    def check(self, holder: str | None, now: float) -> None:
        """Refuse with 409 unless it is free or this holder's."""
        held = self.holder(now)
        if held is not None and held != holder:
            left = self._until - now
            raise ApiError(
                "leased", f"the right to step is held by {held!r} for another {left:.3f} seconds", more={"holder": held}
            )
