"""Fallback: agents that have locked each other up are taken out of their ways, and a plan for all of them is followed.

After each step the speed buffers are brought up to date, and now and then it is looked whether somebody who has stood
for long is in a knot (see stalling). Its group is the agent, those it sees, and those that they see; the plan is made
once for the group, on the grid around it (see knot), and followed under ORCA (see sub_plans). Whoever stands parked in
the part of the map takes no part and blocks its cell; only where there is no plan round it, it makes way like the
others. Where nobody of a group comes farther for a while its plan is made anew, with whoever has come in its way.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from orca_core.cooperative.group import Watch, crowd
from orca_core.cooperative.knot import BUDGET, Knot, Untied, untie
from orca_core.cooperative.stalling import COMMON_POINT, WINDOW, Stalling
from orca_core.cooperative.sub_plans import SubPlans

if TYPE_CHECKING:
    from orca_core.cooperative.config import Config
    from orca_core.cooperative.frame import Frame

__all__ = ["LOOK", "PATIENCE", "Counts", "Fallback", "Surroundings"]

Floats = NDArray[np.float64]
Flags = NDArray[np.uint8]
Integers = NDArray[np.int64]

# steps between two looks for knots
LOOK = 4
# steps in which nobody of a group comes a cell farther until its plan is made anew
PATIENCE = 60
NOBODY = np.empty(0, np.int64)


@dataclass(frozen=True, eq=False)
class Surroundings:
    """What the fallback has to know of a step: everything is by agent, (n,) or (n, 2).

    `excused` says who has a reason to stand (at its goal, drifting, yielding), `parked` who is at its goal; `target` is
    where each is bound for at the moment. `way(i)` are the cells that agent i would go, from its own to its goal.
    """

    step: int
    position: Floats
    velocity: Floats
    max_speed: Floats
    excused: Flags
    parked: Flags
    target: Floats
    way: Callable[[int], Integers]


@dataclass
class Counts:
    """How often a sub-problem was set up (`init_count`), solved (`mapf_successes`), and ECBS asked (`ecbs_count`)."""

    init_count: int = 0
    mapf_successes: int = 0
    ecbs_count: int = 0
    agents: int = 0

    def add(self, agents: int) -> None:
        """A plan for so many was made without ECBS."""
        self.init_count += 1
        self.mapf_successes += 1
        self.agents += agents

    @property
    def n_ag(self) -> float:
        """Agents in a sub-problem on average; 0 where there was none."""
        return self.agents / self.init_count if self.init_count else 0.0

    def columns(self) -> dict[str, float]:
        """By the names that metrics have."""
        return {
            "mapf_successes": self.mapf_successes,
            "n_ag": self.n_ag,
            "init_count": self.init_count,
            "ecbs_count": self.ecbs_count,
        }


class Fallback:
    """The fallback of one run or world with a fixed number of agents."""

    def __init__(self, frame: Frame, config: Config, max_speed: Floats, *, budget: int = BUDGET) -> None:
        """`max_speed` (n,); `budget` is in expansions, for one group."""
        self._frame, self._config, self._budget = frame, config, budget
        self._watch = Watch(frame.grid)
        self.stalling = Stalling(max_speed, config.timestep, WINDOW)
        self.plans = SubPlans()
        self.counts = Counts()
        # who is in a sub-plan, (n,)
        self.members: Flags = np.zeros(len(max_speed), np.uint8)
        self._reach = config.sight_radius / frame.cell_size

    def conclude(self, around: Surroundings) -> tuple[Integers, Integers]:
        """After a step: who is in a sub-plan from now on, and who goes its own way again, as rows."""
        joined, left = self._advance(around) if len(self.plans) else (NOBODY, NOBODY)
        excused = around.excused | self.members
        stood = self.stalling.tally(around.step, around.position, around.velocity, excused, around.max_speed)
        if not stood or around.step % LOOK:
            return joined, left
        return np.concatenate([joined, self._look(around)]), left

    def _advance(self, around: Surroundings) -> tuple[Integers, Integers]:
        """Groups come farther; returns as `conclude` does."""
        plans = self.plans
        joined, left = [NOBODY], [plans.advance(around.step, self._config.waypoint_reach_tol, around.position)]
        self.members[left[0]] = 0
        for number in plans.finished():
            plans.remove(number)
        for number in np.unique(plans.group[around.step - plans.moved_step > PATIENCE]).tolist():
            # somebody is in the way who takes no part, or has been pushed out of it: the plan is made anew, for all
            places = self._places(around.position)
            members = self._dissolve(number, places)
            if not len(members):
                # it has become part of another that was looked at just now
                continue
            again = self._plan_for(around, places, crowd(places, members, self.members == 0))
            joined.append(np.setdiff1d(again, members))
            left.append(np.setdiff1d(members, again))
        gone = np.concatenate(left)
        self.stalling.begin_anew(gone, around.max_speed)
        return np.concatenate(joined), gone

    def _dissolve(self, number: int, places: Floats) -> Integers:
        """End a group that comes no farther, and those who stand so close that they may be what is in its way: each
        would plan round the other for ever. Returns the members of all.
        """
        plans, members = self.plans, self.plans.members(number)
        met = crowd(places, members, np.ones(len(places), np.bool_))
        for other in {number, *plans.group[np.isin(plans.rows, met) & (plans.released == 0)].tolist()}:
            members = np.union1d(members, plans.members(other))
            plans.remove(other)
        self.members[members] = 0
        return members

    def _look(self, around: Surroundings) -> Integers:
        """Look at those who have stood, the lowest number first, and untie the knots they are in."""
        places = self._places(around.position)
        joined = [NOBODY]
        for agent in np.flatnonzero(self.stalling.stood).tolist():
            # it may have become a member of a group that was made just now
            if self.members[agent] or not self.stalling.stood[agent] or not self._in_knot(around, places, agent):
                continue
            rows = self._take(around, places, agent)
            if len(rows):
                joined.append(rows)
        return np.concatenate(joined)

    def _in_knot(self, around: Surroundings, places: Floats, agent: int) -> bool:
        """Whether the trigger goes off for an agent that has stood."""
        stood, most = self.stalling.stood, self._config.agents_max_num
        if self._config.trigger == COMMON_POINT:
            same = (around.target == around.target[agent]).all(axis=1) & (around.parked == 0)
            return len(self._watch.near(places, agent, self._reach, most, same)) >= self._config.mapf_num
        # whoever stands with a reason counts only after twice the time
        among = None if stood[agent] >= WINDOW else stood > 0
        return bool(self._watch.near(places, agent, self._reach, 1, among))

    def _take(self, around: Surroundings, places: Floats, agent: int) -> Integers:
        """Make a plan for the group of an agent; returns its members, nobody where there is no plan."""
        free = self.members == 0
        most = self._config.agents_max_num
        group = self._watch.group(places, agent, self._reach, most, free)
        return self._plan_for(around, places, group)

    def _plan_for(self, around: Surroundings, places: Floats, group: Integers) -> Integers:
        """Have these follow a plan; nobody where there is none."""
        free = self.members == 0
        untied = self._untie(around, places, group)
        if untied is None:
            # whoever stands parked around makes way too
            others = np.flatnonzero(free & (around.parked != 0))
            near = [i for i in others.tolist() if _near_any(places, i, group, self._reach)]
            more = np.union1d(group, np.array(near, np.int64))
            if len(more) > len(group):
                group = more
                untied = self._untie(around, places, group)
        # if there is no plan now there will be one when things have changed
        self.stalling.begin_anew(group, around.max_speed)
        if untied is None:
            return NOBODY
        centers = [self._frame.centers(path) for path in untied.paths]
        self.plans.add(around.step, group, centers, untied.waits_for, untied.waits_until)
        self.members[group] = 1
        return group

    def _untie(self, around: Surroundings, places: Floats, group: Integers) -> Untied | None:
        away = np.setdiff1d(np.flatnonzero((around.parked != 0) & (self.members == 0)), group)
        parked = self._frame.cells(around.position[away])
        ways = [around.way(member) for member in group.tolist()]
        knot = Knot(self._frame.grid, places[group], ways, parked.tolist())
        untied, asked = untie(knot, math.ceil(self._reach), self._budget)
        self.counts.init_count += 1
        self.counts.agents += len(group)
        self.counts.ecbs_count += asked
        self.counts.mapf_successes += untied is not None
        return untied

    def _places(self, position: Floats) -> Floats:
        """Positions in cells, y downward from the top of the map."""
        places: Floats = position / self._frame.cell_size
        if self._frame.upward:
            places[:, 1] = self._frame.grid.height - places[:, 1]
        return places

    def go_on_from(self, other: Fallback) -> None:
        """Take over the speed buffers and counts of another, whose sub-plans are no more."""
        self.stalling, self.counts = other.stalling, other.counts

    # snapshots

    def kept(self) -> dict[str, NDArray[Any]]:
        """What a snapshot holds of it, by name."""
        counts = self.counts
        numbers = [counts.init_count, counts.mapf_successes, counts.ecbs_count, counts.agents]
        return {**self.stalling.kept(), **self.plans.kept(), "members": self.members, "counts": np.array(numbers)}

    def restore(self, kept: Mapping[str, NDArray[Any]]) -> None:
        """Go on from what a snapshot held."""
        self.stalling.restore(kept)
        self.plans = SubPlans.restored(kept)
        self.members = kept["members"].copy()
        self.counts = Counts(*kept["counts"].tolist())


def _near_any(places: Floats, agent: int, group: Integers, reach: float) -> bool:
    dx, dy = places[group, 0] - places[agent, 0], places[group, 1] - places[agent, 1]
    return bool((dx * dx + dy * dy < reach * reach).any())
