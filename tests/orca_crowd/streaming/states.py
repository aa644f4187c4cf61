"""States made by hand, for what looks at nothing but arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from orca_crowd.streaming.state import State
from orca_crowd.worlds.publication import Publication

__all__ = ["state"]


def state(step: int, ids: Any, **columns: Any) -> State:
    """A state of agents `ids`; columns that are left out are zero, `max_speed` one."""
    names = np.asarray(ids, np.int64)
    zero = np.zeros((len(names), 2))
    shown = {"position": zero, "velocity": zero, "max_speed": np.ones(len(names)), **columns}
    arrays = {name: np.asarray(column) for name, column in shown.items()}
    return State(Publication("w", step, step * 0.1, names, arrays, [], []))
