"""What brings a client from what it knows to another state: who left, who entered, whose rows have changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from orca_crowd.streaming.state import Known, Members, State

__all__ = ["Delta", "delta_of"]

NOBODY: NDArray[np.int64] = np.empty(0, np.int64)


@dataclass(slots=True)
class Delta:
    """`rows` of the state's columns that are sent (None: all), whether that is everybody of the interest, who moved in
    and out of it, and ids for the rows (None: the client has them, in that order).
    """

    rows: NDArray[np.intp] | None
    ids: NDArray[np.int64] | None
    whole: bool
    entered: NDArray[np.int64]
    left: NDArray[np.int64]

    @property
    def same_members(self) -> bool:
        """Whether nobody entered or left."""
        return not len(self.entered) and not len(self.left)


def delta_of(state: State, members: Members, known: Known, fields: Sequence[str], *, all_rows: bool) -> Delta:
    """The difference of `state` to what is `known`, for the agents `members` of it and the columns `fields`.

    A row is sent when the agent entered or the bits of one of its values differ, or for all agents with `all_rows` and
    where the earlier state is kept no more.
    """
    entered, left, new = _membership(members, known)
    changed = None if all_rows else _changed(state, members, known, fields)
    if changed is not None and new is not None:
        changed |= new
    if changed is None or changed.all():
        # the list may be left out where the client has it in this order
        same = not len(entered) and not len(left) and known.listed
        return Delta(members.rows, None if same else members.ids, True, entered, left)
    chosen = np.flatnonzero(changed)
    rows = chosen if members.rows is None else members.rows[chosen]
    return Delta(rows, members.ids[chosen], False, entered, left)


def _membership(
    members: Members, known: Known
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_] | None]:
    """Who entered and who left, and a mask over the members of who entered (None: nobody)."""
    if all(each.ids is members.ids or np.array_equal(each.ids, members.ids) for each in known.possible):
        return NOBODY, NOBODY, None
    # where the client may have one of several states, who is not in all of them enters, who is in any of them leaves
    new = reduce(np.logical_or, (~np.isin(members.ids, each.ids) for each in known.possible))
    gone = [each.ids[~np.isin(each.ids, members.ids)] for each in known.possible]
    left = gone[0] if len(gone) == 1 else np.unique(np.concatenate(gone))
    return members.ids[new], left, new


def _changed(state: State, members: Members, known: Known, fields: Sequence[str]) -> NDArray[np.bool_] | None:
    """Mask over the members of those with another bit in a column; None when it cannot be told any more."""
    changed = np.zeros(len(members.ids), np.bool_)
    for each in known.possible:
        earlier = each.state
        if earlier is None:
            return None
        aligned = state.rows_in(earlier)
        if aligned is not None and members.rows is not None:
            aligned = aligned[members.rows]
        for name in fields:
            column, before = state.columns[name], earlier.columns[name]
            if column is before and aligned is None:
                continue
            changed |= _differ(column, members.rows, before, members.rows if aligned is None else aligned)
        if aligned is not None:
            changed |= aligned < 0
    return changed


def _differ(
    column: NDArray[Any], rows: NDArray[np.intp] | None, before: NDArray[Any], old: NDArray[np.intp] | None
) -> NDArray[np.bool_]:
    """Which rows have other bits than the rows `old` of the earlier column; -1 there is anything."""
    here = column if rows is None else column[rows]
    if old is not None and not len(before):
        return np.ones(len(here), np.bool_)
    there = before if old is None else before[old]
    if here.dtype.kind == "f":
        # bits, since NaN is a value (no goal) and -0.0 is not 0.0
        here, there = here.view(np.int64), there.view(np.int64)
    different = here != there
    rows_differ: NDArray[np.bool_] = different if different.ndim == 1 else different[:, 0] | different[:, 1]
    return rows_differ
