"""Destroy rules: which agents' paths a large neighbourhood search takes away to plan them anew, and which rule to try.

Source: J. Li, Z. Chen, D. Harabor, P. Stuckey, S. Koenig, Anytime Multi-Agent Path Finding via Large Neighborhood
Search, IJCAI 2021 (agent-based, map-based, random, adaptive); the same, MAPF-LNS2, AAAI 2022 (collision, target,
random).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from orca_core.mapf.search import Search

__all__ = [
    "Adaptive",
    "agent_based",
    "collision_based",
    "map_based",
    "random_agents",
    "random_colliding",
    "target_based",
]

Agents = NDArray[np.int64]
Rule = Callable[[], Agents]

# how fast a rule's weight follows what it brings, and the least that it keeps
REACTION = 0.01
LEAST_WEIGHT = 1e-3
# steps of a random walk before it is given up
WALKS = 10


class Adaptive:
    """Chooses among rules by what each has brought so far."""

    def __init__(self, rules: Mapping[str, Rule], random_state: np.random.Generator) -> None:
        """All rules are worth the same at first."""
        self._names = list(rules)
        self._rules = dict(rules)
        self._weights = np.ones(len(rules))
        self._random = random_state
        self._last = 0

    def __call__(self) -> Agents:
        """The agents that the chosen rule names."""
        shares = self._weights.cumsum()
        self._last = int(np.searchsorted(shares, self._random.random() * shares[-1], side="right"))
        return self._rules[self._names[min(self._last, len(self._names) - 1)]]()

    def learn(self, gain: float) -> None:
        """The agents named last brought so much for each of them; 0 for nothing."""
        kept = (1.0 - REACTION) * self._weights[self._last]
        self._weights[self._last] = max(LEAST_WEIGHT, kept + REACTION * gain)


def random_agents(search: Search, size: int, random_state: np.random.Generator) -> Agents:
    """Any of them."""
    count = search.instance.count
    return random_state.permutation(count)[: min(size, count)]


def agent_based(search: Search, size: int, random_state: np.random.Generator, tabu: set[int]) -> Agents:
    """The agent that is delayed most, and those that stand in the way of a shorter path of it.

    `tabu` are those that were chosen so lately; it is cleared when everybody was.
    """
    length = search.reservations.length.astype(np.int64) - 1
    ways = search.distance[np.arange(search.instance.count), search.instance.starts]
    delay = length - ways
    candidates = [agent for agent in np.argsort(-delay, kind="stable").tolist() if agent not in tabu]
    if not candidates or delay[candidates[0]] == 0:
        tabu.clear()
        candidates = np.argsort(-delay, kind="stable").tolist()
    chosen = candidates[0]
    tabu.add(chosen)
    group = [chosen]
    for _ in range(WALKS):
        # walk from a random time on, as long as the agent would still arrive earlier than it does
        start = int(random_state.integers(max(1, length[chosen])))
        for other in _walk(search, chosen, start, int(length[chosen]), random_state):
            if other not in group:
                group.append(other)
            if len(group) >= size:
                return np.array(group, np.int64)
    # nobody stands in its way: the rest by lot
    return _filled(group, search.instance.count, size, random_state)


def _walk(search: Search, agent: int, start: int, upper: int, random_state: np.random.Generator) -> list[int]:
    """Whom an agent would meet that leaves its path at a time and wanders, never so far that it would come later."""
    reserved, neighbours = search.reservations, search.neighbours
    cell, met = int(reserved.paths[agent, start]), []
    for time in range(start + 1, min(upper, reserved.horizon)):
        beside = [cell, *(int(other) for other in neighbours[cell] if other >= 0)]
        near = [other for other in beside if time + int(search.distance[agent, other]) < upper]
        if not near:
            break
        cell = near[int(random_state.integers(len(near)))]
        other = int(reserved.first[cell, time])
        while other >= 0:
            if other != agent:
                met.append(other)
            other = int(reserved.link[other, time])
    return met


def map_based(search: Search, size: int, random_state: np.random.Generator) -> Agents:
    """Those who pass a random crossing, and those who pass cells near it."""
    reserved, neighbours = search.reservations, search.neighbours
    crossings = np.flatnonzero((neighbours >= 0).sum(axis=1) > 2)
    if not len(crossings):
        return random_agents(search, size, random_state)
    seed = int(crossings[random_state.integers(len(crossings))])
    pending, seen, group = [seed], {seed}, dict[int, None]()
    while pending and len(group) < size:
        cell = pending.pop(0)
        found = np.unique(reserved.first[cell])
        passing = random_state.permutation(found[found >= 0]).tolist()
        group.update(dict.fromkeys(passing[: size - len(group)]))
        for other in neighbours[cell].tolist():
            if other >= 0 and other not in seen:
                seen.add(other)
                pending.append(other)
    return _filled(list(group), search.instance.count, size, random_state)


def collision_based(pairs: Sequence[set[int]], search: Search, size: int, random_state: np.random.Generator) -> Agents:
    """One that collides, and those it is connected with by collisions; `pairs[i]` are those whom agent i meets."""
    colliding = [agent for agent, others in enumerate(pairs) if others]
    seed = colliding[int(random_state.integers(len(colliding)))]
    component: dict[int, None] = {seed: None}
    pending = [seed]
    while pending:
        for other in sorted(pairs[pending.pop(0)]):
            if other not in component:
                component[other] = None
                pending.append(other)
    if len(component) > size:
        # a walk over the collisions, so that those named collide among each other
        walked: dict[int, None] = {seed: None}
        agent = seed
        while len(walked) < size:
            beside = sorted(pairs[agent])
            agent = beside[int(random_state.integers(len(beside)))]
            walked[agent] = None
        return np.array(list(walked), np.int64)
    group = list(component)
    # and those that one of them would meet on its way
    for _ in range(WALKS):
        if len(group) >= size:
            break
        agent = group[int(random_state.integers(len(group)))]
        length = int(search.reservations.length[agent])
        start = int(random_state.integers(length))
        for other in _walk(search, agent, start, length + size, random_state):
            if other not in group and len(group) < size:
                group.append(other)
    return _filled(group, search.instance.count, size, random_state)


def target_based(pairs: Sequence[set[int]], search: Search, size: int, random_state: np.random.Generator) -> Agents:
    """One that collides, those that pass its goal later than it, and those whose starts and goals are in its way."""
    reserved, instance = search.reservations, search.instance
    weights = np.array([len(others) for others in pairs], np.float64)
    seed = int(np.searchsorted(weights.cumsum(), random_state.random() * weights.sum(), side="right"))
    goal, length = int(instance.goals[seed]), int(reserved.length[seed])
    later = np.unique(reserved.first[goal, length - 1 :])
    way = reserved.paths[seed, :length]
    in_way = np.flatnonzero(np.isin(instance.goals, way) | np.isin(instance.starts, way))
    found = dict.fromkeys([seed, *later[later >= 0].tolist()])
    group = list(found)[:size]
    for other in random_state.permutation(in_way).tolist():
        if len(group) >= size:
            break
        if other not in found:
            group.append(other)
    return _filled(group, instance.count, size, random_state)


def random_colliding(pairs: Sequence[set[int]], size: int, random_state: np.random.Generator) -> Agents:
    """By lot, the more an agent collides the likelier."""
    weights = np.array([len(others) for others in pairs], np.float64) + 1.0
    return random_state.choice(len(pairs), min(size, len(pairs)), replace=False, p=weights / weights.sum())


def _filled(group: list[int], count: int, size: int, random_state: np.random.Generator) -> Agents:
    """The group with others by lot until it has `size`, or everybody."""
    missing = min(size, count) - len(group)
    if missing > 0:
        others = np.setdiff1d(np.arange(count), group)
        group = [*group, *random_state.permutation(others)[:missing].tolist()]
    return np.array(group, np.int64)
