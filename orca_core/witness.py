"""Witness: turns what happened to agents in a step into events."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from orca_core.kernels import status
from orca_core.report import Event
from orca_core.solver import Solver
from orca_core.state import AgentState

__all__ = ["events_of", "hold_back"]

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


def hold_back(agents: AgentState, solver: Solver, rows: NDArray[np.int64]) -> None:
    """Phase: these have come less far than the step has seen; who has not got to its goal after all is on its way."""
    rows = rows[(agents["status"][rows] == status.ARRIVED) & (agents["has_goal"][rows] == 1)]
    if not len(rows):
        return
    away = agents["goal"][rows] - agents["position"][rows]
    far = np.sqrt(away[:, 0] * away[:, 0] + away[:, 1] * away[:, 1]) > agents["goal_tolerance"][rows]
    agents["status"][rows[far]] = status.MOVING
    places = np.isin(solver["order"][: agents.count], rows[far])
    solver["events"][: agents.count][places] &= ~np.uint8(status.ARRIVED_EVENT)
