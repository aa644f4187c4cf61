"""Batches: the questions for ways that were asked and whose answers are still to come, by the step they are due."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from orca_core.errors import SnapshotError

__all__ = ["Batch", "Batches"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Batch:
    """Asked together, the answer is let in right after step `due`: `ids` int64 (m,), `start` and `goal` (m, 2),
    `radius` (m,), `avoid` (m, 3), `heights` (m, 2) from where to where each stands, `wants` int64 (m,) the step since
    which each has waited, and `postponed` uint8 (m,) whether it was asked before and there was no budget left.

    Kept whole though agents may go meanwhile: what one search leaves of the budget decides about the next.
    """

    due: int
    ids: Integers
    start: Floats
    goal: Floats
    radius: Floats
    avoid: Floats
    heights: Floats
    wants: Integers
    postponed: NDArray[np.uint8]


# per question, after the step that all of a batch have in common
PARTS = tuple(field.name for field in fields(Batch) if field.name != "due")
WIDTHS = {"start": 2, "goal": 2, "avoid": 3, "heights": 2}


class Batches:
    """In the order in which they are due, one for a step."""

    def __init__(self) -> None:
        """None."""
        self._batches: dict[int, Batch] = {}

    def __len__(self) -> int:
        """How many batches are under way."""
        return len(self._batches)

    def __iter__(self) -> Iterator[Batch]:
        """Those under way."""
        return iter(self._batches.values())

    def add(self, batch: Batch) -> None:
        """One more, due after all the others."""
        self._batches[batch.due] = batch

    def take(self, due: int) -> Batch | None:
        """The one that is answered now, if there is one; it is not under way any more."""
        return self._batches.pop(due, None)

    def kept(self) -> dict[str, NDArray[Any]]:
        """As arrays by name."""
        told: dict[str, NDArray[Any]] = {
            f"asked_{name}": np.concatenate([_none(name), *(getattr(batch, name) for batch in self)]) for name in PARTS
        }
        if not told["asked_heights"].any():
            # all stand at zero, flat: nothing is said of heights
            del told["asked_heights"]
        told["asked_due"] = np.array([batch.due for batch in self], np.int64)
        told["asked_count"] = np.array([len(batch.ids) for batch in self], np.int64)
        return told

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]], step: int) -> Batches:
        """What `kept` told after step `step`; raises SnapshotError where the arrays do not agree."""
        made = cls()
        try:
            due, count = arrays["asked_due"].astype(np.int64), arrays["asked_count"].astype(np.int64)
            if due.shape != count.shape or due.ndim != 1 or (np.diff(due) <= 0).any() or (count < 0).any():
                raise ValueError("batches are not in order")
            parts = {}
            arrays = {"asked_heights": np.zeros((int(count.sum()), 2)), **arrays}
            for name in PARTS:
                whole, none = np.ascontiguousarray(arrays[f"asked_{name}"]), _none(name)
                if whole.dtype != none.dtype or whole.shape != (int(count.sum()), *none.shape[1:]):
                    raise ValueError(f"{name} is {whole.dtype} {whole.shape}")
                parts[name] = np.split(whole, np.cumsum(count)[:-1])
            for k, each in enumerate(due.tolist()):
                made.add(Batch(each, **{name: parts[name][k].copy() for name in PARTS}))
        except (KeyError, ValueError) as error:
            raise SnapshotError(f"the questions of this snapshot do not agree with each other: {error}") from None
        return made


def _none(name: str) -> NDArray[Any]:
    """No value of a part, with its dtype and width."""
    width = WIDTHS.get(name)
    dtype = {"ids": np.int64, "wants": np.int64, "postponed": np.uint8}.get(name, np.float64)
    return np.empty(0 if width is None else (0, width), dtype)
