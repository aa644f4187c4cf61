"""Followers: what is known of the ways of agents with guidance `path`, as arrays beside the agents.

They stand in index order and are matched by id, so that agents who come, go or are told to find their way otherwise
change nothing for the others. Waypoints of all lie in one array, one follower's after the other's.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from orca_core.errors import SnapshotError
from orca_core.guidance.planning import MAX_WAYPOINTS, OUTCOMES
from orca_core.kernels.follow import ASKING, NEAREST, STOPPED

__all__ = ["NOBODY", "NOT", "UNKNOWN", "Followers"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Bytes = NDArray[np.uint8]

# in the place of a step: there is none
NOT = -1
# in the place of heights, which end above where they begin
UNKNOWN = (0.0, -1.0)
# a disc to go round is behind who is so many times its radius away
LEFT_BEHIND = 10.0


@dataclass(frozen=True, eq=False)
class Followers:
    """`id` int64 (m,); `goal` (m, 2) and `radius` (m,) that the way is for, the radius below 0 before the first look;
    `heights` (m, 2) from where to where it stands as it was last looked at, UNKNOWN where that makes no difference;
    `standing` uint8 (m,) as in kernels.follow; `reason` uint8 (m,) place in OUTCOMES of what is unreachable, `nearest`
    (m, 2) with `has_nearest`; the waypoints `points[first:stop]`, points (w, 2).

    `wants` int64 (m,) the step since which it wants a way, `asked` in which it asked last, `due` after which an answer
    is to come, each NOT where there is none; `place` (m, 2) where it was when it asked; `avoid` (m, 3) the disc that it
    wants to keep away from.
    """

    id: Integers
    goal: Floats
    radius: Floats
    standing: Bytes
    reason: Bytes
    nearest: Floats
    has_nearest: Bytes
    first: Integers
    stop: Integers
    wants: Integers
    asked: Integers
    due: Integers
    place: Floats
    avoid: Floats
    heights: Floats
    points: Floats

    def leave_behind(self, which: Integers, here: Floats) -> None:
        """Let these, at places `here` (m, 2), forget the discs that they have gone round. Until a jam is well behind,
        whoever asks would be led back into it.
        """
        away = here - self.avoid[which, :2]
        reach = LEFT_BEHIND * self.avoid[which, 2]
        self.avoid[which[away[:, 0] * away[:, 0] + away[:, 1] * away[:, 1] > reach * reach]] = 0.0

    @classmethod
    def new(cls, ids: Integers) -> Followers:
        """Of whom nothing is known yet."""
        count = len(ids)
        none, zero, nothing = np.full(count, NOT, np.int64), np.zeros(count, np.int64), np.zeros(count, np.uint8)
        return cls(
            ids, np.zeros((count, 2)), np.full(count, -1.0), nothing, nothing.copy(), np.zeros((count, 2)),
            nothing.copy(), zero, zero.copy(), none, none.copy(), none.copy(), np.zeros((count, 2)),
            np.zeros((count, 3)), np.tile(UNKNOWN, (count, 1)), np.empty((0, 2)),
        )  # fmt: skip

    def __len__(self) -> int:
        """How many there are."""
        return len(self.id)

    def aligned(self, ids: Integers) -> Followers:
        """The same for the agents `ids`, in their order; of those who are new nothing is known. Self is not changed."""
        other = Followers.new(ids)
        if not len(self):
            return other
        order = np.argsort(self.id, kind="stable")
        places = np.minimum(np.searchsorted(self.id, ids, sorter=order), len(self) - 1)
        before = order[places]
        known = np.flatnonzero(self.id[before] == ids)
        for name in COLUMNS:
            getattr(other, name)[known] = getattr(self, name)[before[known]]
        return replace(other, points=self.points)

    def with_waypoints(self, which: Integers, counts: Integers, waypoints: Floats) -> Followers:
        """Give some, ascending, other waypoints; those that nobody needs any more are dropped."""
        left = self.stop - self.first
        begin, source = self.first.copy(), np.concatenate([self.points, waypoints])
        left[which] = counts
        begin[which] = len(self.points) + np.cumsum(counts) - counts
        stop = np.cumsum(left)
        first = stop - left
        # each new place takes the waypoint as far from the first of its follower as it is itself
        points = source[np.repeat(begin - first, left) + np.arange(int(left.sum()))]
        return replace(self, first=first, stop=stop, points=points)

    def way(self, k: int) -> Floats:
        """The waypoints (w, 2) that a follower has before it, copies."""
        return self.points[self.first[k] : self.stop[k]].copy()

    def shown(self, identifier: int, goal: Floats) -> dict[str, Any]:
        """What is told of one, whose goal (2,) is this now: the waypoints before it, and why there is no way."""
        places = np.flatnonzero(self.id == identifier)
        if not len(places):
            return {"path": None, "unreachable": None}
        k = int(places[0])
        unreachable = None
        if self.standing[k] in (STOPPED, NEAREST) and (goal == self.goal[k]).all():
            nearest = self.nearest[k].tolist() if self.has_nearest[k] else None
            unreachable = {"reason": OUTCOMES[self.reason[k]], "nearest": nearest}
        return {"path": None if self.standing[k] == ASKING else self.way(k), "unreachable": unreachable}

    def kept(self) -> dict[str, NDArray[Any]]:
        """As arrays by name, waypoints that are passed left out."""
        whole = self.with_waypoints(np.empty(0, np.int64), np.empty(0, np.int64), np.empty((0, 2)))
        told = {field.name: getattr(whole, field.name) for field in fields(self)}
        if (self.heights == UNKNOWN).all():
            # where all stands at every height nothing is said of heights, as ever
            del told["heights"]
        return told

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> Followers:
        """What `kept` told; raises SnapshotError where the arrays do not agree."""
        try:
            pattern = Followers.new(np.zeros(len(arrays["id"]), np.int64))
            arrays = {"heights": pattern.heights, **arrays}
            told = {field.name: np.ascontiguousarray(arrays[field.name]) for field in fields(cls)}
            for name in (*COLUMNS, "points"):
                wanted = getattr(pattern, name)
                rows_fit = name == "points" or told[name].shape == wanted.shape
                if told[name].dtype != wanted.dtype or not rows_fit or told[name].shape[1:] != wanted.shape[1:]:
                    raise ValueError(f"{name} is {told[name].dtype} {told[name].shape}")
            first, stop = told["first"], told["stop"]
            left = stop - first
            if (first < 0).any() or (left < 0).any() or (left > MAX_WAYPOINTS).any():
                raise ValueError("waypoints begin or end where there are none")
            if (stop > len(told["points"])).any():
                raise ValueError("there are fewer waypoints than are told of")
            if (told["standing"] > NEAREST).any() or (told["reason"] >= len(OUTCOMES)).any():
                raise ValueError("a standing or a reason is none")
        except (KeyError, ValueError, IndexError) as error:
            raise SnapshotError(f"the ways of this snapshot do not agree with each other: {error}") from None
        return cls(**{name: array.copy() for name, array in told.items()})


# one value a follower
COLUMNS = tuple(field.name for field in fields(Followers) if field.name != "points")
NOBODY = Followers.new(np.empty(0, np.int64))
