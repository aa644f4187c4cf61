"""Execution: a run from its plan to its last step, timed by the clock that is handed in, and watched by whoever asks.

The library has no clock: the limit of time is asked here, between iterations and between steps.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from orca_core.cooperative.config import Config
from orca_core.cooperative.lifelong import Lifelong, random_goals
from orca_core.cooperative.runner import STEP_MAX, Run
from orca_core.cooperative.variants import Variant
from orca_core.errors import InvalidInput
from orca_core.mapf.lns2 import Iteration
from orca_core.mapf.plan import Plan
from orca_crowd.clock import Clock
from orca_crowd.solving.limit import Limit
from orca_crowd.solving.outcome import TIME_LIMIT, Outcome, Seconds, Struck
from orca_crowd.solving.task import Task, task_faults

__all__ = ["Execution", "Watcher"]


class Watcher(Protocol):
    """Who is told how it goes; told nothing, a run is the same."""

    def iterated(self, iteration: Iteration) -> None:
        """After each iteration of planning."""

    def planned(self, plan: Plan | None, run: Run) -> None:
        """After planning, corridors and dependencies."""

    def stepped(self, step: int, run: Run) -> None:
        """After each step, and once before the first with 0."""


@dataclass
class Execution:
    """One run. `again` is where the time limit of a former run struck; `radii` (n,) are those of the agents, where they
    differ; with `lifelong` whoever arrives gets another goal, for so many steps.
    """

    task: Task
    config: Config
    variant: Variant
    clock: Clock
    watchers: list[Watcher] = field(default_factory=list)
    again: Struck | None = None
    radii: NDArray[np.float64] | None = None
    lifelong: int | None = None

    def run(self) -> Outcome:
        """Plan and move; Unusable for agents that the configuration makes impossible, before anything is planned."""
        try:
            run = Run(self.task.instance, self.config, self.variant, self.radii)
        except InvalidInput as error:
            raise task_faults(self.task.scenario_file, self.task.rows, error) from None
        seconds, begin = Seconds(), self.clock.now()
        limit = Limit(self.clock, self.config.time_limit, self.again)
        ended, steps = self._plan(run, limit, seconds), None
        metrics = None
        if ended is None and self.lifelong is not None:
            # chance that depends on the seed alone
            goals = random_goals(self.task.instance.grid, np.random.default_rng(self.config.seed))
            lifelong = Lifelong(run, goals, self.lifelong)
            ended, steps = self._move(lifelong, limit, seconds)
            metrics = lifelong.metrics
        elif ended is None:
            ended, steps = self._move(run, limit, seconds)
        seconds.total = self.clock.now() - begin
        return Outcome(
            self.task.name, self.task.instance.count, self.variant, metrics or run.metrics, ended, steps, limit.struck,
            seconds,
        )  # fmt: skip

    def _plan(self, run: Run, limit: Limit, seconds: Seconds) -> str | None:
        """Everything before the first step; how the run ended where there is none."""
        plan: Plan | None = None
        if self.variant.plans:
            begin = self.clock.now()
            plan = run.plan(limit.planning_over, self._iterated)
            seconds.plan = self.clock.now() - begin
        if not self.variant.moves:
            for watcher in self.watchers:
                watcher.planned(plan, run)
            return "solved" if plan is not None and plan.complete else TIME_LIMIT if limit.struck else "no-plan"
        if limit.struck is not None:
            return TIME_LIMIT
        if self.variant.guided:
            if plan is None or not plan.complete:
                return "no-plan"
            begin = self.clock.now()
            run.identify_corridors()
            middle = self.clock.now()
            run.build_dependencies()
            seconds.corridors, seconds.dependencies = middle - begin, self.clock.now() - middle
        begin = self.clock.now()
        run.prepare()
        seconds.moving = self.clock.now() - begin
        for watcher in self.watchers:
            watcher.planned(plan, run)
        return None

    def _move(self, moving: Run | Lifelong, limit: Limit, seconds: Seconds) -> tuple[str, int]:
        """Step until it ends; what watchers take is not counted as moving."""
        steps = 0
        while True:
            # of a lifelong run the one that goes on at the moment
            run = moving.run if isinstance(moving, Lifelong) else moving
            self._stepped(steps, run)
            begin = self.clock.now()
            goes_on = moving.step(limit.moving_over)
            seconds.moving += self.clock.now() - begin
            if not goes_on:
                break
            steps += 1
        if limit.struck is not None:
            return TIME_LIMIT, steps
        return STEP_MAX if isinstance(moving, Lifelong) else str(run.ended), steps

    def _iterated(self, iteration: Iteration) -> None:
        for watcher in self.watchers:
            watcher.iterated(iteration)

    def _stepped(self, step: int, run: Run) -> None:
        for watcher in self.watchers:
            watcher.stepped(step, run)
