"""What a world tells its watchers after a step or a change: arrays that never change again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Publication"]


@dataclass(frozen=True)
class Publication:
    """The whole state of one moment, complete in itself, safe to keep and to share between threads.

    `columns` has every per-agent field but the id, in index order, as the world keeps it: vectors float64 (n, 2),
    numbers float64 (n,), whole numbers int64 (n,), words, flags and `status` uint8 (n,) codes.
    `removed` are the ids that went away since the last publication, each named exactly once.
    `events` are maps of plain Python values with `kind` and `step`.
    """

    world: str
    step: int
    time: float
    ids: NDArray[np.int64]
    columns: Mapping[str, NDArray[Any]]
    events: list[dict[str, Any]]
    removed: list[int]
