"""Variant: which of the two layers, corridors before and a discrete planner after the fact, a run has."""

from __future__ import annotations

from enum import StrEnum

__all__ = ["Variant"]


class Variant(StrEnum):
    """A method, by the name that the command takes."""

    ORCA = "orca"
    ORCA_MAPF = "orca-mapf"
    CORCA = "corca"
    CORCA_MAPF = "corca-mapf"
    LNS_ONLY = "lns-only"

    @property
    def guided(self) -> bool:
        """Whether agents follow a plan for all and wait for each other at corridors (C-)."""
        return self in (Variant.CORCA, Variant.CORCA_MAPF)

    @property
    def repairs(self) -> bool:
        """Whether a discrete planner is asked where agents stall (-MAPF)."""
        return self in (Variant.ORCA_MAPF, Variant.CORCA_MAPF)

    @property
    def plans(self) -> bool:
        """Whether a plan for all is made before anybody moves."""
        return self.guided or self is Variant.LNS_ONLY

    @property
    def moves(self) -> bool:
        """Whether anybody moves at all."""
        return self is not Variant.LNS_ONLY
