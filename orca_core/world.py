"""World: agents, geometry and the solver. `step()` reads as a list of named phases.

    from orca_core import World
    world = World(time_step=0.25)
    world.add_agents({"position": [[0, 0], [5, 0.1]], "goal": [[5, 0], [0, 0]]})
    world.step(20)
    world.column("position")

Without options a world is the normative text and nothing else; `Options.service()` adds what users want. Agents go
straight for their goals; ways, flow fields and ends of jams come with `orca_core.simulation.Simulation(world)`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from orca_core.agent_columns import LARGEST, SHORTEST
from orca_core.arrays import Allocate, Arrays, own_memory
from orca_core.cooperation import REFUSED, check_cooperative
from orca_core.digest import state_digest
from orca_core.errors import InvalidInput, Notice, Problem
from orca_core.explain import explain
from orca_core.guides import Guide, ask_guides
from orca_core.level_of_detail import LevelOfDetail
from orca_core.notices import about_agents
from orca_core.options import Options
from orca_core.population import Masks
from orca_core.report import Added, Event, StepReport
from orca_core.snapshot import Captured, capture, dump, load
from orca_core.solver import Solver, StepTask
from orca_core.state import AgentState
from orca_core.surroundings import Surroundings
from orca_core.witness import events_of, hold_back
from orca_core.yielding import MANNERS

__all__ = ["World"]

Integers = NDArray[np.int64]

# columns whose change may be refused for want of memory or of radii, or of room between cells
NEEDING_ROOM = {"radius", "max_acceleration", "max_turning_rate", "forward_preference", *MANNERS}

# computes all leaves of a step, wherever that may be, and returns the longest move of anybody; an engine brings its own
Run = Callable[["World", StepTask], float]


class World(Surroundings):
    """A crowd in the plane, advanced by fixed time steps. Not safe for two threads at once; kernels release the GIL."""

    def __init__(
        self,
        *,
        time_step: float,
        options: Options | None = None,
        seed: int = 0,
        allocate: Allocate = own_memory,
        run: Run | None = None,
    ) -> None:
        """Make an empty world; `options` None is the text alone. Raises InvalidInput for a time step outside 1e-6 to
        1e9 seconds.
        """
        if (
            isinstance(time_step, bool)
            or not isinstance(time_step, int | float)
            or not SHORTEST <= time_step <= LARGEST
        ):
            raise InvalidInput(
                [
                    Problem(
                        None,
                        "time_step",
                        f"must be a number of seconds from {SHORTEST:g} to {LARGEST:g}, not {time_step!r}",
                    )
                ]
            )
        if isinstance(seed, bool) or not isinstance(seed, int) or not 0 <= seed < 2**53:
            raise InvalidInput([Problem(None, "seed", f"must be an integer from 0 to 2^53 - 1, not {seed!r}")])
        super().__init__(float(time_step), options if options is not None else Options.text(), allocate)
        self.seed = seed
        self._solver = Solver(allocate)
        self._run: Run = run if run is not None else World.advance_here
        # what decides preferred velocities beside goals, in this order, and what it brought out of a snapshot
        self.guides: list[Guide] = []
        # what makes moves of a step shorter, before anything is told of it, and says whose (rows); mostly nobody does
        self.hold: Callable[[World], Integers] | None = None
        self.kept_guidance: Mapping[str, NDArray[Any]] = {}

    @property
    def limited(self) -> bool:
        """Whether somebody had limits of acceleration or turning, or a preference for forward motion, when it last took
        a step: only then does a step keep headings.
        """
        return self._solver.limited

    # commands: each either takes effect whole or raises and changes nothing

    def set_defaults(self, defaults: Mapping[str, float | int | str]) -> None:
        """Replace the defaults for fields left out in later additions; raises InvalidInput."""
        if defaults.get("guidance") == "cooperative" and self.options.cooperation is None:
            raise InvalidInput([Problem(None, "defaults.guidance", REFUSED)])
        self.population.set_defaults(defaults)

    def add_agents(
        self, columns: Mapping[str, ArrayLike], given: Masks | None = None, count: int | None = None
    ) -> Added:
        """Add agents from columns: `position` (n, 2) and any others of FIELDS that a client gives, `id` included.

        `given[name]` (n,) marks the rows in which a value stands; elsewhere defaults hold. Raises InvalidInput naming
        item and field, those too who are to follow plans on the grid map and get through no gap of it, or AlreadyExists
        for an id that is or was in use.
        """
        self._refuse_while_stepping()
        check_cooperative(self.options.cooperation, columns)
        # once the rows stand only radii can still be refused, or memory; taking rows back costs no copy of the world
        mark, statics = self.population.mark(), self._statics
        rows = self.population.add(columns, given, count, self.step_count)
        try:
            self._check_room(rows)
            self._reserve()
            self._radii_changed()
            # what is said of them needs memory too
            return Added(self.ids[rows].copy(), about_agents(self, np.arange(rows.start, rows.stop)))
        except BaseException:
            self.population.undo_add(mark)
            if self._statics is not statics:
                # made with radii that nobody has any more
                self._statics = None
            raise

    def set_agents(
        self, ids: ArrayLike, columns: Mapping[str, ArrayLike], given: Masks | None = None, cleared: Masks | None = None
    ) -> list[Notice]:
        """Change agents by id. A position is taken to the bit and the velocity kept; `cleared` marks rows sent as null.

        Raises InvalidInput, NotFound or Gone.
        """
        self._refuse_while_stepping()
        check_cooperative(self.options.cooperation, columns)
        fitting = self.options.cooperation is not None and "guidance" in columns
        if not (fitting or columns.keys() & NEEDING_ROOM):
            indices = self.population.set(ids, columns, given, cleared, self.step_count)
        else:
            with self.transaction():
                indices = self.population.set(ids, columns, given, cleared, self.step_count)
                self._check_room(indices)
                self._solver.reserve_extras(self.population.state)
                if "radius" in columns:
                    self._radii_changed()
        return about_agents(self, indices, set(columns))

    def remove_agents(self, ids: ArrayLike) -> None:
        """Remove agents; raises InvalidInput, NotFound or Gone."""
        self._refuse_while_stepping()
        self.population.remove(ids)
        if self._statics is not None:
            self._classify(self._statics)

    def _reserve(self) -> None:
        """Make room for all that a step needs; where memory cannot be had nothing has changed."""
        self._solver.reserve(self.agent_count)
        self._solver.reserve_extras(self.population.state)
        self.population.state.own(
            *(("turning_since",) if self.options.break_symmetry else ()),
            *(("radius_class",) if len(self.walkable_set) else ()),
        )

    def set_level_of_detail(self, given: LevelOfDetail | Mapping[str, Any] | None) -> None:
        """Say anew where detail matters, or with None that it does everywhere; raises InvalidInput."""
        self._refuse_while_stepping()
        self.options = replace(self.options, level_of_detail=LevelOfDetail.from_mapping(given, "level_of_detail"))

    # the step

    def step(self, count: int = 1, *, split: Sequence[int] | None = None) -> StepReport:
        """Take `count` steps; returns where the world stands and what happened.

        `split` cuts the solving phase at these leaf numbers (see `leaf_count`); no cut and no order of ranges
        changes a bit.
        """
        if isinstance(count, bool) or count < 0:
            raise InvalidInput([Problem(None, "count", f"must be an integer from 0, not {count!r}")])
        events: list[Event] = []
        for _ in range(count):
            events += self._advance(split)
        return StepReport(self.step_count, self.time, events)

    def _advance(self, split: Sequence[int] | None) -> list[Event]:
        """One step, phase by phase."""
        self._refuse_while_stepping()
        self._stepping = True
        try:
            agents, solver = self.population.state, self._solver
            self.statics()
            detail = self.options.level_of_detail
            task = solver.prepare(agents, self.step_count, self.time_step, guided=ask_guides(self), detail=detail)
            longest = self._run(self, task) if split is None else self.advance_here(task, split)
            solver.finish(agents, longest)
            self.step_count += 1
            if self.hold is not None:
                hold_back(agents, solver, self.hold(self))
            events = events_of(agents, solver, self.step_count)
            for guide in self.guides:
                events += guide.conclude(self)
            return events
        finally:
            self._stepping = False

    def advance_here(self, task: StepTask, split: Sequence[int] = ()) -> float:
        """Compute all leaves of a step in this thread, cut at the leaves of `split`; returns the longest move."""
        leaves = self.leaf_count()
        cuts = [0, *sorted(cut for cut in set(split) if 0 < cut < leaves), leaves]
        agents, statics = self.population.state, self.statics()
        ranges = [
            self._solver.advance(agents, statics, self.options, self.time_step, self.seed, task, first, last)
            for first, last in pairwise(cuts)
        ]
        return max(ranges)

    def shared(self) -> tuple[Arrays, Arrays]:
        """The arrays of the agents and of the solver, for an engine whose workers stand on them."""
        return self.population.state.arrays, self._solver.arrays

    def parts(self) -> tuple[AgentState, Solver]:
        """The agents and the solver, for an engine that has some leaves of a step moved on other machines."""
        return self.population.state, self._solver

    def leaf_count(self) -> int:
        """How many leaves of eight agents a step divides into; `split` names cuts between them."""
        return -(-self.agent_count // 8)

    # looking

    def digest(self) -> str:
        """sha256 (hex) over position and velocity of every agent in index order."""
        state = self.population.state
        return state_digest(state["position"], state["velocity"])

    def explain(self, identifier: int) -> dict[str, Any]:
        """Why an agent will move as it will: neighbours, constraints, program; see orca_core.explain."""
        return explain(self, identifier)

    def snapshot(self) -> bytes:
        """The whole world as bytes; see orca_core.snapshot."""
        return dump(self)

    def capture(self, into: Captured | None = None) -> Captured:
        """The whole world as it is now, copied, to be turned into the bytes of a snapshot while it goes on.

        `into` is an earlier one that nobody needs any more, whose memory is used again.
        """
        return capture(self, into=into)

    @classmethod
    def restore(cls, data: bytes, *, allocate: Allocate = own_memory, run: Run | None = None) -> World:
        """A world with the same bits from a snapshot; raises SnapshotError."""
        world = load(data, partial(cls, allocate=allocate, run=run))
        world._reserve()
        return world
