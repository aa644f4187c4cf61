"""ECBS: conflict-based search whose plans cost at most `weight` times the optimum; with weight 1 they are optimal.

Source: M. Barer, G. Sharon, R. Stern, A. Felner, Suboptimal Variants of the Conflict-Based Search Algorithm for the
Multi-Agent Pathfinding Problem, SoCS 2014; G. Sharon, R. Stern, A. Felner, N. Sturtevant, Conflict-based search for
optimal multi-agent pathfinding, Artificial Intelligence 2015. It cannot prove that there is no plan, so that it is
given a budget in expansions of both levels together, and says when that ended it.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from orca_core.errors import InvalidInput, Problem
from orca_core.kernels.focal import NO_ROOM, focal_path
from orca_core.mapf.instance import Instance
from orca_core.mapf.plan import BOUNDED, OPTIMAL, SUBOPTIMAL, Plan
from orca_core.mapf.search import Search

__all__ = ["ecbs"]

Path = NDArray[np.int32]
# nodes that a search of one agent begins with room for
ROOM = 1 << 14


@dataclass(frozen=True)
class Rule:
    """An agent must not be in `cell` at `time`, or must not go from `before` to it so as to be there then."""

    cell: int
    time: int
    before: int = -1


@dataclass(frozen=True)
class Conflict:
    """Two agents and the rule that each would have to keep."""

    agents: tuple[int, int]
    rules: tuple[Rule, Rule]


@dataclass(frozen=True)
class Node:
    """Paths that keep rules: `rules[i]` those of agent i, `bounds[i]` no path of it that keeps them is shorter."""

    rules: dict[int, tuple[Rule, ...]]
    paths: tuple[Path, ...]
    bounds: tuple[int, ...]
    cost: int
    bound: int
    meetings: int


def ecbs(instance: Instance, *, weight: float = 1.0, budget: int = 10_000_000) -> Plan:
    """A plan of at most `weight` times the least cost, or the best that the budget allowed.

    Raises InvalidInput for a weight below 1 and for goals that cannot be reached.
    """
    if not 1.0 <= weight <= 1e6:
        raise InvalidInput([Problem(None, "weight", f"must be from 1 to 1e6, not {weight!r}")])
    return _Tree(instance, weight, budget).solve()


class _Tree:
    """One run: a tree of rules, grown where the fewest meet among those that may still be good enough."""

    def __init__(self, instance: Instance, weight: float, budget: int) -> None:
        self.search = Search(instance)
        self.weight = weight
        self.budget = budget
        cells, horizon = len(self.search.neighbours), self.search.horizon
        self._forbidden = np.zeros((cells, horizon), np.uint8)
        self._moves = np.zeros((cells, horizon), np.uint8)
        self._known = np.zeros((cells, horizon), np.int32)
        self._buckets = np.empty(3 * horizon, np.int32)
        self._path = np.empty(horizon, np.int32)
        # whose paths are reserved at the moment
        self._reserved: list[Path | None] = [None] * instance.count
        self._make_room(ROOM)

    def _make_room(self, size: int) -> None:
        self._nodes = np.empty((size, 6), np.int32)
        self._keys, self._heap = np.empty(size, np.int64), np.empty(size, np.int64)

    def solve(self) -> Plan:
        """Grow the tree until nobody meets."""
        root = self._root()
        if root is None:
            return self._plan(None, None, "expansions" if self._left() == 0 else "no-path")
        # all open nodes by their bound, and those that may be good enough by how many meet
        by_bound = [(root.bound, 0, 0)]
        nodes: dict[int, Node] = {0: root}
        focal = [(root.meetings, root.cost, 0)]
        waiting: list[tuple[int, int]] = []
        made, best = 1, root
        while nodes:
            while by_bound and by_bound[0][2] not in nodes:
                heapq.heappop(by_bound)
            least = by_bound[0][0]
            while waiting and waiting[0][0] <= self.weight * least:
                _, number = heapq.heappop(waiting)
                if number in nodes:
                    heapq.heappush(focal, (nodes[number].meetings, nodes[number].cost, number))
            # never empty: a path is at most `weight` times its own bound, so the node of the least bound is among them
            _, _, number = heapq.heappop(focal)
            node = nodes.pop(number)
            if node.meetings < best.meetings:
                best = node
            conflict = self._first_conflict(node)
            if conflict is None:
                return self._plan(node, least, None)
            if self._left() == 0:
                return self._plan(best, None, "expansions")
            self.search.expanded += 1
            for agent, rule in zip(conflict.agents, conflict.rules, strict=True):
                child = self._child(node, agent, rule)
                if child is None:
                    continue
                nodes[made] = child
                heapq.heappush(by_bound, (child.bound, made, made))
                if child.cost <= self.weight * least:
                    heapq.heappush(focal, (child.meetings, child.cost, made))
                else:
                    heapq.heappush(waiting, (child.cost, made))
                made += 1
        return self._plan(best, None, "no-path")

    def _left(self) -> int:
        return max(0, self.budget - self.search.expanded)

    def _root(self) -> Node | None:
        """Every agent by itself, those before it taken into account."""
        paths: list[Path] = []
        bounds: list[int] = []
        for agent in range(self.search.instance.count):
            found = self._find(agent, (), tuple(paths))
            if found is None:
                return None
            paths.append(found[0])
            bounds.append(found[1])
        return self._node({}, tuple(paths), tuple(bounds))

    def _child(self, node: Node, agent: int, rule: Rule) -> Node | None:
        """The node with one rule more, for one agent; None where it has no path then."""
        rules = {**node.rules, agent: (*node.rules.get(agent, ()), rule)}
        found = self._find(agent, rules[agent], node.paths)
        if found is None:
            return None
        paths = (*node.paths[:agent], found[0], *node.paths[agent + 1 :])
        bound = max(found[1], node.bounds[agent])
        return self._node(rules, paths, (*node.bounds[:agent], bound, *node.bounds[agent + 1 :]))

    def _node(self, rules: dict[int, tuple[Rule, ...]], paths: tuple[Path, ...], bounds: tuple[int, ...]) -> Node:
        self._reserve(paths, None)
        meetings = sum(len(self.search.reservations.colliding(agent)) for agent in range(len(paths))) // 2
        return Node(rules, paths, bounds, sum(len(path) - 1 for path in paths), sum(bounds), meetings)

    def _reserve(self, paths: tuple[Path, ...], without: int | None) -> None:
        """Have these paths reserved and no others, that of one agent left out."""
        for agent in range(self.search.instance.count):
            wanted = paths[agent] if agent < len(paths) and agent != without else None
            if self._reserved[agent] is wanted:
                continue
            if self._reserved[agent] is not None:
                self.search.reservations.leave(agent)
            if wanted is not None:
                self.search.reservations.enter(agent, wanted)
            self._reserved[agent] = wanted

    def _find(self, agent: int, rules: tuple[Rule, ...], others: tuple[Path, ...]) -> tuple[Path, int] | None:
        """A path of an agent that keeps its rules, with a lower bound of its cost; None where there is none."""
        self._reserve(others, agent)
        instance, reserved = self.search.instance, self.search.reservations
        start, goal = int(instance.starts[agent]), int(instance.goals[agent])
        since = 0
        for rule in rules:
            if rule.before < 0:
                self._forbidden[rule.cell, rule.time] = 1
                if rule.cell == goal:
                    since = max(since, rule.time + 1)
            else:
                self._moves[rule.before, rule.time - 1] |= 1 << self._side(rule)
        while True:
            length, bound, _, expanded = focal_path(
                self.search.neighbours, self.search.distance[agent], start, goal, self.weight, since, self._left(),
                reserved.first, reserved.link, reserved.paths, self._forbidden, self._moves, self._nodes, self._known,
                self._buckets, self._keys, self._heap, self._path,
            )  # fmt: skip
            if length != NO_ROOM:
                break
            self._make_room(2 * len(self._heap))
        self.search.expanded += expanded
        for rule in rules:
            if rule.before < 0:
                self._forbidden[rule.cell, rule.time] = 0
            else:
                self._moves[rule.before, rule.time - 1] = 0
        return (self._path[:length].copy(), bound) if length > 0 else None

    def _side(self, rule: Rule) -> int:
        """To which side of `before` the cell of a rule is."""
        sides: list[int] = self.search.neighbours[rule.before].tolist()
        return sides.index(rule.cell)

    def _first_conflict(self, node: Node) -> Conflict | None:
        """Where two meet for the first time."""
        longest = max(map(len, node.paths), default=0)
        before: list[int] = []
        for time in range(longest):
            here = [int(path[min(time, len(path) - 1)]) for path in node.paths]
            taken: dict[int, int] = {}
            for agent, cell in enumerate(here):
                other = taken.setdefault(cell, agent)
                if other != agent:
                    return Conflict((other, agent), (Rule(cell, time), Rule(cell, time)))
            if before:
                moves = {(a, b): agent for agent, (a, b) in enumerate(zip(before, here, strict=True)) if a != b}
                for (a, b), agent in moves.items():
                    other = moves.get((b, a), -1)
                    if other > agent:
                        return Conflict((agent, other), (Rule(b, time, a), Rule(a, time, b)))
            before = here
        return None

    def _plan(self, node: Node | None, least: int | None, limit: str | None) -> Plan:
        starts = self.search.instance.starts
        paths = [starts[i : i + 1].copy() for i in range(len(starts))]
        if node is not None:
            paths = [path.astype(np.int64) for path in node.paths]
        complete = limit is None
        quality = SUBOPTIMAL if not complete else OPTIMAL if node is not None and node.cost == least else BOUNDED
        notes = {} if least is None else {"lower_bound": float(least)}
        return Plan(
            paths, complete, quality, bound=self.weight if complete else None, expansions=self.search.expanded,
            limit=limit, notes=notes,
        )  # fmt: skip
