"""The guidance of a world on the wire: how its agents are planned for together."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from orca_crowd.protocol.models import Strict

__all__ = ["GuidanceBody", "guided_options"]


class GuidanceBody(Strict):
    """Plans for all agents with guidance `cooperative`, which is what agents of such a world have where left out."""

    variant: Literal["orca", "orca-mapf", "corca", "corca-mapf"] = Field(
        description="orca: a path each; corca: a plan for all, and turns in narrow places; -mapf: those who lock each "
        "other up are taken apart by a plan of their own."
    )
    init_algo: Literal["PP", "PIBT"] = Field("PP", description="How the first plan is made.")
    neighbor_size: int = Field(8, ge=1, le=1000, description="Agents that are planned anew in one iteration.")
    max_iterations: int = Field(0, ge=0, le=100_000, description="By which a plan is made shorter.")


def guided_options(options: dict[str, Any], guidance: GuidanceBody | None) -> dict[str, Any]:
    """The options of a world with its guidance, as the library takes them."""
    return options if guidance is None else {**options, "cooperation": guidance.model_dump()}
