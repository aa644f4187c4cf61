"""Level of detail on the wire: where agents are solved in every step, and how often elsewhere."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from orca_crowd.protocol.models import Number, Strict, Vector

__all__ = ["LevelOfDetailBody", "level_of_detail_of"]


class LevelOfDetailBody(Strict):
    """Where detail matters, and what becomes of agents farther than `distance` from all of it."""

    distance: Number = Field(description="From every point and box (m); with none of them everybody is farther.")
    every: int = Field(1, description="They are solved when (step + index) mod every is 0; else they go on.")
    neighbors: int | None = Field(None, description="How many neighbours count for them at most; null: as many as do.")
    points: list[Vector] = Field(default_factory=list, description="At most 64, boxes included.")
    boxes: list[list[Number]] = Field(default_factory=list, description="[min x, min y, max x, max y] each.")


def level_of_detail_of(body: LevelOfDetailBody | None) -> dict[str, Any] | None:
    """As the library takes it, which checks the values."""
    return None if body is None else body.model_dump()
