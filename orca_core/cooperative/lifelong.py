"""Lifelong: a run that does not end with the first goals: whoever arrives gets another one.

Some steps after an arrival a new plan is made for all, from where everybody is, and followed from then on: the rolling
horizon of J. Li, A. Tinka, S. Kiesel, J. Durham, T. Kumar, S. Koenig, Lifelong Multi-Agent Path Finding in Large-Scale
Warehouses, 2021, with the whole way in place of a window, because plans come in milliseconds. Speeds, buffers and
counts go on; who is in a sub-plan comes out of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, replace
from itertools import count

import numpy as np
from numpy.typing import NDArray

from orca_core.cooperative.anew import LOOKS, starts_now
from orca_core.cooperative.config import Config
from orca_core.cooperative.corridors import identify
from orca_core.cooperative.favour import NOBODY, Favour
from orca_core.cooperative.knot import BUDGET, solve_instance
from orca_core.cooperative.metrics import Metrics
from orca_core.cooperative.runner import Run
from orca_core.cooperative.variants import Variant
from orca_core.errors import InvalidInput
from orca_core.formats.movingai import GridMap
from orca_core.kernels import cooperate as columns
from orca_core.mapf.grid_graph import UNREACHABLE, distances, neighbours_of
from orca_core.mapf.instance import Instance

__all__ = ["REPLAN", "Goals", "Lifelong", "listed_goals", "random_goals"]

Integers = NDArray[np.int64]

# the next goal of an agent that is at this cell, none of the goals in the set; None: it stays
Goals = Callable[[int, int, frozenset[int]], int | None]

# steps from one plan for all to the next at least
REPLAN = 20
# later than every step
AT_REST = 2**53


def random_goals(grid: GridMap, random_state: np.random.Generator) -> Goals:
    """Goals drawn from all cells that can be reached, but for narrow ones: who stands there is in everybody's way, and
    would be sent there after all others, for ever.
    """
    neighbours, narrow = neighbours_of(grid), identify(grid).place >= 0

    def following(agent: int, cell: int, taken: frozenset[int]) -> int | None:
        steps = distances(neighbours, np.array([cell], np.int64))[0]
        reached = np.flatnonzero(steps < UNREACHABLE)
        cells = reached[~narrow[reached]] if not narrow[reached].all() else reached
        open_cells = [c for c in cells.tolist() if c not in taken and c != cell]
        return open_cells[int(random_state.integers(len(open_cells)))] if open_cells else None

    return following


def listed_goals(goals: Sequence[Sequence[int]]) -> Goals:
    """The goals of each agent from a list of its own, in turn; at the end of it the agent stays.

    One that is somebody else's at the moment is waited for.
    """
    left: list[Iterator[int]] = [iter(cells) for cells in goals]
    held: dict[int, int] = {}

    def following(agent: int, cell: int, taken: frozenset[int]) -> int | None:
        if agent not in held:
            following_cell = next(left[agent], None)
            if following_cell is None:
                return None
            held[agent] = following_cell
        return None if held[agent] in taken else held.pop(agent)

    return following


def _never() -> bool:
    return False


class Lifelong:
    """A run of `steps` steps; `run` is the one that goes on at the moment, with the world of the first."""

    def __init__(self, run: Run, goals: Goals, steps: int) -> None:
        """Go on with a run that is prepared and whose agents have their first goals."""
        assert run.world is not None, "prepare comes first"
        self._goals, self._steps, self._config, self._variant = goals, steps, run.config, run.variant
        self.run = run
        # how often each has arrived, and whether it is where it was sent
        self.arrivals = np.zeros(run.instance.count, np.int64)
        self._there = np.zeros(run.instance.count, np.bool_)
        # the step at which each was sent there
        self._since = np.zeros(run.instance.count, np.int64)
        self._planned = 0
        self.plans = 1
        # where each is sent, and who is let in out of turn, for whom others may be bound elsewhere for a while; and
        # whether these are held back still although it is over
        self.wanted: Integers = run.instance.goals.copy()
        self._favour = Favour(run.instance.grid, identify(run.instance.grid).place) if run.variant.guided else None
        self._held_back = False
        # what was planned before the first step, as in any other run
        self._plan = {name: value for name, value in asdict(run.metrics).items() if name.startswith("lns_")}

    @classmethod
    def of(
        cls, instance: Instance, config: Config, variant: Variant, goals: Goals, steps: int,
        radii: NDArray[np.float64] | None = None,
    ) -> Lifelong:  # fmt: skip
        """Plan for the first goals. Raises InvalidInput for goals out of reach, and for variants that do not move."""
        if not variant.moves:
            raise InvalidInput(f"nobody moves in variant {variant.value}")
        run = Run(instance, config, variant, radii)
        run.plan()
        run.identify_corridors()
        run.build_dependencies()
        run.prepare()
        return cls(run, goals, steps)

    def step(self, stop: Callable[[], bool] = _never) -> bool:
        """One step; False once there have been as many as wanted, or where `stop` says so."""
        world, guide = self.run.world, self.run.guide
        assert world is not None
        assert guide is not None
        if world.step_count >= self._steps or stop():
            return False
        world.step()
        self.run.tally.look(world, guide)
        there = (guide.walk[:, columns.ARRIVED] >= 0) & (self.run.instance.goals == self.wanted)
        self.arrivals += there & ~self._there
        self._there |= there
        if world.step_count - self._planned >= REPLAN:
            # who has had its time waits anew
            over = NOBODY if self._favour is None else self._favour.agent
            if self._favour is not None and self._favour.ends(world.step_count, self._there):
                self._held_back = True
                if not self._there[over]:
                    self._since[over] = world.step_count
            if self._held_back or self._there.any():
                self._give_goals()
        return True

    def _give_goals(self) -> None:
        """Give everybody who has arrived its next goal, and have all follow a new plan."""
        run = self.run
        assert run.world is not None
        assert run.guide is not None
        # where nobody has a goal to get there is nothing to plan for a while either
        self._planned = run.world.step_count
        goals = self.wanted.copy()
        given = []
        for agent in np.flatnonzero(self._there).tolist():
            following = self._goals(agent, int(goals[agent]), frozenset(goals.tolist()))
            if following is not None:
                goals[agent] = following
                given.append(agent)
        if not given and not self._held_back:
            return
        starts = starts_now(run)
        assert starts is not None, "discs that keep apart have a cell each"
        # chance of its own for every plan: with the same one whoever was planned for last would be so every time
        config = replace(self._config, seed=(self._config.seed + self.plans) % 2**53)
        bound = goals
        # whoever is on its way the longest is planned for first, or it would wait for ever before a gate
        rank = np.where(self._there, AT_REST, self._since)
        if self._favour is not None:
            waited = np.where(self._there, -1, self._planned - self._since)
            bound = self._favour.goals(self._planned, starts, goals, waited)
            if self._favour.agent != NOBODY:
                rank[self._favour.agent] = -1
        following_run = Run(Instance(run.instance.grid, starts, bound), config, self._variant, run.radii)
        looks = count()
        found = following_run.plan(lambda: next(looks) >= LOOKS, rank=rank)
        if found is not None and not found.complete:
            # who has just met another in a gap may have to go back: prioritized planning finds no way to do that
            found, _ = solve_instance(following_run.instance, BUDGET)
            if found is None:
                # asked again later, from where everybody is then
                return
            following_run.found = found
        self.wanted, self._held_back = goals, False
        self._there[given] = False
        self._since[given] = self._planned
        self.plans += 1
        following_run.corridors = run.corridors
        following_run.build_dependencies()
        following_run.go_on_from(run)
        self.run = following_run

    @property
    def throughput(self) -> float:
        """Goals reached in a second of the simulation."""
        assert self.run.world is not None
        return float(self.arrivals.sum()) / self.run.world.time if self.run.world.time > 0.0 else 0.0

    @property
    def metrics(self) -> Metrics:
        """What there is to say of it so far; times of arrival are those at the present goals, the plan is the first."""
        return replace(self.run.metrics, throughput=self.throughput, **self._plan)
