"""Events as they travel."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from orca_core.report import Event

__all__ = ["travelling"]

# columns of events that hold ids, words, and points or null; all others hold numbers
IDENTIFIERS = frozenset({"ids", "other"})
WORDS = frozenset({"reason"})
POINTS = frozenset({"nearest"})


def travelling(event: Event) -> dict[str, Any]:
    """An event with its columns as arrays: lists in JSON, bins in MessagePack; words are lists in both."""
    columns = {"ids": event.ids, **event.data}
    return {
        "kind": event.kind,
        "step": event.step,
        **{name: values if name in WORDS else _column(name, values) for name, values in columns.items()},
    }


def _column(name: str, values: Any) -> NDArray[Any]:
    if name in POINTS:
        # no point is a row of NaN, which JSON shows as null
        rows = [(np.nan, np.nan) if point is None else point for point in values]
        return np.array(rows, np.float64).reshape(-1, 2)
    return np.asarray(values, np.int64 if name in IDENTIFIERS else np.float64)
