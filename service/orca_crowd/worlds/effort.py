"""How long the steps of a world take, by the last ones, and what follows from it."""

from __future__ import annotations

from orca_crowd.settings import Settings

__all__ = ["Effort"]

# steps that are over in less are taken in one go with those of other worlds
BRIEF_SECONDS = 0.001


class Effort:
    """Seconds a step; unknown before the first."""

    def __init__(self, settings: Settings) -> None:
        """No step was taken yet."""
        self._slice_seconds = settings.slice_seconds
        self._small_agents = settings.small_agents
        self.step_seconds = 0.0

    def took(self, seconds: float, steps: int) -> None:
        """Steps, at least one, took so long together."""
        self.step_seconds = seconds / steps

    def slice_count(self, left: int) -> int:
        """How many steps fit a slice; the first slice is one step."""
        if self.step_seconds <= 0.0:
            return 1
        return max(1, min(left, int(self._slice_seconds / self.step_seconds)))

    def brief(self, steps: int, agents: int) -> bool:
        """Whether so many steps of a world with so many agents are over in well below a millisecond.

        A world that is large enough to be handed to workers is waited for, and never is.
        """
        return agents < self._small_agents and 0.0 < steps * self.step_seconds < BRIEF_SECONDS
