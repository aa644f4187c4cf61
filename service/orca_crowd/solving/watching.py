"""Watching a run: its trace, the trace of its planning, what is said of it on the way, and the bar."""

from __future__ import annotations

from collections.abc import Callable
from typing import IO

import numpy as np
from rich.progress import Progress, TaskID

from orca_core.cooperative.corridors import identify
from orca_core.cooperative.guide import STATES
from orca_core.cooperative.runner import Run
from orca_core.cooperative.waypoints import Waypoints as Ways
from orca_core.cooperative.waypoints import without_waiting
from orca_core.mapf.lns2 import Iteration
from orca_core.mapf.plan import Plan
from orca_crowd.solving.trace import Trace
from orca_crowd.solving.waypoints import write_waypoints

__all__ = ["Bar", "Iterations", "Reports", "Traced", "Waypoints"]

# steps between two lines of the wordiest report, and between two looks of the bar at who is there
STEPS = 100
LOOKS = 20


class Watching:
    """Watches nothing; the base of those who watch a part."""

    def iterated(self, iteration: Iteration) -> None:
        """Nothing to do."""

    def planned(self, plan: Plan | None, run: Run) -> None:
        """Nothing to do."""

    def stepped(self, step: int, run: Run) -> None:
        """Nothing to do."""


class Traced(Watching):
    """Writes the trace."""

    def __init__(self, output: IO[str], time_step: float) -> None:
        """Into an open file."""
        self._trace = Trace(output, time_step)

    def stepped(self, step: int, run: Run) -> None:
        """A block."""
        self._trace.add(step, run.record(), guided=run.variant.guided)


class Waypoints(Watching):
    """Writes the waypoints of all agents, once they are known."""

    def __init__(self, output: IO[str]) -> None:
        """Into an open file."""
        self._output = output

    def planned(self, plan: Plan | None, run: Run) -> None:
        """A line an agent."""
        if plan is not None and plan.complete:
            # of a plan alone nobody has looked for corridors
            corridors = run.corridors or identify(run.instance.grid)
            paths = [without_waiting(path)[0] for path in plan.paths]
            ways = Ways.of(paths, run.frame, corridors.place, run.radii + run.config.reps)
            write_waypoints(self._output, [run.frame.centers(ways.of_agent(agent)) for agent in range(len(paths))])


class Iterations(Watching):
    """Says what every iteration of planning did."""

    def __init__(self, say: Callable[[str], None]) -> None:
        """By lines."""
        self._say = say

    def iterated(self, iteration: Iteration) -> None:
        """A line."""
        self._say(
            f"{iteration.phase} {iteration.number}: agents={iteration.agents} "
            f"colliding_pairs={iteration.colliding_pairs} cost={iteration.sum_of_costs} "
            f"{'accepted' if iteration.accepted else 'refused'}"
        )


class Reports(Watching):
    """Says what was planned, and with `every` how it stands every hundredth step."""

    def __init__(self, say: Callable[[str], None], every: bool) -> None:
        """By lines."""
        self._say, self._every = say, every

    def planned(self, plan: Plan | None, run: Run) -> None:
        """What the plan is, and what it goes through."""
        if plan is not None:
            repairs = int(plan.notes.get("repairs", 0))
            quality = f"cost {plan.sum_of_costs}, {repairs} repairs, {plan.iterations} improvements"
            self._say(f"planned: {quality if plan.complete else 'none that holds'}")
        if run.variant.guided and run.corridors is not None:
            self._say(f"corridors: {run.corridors.count}")

    def stepped(self, step: int, run: Run) -> None:
        """Who is there, and who does what."""
        if self._every and step % STEPS == 0:
            counts = np.bincount(run.record().state, minlength=len(STATES)).tolist()
            states = ", ".join(f"{count} {state}" for state, count in zip(STATES, counts, strict=True) if count)
            metrics = run.metrics
            self._say(f"step {step}: {metrics.success_rate:.0f} % there; {states}; {metrics.ecbs_count} calls of ECBS")


class Bar(Watching):
    """The bar: iterations of planning without an end that is known, then the share that is there."""

    def __init__(self, progress: Progress) -> None:
        """On a progress that is shown already."""
        self._progress = progress
        self._task: TaskID = progress.add_task("planning", total=None)

    def iterated(self, iteration: Iteration) -> None:
        """One more."""
        self._progress.update(self._task, description=f"planning, {iteration.phase} {iteration.number}")

    def planned(self, plan: Plan | None, run: Run) -> None:
        """From here on agents are counted."""
        self._progress.update(self._task, description="moving", total=100)

    def stepped(self, step: int, run: Run) -> None:
        """Who is there now and then: to look costs more than to step."""
        if step % LOOKS == 0:
            self._progress.update(self._task, description=f"moving, step {step}", completed=run.metrics.success_rate)
