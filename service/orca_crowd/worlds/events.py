"""Events as they travel."""

from __future__ import annotations

from typing import Any

import numpy as np

from orca_core.report import Event

__all__ = ["travelling"]

# columns of events that hold ids, and those that are lists wherever they stand, of words and of points or null; all
# others hold numbers
IDENTIFIERS = frozenset({"ids", "other"})
LISTS = frozenset({"reason", "nearest"})


def travelling(event: Event) -> dict[str, Any]:
    """An event with its columns as arrays: lists in JSON, bins in MessagePack."""
    columns = {"ids": event.ids, **event.data}
    return {
        "kind": event.kind,
        "step": event.step,
        **{
            name: values if name in LISTS else np.asarray(values, np.int64 if name in IDENTIFIERS else np.float64)
            for name, values in columns.items()
        },
    }
