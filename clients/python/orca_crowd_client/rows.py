"""Rows of columns: which row holds which agent, and columns made of others' rows.

A column is what `orca_crowd_client.columns` reads: a numpy array of shape (n,) or (n, width), an `array.array`, or a
list of strings or of vectors. Nothing here changes a column in place, since a caller may hold it: each function gives a
new one.
"""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Any

from orca_crowd_client.columns import Identifiers

if TYPE_CHECKING:
    import numpy
else:
    try:
        import numpy
    except ImportError:
        numpy = None

__all__ = ["RowIndex", "joined", "overwritten", "row_numbers", "taken", "unknown"]


class RowIndex:
    """Finds the rows of agents in a column of ids, each of which is in it once."""

    def __init__(self, ids: Identifiers) -> None:
        """Sort `ids` (int64, (n,)) once, so that many can be found together."""
        self._count = len(ids)
        if numpy is None:
            self._rows = {agent: row for row, agent in enumerate(ids)}
        else:
            self._order = numpy.argsort(ids, kind="stable")
            self._sorted = ids[self._order]

    def rows(self, ids: Identifiers) -> Any:
        """Give the row of each of `ids`, -1 for an agent that has none: an int64 array or a list."""
        if numpy is None:
            return [self._rows.get(agent, -1) for agent in ids]
        if self._count == 0:
            return numpy.full(len(ids), -1, numpy.int64)
        places = numpy.minimum(numpy.searchsorted(self._sorted, ids), self._count - 1)
        return numpy.where(self._sorted[places] == ids, self._order[places], -1)


def unknown(rows: Any) -> Any:
    """Give the places of -1 in what `RowIndex.rows` gave: who has no row."""
    if numpy is not None and isinstance(rows, numpy.ndarray):
        return numpy.flatnonzero(rows < 0)
    return [place for place, row in enumerate(rows) if row < 0]


def row_numbers(count: int, *, without: Any) -> Any:
    """Count from 0 to `count`, leaving out the rows `without` (those of -1 are none)."""
    if numpy is None:
        gone = set(without)
        return [row for row in range(count) if row not in gone]
    kept = numpy.ones(count, dtype=bool)
    kept[without[without >= 0]] = False
    return numpy.flatnonzero(kept)


def taken(column: Any, rows: Any) -> Any:
    """Give the column that has `rows` of `column`, in their order."""
    if numpy is not None and isinstance(column, numpy.ndarray):
        return column[rows]
    chosen = [column[row] for row in rows]
    return array(column.typecode, chosen) if isinstance(column, array) else chosen


def joined(first: Any, second: Any) -> Any:
    """Put the rows of `second` after those of `first`; an empty column takes the kind of the other."""
    if len(second) == 0 or len(first) == 0:
        return first if len(second) == 0 else second
    if numpy is not None and isinstance(first, numpy.ndarray):
        return numpy.concatenate([first, second])
    return first + second


def overwritten(column: Any, rows: Any, values: Any) -> Any:
    """Give `column` with `values` in `rows`."""
    if numpy is not None and isinstance(column, numpy.ndarray):
        changed = column.copy()
        changed[rows] = values
        return changed
    copied = column[:]
    for row, value in zip(rows, values, strict=True):
        copied[row] = value
    return copied
