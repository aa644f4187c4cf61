"""MAPF-LNS2: paths that may meet, repaired until none do, then made shorter for as long as there is a budget.

Source: J. Li, Z. Chen, D. Harabor, P. Stuckey, S. Koenig, MAPF-LNS2: Fast Repairing for Multi-Agent Path Finding via
Large Neighborhood Search, AAAI 2022; the same, Anytime Multi-Agent Path Finding via Large Neighborhood Search, IJCAI
2021. Reproducible: chance comes from a state that is handed in, and budgets count expansions and iterations.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from orca_core.errors import InvalidInput, Problem
from orca_core.mapf import destroy
from orca_core.mapf.instance import Instance
from orca_core.mapf.pibt import pibt
from orca_core.mapf.plan import SUBOPTIMAL, Plan
from orca_core.mapf.prioritized import enter_all
from orca_core.mapf.search import Search

__all__ = ["NO_FARTHER", "Iteration", "Settings", "solve"]

Path = NDArray[np.int32]
Agents = NDArray[np.int64]

# what ended a plan in which repairing came no farther
NO_FARTHER = "no-farther"

INITIAL = ("PP", "PIBT")
REPAIRS = ("Adaptive", "Collision", "Target", "Random")
IMPROVEMENTS = ("Adaptive", "RandomAgents", "RandomWalk", "Intersection")


@dataclass(frozen=True)
class Settings:
    """How to search; the names and defaults are those of the published solver.

    `max_iterations` bounds the improvement, 0: none of it, the first plan that holds is returned. `expansions` bounds
    everything. `repairs` bounds the iterations that bring the first plan about, and `patience` those in a row after
    which as many pairs meet as before: where two have to change places in a corridor no order of planning one after
    the other leads anywhere.
    """

    init_algo: str = "PP"
    destroy_strategy: str = "Adaptive"
    init_destroy_strategy: str = "Adaptive"
    neighbor_size: int = 8
    max_iterations: int = 0
    repairs: int = 100_000
    patience: int = 2_000
    init_lns: bool = True
    expansions: int = 1_000_000_000

    def __post_init__(self) -> None:
        """Refuse what is no setting, naming each."""
        problems = [
            Problem(None, name, f"must be one of {', '.join(allowed)}, not {value!r}")
            for name, value, allowed in (
                ("init_algo", self.init_algo, INITIAL),
                ("destroy_strategy", self.destroy_strategy, IMPROVEMENTS),
                ("init_destroy_strategy", self.init_destroy_strategy, REPAIRS),
            )
            if value not in allowed
        ]
        problems += [
            Problem(None, name, f"must be at least {least}, not {value}")
            for name, value, least in (
                ("neighbor_size", self.neighbor_size, 1),
                ("max_iterations", self.max_iterations, 0),
                ("repairs", self.repairs, 0),
                ("patience", self.patience, 1),
                ("expansions", self.expansions, 0),
            )
            if value < least
        ]
        if problems:
            raise InvalidInput(problems)


@dataclass(frozen=True)
class Iteration:
    """One iteration as it is reported: of which phase, who was planned anew, how it stands after it."""

    phase: str
    number: int
    agents: int
    colliding_pairs: int
    sum_of_costs: int
    accepted: bool


def solve(
    instance: Instance,
    settings: Settings,
    *,
    random_state: np.random.Generator,
    stop: Callable[[], bool] | None = None,
    report: Callable[[Iteration], None] | None = None,
    rank: NDArray[np.int64] | None = None,
) -> Plan:
    """The best plan that the budgets allow. Raises InvalidInput for goals that cannot be reached.

    First paths by prioritized planning are in the order of `rank` (n,), the lowest first and equal ones by chance.

    `stop` is asked before each iteration, for whoever has no time any more: the plan says how many iterations were
    taken, and with that number as the budget comes out again. `report` hears of each.
    """
    return _Solver(instance, settings, random_state, stop or _never, report or _nobody, rank).solve()


def _never() -> bool:
    return False


def _nobody(_: Iteration) -> None:
    return None


class _Solver:
    """One run."""

    def __init__(
        self,
        instance: Instance,
        settings: Settings,
        random_state: np.random.Generator,
        stop: Callable[[], bool],
        report: Callable[[Iteration], None],
        rank: NDArray[np.int64] | None,
    ) -> None:
        """Get the instance ready."""
        self.rank = rank
        self.search = Search(instance)
        self.settings = settings
        self.random = random_state
        self.stop = stop
        self.report = report
        self.iterations = 0
        self.limit: str | None = None
        # whom each agent meets
        self.pairs: list[set[int]] = [set() for _ in range(instance.count)]
        self.tabu: set[int] = set()

    def solve(self) -> Plan:
        """Begin, repair, improve."""
        if not self._begin():
            return self._plan(False)
        initial = self._costs()
        repaired = self.settings.init_lns and self._repair()
        complete = repaired or not any(self.pairs)
        first = self._costs()
        if complete:
            self._improve()
        notes = {"initial_costs": float(first if complete else initial), "repairs": float(self.repairs)}
        return self._plan(complete, notes)

    # state

    def _costs(self) -> int:
        return int(self.search.reservations.length.sum()) - self.search.instance.count

    def _left(self) -> int:
        return max(0, self.settings.expansions - self.search.expanded)

    def _over(self) -> bool:
        """Whether a budget is used up; `limit` says which."""
        if self._left() == 0:
            self.limit = "expansions"
        elif self.stop():
            self.limit = "stopped"
        return self.limit is not None

    def _plan(self, complete: bool, notes: dict[str, float] | None = None) -> Plan:
        instance, reserved = self.search.instance, self.search.reservations
        paths = [
            reserved.path(agent).astype(np.int64)
            if reserved.length[agent]
            else instance.starts[agent : agent + 1].copy()
            for agent in range(instance.count)
        ]
        return Plan(
            paths, complete, SUBOPTIMAL, iterations=self.iterations, expansions=self.search.expanded, limit=self.limit,
            notes=notes or {},
        )  # fmt: skip

    # phases

    repairs = 0

    def _begin(self) -> bool:
        """A path for everybody, which may meet others."""
        count = self.search.instance.count
        if self.settings.init_algo == "PIBT":
            begun = pibt(self.search, random_state=self.random, steps=self.search.horizon - 1)
            if begun.complete:
                for agent, path in enumerate(begun.paths):
                    self.search.reservations.enter(agent, path.astype(np.int32))
                return True
        hard = not self.settings.init_lns
        order = self.random.permutation(count)
        if self.rank is not None:
            order = order[np.argsort(self.rank[order], kind="stable")]
        done = enter_all(self.search, order, hard=hard, budget=self._left())
        if not done:
            self.limit = "expansions" if self._left() == 0 else "no-path"
            return False
        for agent in range(count):
            self.pairs[agent] = set(self.search.reservations.colliding(agent).tolist())
        return True

    def _repair(self) -> bool:
        """Plan groups anew until nobody meets anybody; True where that came about."""
        size, pairs = self.settings.neighbor_size, self.pairs
        rules = {
            "Collision": lambda: destroy.collision_based(pairs, self.search, size, self.random),
            "Target": lambda: destroy.target_based(pairs, self.search, size, self.random),
            "Random": lambda: destroy.random_colliding(pairs, size, self.random),
        }
        chosen = self.settings.init_destroy_strategy
        rule = destroy.Adaptive(rules if chosen == "Adaptive" else {chosen: rules[chosen]}, self.random)
        fewest, in_vain = self._pairs_of(), 0
        while any(pairs):
            if self.repairs >= self.settings.repairs:
                self.limit = "repairs"
            elif in_vain >= self.settings.patience:
                self.limit = NO_FARTHER
            if self.limit is not None or self._over():
                return False
            self.repairs += 1
            group = rule()
            before = self._pairs_of(group)
            kept = self._take_out(group)
            accepted = enter_all(self.search, self.random.permutation(group), hard=False, budget=self._left())
            if accepted:
                self._meet(group)
                accepted = self._pairs_of(group) <= before
            if not accepted:
                self._put_back(group, kept)
                self._meet(group)
            rule.learn(max(0, before - self._pairs_of(group)) / len(group))
            meeting = self._pairs_of()
            fewest, in_vain = (meeting, 0) if meeting < fewest else (fewest, in_vain + 1)
            self.report(Iteration("repair", self.repairs, len(group), meeting, self._costs(), accepted))
        return True

    def _improve(self) -> None:
        """Plan groups anew, around all others, as long as it makes the sum of costs smaller."""
        size = self.settings.neighbor_size
        rules = {
            "RandomAgents": lambda: destroy.random_agents(self.search, size, self.random),
            "RandomWalk": lambda: destroy.agent_based(self.search, size, self.random, self.tabu),
            "Intersection": lambda: destroy.map_based(self.search, size, self.random),
        }
        chosen = self.settings.destroy_strategy
        rule = destroy.Adaptive(rules if chosen == "Adaptive" else {chosen: rules[chosen]}, self.random)
        while self.iterations < self.settings.max_iterations and not self._over():
            self.iterations += 1
            group = rule()
            before = self._costs()
            kept = self._take_out(group)
            accepted = enter_all(self.search, self.random.permutation(group), hard=True, budget=self._left())
            accepted = accepted and self._costs() <= before
            if not accepted:
                self._put_back(group, kept)
            rule.learn((before - self._costs()) / len(group))
            self.report(Iteration("improve", self.iterations, len(group), 0, self._costs(), accepted))

    # paths of a group

    def _take_out(self, group: Agents) -> list[Path]:
        kept = [self.search.reservations.path(agent) for agent in group.tolist()]
        for agent in group.tolist():
            self.search.reservations.leave(agent)
        return kept

    def _put_back(self, group: Agents, kept: list[Path]) -> None:
        for agent, path in zip(group.tolist(), kept, strict=True):
            if self.search.reservations.length[agent]:
                self.search.reservations.leave(agent)
            self.search.reservations.enter(agent, path)

    def _meet(self, group: Agents) -> None:
        """Find anew whom the agents of a group meet."""
        for agent in group.tolist():
            for other in self.pairs[agent]:
                self.pairs[other].discard(agent)
            self.pairs[agent] = set(self.search.reservations.colliding(agent).tolist())
            for other in self.pairs[agent]:
                self.pairs[other].add(agent)

    def _pairs_of(self, group: Agents | None = None) -> int:
        """How many pairs meet, of which one at least is in the group; None: of all."""
        if group is None:
            return sum(map(len, self.pairs)) // 2
        members = set(group.tolist())
        return sum(1 for agent in members for other in self.pairs[agent] if other not in members or agent < other)
