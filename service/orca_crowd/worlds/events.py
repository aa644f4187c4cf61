"""Events as they travel."""

from __future__ import annotations

from typing import Any

import numpy as np

from orca_core.guidance.planning import OUTCOMES, FoundWays
from orca_core.report import Event

__all__ = ["foretold", "travelling"]

WAY, DISCONNECTED = OUTCOMES.index("way"), OUTCOMES.index("disconnected")

# columns of events that hold ids, and those that are lists wherever they stand, of words and of points or null; all
# others hold numbers
IDENTIFIERS = frozenset({"ids", "other"})
LISTS = frozenset({"reason", "nearest"})


def foretold(found: FoundWays) -> list[dict[str, Any]]:
    """Of answers that will be let in: the event of those to whose goals there is no way, as it travels."""
    which = np.flatnonzero((found.outcome > WAY) & (found.outcome <= DISCONNECTED))
    if not len(which):
        return []
    there = found.has_nearest[which].astype(bool)
    data = {
        "reason": [OUTCOMES[code] for code in found.outcome[which].tolist()],
        "nearest": [point if held else None for point, held in zip(found.nearest[which].tolist(), there, strict=True)],
    }
    event = Event("unreachable", found.due, found.ids[which].tolist(), data)
    return [{**travelling(event), "foreseen": True}]


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
