"""The engine of worker processes: the arrays of every world are shared, the leaves of a step are divided among workers.

A step is one order and one answer a worker. Its range of leaves is read from the frame, which nobody writes in that
step,
and written beside the state, so a worker that dies or hangs is replaced and its range computed again: the step comes
late
with the right bits. A range that kills three workers in a row is given up, and its world fails; no other does.

A small world runs whole on one worker, preferably the one that has it in its caches; worlds take turns.
"""

from __future__ import annotations

import itertools
import threading
import weakref
from dataclasses import astuple
from itertools import pairwise

from orca_core.options import Options
from orca_core.solver import StepTask
from orca_core.world import World
from orca_crowd.engine.crew import Crew, Lost, Worker
from orca_crowd.engine.inline import InlineEngine
from orca_crowd.engine.memory import Lender
from orca_crowd.engine.turns import Turns

__all__ = ["ProcessEngine"]

# deaths of a worker over one range before its world is given up
TRIES = 3
# worker, first and last leaf, and what was wrong where it could not be told
Order = tuple[int, int, int, Lost | None]


class ProcessEngine(InlineEngine):
    """Worlds in shared memory, stepped by worker processes; everything else runs in threads of this one."""

    name = "processes"

    def __init__(self, *, workers: int, helpers: int, split_agents: int, deadline: float) -> None:
        """`split_agents`: from how many on a world is divided; `deadline`: seconds after which a worker hangs."""
        # threads that step wait for workers most of the time; a few more than workers keep all of these busy
        super().__init__(workers=2 * workers + 2, helpers=helpers)
        self.crew = Crew(workers)
        self._turns = Turns(workers)
        self._lender = Lender()
        self._split_agents = split_agents
        self._deadline = deadline
        self._keys = itertools.count()
        self._known: weakref.WeakKeyDictionary[World, int] = weakref.WeakKeyDictionary()
        self._favourite: dict[int, int] = {}
        self._ended: list[int] = []
        self._lock = threading.Lock()

    def start(self) -> None:
        """Start the workers and wait until they are warm."""
        self.crew.start()

    def create(self, *, time_step: float, options: Options, seed: int) -> World:
        """Make an empty world whose arrays workers see."""
        return World(time_step=time_step, options=options, seed=seed, allocate=self._lender.allocate, run=self._advance)

    def restore(self, data: bytes) -> World:
        """Make the world of a snapshot, its arrays where workers see them."""
        return World.restore(data, allocate=self._lender.allocate, run=self._advance)

    @property
    def restarts(self) -> int:
        """How many workers were replaced."""
        return self.crew.replaced

    def _shut(self) -> None:
        super()._shut()
        self.crew.close()
        self._lender.close()

    # a step

    def _advance(self, world: World, task: StepTask) -> float:
        """All leaves of a step, over as many workers as it pays; the longest move. Runs in a thread."""
        leaves = world.leaf_count()
        if leaves == 0:
            return 0.0
        key = self._key(world)
        wanted = self.crew.count if task.count >= self._split_agents else 1
        with self._turns.take(wanted, self._favourite.get(key)) as members:
            self._favourite[key] = members[0]
            parts = min(len(members), leaves)
            cuts = [leaves * part // parts for part in range(parts + 1)]
            orders = [
                (member, first, last, self._order(world, key, task, member, first, last))
                for member, (first, last) in zip(members, pairwise(cuts), strict=False)
            ]
            return self._longest(world, key, task, orders)

    def _longest(self, world: World, key: int, task: StepTask, orders: list[Order]) -> float:
        """The longest move of all ranges; every answer is taken, whatever the others were."""
        longest = 0.0
        failure: RuntimeError | None = None
        for order in orders:
            try:
                longest = max(longest, self._result(world, key, task, *order))
            except RuntimeError as error:
                failure = error
        if failure is not None:
            raise failure
        return longest

    def _order(self, world: World, key: int, task: StepTask, member: int, first: int, last: int) -> Lost | None:
        """Tell a worker its range; what was wrong with it, if it could not be told."""
        worker = self.crew.workers[member]
        try:
            self._acquaint(worker, world, key)
            worker.tell("step", key, astuple(task), first, last)
        except Lost as lost:
            return lost
        return None

    def _result(
        self, world: World, key: int, task: StepTask, member: int, first: int, last: int, lost: Lost | None
    ) -> float:
        """The longest move of a range, from whichever worker lives to compute it."""
        for _ in range(TRIES):
            if lost is None:
                try:
                    name, value = self.crew.workers[member].answer(self._deadline)
                    if name == "failed":
                        raise RuntimeError(f"a worker failed in the leaves {first} to {last}:\n{value}")
                    return float(value)
                except Lost as error:
                    lost = error
            self.crew.replace(member, lost)
            lost = self._order(world, key, task, member, first, last)
        # the last one may have an order that nobody waits for
        self.crew.replace(member, lost or Lost("its answer is not waited for"))
        raise RuntimeError(f"{TRIES} workers were lost over the leaves {first} to {last}; the last: {lost}")

    # what a worker must know before it can compute

    def _key(self, world: World) -> int:
        with self._lock:
            key = self._known.get(world)
            if key is None:
                key = self._known[world] = next(self._keys)
                weakref.finalize(world, self._ended.append, key).atexit = False
            return key

    def _acquaint(self, worker: Worker, world: World, key: int) -> None:
        """Bring a worker's picture of a world up to date, and have it forget what is no more."""
        gone = worker.blocks & self._lender.gone()
        ended = [one for one in list(self._ended) if one in worker.layouts]
        if gone or ended:
            worker.tell("drop", sorted(gone), ended)
            worker.blocks -= gone
            for one in ended:
                worker.layouts.pop(one, None)
                worker.statics.pop(one, None)
                self._favourite.pop(one, None)
        agents, solver = world.shared()
        generation = (agents.generation, solver.generation)
        if worker.layouts.get(key) != generation:
            places = [
                {name: self._lender.place(array) for name, array in arrays.export().items()}
                for arrays in (agents, solver)
            ]
            needed = {place[0] for table in places for place in table.values()}
            for block in self._lender.blocks(needed - worker.blocks):
                worker.show(block)
            worker.tell("layout", key, *places, world.options, world.time_step, world.seed)
            worker.layouts[key] = generation
        statics = world.statics()
        if worker.statics.get(key) is not statics:
            worker.tell("statics", key, statics)
            worker.statics[key] = statics
