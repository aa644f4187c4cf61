"""The neighbour search against brute force: the same set and order to the last tie, for any crowd and any guess."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from orca_core.kernels.neighbours import LISTED, collect_leaves, gather_common, search, thin_out
from orca_core.kernels.ranking import COUNTED, rank
from orca_core.kernels.tree import LEAF, tree_over_leaves
from orca_core.scratch import Scratch
from orca_core.solver import Solver
from orca_core.state import AgentState
from tests.oracles.neighbours import nearest_agents
from tests.support.crowds import CROWDS
from tests.support.samples import samples

Floats = NDArray[np.float64]

DISTANCES = {"tiny": 1e-3, "short": 1.0, "usual": 6.0, "huge": 1e19, "none": 0.0}


class Search:
    """The search of a step, called for one agent at a time."""

    def __init__(self, position: Floats, most: int) -> None:
        """Sort the agents and build their tree as a step does."""
        count = len(position)
        self.agents = AgentState()
        self.agents.append(count)
        self.agents["position"][:] = position
        self.solver = Solver()
        self.task = self.solver.prepare(self.agents, 0, 0.25)
        self.place = np.empty(count, np.int64)
        self.place[self.solver["order"][:count]] = np.arange(count)
        self.scratch = Scratch.sized(self.task.leaves, min(most, count), 0, 0)
        tree_over_leaves(self.solver["boxes.0"], self.task.leaves, self.scratch.nodes)

    def of(
        self, row: int, most: int, neighbor_distance: float, guess: float, *, common: bool = False
    ) -> list[tuple[float, int]]:
        """Neighbours of one agent as (squared distance, index), from a guess of how far to look."""
        solver, scratch, own = self.solver, self.scratch, int(self.place[row])
        leaf, k = own // LEAF, min(most, self.agents.count)
        box = solver["boxes.0"][leaf]
        frame = (solver["leaf_x.0"], solver["leaf_y.0"])
        found = collect_leaves(
            scratch.nodes, self.task.leaves, *box, guess * guess, scratch.stack, scratch.near
        )  # fmt: skip
        shared = (scratch.common_x, scratch.common_y, scratch.common_place)
        count = (
            gather_common(solver["boxes.0"], leaf, guess * guess, *frame, scratch.near, found, *shared)
            if common
            else -1
        )
        x, y = self.agents["position"][row]
        kept, reach = search(
            own, x, y, k, max(k, LISTED), neighbor_distance, guess, guess, scratch.near, found, count, *shared,
            scratch.squares, scratch.nodes, self.task.leaves, *frame, solver["order"], solver["leaf_first"],
            scratch.distance[0], scratch.place[0], scratch.index, scratch.stack, scratch.wide,
        )  # fmt: skip
        bound = reach * reach
        if kept > COUNTED >= k:
            kept, bound = thin_out(scratch.distance[0], scratch.place[0], kept, k, COUNTED, bound)
        near_distance, near_place = scratch.near_distance[0], scratch.near_place[0]
        rank(
            scratch.distance[0], scratch.place[0], scratch.index, kept, bound, solver["order"], scratch.nearer,
            near_distance, near_place,
        )  # fmt: skip
        strict = neighbor_distance * neighbor_distance
        ranked = [(float(near_distance[n]), int(solver["order"][near_place[n]])) for n in range(kept)]
        return [pair for pair in ranked[:k] if pair[0] < strict]


@pytest.mark.parametrize("distance", DISTANCES)
@pytest.mark.parametrize("crowd", CROWDS)
def test_the_same_neighbours_as_brute_force(crowd: str, distance: str) -> None:
    generator = np.random.default_rng(sum(map(ord, crowd + distance)))
    position = CROWDS[crowd](generator, 150)
    reach = DISTANCES[distance]
    rows = generator.choice(len(position), samples(40), replace=False)
    for most in (1, 10, 1000):
        looking = Search(position, most)
        for row in rows:
            wanted = nearest_agents(position, int(row), reach, most)
            # a good guess, none at all, far too short, far too long
            for guess in (wanted[-1][0] ** 0.5 if wanted else 1.0, 0.0, 1e-9, 1e6):
                assert looking.of(int(row), most, reach, guess) == wanted
                assert looking.of(int(row), most, reach, guess, common=True) == wanted


@pytest.mark.parametrize("count", [1, 2, 7, 8, 9, 63, 64, 65, 300])
def test_every_size_of_tree(count: int) -> None:
    generator = np.random.default_rng(count)
    position = generator.integers(0, 9, (count, 2)).astype(np.float64)
    looking = Search(position, 12)
    for row in range(min(count, samples(100))):
        assert looking.of(row, 12, 4.0, 2.0) == nearest_agents(position, row, 4.0, 12)


def test_the_neighbour_distance_itself_does_not_count() -> None:
    position = np.array([[0.0, 0.0], [3.0, 0.0], [0.0, 3.0 - 1e-12], [-5.0, 0.0]])
    assert Search(position, 10).of(0, 10, 3.0, 3.0) == [((3.0 - 1e-12) ** 2, 2)]


def test_twenty_thousand_on_one_spot_have_the_first_ten_as_neighbours() -> None:
    looking = Search(np.full((samples(20_000), 2), -4.0), 10)
    assert [index for _, index in looking.of(5, 10, 5.0, 0.0)] == [0, 1, 2, 3, 4, 6, 7, 8, 9, 10]
    assert [index for _, index in looking.of(300, 10, 5.0, 5.0)] == list(range(10))
