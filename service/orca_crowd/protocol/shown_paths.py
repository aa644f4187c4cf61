"""Ways in answers, as models for the OpenAPI document alone."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

__all__ = ["PathsAnswer", "UnreachableShown"]

Pair = list[float]
Reason = Literal["start-off-surface", "goal-off-surface", "disconnected"]


class Shown(BaseModel):
    """Part of an answer."""

    model_config = ConfigDict(extra="forbid")


class UnreachableShown(Shown):
    """Why an agent has no way to its goal."""

    reason: Reason
    nearest: Pair | None = Field(description="Nearest to the goal of what it can reach; null where none is known.")


class PathShown(Shown):
    """A way, the truth that there is none, or the truth that the budget did not reach."""

    waypoints: list[Pair] | None = Field(
        None, description="From `from` to `to`, both included. In MessagePack a bin of float64."
    )
    length: float | None = None
    unreachable: Literal[True] | None = Field(None, description="There is no way.")
    nearest: Pair | None = Field(
        None,
        description="The point nearest to `to` that can be reached; of a `from` off the surface the point of the "
        "surface nearest to it. Null where such a disc has no place at all.",
    )
    reason: Reason | None = None
    unfinished: Literal[True] | None = Field(None, description="The budget plan_expansions ran out.")


class PathsAnswer(Shown):
    """In the order of the request."""

    step: int = Field(description="Steps taken when the geometry was read.")
    paths: list[PathShown]
