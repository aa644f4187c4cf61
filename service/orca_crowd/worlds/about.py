"""What a world is besides its state: its name for people, its clock, its time to live, how durable it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from orca_crowd.protocol.worlds import ClockBody

__all__ = ["About"]


@dataclass(frozen=True)
class About:
    """As asked for when the world was made, or as its journal tells."""

    title: str | None
    ttl: float | None
    clock: ClockBody
    durability: str

    def facts(self) -> dict[str, Any]:
        """As a journal keeps it."""
        return {"name": self.title, "ttl": self.ttl, "clock": self.clock.shown(), "durability": self.durability}

    @classmethod
    def of(cls, facts: Mapping[str, Any]) -> About:
        """What a journal has kept; KeyError, TypeError or ValueError where it has something else."""
        return cls(facts["name"], facts["ttl"], ClockBody.model_validate(facts["clock"]), facts["durability"])
