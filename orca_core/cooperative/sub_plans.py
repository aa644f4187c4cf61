"""Sub-plans: the plans of groups, followed under ORCA by whoever is in one, cell by cell.

What a plan fixes is the order in which cells are entered, and that is all that is kept of it: who is to enter a cell
waits until the one before has come to its next (the action dependency graph of W. Hönig, S. Kiesel, A. Tinka,
J. Durham, N. Ayanian, Persistent and Robust Execution of MAPF Schedules in Warehouses, 2019). So nobody need be on
time, and whoever is held up holds up those alone who come after it. A member is released when it has come to its end.
Sooner, as soon as the rest of its path is nobody else's, was tried: most went back into the knot that the plan led them
round.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from orca_core.kernels.sub_plans import advance_plans, aim_along
from orca_core.mapf.plan import Plan

__all__ = ["SubPlans", "order_of_entry", "turns_in_place"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

NOBODY = -1


def turns_in_place(plan: Plan) -> bool:
    """Whether in some step agents move round a circle without a free cell, which discs that wait cannot."""
    longest = max(map(len, plan.paths), default=0)
    paths = [path.tolist() for path in plan.paths]
    for time in range(1, longest):
        before = {path[min(time - 1, len(path) - 1)]: agent for agent, path in enumerate(paths)}
        # whom each that moves comes after
        after = {}
        for agent, path in enumerate(paths):
            now = path[min(time, len(path) - 1)]
            if now != path[min(time - 1, len(path) - 1)] and now in before:
                after[agent] = before[now]
        for agent in after:
            other = after[agent]
            while other in after and other != agent:
                other = after[other]
                if other == after[agent]:
                    break
            if other == agent:
                return True
    return False


def order_of_entry(
    paths: Sequence[Integers], standing: Integers | None = None
) -> tuple[list[Integers], list[Integers], list[Integers]]:
    """The paths without waiting, and for each of their places who is waited for and until which of its places.

    `standing` (m,) is the cell in which each member is before it has come to the first of its path: who enters that
    first waits until it has. Places are counted within the path of the member; -1: nobody is waited for.
    """
    walked: list[Integers] = []
    visits: dict[int, list[tuple[int, int, int]]] = {}
    for member, path in enumerate(paths):
        moves = np.concatenate([[0], np.flatnonzero(path[1:] != path[:-1]) + 1])
        walked.append(path[moves])
        for place, time in enumerate(moves.tolist()):
            visits.setdefault(int(path[time]), []).append((time, member, place))
    waits_for = [np.full(len(path), NOBODY, np.int64) for path in walked]
    waits_until = [np.full(len(path), NOBODY, np.int64) for path in walked]
    for here in visits.values():
        here.sort()
        for (_, member, place), (_, follower, entry) in pairwise(here):
            if member != follower:
                waits_for[follower][entry], waits_until[follower][entry] = member, place + 1
    for member, cell in enumerate([] if standing is None else standing.tolist()):
        if cell == int(walked[member][0]) or cell not in visits:
            continue
        _, first, entry = visits[cell][0]
        if first != member and entry > 0:
            waits_for[first][entry], waits_until[first][entry] = member, 0
    return walked, waits_for, waits_until


class SubPlans:
    """Everybody who is in a sub-plan at the moment, group after group; see orca_core.kernels.sub_plans for the arrays.

    `rows` are the agents, `group` a number for each that its group has alone, `moved_step` when somebody of the group
    came a cell farther, `released` who goes its own way again although others of its group do not yet.
    """

    NAMES = ("rows", "group", "first", "stop", "at", "moved_step", "waits_for", "waits_until")

    def __init__(self) -> None:
        """Nobody."""
        empty = np.empty(0, np.int64)
        self.rows = self.group = self.first = self.stop = self.at = self.moved_step = empty
        self.waits_for = self.waits_until = empty
        self.released: NDArray[np.uint8] = np.empty(0, np.uint8)
        self.places: Floats = np.empty((0, 2))
        self._moved: NDArray[np.uint8] = np.empty(0, np.uint8)
        self.following = 0

    def __len__(self) -> int:
        return len(self.rows)

    def add(
        self, step: int, rows: Integers, paths: Sequence[Floats], waits_for: Sequence[Integers],
        waits_until: Sequence[Integers],
    ) -> int:  # fmt: skip
        """Let a group follow these paths, (t, 2) each in the coordinates of the world; returns its number."""
        number, members, offset = self.following, len(self.rows), len(self.places)
        self.following += 1
        lengths = np.array([len(path) for path in paths], np.int64)
        first = offset + np.concatenate([[0], np.cumsum(lengths)[:-1]])
        self.rows = np.concatenate([self.rows, rows])
        self.group = np.concatenate([self.group, np.full(len(rows), number, np.int64)])
        self.first, self.stop = np.concatenate([self.first, first]), np.concatenate([self.stop, first + lengths])
        self.at = np.concatenate([self.at, first - 1])
        self.moved_step = np.concatenate([self.moved_step, np.full(len(rows), step, np.int64)])
        self.released = np.concatenate([self.released, np.zeros(len(rows), np.uint8)])
        self.places = np.concatenate([self.places, *paths])
        others, until = np.concatenate(list(waits_for)), np.concatenate(list(waits_until))
        self.waits_for = np.concatenate([self.waits_for, np.where(others >= 0, others + members, NOBODY)])
        begin = first[np.maximum(others, 0)]
        self.waits_until = np.concatenate([self.waits_until, np.where(others >= 0, until + begin, NOBODY)])
        self._moved = np.zeros(len(self.rows), np.uint8)
        return number

    def remove(self, number: int) -> None:
        """A group is no more."""
        gone = self.group == number
        if not gone.any():
            return
        # groups stand one after the other, their places too
        members = np.flatnonzero(gone)
        begin, end = int(self.first[members[0]]), int(self.stop[members[-1]])
        kept = np.ones(len(self.places), np.bool_)
        kept[begin:end] = False
        later = np.flatnonzero(~gone & (self.first >= end))
        for name in ("first", "stop", "at"):
            getattr(self, name)[later] -= end - begin
        self.places = self.places[kept]
        waits_for, waits_until = self.waits_for[kept], self.waits_until[kept]
        shifted = waits_for > int(members[-1])
        self.waits_for = np.where(shifted, waits_for - len(members), waits_for)
        self.waits_until = np.where(shifted, waits_until - (end - begin), waits_until)
        for name in ("rows", "group", "first", "stop", "at", "moved_step", "released"):
            setattr(self, name, getattr(self, name)[~gone])
        self._moved = np.zeros(len(self.rows), np.uint8)

    def aim(self, target: Floats) -> None:
        """Write where each member goes that is not released, by agent, `target` (n, 2)."""
        aim_along(
            self.rows, self.places, self.stop, self.at, self.released, self.waits_for, self.waits_until, target
        )  # fmt: skip

    def advance(self, step: int, reach: float, position: Floats) -> Integers:
        """After a step: note who came a cell farther; returns who is released now, as agents."""
        moved = advance_plans(
            reach, self.rows, position, self.places, self.stop, self.at, self.released, self.waits_for,
            self.waits_until, self._moved,
        )  # fmt: skip
        if not moved:
            return np.empty(0, np.int64)
        for number in np.unique(self.group[self._moved == 1]).tolist():
            self.moved_step[self.group == number] = step
        now = np.flatnonzero((self._moved == 1) & (self.at == self.stop - 1))
        self.released[now] = 1
        return self.rows[now]

    def finished(self) -> list[int]:
        """The groups all of whose members are released."""
        still = set(self.group[self.released == 0].tolist())
        return [number for number in np.unique(self.group).tolist() if number not in still]

    def members(self, number: int) -> Integers:
        """The agents of a group that are not released."""
        here: Integers = self.rows[(self.group == number) & (self.released == 0)]
        return here

    def kept(self) -> dict[str, NDArray[Any]]:
        """What a snapshot holds of it."""
        arrays = {name: getattr(self, name) for name in (*self.NAMES, "released", "places")}
        return {**arrays, "following": np.array([self.following], np.int64)}

    @classmethod
    def restored(cls, kept: Mapping[str, NDArray[Any]]) -> SubPlans:
        """Those that a snapshot held."""
        made = cls()
        for name in (*cls.NAMES, "released", "places"):
            setattr(made, name, kept[name].copy())
        made.following = int(kept["following"][0])
        made._moved = np.zeros(len(made.rows), np.uint8)
        return made
