"""PIBT: every agent one step at a time, the more urgent ones pushing the others out of their way.

Source: K. Okumura, M. Machida, X. Défago, Y. Tamura, Priority Inheritance with Backtracking for Iterative Multi-agent
Path Finding, IJCAI 2019. It meets nobody, and on graphs in which every pair of cells beside each other is on a circle
every agent comes to its goal once; elsewhere it may go on for ever, so that it is given a number of steps.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from orca_core.kernels.inheritance import plan_step
from orca_core.mapf.plan import SUBOPTIMAL, Plan, trimmed
from orca_core.mapf.search import Search

__all__ = ["pibt"]

NOBODY = -1


def pibt(search: Search, *, random_state: np.random.Generator, steps: int) -> Plan:
    """A plan by PIBT in at most so many steps; where that is too few the agents stand where they have come to."""
    instance = search.instance
    count, cells = instance.count, len(search.neighbours)
    here = instance.starts.astype(np.int32)
    goals = instance.goals.astype(np.int32)
    waited = np.zeros(count, np.int64)
    # among those that have waited as long, by lot
    rank = np.argsort(np.argsort(random_state.random(count)))
    walked = [here.copy()]
    order = np.empty((count, 5), np.int32)
    ranks, tried, stack = (np.empty(count, np.int32) for _ in range(3))
    now = np.full(cells, NOBODY, np.int32)
    for _ in range(steps):
        if np.array_equal(here, goals):
            break
        there = np.full(count, -1, np.int32)
        then = np.full(cells, NOBODY, np.int32)
        now[:] = NOBODY
        now[here] = np.arange(count, dtype=np.int32)
        chance = random_state.random((count, 5))
        # whoever has waited for its goal longest goes first
        for agent in np.lexsort((rank, -waited)).tolist():
            if there[agent] < 0:
                plan_step(
                    agent, search.neighbours, search.distance, here, there, now, then, chance, order, ranks, tried,
                    stack,
                )  # fmt: skip
        here = there
        waited = np.where(here == goals, 0, waited + 1)
        walked.append(here.copy())
    table = np.stack(walked)
    complete = bool(np.array_equal(here, goals))
    paths: list[NDArray[np.int64]] = [trimmed(table[:, agent].astype(np.int64)) for agent in range(count)]
    limit = None if complete else "iterations"
    return Plan(paths, complete, SUBOPTIMAL, iterations=len(walked) - 1, limit=limit)
