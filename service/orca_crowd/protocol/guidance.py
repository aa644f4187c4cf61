"""The guidance of a world on the wire: how its agents are planned for together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field

from orca_core.options import Options
from orca_crowd.protocol.models import Strict

if TYPE_CHECKING:
    from orca_crowd.protocol.worlds import NewWorld

__all__ = ["GuidanceBody", "asked_of"]


class GuidanceBody(Strict):
    """Plans for all agents with guidance `cooperative`, which is what agents of such a world have where left out."""

    variant: Literal["orca", "orca-mapf", "corca", "corca-mapf"] = Field(
        description="orca: a path each; corca: a plan for all, and turns in narrow places; -mapf: those who lock each "
        "other up are taken apart by a plan of their own."
    )
    init_algo: Literal["PP", "PIBT"] = Field("PP", description="How the first plan is made.")
    neighbor_size: int = Field(8, ge=1, le=1000, description="Agents that are planned anew in one iteration.")
    max_iterations: int = Field(0, ge=0, le=100_000, description="By which a plan is made shorter.")


def asked_of(body: NewWorld) -> tuple[Options, dict[str, Any]]:
    """The options of a new world, its guidance among them, and the defaults of its agents; raises InvalidInput."""
    options, defaults = body.options.model_dump(exclude_unset=True), body.defaults.model_dump(exclude_unset=True)
    if body.guidance is not None:
        options["cooperation"] = body.guidance.model_dump()
        defaults.setdefault("guidance", "cooperative")
    return Options.from_mapping(options), defaults
