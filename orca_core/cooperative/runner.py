"""Run: an instance solved by one variant, phase by phase, without a clock.

    from orca_core.cooperative.runner import Run
    run = Run(instance, config, Variant.CORCA)
    run.plan()
    run.identify_corridors()
    run.build_dependencies()
    run.prepare()
    while run.step():
        pass
    run.ended, run.metrics

Whoever has a clock times the phases and ends a run by `stop`. Nothing in it depends on time, on the machine or on the
number of processes: two runs of the same instance, configuration and variant have the same bits.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from orca_core.cooperative import corridors as narrow
from orca_core.cooperative import dependencies
from orca_core.cooperative.alone import own_paths
from orca_core.cooperative.anew import GAP, planned_anew, stuck
from orca_core.cooperative.config import Config
from orca_core.cooperative.corridors import Corridors
from orca_core.cooperative.dependencies import Dependencies
from orca_core.cooperative.frame import Frame
from orca_core.cooperative.guide import Cooperative
from orca_core.cooperative.knot import BUDGET, solve_instance
from orca_core.cooperative.metrics import Metrics, Tally
from orca_core.cooperative.repairs import Repairs
from orca_core.cooperative.variants import Variant
from orca_core.cooperative.waypoints import Waypoints, without_waiting
from orca_core.errors import InvalidInput, Problem
from orca_core.kernels import cooperate as columns
from orca_core.mapf.instance import Instance
from orca_core.mapf.lns2 import NO_FARTHER, Iteration, solve
from orca_core.mapf.plan import Plan
from orca_core.options import Options
from orca_core.world import World

__all__ = ["SOLVED", "STANDING", "STEP_MAX", "STOPPED", "Record", "Run", "checked_radii"]

SOLVED = "solved"
STEP_MAX = "step-max"
STANDING = "standing"
STOPPED = "stopped"


@dataclass(frozen=True, eq=False)
class Record:
    """How everybody stands after a step; arrays by agent.

    `position`, `preferred` (what the solver was asked for in the last step), `velocity` and `target` are float64 (n,
    2), `waypoint` too, NaN where there is none; `state` uint8 is the place in `guide.STATES`; `corridor` is the narrow
    place that is waited for, `wait_for` and `yield_to` agents, int64, -1 for none.
    """

    step: int
    time: float
    position: NDArray[np.float64]
    preferred: NDArray[np.float64]
    velocity: NDArray[np.float64]
    target: NDArray[np.float64]
    waypoint: NDArray[np.float64]
    state: NDArray[np.uint8]
    corridor: NDArray[np.int64]
    wait_for: NDArray[np.int64]
    yield_to: NDArray[np.int64]


def _never() -> bool:
    return False


def checked_radii(radii: NDArray[np.float64], instance: Instance, config: Config) -> NDArray[np.float64]:
    """Radii (n,) of agents, or InvalidInput naming each that is none."""
    checked = np.array(radii, np.float64)
    if checked.shape != (instance.count,):
        raise InvalidInput(f"radii must be as many as agents, ({instance.count},), not {checked.shape}")
    most = config.largest_radius
    wrong = np.flatnonzero(~((checked > 0.0) & (checked <= most)))
    if len(wrong):
        raise InvalidInput(
            [
                Problem(agent, "radius", f"must be above 0 and at most {most:g}, not {float(checked[agent])!r}")
                for agent in wrong.tolist()
            ]
        )
    return checked


class Run:
    """One run. The phases come in the order of the methods; each may be called once."""

    def __init__(
        self, instance: Instance, config: Config, variant: Variant, radii: NDArray[np.float64] | None = None
    ) -> None:
        """Nothing is computed yet. `radii` (n,) are those of the agents, None: all have that of the configuration.

        Raises InvalidInput where they are not as many as agents, or one does not fit through a corridor.
        """
        self.instance = instance
        self.radii = np.full(instance.count, config.radius) if radii is None else checked_radii(radii, instance, config)
        self.config = config
        self.variant = variant
        self.frame = Frame(instance.grid, config.cell_size)
        self.found: Plan | None = None
        self.corridors: Corridors | None = None
        self.dependencies: Dependencies | None = None
        self.paths: list[NDArray[np.int64]] = []
        self.world: World | None = None
        self.guide: Cooperative | None = None
        self.ended: str | None = None
        # agents in each group that the planner planned anew
        self._groups: list[int] = []
        self._tally: Tally | None = None
        # plans for all that were made anew, and the step of the last
        self._plans = self._planned = 0

    def plan(
        self, stop: Callable[[], bool] = _never, report: Callable[[Iteration], None] | None = None,
        rank: NDArray[np.int64] | None = None,
    ) -> Plan | None:  # fmt: skip
        """Phase: the plan for all, where the variant has one; the lowest `rank` (n,) is planned for first. Raises
        InvalidInput for goals out of reach.
        """
        if not self.variant.plans:
            return None
        chance = np.random.default_rng(self.config.seed)

        def hear(iteration: Iteration) -> None:
            self._groups.append(iteration.agents)
            if report is not None:
                report(iteration)

        found = solve(self.instance, self.config.planning, random_state=chance, stop=stop, report=hear, rank=rank)
        if found.limit == NO_FARTHER:
            # somebody has to go back for another: prioritized planning finds no way to do that
            found = solve_instance(self.instance, BUDGET)[0] or found
        self.found = found
        return found

    def identify_corridors(self) -> Corridors | None:
        """Phase: the corridors of the map, where agents are to take turns at them."""
        if self.variant.guided:
            self.corridors = narrow.identify(self.instance.grid)
        return self.corridors

    def build_dependencies(self) -> Dependencies | None:
        """Phase: who depends on whom in the plan."""
        if self.variant.guided:
            assert self.found is not None, "the plan comes first"
            assert self.corridors is not None, "the corridors come first"
            self.dependencies = dependencies.build(self.found.paths, self.corridors)
        return self.dependencies

    def prepare(self) -> None:
        """Phase: waypoints, the world and its agents."""
        config, frame = self.config, self.frame
        self.guide = self._make_guide()
        world = World(time_step=config.timestep, options=Options.text(), seed=config.seed)
        world.add_obstacles(frame.obstacles())
        count = self.instance.count
        full = np.full
        world.add_agents(
            {
                "position": frame.centers(self.instance.starts),
                "radius": self.radii + config.reps,
                "max_speed": full(count, config.max_speed),
                "time_horizon": full(count, config.time_boundary),
                # whoever has sight of where it goes need not look farther ahead than a step
                "obstacle_horizon": full(count, min(config.time_boundary_obst, config.timestep)),
                "neighbor_distance": full(count, config.sight_radius),
                "max_neighbors": full(count, config.agents_max_num),
            }
        )
        world.guides = [self.guide]
        self.world = world
        state = world.population.state
        self.guide.look(0, state["position"], state["velocity"])
        self._tally = Tally(self.instance, self.radii, frame)
        self._tally.look(world, self.guide)

    def go_on_from(self, other: Run) -> None:
        """Phase in place of `prepare`: waypoints, in the world of a run whose agents are at the starts of this one."""
        assert other.world is not None, "the other is prepared"
        assert other.guide is not None, "the other is prepared"
        self.world, self._tally = other.world, other.tally
        self.guide = self._make_guide()
        state = self.world.population.state
        if self.guide.repairs is not None and other.guide.repairs is not None:
            self.guide.repairs.go_on_from(other.guide.repairs, state)
        self.world.guides = [self.guide]
        self.guide.look(self.world.step_count, state["position"], state["velocity"])

    def _make_guide(self) -> Cooperative:
        """The guide along the paths."""
        config, frame = self.config, self.frame
        reach = self.radii + config.reps
        # whoever fits beside the largest in a narrow cell gets past anybody there, and takes no turns
        passing = 2.0 * (reach + reach.max(initial=0.0)) <= config.cell_size
        # what is looked at in every step is looked at for the largest: what it sees, everybody sees
        widest = config if not len(reach) else replace(config, radius=float(self.radii.max()))
        if self.variant.guided:
            assert self.found is not None, "the plan comes first"
            assert self.corridors is not None, "the corridors come first"
            assert self.dependencies is not None, "the dependencies come first"
            paths, place = self.found.paths, self.corridors.place
            visits = self.dependencies.visits
            if passing.any():
                visits = dependencies.visits_of(paths, place, passing)
        else:
            # everybody by itself, on a shortest path
            paths = own_paths(self.instance)
            place = np.full(self.instance.grid.free.size, -1, np.int32)
            visits = dependencies.visits_of(paths, place)
        self.paths = [without_waiting(path)[0] for path in paths]
        ways = Waypoints.of(self.paths, frame, place, reach)
        # what is kept beside the radius is for those whom walls leave no half of the way
        apart = self.radii if self.variant.guided else None
        guide = Cooperative(frame, self.paths, ways, visits, place, widest, layer=self.variant.guided, apart=apart)
        if self.variant.repairs:
            guide.repairs = Repairs(guide, self.paths, config)
        return guide

    def step(self, stop: Callable[[], bool] = _never) -> bool:
        """One step of the world; False once the run has ended, and then nothing happens any more."""
        world, guide, tally = self._ready()
        if self.ended is None:
            self.ended = self._end(stop)
        if self.ended is not None:
            return False
        world.step()
        tally.look(world, guide)
        if self.variant.guided and self.variant.repairs:
            self._plan_anew(guide)
        return True

    def _plan_anew(self, guide: Cooperative) -> None:
        """Have everybody follow another plan where somebody who may go on gets nowhere."""
        assert self.world is not None, "prepare comes first"
        if self.world.step_count - self._planned < GAP or not stuck(guide):
            return
        self._planned = self.world.step_count
        self._plans += 1
        following = planned_anew(self, self._plans)
        if following is None:
            return
        assert following.guide is not None, "who goes on has a guide"
        self.guide, self.paths = following.guide, following.paths
        if self.guide.repairs is not None:
            self.guide.repairs.counts.add(self.instance.count)

    def _ready(self) -> tuple[World, Cooperative, Tally]:
        """What `prepare` has made."""
        assert self.world is not None, "prepare comes first"
        assert self.guide is not None, "prepare comes first"
        assert self._tally is not None, "prepare comes first"
        return self.world, self.guide, self._tally

    def _end(self, stop: Callable[[], bool]) -> str | None:
        """Why a run ends now, or None."""
        world, guide, tally = self._ready()
        if guide.away == 0:
            return SOLVED
        if world.step_count >= self.config.step_max:
            return STEP_MAX
        if self.config.stop_by_speed and tally.stands:
            return STANDING
        return STOPPED if stop() else None

    def record(self) -> Record:
        """How everybody stands now."""
        world, guide, _ = self._ready()
        state = world.population.state
        walk, seen = guide.walk, guide.seen
        return Record(
            world.step_count, world.time, state["position"].copy(), state["steer_velocity"].copy(),
            state["velocity"].copy(), seen[:, columns.TARGET : columns.TARGET + 2].copy(), guide.waypoints(),
            guide.state, walk[:, columns.CORRIDOR].copy(), walk[:, columns.WAIT_FOR].copy(),
            walk[:, columns.YIELD_TO].copy(),
        )  # fmt: skip

    @property
    def metrics(self) -> Metrics:
        """What there is to say of the run so far."""
        return Metrics.of(self)

    @property
    def average_group(self) -> float:
        """How many agents the planner took in one iteration, on average."""
        return sum(self._groups) / len(self._groups) if self._groups else 0.0

    @property
    def tally(self) -> Tally:
        """What was counted step by step."""
        return self._ready()[2]
