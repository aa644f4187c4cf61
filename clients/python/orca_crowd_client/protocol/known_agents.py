"""The agents that a subscription knows: whole states and what changed in them, merged. No I/O.

A `frame` has a row for every agent whose values are others than at `since`; who is not in it is as before. Merged here
every frame of the client is complete, and whoever draws it need not know what travelled.
"""

from __future__ import annotations

from typing import Any

from orca_crowd_client.columns import Identifiers, read_identifiers
from orca_crowd_client.errors import ProtocolError
from orca_crowd_client.rows import RowIndex, joined, overwritten, row_numbers, taken, unknown

__all__ = ["KnownAgents"]


class KnownAgents:
    """Ids and columns as they were after `step` steps; `step` is None before the first whole state."""

    def __init__(self) -> None:
        """Know nobody."""
        self.step: int | None = None
        self.ids: Identifiers = read_identifiers([])
        self.columns: dict[str, Any] = {}
        self._index: RowIndex | None = None
        # whether the order of rows is the server's: a frame that leaves out its ids relies on that
        self._listed = True

    def replace(self, step: int, ids: Identifiers, columns: dict[str, Any]) -> None:
        """Take a whole state."""
        self._list(ids)
        self.step, self.columns = step, columns

    def remove(self, left: Identifiers) -> None:
        """Forget the agents that left; the others stay in their order."""
        if len(left) == 0:
            return
        kept = row_numbers(len(self.ids), without=self._rows(left))
        self.columns = {name: taken(column, kept) for name, column in self.columns.items()}
        self.ids, self._index = taken(self.ids, kept), None

    def listed(self) -> Identifiers:
        """Give everybody in the order last listed, which is that of a frame without ids; raises `ProtocolError`."""
        if self.step is None or not self._listed:
            raise ProtocolError("a frame leaves out ids that were never sent")
        return self.ids

    def merge(self, step: int, since: int, ids: Identifiers, columns: dict[str, Any]) -> None:
        """Take the rows of `ids` over the state at `since`; raises `ProtocolError` where it is not here.

        An agent that is not known comes after all others. A frame that lists everybody sets the order.
        """
        rows = None if ids is self.ids else self._rows(ids)
        fresh = [] if rows is None else unknown(rows)
        if len(ids) == len(self.ids) + len(fresh):
            # everybody is in it, so that it needs no state to build on
            if rows is not None:
                self._list(ids)
            self.step, self.columns = step, columns
            return
        if since != self.step:
            raise ProtocolError(
                f"the frame of step {step} builds on step {since}, and the last that came is {self.step}"
            )
        if len(fresh):
            self.ids, self._index, self._listed = joined(self.ids, taken(ids, fresh)), None, False
            rows = self._rows(ids)
        for name, values in columns.items():
            # a frame without rows has nothing to say, not even of what kind its columns are
            if len(values):
                longer = joined(self.columns[name], taken(values, fresh)) if len(fresh) else self.columns[name]
                self.columns = {**self.columns, name: overwritten(longer, rows, values)}
        self.step = step

    def _list(self, ids: Identifiers) -> None:
        """Take the ids of everybody, in the server's order."""
        self.ids, self._index, self._listed = ids, None, True

    def _rows(self, ids: Identifiers) -> Any:
        """Find the rows of `ids`, -1 for who has none; the index is made when it is first asked after a change."""
        if self._index is None:
            self._index = RowIndex(self.ids)
        return self._index.rows(ids)
