"""Push and Rotate: one agent after the other walks to its goal; whoever stands in its way is pushed aside or swapped.

Source: B. de Wilde, A. ter Mors, C. Witteveen, Push and Rotate: Cooperative Multi-Agent Path Planning, AAMAS 2013;
R. Luna, K. Bekris, Push and Swap: Fast Cooperative Path-Finding with Completeness Guarantees, IJCAI 2011. It needs two
free cells and is quick whatever the number of agents; plans are long, and made shorter here by letting moves that do
not depend on each other happen at once.

In which order agents must be brought to their goals where the graph is a tree, the paper reads off its subproblems.
Here it is learnt: first whoever has the farthest to go, and when somebody cannot be brought to its goal any more, it is
begun anew with that one first. Held against a search through all placements on thousands of small trees and rings it
has found a plan wherever there was one; that it always does is not proved.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Container, Iterable
from itertools import pairwise

import numpy as np

from orca_core.mapf.plan import SUBOPTIMAL, Plan
from orca_core.mapf.search import Search

__all__ = ["push_and_rotate"]

Move = tuple[int, int]

# orders of agents that are tried, as a multiple of their number
ATTEMPTS = 3


class NoPlan(Exception):
    """It does not go on."""


def push_and_rotate(search: Search, *, moves: int = 1_000_000) -> Plan:
    """A plan of at most so many moves of single agents; without one everybody stays where it starts."""
    count, starts = search.instance.count, search.instance.starts
    ways = search.distance[np.arange(count), starts].tolist()
    # whoever has the farthest to go first, while there is the most room
    order = sorted(range(count), key=lambda agent: (-ways[agent], agent))
    tried: set[tuple[int, ...]] = set()
    spent, limit = 0, "no-path"
    while tuple(order) not in tried and len(tried) <= ATTEMPTS * count:
        tried.add(tuple(order))
        run = _Run(search, moves - spent)
        try:
            run.solve(order)
        except NoPlan:
            spent += len(run.moves)
            if spent >= moves:
                limit = "moves"
                break
            # whoever could not be brought to its goal is brought there before the others
            order = [run.stuck, *(agent for agent in order if agent != run.stuck)]
            continue
        return Plan(run.paths(), True, SUBOPTIMAL, iterations=spent + len(run.moves), limit=None)
    return Plan([starts[i : i + 1].copy() for i in range(count)], False, SUBOPTIMAL, iterations=spent, limit=limit)


class _Run:
    """Where everybody is, and the moves of single agents that have brought that about."""

    def __init__(self, search: Search, most: int) -> None:
        self.count = search.instance.count
        self.starts = search.instance.starts.tolist()
        self.goals = search.instance.goals.tolist()
        self.beside = [[other for other in row if other >= 0] for row in search.neighbours.tolist()]
        self.distance = search.distance
        self.at = list(self.starts)
        self.who = {cell: agent for agent, cell in enumerate(self.at)}
        self.moves: list[Move] = []
        self.most = most
        # cells where somebody has come to stay
        self.settled: set[int] = set()
        # who is brought to its goal at the moment
        self.stuck = -1

    def solve(self, order: Iterable[int]) -> None:
        """Bring one after the other to its goal; raises NoPlan."""
        pending = deque(order)
        while pending:
            agent = self.stuck = pending.popleft()
            displaced = self._bring(agent)
            self.settled.add(self.goals[agent])
            # whoever was swapped out of its goal steps back into it, the last one first
            again = []
            for other in reversed(displaced):
                goal = self.goals[other]
                if self.at[other] != goal and goal in self.beside[self.at[other]] and goal not in self.who:
                    self._move(other, goal)
                if self.at[other] == goal:
                    self.settled.add(goal)
                else:
                    again.append(other)
            pending.extendleft(reversed(again))

    def _bring(self, agent: int) -> list[int]:
        """Let an agent walk to its goal; returns those who were there for good and are no more."""
        displaced: list[int] = []
        # round those who have settled where there is a way: a swap costs more, and a ring has no room for one
        way = self._way(self.at[agent], self.goals[agent].__eq__, self.settled) or []
        following = dict(pairwise(way))
        while self.at[agent] != self.goals[agent]:
            here = self.at[agent]
            step = following.get(here, -1)
            if step < 0:
                step = min(self.beside[here], key=lambda cell: (int(self.distance[agent, cell]), cell))
            if self._push(agent, step):
                continue
            other = self.who[step]
            if not self._swap(agent, other) and not self._rotate(here, step):
                raise NoPlan
            if step in self.settled and self.at[other] != step:
                self.settled.discard(step)
                displaced.append(other)
            if self.at[agent] != step:
                raise NoPlan
        return displaced

    # moves

    def _move(self, agent: int, cell: int) -> None:
        if len(self.moves) >= self.most:
            raise NoPlan
        assert cell not in self.who
        del self.who[self.at[agent]]
        self.at[agent] = cell
        self.who[cell] = agent
        self.moves.append((agent, cell))

    def _back_to(self, mark: int, at: list[int]) -> None:
        """Forget the moves since `mark`, when everybody was `at`."""
        del self.moves[mark:]
        self.at = list(at)
        self.who = {cell: agent for agent, cell in enumerate(at)}

    def _push(self, agent: int, cell: int) -> bool:
        """Move to a cell beside, whoever is there being pushed aside; nobody who has settled is."""
        if cell in self.who and not self._clear(cell, {self.at[agent], *self.settled}):
            return False
        self._move(agent, cell)
        return True

    def _clear(self, cell: int, kept: set[int]) -> bool:
        """Push everybody from a cell on toward the nearest free one; nobody in `kept` moves or is passed."""
        if cell in kept:
            return False
        way = self._way(cell, lambda here: here not in self.who, kept)
        if way is None:
            return False
        for before, after in zip(reversed(way[:-1]), reversed(way[1:]), strict=True):
            if before in self.who:
                self._move(self.who[before], after)
        return True

    def _way(self, start: int, ends: Callable[[int], bool], kept: Container[int] = ()) -> list[int] | None:
        """The shortest way from a cell to the nearest at which it ends, round `kept`."""
        came: dict[int, int] = {start: start}
        pending = deque([start])
        while pending:
            here = pending.popleft()
            if ends(here):
                way = [here]
                while way[-1] != start:
                    way.append(came[way[-1]])
                return way[::-1]
            for other in self.beside[here]:
                if other not in came and other not in kept:
                    came[other] = here
                    pending.append(other)
        return None

    # changing places

    def _swap(self, one: int, other: int) -> bool:
        """Let two beside each other change places, everybody else being where it was afterwards."""
        crossings = self._crossings(self.at[one])
        for crossing in crossings:
            mark, at = len(self.moves), list(self.at)
            if self._lead(one, other, crossing) and self._make_room(one, other):
                there = len(self.moves)
                self._exchange(one, other)
                # all that was moved on the way goes back, the two in each other's place
                names = {one: other, other: one}
                positions = self._positions_before(mark, there, at)
                for agent, cell in positions:
                    self._move(names.get(agent, agent), cell)
                return True
            self._back_to(mark, at)
        return False

    def _crossings(self, start: int) -> list[int]:
        """Cells with three beside them, the nearest first."""
        found, seen, pending = [], {start}, deque([start])
        while pending:
            here = pending.popleft()
            if len(self.beside[here]) >= 3:
                found.append(here)
            for other in self.beside[here]:
                if other not in seen:
                    seen.add(other)
                    pending.append(other)
        return found

    def _lead(self, one: int, other: int, crossing: int) -> bool:
        """Bring the two, one behind the other, so that one of them is on the crossing."""
        first, second = one, other
        way = self._way(self.at[first], crossing.__eq__)
        if way is not None and len(way) > 1 and way[1] == self.at[second]:
            first, second, way = second, first, way[1:]
        if way is None:
            return False
        for cell in way[1:]:
            behind = self.at[first]
            if cell in self.who and not self._clear(cell, {self.at[first], self.at[second]}):
                return False
            self._move(first, cell)
            self._move(second, behind)
        return True

    def _make_room(self, one: int, other: int) -> bool:
        """Free two cells beside the crossing, on which one of the two is, the other beside it: the four ways of
        "clear" of the paper, from the least to the most that is moved.
        """
        first, second = (one, other) if len(self.beside[self.at[one]]) >= 3 else (other, one)
        crossing, outside = self.at[first], self.at[second]
        if outside not in self.beside[crossing]:
            return False
        around = [cell for cell in self.beside[crossing] if cell != outside]
        free = [cell for cell in around if cell not in self.who]
        for cell in around:
            if len(free) >= 2:
                return True
            if cell not in free and self._clear(cell, {crossing, outside, *free}):
                free.append(cell)
        if len(free) >= 2:
            return True
        if not free:
            return False
        gap = free[0]
        ways = (self._clear_through, self._clear_aside, self._clear_behind)
        return any(
            self._attempt(way, first, second, cell, gap) for way in ways for cell in around if cell != gap
        )  # fmt: skip

    def _attempt(self, way: Callable[[int, int, int, int], bool], first: int, second: int, cell: int, gap: int) -> bool:
        """Whether it succeeded; all that was moved goes back where it did not."""
        mark, at = len(self.moves), list(self.at)
        if way(first, second, cell, gap):
            return True
        self._back_to(mark, at)
        return False

    def _clear_through(self, first: int, second: int, cell: int, gap: int) -> bool:
        """Push whoever is in `cell` out, through the gap where need be, and clear that again."""
        pair = {self.at[first], self.at[second]}
        return self._clear(cell, pair) and self._clear(gap, {*pair, cell})

    def _clear_aside(self, first: int, second: int, cell: int, gap: int) -> bool:
        """Let the pair step on into the gap, so that `cell` may be cleared through where it was."""
        crossing, outside = self.at[first], self.at[second]
        self._move(first, gap)
        self._move(second, crossing)
        if not (self._clear(cell, {crossing, gap}) and self._clear(outside, {crossing, gap, cell})):
            return False
        self._move(second, outside)
        self._move(first, crossing)
        return True

    def _clear_behind(self, first: int, second: int, cell: int, gap: int) -> bool:
        """Let the pair step back, and whoever is in `cell` cross over into the gap and on."""
        crossing, outside = self.at[first], self.at[second]
        if not self._clear(outside, {crossing}):
            return False
        behind = self.at[second]
        self._move(first, outside)
        if not self._clear(gap, {crossing, outside, behind}) or cell not in self.who:
            return False
        self._move(self.who[cell], crossing)
        self._move(self.who[crossing], gap)
        self._move(first, crossing)
        self._move(second, outside)
        return self._clear(gap, {crossing, outside, cell})

    def _exchange(self, one: int, other: int) -> None:
        """The one on the crossing steps aside, the other through and aside, and each goes where the other was."""
        first, second = (one, other) if self._has_room(self.at[one]) else (other, one)
        crossing, outside = self.at[first], self.at[second]
        left, right = [cell for cell in self.beside[crossing] if cell not in self.who][:2]
        self._move(first, left)
        self._move(second, crossing)
        self._move(second, right)
        self._move(first, crossing)
        self._move(first, outside)
        self._move(second, crossing)

    def _has_room(self, cell: int) -> bool:
        return sum(other not in self.who for other in self.beside[cell]) >= 2

    def _positions_before(self, mark: int, there: int, at: list[int]) -> Iterable[Move]:
        """The moves from `mark` to `there` the other way round: who, and where it came from."""
        where, came = list(at), []
        for agent, cell in self.moves[mark:there]:
            came.append((agent, where[agent]))
            where[agent] = cell
        return came[::-1]

    def _rotate(self, here: int, step: int) -> bool:
        """Turn a circle through both cells by one, where one of its cells is free or can be made so."""
        circle = self._circle(here, step)
        if circle is None:
            return False
        cells = set(circle)
        mark, at = len(self.moves), list(self.at)
        for gap in range(len(circle)):
            if circle[gap] in self.who and not self._clear(circle[gap], (cells - {circle[gap]}) | self.settled):
                continue
            # from the gap backward everybody takes one step on
            for k in range(1, len(circle)):
                before, after = circle[(gap - k) % len(circle)], circle[(gap - k + 1) % len(circle)]
                if before in self.who:
                    self._move(self.who[before], after)
            return True
        self._back_to(mark, at)
        return False

    def _circle(self, here: int, step: int) -> list[int] | None:
        """The shortest circle that goes from `here` over `step`, as cells in that direction."""
        came: dict[int, int] = {step: step}
        pending = deque([step])
        while pending:
            cell = pending.popleft()
            for other in self.beside[cell]:
                if other == here and cell != step:
                    way = [cell]
                    while way[-1] != step:
                        way.append(came[way[-1]])
                    return [here, *way[::-1]]
                if other not in came and other != here:
                    came[other] = cell
                    pending.append(other)
        return None

    # what comes of it

    def paths(self) -> list[np.ndarray[tuple[int], np.dtype[np.int64]]]:
        """The moves as paths, each as early as those before it in its cell and of its agent allow."""
        last = [0] * self.count
        where = list(self.starts)
        left_at: dict[int, int] = {}
        walked: list[list[int]] = [[cell] for cell in self.starts]
        for agent, cell in self.moves:
            time = max(last[agent] + 1, left_at.get(cell, 0))
            walked[agent] += [where[agent]] * (time - len(walked[agent])) + [cell]
            left_at[where[agent]] = time
            where[agent] = cell
            last[agent] = time
        return [np.array(path, np.int64) for path in walked]
