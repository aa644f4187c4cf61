"""Witness: turns what happened to agents in a step into events."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from orca_core.kernels import status
from orca_core.report import Event
from orca_core.solver import Solver
from orca_core.state import AgentState

__all__ = ["events_of"]

KINDS = (
    ("arrived", status.ARRIVED_EVENT),
    ("stalled", status.STALLED_EVENT),
    ("overlap", status.OVERLAP_EVENT),
    ("non-finite", status.NON_FINITE_EVENT),
    ("inside-obstacle", status.INSIDE_EVENT),
)


def events_of(agents: AgentState, solver: Solver, step: int) -> list[Event]:
    """Phase: arrival, stall, overlap and non-finite events of the step that has just been taken."""
    happened = solver["events"][: agents.count]
    if not happened.any():
        return []
    events = []
    for kind, bit in KINDS:
        places = np.flatnonzero(happened & bit)
        if len(places):
            rows = solver["order"][places]
            # in index order
            ascending = np.argsort(rows)
            rows, places = rows[ascending], places[ascending]
            data = _overlaps(agents, solver, places) if kind == "overlap" else {}
            events.append(Event(kind, step, agents["id"][rows].tolist(), data))
    return events


def _overlaps(agents: AgentState, solver: Solver, places: NDArray[np.int64]) -> dict[str, list[float]]:
    """With whom those at these places overlap, and how deep (m)."""
    others = agents["id"][solver["overlap_with"][places]]
    return {"other": others.tolist(), "depth": solver["overlap_depth"][places].tolist()}
