"""One published state as the streams see it, and what was found out about it once for all who watch.

A state is immutable; what is remembered beside it (who belongs to which interest, where its agents stood in an earlier
state) can be found again at any time, and is forgotten when the state is no longer one of the newest two.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import WeakValueDictionary, ref

import numpy as np
from numpy.typing import NDArray

from orca_crowd.streaming.interest import Interest
from orca_crowd.worlds.publication import Publication

if TYPE_CHECKING:
    from orca_crowd.streaming.frame import SharedFrame, Update
    from orca_crowd.streaming.keyframe import Keyframe
    from orca_crowd.streaming.subscription import FrameKey

__all__ = ["Known", "Members", "State"]


class Members:
    """The agents of one interest in one state: `ids` in index order, `rows` of the state's columns (None: all).

    Compared by identity: `State.members` gives the same object to all who ask while the state is new. It does not keep
    the state, so that a reader who has stopped keeps ids and no columns.
    """

    __slots__ = ("__weakref__", "_state", "ids", "rows", "step")

    def __init__(self, state: State, rows: NDArray[np.intp] | None) -> None:
        """Take the rows of a state."""
        self.step = state.step
        self.rows = rows
        self.ids: NDArray[np.int64] = state.ids if rows is None else state.ids[rows]
        self._state = ref(state)

    @property
    def state(self) -> State | None:
        """The state, while somebody keeps it."""
        return self._state()


class Known(NamedTuple):
    """What a client knows after a message, and how it knows it; equal for all who were sent the same.

    `possible` are the members of the state that it has. There is more than one where a client says that it has seen a
    step of which more than one state was sent: before and after a command. `listed`: the last list of all ids that it
    was given is the one that holds. `keyframe`: whose base values it has, for int16 and int8.
    """

    possible: tuple[Members, ...]
    listed: bool
    keyframe: Keyframe | None = None

    @property
    def step(self) -> int:
        """The step of the state."""
        return self.possible[0].step


class State:
    """A publication with what was found out about it."""

    __slots__ = (
        *("__weakref__", "_alignments", "_members"),
        *("columns", "frames", "fulls", "ids", "keyframe", "step", "time"),
    )

    def __init__(self, publication: Publication) -> None:
        """Take over the arrays, which never change."""
        self.step = publication.step
        self.time = publication.time
        self.ids = publication.ids
        self.columns: Mapping[str, NDArray[Any]] = publication.columns
        self.keyframe: Keyframe | None = None
        # frames and fulls of this state that somebody waits for
        self.frames: WeakValueDictionary[FrameKey, SharedFrame] = WeakValueDictionary()
        self.fulls: WeakValueDictionary[FrameKey, Update] = WeakValueDictionary()
        self._members: dict[Interest, Members] = {}
        self._alignments: dict[int, tuple[NDArray[np.int64], NDArray[np.intp]]] = {}

    def members(self, interest: Interest) -> Members:
        """Who belongs to an interest; from any thread."""
        found = self._members.get(interest)
        if found is None:
            rows = interest.rows(self.ids, self.columns["position"])
            # two threads may have looked: the first one's answer holds for both
            found = self._members.setdefault(interest, Members(self, rows))
        return found

    def rows_in(self, earlier: State) -> NDArray[np.intp] | None:
        """For every agent its row in an earlier state, -1 where it was not there; None: the same rows. Any thread."""
        if earlier.ids is self.ids:
            return None
        found = self._alignments.get(id(earlier.ids))
        if found is None:
            # the ids are held beside the answer, so that no other array can have their address
            found = self._alignments.setdefault(id(earlier.ids), (earlier.ids, _rows_in(self.ids, earlier.ids)))
        return found[1]

    def forget(self) -> None:
        """Give back what can be found again."""
        self._members.clear()
        self._alignments.clear()


def _rows_in(ids: NDArray[np.int64], among: NDArray[np.int64]) -> NDArray[np.intp]:
    """Position of each id among others, -1 where it is not there."""
    if not len(among):
        return np.full(len(ids), -1, np.intp)
    order = np.argsort(among, kind="stable")
    place = np.minimum(np.searchsorted(among, ids, sorter=order), len(among) - 1)
    rows = order[place]
    rows[among[rows] != ids] = -1
    return rows
