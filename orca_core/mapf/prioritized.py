"""Prioritized planning: one agent after the other, each around those before it.

Source: M. Erdmann, T. Lozano-Pérez, On multiple moving objects, Algorithmica 1987; with SIPP for the single agent.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from orca_core.mapf.instance import Instance
from orca_core.mapf.plan import SUBOPTIMAL, Plan
from orca_core.mapf.search import Search

__all__ = ["enter_all", "prioritized"]

Order = NDArray[np.int64]


def enter_all(search: Search, order: Order, *, hard: bool, budget: int) -> bool:
    """Plan for the agents of `order`, one after the other, among what is reserved; False as soon as one finds no path.

    Those before it stay reserved then. `budget` is in expansions, for all of them together.
    """
    end = search.expanded + budget
    for agent in order.tolist():
        found = search.find(agent, hard=hard, budget=max(0, end - search.expanded))
        if found is None:
            return False
        search.reservations.enter(agent, found[0])
    return True


def prioritized(
    instance: Instance, *, random_state: np.random.Generator, budget: int = 10_000_000, attempts: int = 20
) -> Plan:
    """A plan by prioritized planning: in the order of the agents first, then in random ones, until one comes out.

    It may fail although there is a plan; the one with the most agents on their way is returned then. Raises
    InvalidInput for goals that cannot be reached.
    """
    search = Search(instance)
    order = np.arange(instance.count)
    best: list[NDArray[np.int64]] = []
    done = False
    attempt = 0
    while attempt < attempts:
        attempt += 1
        done = enter_all(search, order, hard=True, budget=budget - search.expanded)
        entered = np.flatnonzero(search.reservations.length)
        if done or len(entered) > sum(len(path) > 1 for path in best):
            best = [
                search.reservations.path(agent).astype(np.int64)
                if search.reservations.length[agent]
                else instance.starts[agent : agent + 1].copy()
                for agent in range(instance.count)
            ]
        if done or search.expanded >= budget:
            break
        for agent in entered.tolist():
            search.reservations.leave(agent)
        order = random_state.permutation(instance.count)
    limit = None if done else "expansions" if search.expanded >= budget else "attempts"
    return Plan(best, done, SUBOPTIMAL, iterations=attempt, expansions=search.expanded, limit=limit)
