"""Witness: brings statuses up to date after a step and turns what happened into events."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from orca_core.kernels import status
from orca_core.options import Options
from orca_core.report import Event
from orca_core.solver import Solver
from orca_core.state import AgentState

__all__ = ["Witness"]

KINDS = (
    ("arrived", status.ARRIVED_EVENT),
    ("stalled", status.STALLED_EVENT),
    ("overlap", status.OVERLAP_EVENT),
    ("non-finite", status.NON_FINITE_EVENT),
)


class Witness:
    """Sees the end of each step. Holds nothing; what it remembers of agents stands in their state."""

    def conclude(self, agents: AgentState, solver: Solver, options: Options, step: int, dt: float) -> list[Event]:
        """Phase: arrival, stall, overlap and non-finite events of the step that has just been taken."""
        status.conclude(
            agents.count,
            step,
            dt,
            options.stall_time,
            agents["position"],
            agents["radius"],
            agents["goal"],
            agents["has_goal"],
            agents["preferred_velocity"],
            agents["preferred_speed"],
            agents["goal_tolerance"],
            agents["max_speed"],
            solver.outcome,
            solver.overlap_depth,
            solver.overlap_with,
            agents["status"],
            agents["anchor"],
            agents["anchor_step"],
            agents["overlapping"],
            solver.events,
        )
        happened = solver.events[: agents.count]
        if not happened.any():
            return []
        events = []
        for kind, bit in KINDS:
            rows = np.flatnonzero(happened & bit)
            if len(rows):
                data = self._overlaps(agents, solver, rows) if kind == "overlap" else {}
                events.append(Event(kind, step, agents["id"][rows].tolist(), data))
        return events

    @staticmethod
    def _overlaps(agents: AgentState, solver: Solver, rows: NDArray[np.int64]) -> dict[str, list[float]]:
        """With whom, and how deep (m)."""
        others = agents["id"][solver.overlap_with[rows]]
        return {"other": others.tolist(), "depth": solver.overlap_depth[rows].tolist()}
