"""The neighbour search against brute force: the same set and order to the last tie, for any crowd and any guess."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from orca_core import Options
from orca_core.kernels.neighbours import collect_leaves, nearest
from orca_core.kernels.tree import LEAF, STACK
from orca_core.solver import Solver
from orca_core.state import AgentState
from tests.oracles.neighbours import nearest_agents
from tests.support.crowds import CROWDS
from tests.support.samples import samples

Floats = NDArray[np.float64]

DISTANCES = {"tiny": 1e-3, "short": 1.0, "usual": 6.0, "huge": 1e19, "none": 0.0}


class Search:
    """The search of the solver, called for one agent at a time."""

    def __init__(self, position: Floats, most: int) -> None:
        """Sort the agents and build their tree as a step does."""
        count = len(position)
        self.agents = AgentState()
        self.agents.append(count)
        self.agents["position"][:] = position
        self.solver = Solver()
        self.solver.prefer(self.agents, Options.text(), 0.25)
        self.solver.bin(self.agents, 0.0)
        self.place = np.empty(count, np.int64)
        self.place[self.solver.order[:count]] = np.arange(count)
        entries = 2 * min(most, count) + 8 * LEAF
        self.distance = np.empty(entries)
        self.lists = np.empty((2, entries), np.int64)
        self.near, self.wide, self.stack = (np.empty(max(self.solver.leaves, STACK), np.int64) for _ in range(3))

    def of(self, row: int, most: int, neighbor_distance: float, guess: float) -> list[tuple[float, int]]:
        """Neighbours of one agent as (squared distance, index), from a guess of how far they reach."""
        solver, own = self.solver, int(self.place[row])
        node = solver.nodes[solver.leaves + own // LEAF]
        shared = min(guess, neighbor_distance)
        found = collect_leaves(solver.nodes, solver.leaves, *node, shared * shared, self.stack, self.near)
        near_distance, near_place = np.empty(most + 1), np.empty(most + 1, np.int64)
        x, y = self.agents["position"][row]
        kept, _ = nearest(
            own, x, y, min(most, self.agents.count), neighbor_distance, guess, shared, self.near, found, solver.nodes,
            solver.leaves, solver.leaf_x, solver.leaf_y, solver.order, solver.leaf_first, self.distance, self.lists[0],
            self.lists[1], near_distance, near_place, self.stack, self.wide,
        )  # fmt: skip
        return [(float(near_distance[k]), int(solver.order[near_place[k]])) for k in range(kept)]


@pytest.mark.parametrize("distance", DISTANCES)
@pytest.mark.parametrize("crowd", CROWDS)
def test_the_same_neighbours_as_brute_force(crowd: str, distance: str) -> None:
    generator = np.random.default_rng(sum(map(ord, crowd + distance)))
    position = CROWDS[crowd](generator, 150)
    reach = DISTANCES[distance]
    rows = generator.choice(len(position), samples(40), replace=False)
    for most in (1, 10, 1000):
        search = Search(position, most)
        for row in rows:
            wanted = nearest_agents(position, int(row), reach, most)
            # a good guess, none at all, far too short, far too long
            for guess in (wanted[-1][0] ** 0.5 if wanted else 1.0, 0.0, 1e-9, 1e6):
                assert search.of(int(row), most, reach, guess) == wanted


@pytest.mark.parametrize("count", [1, 2, 7, 8, 9, 63, 64, 65, 300])
def test_every_size_of_tree(count: int) -> None:
    generator = np.random.default_rng(count)
    position = generator.integers(0, 9, (count, 2)).astype(np.float64)
    search = Search(position, 12)
    for row in range(min(count, samples(100))):
        assert search.of(row, 12, 4.0, 2.0) == nearest_agents(position, row, 4.0, 12)


def test_no_neighbour_is_asked_for() -> None:
    assert Search(np.zeros((20, 2)), 0).of(3, 0, 5.0, 5.0) == []


def test_the_neighbour_distance_itself_does_not_count() -> None:
    position = np.array([[0.0, 0.0], [3.0, 0.0], [0.0, 3.0 - 1e-12], [-5.0, 0.0]])
    assert Search(position, 10).of(0, 10, 3.0, 3.0) == [((3.0 - 1e-12) ** 2, 2)]


def test_twenty_thousand_on_one_spot_have_the_first_ten_as_neighbours() -> None:
    search = Search(np.full((samples(20_000), 2), -4.0), 10)
    assert [index for _, index in search.of(5, 10, 5.0, 0.0)] == [0, 1, 2, 3, 4, 6, 7, 8, 9, 10]
    assert [index for _, index in search.of(300, 10, 5.0, 5.0)] == list(range(10))
