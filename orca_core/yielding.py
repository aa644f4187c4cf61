"""Who yields to whom in a world: whether anybody differs from the neutral values, decided once, and the names of rules.

A world in which all see each other and share by halves takes the plain path and is not slowed; what its agents have
among them is found out when one of them is added, changed or removed, not step by step.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from orca_core.agent_columns import COLUMNS
from orca_core.kernels.responsibility import BY_WEIGHT, IGNORES, gather_bonds, responsibility
from orca_core.kernels.step import LOCKING, SELECTING, SHARING
from orca_core.state import AgentState

__all__ = ["MANNERS", "REASONS", "bonds_of", "manners_of", "shares_against", "terms_and_bonds"]

# the fields that decide it
MANNERS = (
    "weight", "priority", "locked", "avoidance", "layer", "mask", "elevation", "height", "group", "group_mode",
)  # fmt: skip

# rules by the index that kernels know them by
REASONS = ("weight", "priority", "locked", "one-sided", "avoidance", "height", "group", "mask")

NOBODY = COLUMNS["quality"].choices.index("none")

assert COLUMNS["group_mode"].choices[IGNORES] == "ignore"


def manners_of(agents: AgentState) -> int:
    """The bits SELECTING, SHARING and LOCKING of the solving kernel that these agents need; zero for the plain path."""
    if not agents.count:
        return 0
    told = agents.told
    locking = bool(told("locked").any())
    weight = told("weight")
    lowest = float(weight.min())
    # who sees whom: everybody everybody, unless somebody could be left out
    selecting = (
        bool((told("quality") == NOBODY).any())
        or not lowest > 0.0
        or not bool(told("avoidance").all())
        or _differ(told("priority"))
        or bool(((told("group_mode") == IGNORES) & (told("group") != 0)).any())
        # a bit that all masks and all layers have in common makes everybody see everybody
        or not int(np.bitwise_and.reduce(told("layer"))) & int(np.bitwise_and.reduce(told("mask")))
        or float((told("elevation") + told("height")).min()) < float(told("elevation").max())
    )
    sharing = selecting or locking or float(weight.max()) != lowest
    return SELECTING * selecting | SHARING * sharing | LOCKING * locking


def _differ(column: NDArray[Any]) -> bool:
    return bool(column.min() != column.max())


def bonds_of(
    agents: AgentState, order: NDArray[np.int64], terms: NDArray[np.float64], bonds: NDArray[np.int64]
) -> None:
    """Gather `terms` (n, 3) and `bonds` (n, 5) of the responsibility kernel in the given order (n,)."""
    gather_bonds(0, agents.count, order, *(agents.dense(name) for name in MANNERS), terms, bonds)
    # who looks at nobody at all is seen, and does not see: those who see it take the whole
    bonds[: agents.count][agents["quality"][order[: agents.count]] == NOBODY, 1] = 0


def terms_and_bonds(agents: AgentState, *, always: bool = False) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """`terms` and `bonds` of the responsibility kernel in index order; without rows where all are neutral, unless they
    are wanted `always`.
    """
    count = agents.count if always or manners_of(agents) else 0
    terms, bonds = np.empty((count, 3)), np.empty((count, 5), np.int64)
    if count:
        bonds_of(agents, np.arange(count), terms, bonds)
    return terms, bonds


def shares_against(agents: AgentState, row: int, others: NDArray[np.int64]) -> list[tuple[float, str]]:
    """The responsibility of the agent at index `row` against each of those at indices `others` (m,), and the rule that
    decides it; for looking, not for a step.
    """
    terms, bonds = terms_and_bonds(agents)
    if not len(terms):
        return [(0.5, REASONS[BY_WEIGHT])] * len(others)
    pairs = [responsibility(terms, bonds, row, other) for other in others.tolist()]
    return [(float(share), REASONS[reason]) for share, reason in pairs]
