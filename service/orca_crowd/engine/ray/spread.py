"""The engine of a world that may be big: its agents' moves are divided among helpers on other machines and itself.

Ranges of leaves of the tree over the agents, as among the workers of a machine. The frozen frame goes to everybody,
rows of the next one come back; who is moved where decides no bit. The world moves a share itself and settles all of it,
for that is a sixth of the work and needs what only it knows. A helper that is lost, late or not there yet is no
more than a share that somebody else moves: in the step in which it is lost this process does, and the step comes late.
"""

from __future__ import annotations

import itertools
import threading
import weakref
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import pairwise

import numpy as np

from orca_core.kernels.frame import read_frame
from orca_core.kernels.step import BIASED, BODIES, OVERLAPPING
from orca_core.kernels.tree import LEAF
from orca_core.options import Options
from orca_core.solver import StepTask
from orca_core.world import World
from orca_crowd.clock import SystemClock
from orca_crowd.engine.inline import InlineEngine
from orca_crowd.engine.ray.crew import HelperCrew, Place
from orca_crowd.engine.ray.shares import cuts_of, smoothed
from orca_crowd.engine.ray.telling import Columns, Told, tell
from orca_crowd.engine.workmate import Hung, Lost

__all__ = ["SpreadEngine"]

Leaves = tuple[int, int]


class Division:
    """How a world is divided: what its helpers were told last, and where its leaves are cut until it is sorted anew."""

    def __init__(self, number: int) -> None:
        """Not divided yet."""
        self.number = number
        self.columns = Columns()
        self.cuts: list[int] = []
        # what the cuts were made for
        self.made_for: tuple[object, ...] = ()
        # leaves a second that this process moves itself
        self.pace: float | None = None


class SpreadEngine(InlineEngine):
    """Small worlds as inline; big ones over so many actors, this process being one of them."""

    def __init__(self, *, workers: int, helpers: int, actors: int, split_agents: int, deadline: float) -> None:
        """`actors`: over how many a world is divided, its own included; `split_agents`: from how many agents on;
        `deadline`: seconds after which a helper hangs.
        """
        super().__init__(workers=workers, helpers=helpers, name="ray")
        self.crew = HelperCrew(actors - 1, deadline)
        self._split_agents = split_agents
        self._links = ThreadPoolExecutor(max(1, actors - 1), thread_name_prefix="orca-link")
        # one divided step at a time
        self._turn = threading.Lock()
        self._numbers = itertools.count()
        self._divisions: weakref.WeakKeyDictionary[World, Division] = weakref.WeakKeyDictionary()
        self._living: set[int] = set()
        self._clock = SystemClock()

    def create(self, *, time_step: float, options: Options, seed: int) -> World:
        """Make an empty world."""
        return World(time_step=time_step, options=options, seed=seed, run=self._advance)

    def restore(self, data: bytes) -> World:
        """Make the world of a snapshot."""
        return World.restore(data, run=self._advance)

    @property
    def restarts(self) -> int:
        """How many helpers were lost and are back."""
        return self.crew.replaced

    @property
    def hung(self) -> int:
        """How many helpers did not answer in time."""
        return self.crew.hung

    def _shut(self) -> None:
        super()._shut()
        self.crew.close()
        self._links.shutdown()

    # a step

    def _advance(self, world: World, task: StepTask) -> float:
        """All leaves of a step; the longest move. Runs in a thread."""
        if task.count < self._split_agents or not self.crew.places:
            return world.advance_here(task)
        self.crew.wake()
        with self._turn:
            places = self.crew.ready()
            if not places:
                return world.advance_here(task)
            return self._divided(world, task, places)

    def _divided(self, world: World, task: StepTask, places: list[Place]) -> float:
        """The same over these places and this thread."""
        division = self._division(world)
        agents, solver = world.parts()
        statics = world.statics()
        division.columns.follow(agents, task)
        cuts = self._cuts(division, places, (solver.laid, task.count), world.leaf_count())
        own, *others = pairwise(cuts)
        # looked up once, before threads do
        solver.stage(agents, statics, world.options, world.time_step, task)
        asked = [
            (place, leaves, self._links.submit(self._moved, world, division, task, place, leaves))
            for place, leaves in zip(places, others, strict=True)
            if leaves[0] < leaves[1]
        ]
        longest = 0.0
        try:
            if own[0] < own[1]:
                longest = self._here(world, division, task, own)
        finally:
            # whatever went wrong here, nobody may write rows of this world any more
            lost = [leaves for place, leaves, future in asked if not self._came(place, future)]
        for leaves in lost:
            longest = max(longest, self._here(world, None, task, leaves))
        return max([longest, *(future.result() for _, _, future in asked if future.exception() is None)])

    def _came(self, place: Place, future: Future[float]) -> bool:
        """Wait for a helper's share; whether it came. One that does not come is let go of."""
        error = future.exception()
        if error is None:
            return True
        if not isinstance(error, Lost):
            # what it was told or has answered cannot be made sense of; it is told everything anew
            error = Lost(f"its share could not be taken: {error!r}")
        self.crew.hung += isinstance(error, Hung)
        self.crew.dismiss(place, str(error))
        return False

    def _here(self, world: World, division: Division | None, task: StepTask, leaves: Leaves) -> float:
        """Move and settle leaves in this thread."""
        agents, solver = world.parts()
        began = self._clock.now()
        longest = solver.advance(agents, world.statics(), world.options, world.time_step, world.seed, task, *leaves)
        if division is not None:
            division.pace = smoothed(division.pace, leaves[1] - leaves[0], self._clock.now() - began)
        return longest

    def _moved(self, world: World, division: Division, task: StepTask, place: Place, leaves: Leaves) -> float:
        """Have a helper move leaves, and settle them; the longest move. Raises Lost. In a thread of a link."""
        link = place.link
        if link is None:
            raise Lost("it is gone already")
        self._forget(place)
        agents, solver = world.parts()
        statics = world.statics()
        told = place.told.setdefault(division.number, Told())
        began = self._clock.now()
        tell(link, told, division.number, world, statics, division.columns, task, leaves)
        answer = link.receive()
        if answer[0] != "done":
            raise Lost(f"it failed in the leaves {leaves[0]} to {leaves[1]}:\n{answer[1]}")
        begin, end = leaves[0] * LEAF, min(leaves[1] * LEAF, task.count)
        outcome, packed = solver["outcome"][begin:end], solver[f"packed.{1 - task.frame}"][begin:end]
        link.fill(outcome, packed)
        place.pace = smoothed(place.pace, leaves[1] - leaves[0], self._clock.now() - began)
        turned = solver["order"][begin:end][(outcome & BIASED) != 0]
        deep = np.flatnonzero(outcome & OVERLAPPING) + begin
        until, since = np.empty((2, len(turned)), np.int64)
        depth, partner = np.empty(len(deep)), np.empty(len(deep), np.int64)
        link.fill(until, since, depth, partner)
        if task.features & BODIES:
            link.fill(solver["facing"][begin:end])
        told.step = task.step
        # it is all here: from now on nothing can be lost, and what stands once may be written
        agents.put("turning_until", turned, until)
        agents.put("turning_since", turned, since)
        solver["overlap_depth"][deep], solver["overlap_with"][deep] = depth, partner
        order = solver["order"]
        read_frame(
            begin, end, order, solver[f"packed.{1 - task.frame}"], agents.following("position"),
            agents.following("velocity"),
        )  # fmt: skip
        if statics.boundaries.class_count:
            agents.following("on_surface")[order[begin:end]] = 0
        stage = solver.stage(agents, statics, world.options, world.time_step, task)
        return solver.settle(stage, world.time_step, task, *leaves)

    # who has which leaves

    def _cuts(self, division: Division, places: list[Place], made_for: tuple[object, ...], leaves: int) -> list[int]:
        """Where the leaves are cut: by how fast each was, anew whenever the agents are sorted or somebody comes."""
        key = (*made_for, *(id(place.link) for place in places))
        if key != division.made_for:
            division.made_for = key
            division.cuts = cuts_of(leaves, [division.pace, *(place.pace for place in places)])
        return division.cuts

    # worlds

    def _division(self, world: World) -> Division:
        division = self._divisions.get(world)
        if division is None:
            division = self._divisions[world] = Division(next(self._numbers))
            self._living.add(division.number)
            weakref.finalize(world, self._living.discard, division.number).atexit = False
        return division

    def _forget(self, place: Place) -> None:
        """Have a helper let go of worlds that are no more; raises Lost."""
        for number in [number for number in place.told if number not in self._living]:
            if place.link is not None:
                place.link.send(("forget", number))
            del place.told[number]
