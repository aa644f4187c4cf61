"""Outcome: what became of a run: its figures, how long its parts took by the clock, and where it ended."""

from __future__ import annotations

from dataclasses import dataclass, field

from orca_core.cooperative.metrics import Metrics
from orca_core.cooperative.variants import Variant

__all__ = ["ITERATION", "STEP", "TIME_LIMIT", "Outcome", "Seconds", "Struck"]

# of planning, and of moving
ITERATION, STEP = "iteration", "step"
TIME_LIMIT = "time-limit"


@dataclass
class Seconds:
    """How long each part took, in seconds on the wall."""

    plan: float = 0.0
    corridors: float = 0.0
    dependencies: float = 0.0
    moving: float = 0.0
    total: float = 0.0

    def columns(self) -> dict[str, float]:
        """The same by the names of the columns."""
        return {
            "lns_runtime": self.plan,
            "corridor_identify_time": self.corridors,
            "dependency_build_time": self.dependencies,
            "orca_runtime": self.moving,
            "total_runtime": self.total,
        }


@dataclass(frozen=True)
class Struck:
    """Where the time limit struck: `where` is ITERATION or STEP, and so many of them were over."""

    where: str
    number: int

    def __str__(self) -> str:
        """Render as `step 812`."""
        return f"{self.where} {self.number}"


@dataclass(frozen=True)
class Outcome:
    """`steps` is None where nobody moved: with lns-only, or without a plan. `ended` says how: solved, step-max, …"""

    name: str
    agents: int
    variant: Variant
    metrics: Metrics
    ended: str
    steps: int | None
    struck: Struck | None = None
    seconds: Seconds = field(default_factory=Seconds)

    @property
    def solved(self) -> bool:
        """Whether everybody was at their goal at once; with lns-only, whether there is a plan."""
        return self.ended == "solved"
