"""Arrays by name, from whoever lends memory: a world's own, or what several processes share.

Everything that a step reads or writes is allocated through an `Allocate`, so that an engine can put it where its
workers
see it; `export` names it all, and `attach` makes a twin elsewhere on the same memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Allocate", "Arrays", "Wanted", "own_memory"]

# name, shape and dtype of a zeroed array
Allocate = Callable[[str, tuple[int, ...], str], NDArray[Any]]
# name, shape, dtype and the value in every place
Wanted = tuple[str, tuple[int, ...], str, float]


def own_memory(name: str, shape: tuple[int, ...], dtype: str) -> NDArray[Any]:
    """Zeroed memory of this process."""
    return np.zeros(shape, dtype)


class Arrays:
    """A table of arrays; `generation` changes whenever one of them is another array than before."""

    def __init__(self, allocate: Allocate = own_memory) -> None:
        """No arrays yet."""
        self.allocate = allocate
        self.generation = 0
        self.table: dict[str, NDArray[Any]] = {}

    def make(self, wanted: Iterable[Wanted]) -> None:
        """Allocate arrays, in the place of those that were there; all of them, or none where memory cannot be had."""
        made: dict[str, NDArray[Any]] = {}
        for name, shape, dtype, fill in wanted:
            array = made[name] = self.allocate(name, shape, dtype)
            if fill:
                array.fill(fill)
        self.table.update(made)
        self.generation += 1

    def export(self) -> dict[str, NDArray[Any]]:
        """All arrays by name."""
        return dict(self.table)

    def attach(self, table: Mapping[str, NDArray[Any]]) -> None:
        """Take these arrays for one's own."""
        self.table = dict(table)
        self.generation += 1
