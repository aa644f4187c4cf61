"""What a world is, without asking it: from its beginning to its end, and true at the end of its last call."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

__all__ = ["Facts", "WorldDescription"]


@dataclass(frozen=True)
class Facts:
    """What is shown of a world without asking it: true at the end of its last call."""

    step: int
    time: float
    sequence: int
    agents: int
    obstacles: int
    walkable: int
    geometry: int
    defaults: dict[str, float | int | str]
    level_of_detail: dict[str, Any] | None
    time_step: float
    profile: str


@dataclass(frozen=True)
class WorldDescription:
    """What a world is from its beginning to its end; `options` has the profile and every option by name."""

    time_step: float
    options: Mapping[str, Any]
    seed: int
    durability: str

    def shown(self, facts: Facts) -> dict[str, Any]:
        """Both, as they travel."""
        options = dict(self.options)
        guidance = options.pop("cooperation", None)
        return {
            "time_step": self.time_step,
            "time": facts.time,
            "step": facts.step,
            "sequence": facts.sequence,
            "agents": facts.agents,
            "obstacles": facts.obstacles,
            "walkable": facts.walkable,
            "geometry": facts.geometry,
            "profile": self.options["profile"],
            "options": {**options, "level_of_detail": facts.level_of_detail},
            "guidance": guidance,
            "defaults": facts.defaults,
            "seed": self.seed,
            "durability": self.durability,
        }
