"""What a world answers: ids and warnings of an insertion, events of steps."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from orca_core.errors import Notice

__all__ = ["Added", "Event", "StepReport"]


@dataclass(frozen=True)
class Added:
    """Ids given to what was added, in the order of the request, and the warnings."""

    ids: NDArray[np.int64]
    notices: list[Notice]


@dataclass(frozen=True)
class Event:
    """Something that happened to agents in a step: `arrived`, `stalled`, `overlap`, `non-finite`,
    `inside-obstacle`.

    `ids` ascend in index order; `data` holds columns beside them (for `overlap`: `other`, `depth`).
    """

    kind: str
    step: int
    ids: list[int]
    data: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class StepReport:
    """Where the world stands after the steps, and the events of all of them."""

    step: int
    time: float
    events: list[Event]
