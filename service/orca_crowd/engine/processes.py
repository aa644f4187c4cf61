"""The engine of worker processes: the arrays of every world are shared, the leaves of a step are divided among workers.

A step is one order and one answer a worker. Its range of leaves is read from the frame, which nobody writes in that
step, and written beside the state, so a worker that dies or hangs is replaced and its range computed again: the step
comes late with the right bits. A range that loses three workers is given up, and its world fails; no other does.

A smaller world runs whole on one worker, preferably the one that has it in its caches; worlds take turns. A very
small one
is stepped in a thread of the server: a hundred agents take 30 µs, and the way to a worker and back 100.
"""

from __future__ import annotations

import threading
from itertools import pairwise

from orca_core.options import Options
from orca_core.solver import StepTask
from orca_core.world import World
from orca_crowd.engine.crew import Crew
from orca_crowd.engine.inline import InlineEngine
from orca_crowd.engine.interface import StepFailed
from orca_crowd.engine.knowledge import Knowledge
from orca_crowd.engine.memory import Lender
from orca_crowd.engine.turns import Turns
from orca_crowd.engine.workmate import Hung, Lost

__all__ = ["ProcessEngine"]

# workers that may be lost over one range before its world is given up
TRIES = 3
# how often workers are told of what is no more, also where nobody steps; seconds
TIDY_SECONDS = 1.0
# how long the end waits for steps under way before it takes their workers from them; seconds
CLOSE_SECONDS = 2.0
# worker, first and last leaf, and what was wrong where it could not be told; words, for an exception would hold on to
# the frames it came through, and they to the world
Order = tuple[int, int, int, str | None]


class ProcessEngine(InlineEngine):
    """Worlds in shared memory, stepped by worker processes; everything else runs in threads of this one."""

    def __init__(
        self,
        *,
        workers: int,
        helpers: int,
        split_agents: int,
        deadline: float,
        small_agents: int = 0,
        method: str | None = None,
    ) -> None:
        """`split_agents`: from how many on a world is divided; `deadline`: seconds after which a worker hangs;
        `small_agents`: below how many a world is stepped in a thread of this process.

        `method` is how workers are started: `forkserver`, or `spawn` where there is none.
        """
        # threads that step wait for workers most of the time; a few more than workers keep all of these busy
        super().__init__(workers=2 * workers + 2, helpers=helpers, rounds=workers, name="processes")
        self.crew = Crew(workers, deadline=deadline, method=method)
        self.lender = Lender()
        self._turns = Turns(workers)
        self._knowledge = Knowledge(self.lender)
        self._split_agents = split_agents
        self._small_agents = small_agents
        self._deadline = deadline
        self._favourite: dict[int, int] = {}
        self._closing = threading.Event()
        self._tidier: threading.Thread | None = None

    def start(self) -> None:
        """Start the workers and wait until they are warm."""
        try:
            self.crew.start()
        except Lost:
            # closed before it was ready: nobody waits for it
            if self._closing.is_set():
                return
            raise
        self._tidier = threading.Thread(target=self._tidy, name="orca-tidy", daemon=True)
        self._tidier.start()

    def create(self, *, time_step: float, options: Options, seed: int) -> World:
        """Make an empty world whose arrays workers see."""
        return World(time_step=time_step, options=options, seed=seed, allocate=self.lender.allocate, run=self._advance)

    def restore(self, data: bytes) -> World:
        """Make the world of a snapshot, its arrays where workers see them."""
        return World.restore(data, allocate=self.lender.allocate, run=self._advance)

    @property
    def restarts(self) -> int:
        """How many workers were replaced."""
        return self.crew.replaced

    @property
    def hung(self) -> int:
        """How many workers did not answer in time."""
        return self.crew.hung

    @property
    def cold(self) -> int:
        """How many workers did not come from the server of forks with their kernels compiled."""
        return self.crew.cold

    def _shut(self) -> None:
        self._closing.set()
        # a step whose worker hangs would hold up the end for as long as the deadline is
        hurry = threading.Timer(CLOSE_SECONDS, self.crew.abandon)
        hurry.start()
        try:
            super()._shut()
        finally:
            hurry.cancel()
            hurry.join()
        self.crew.close()
        if self._tidier is not None:
            self._tidier.join()
        self.lender.close()

    # a step

    def _advance(self, world: World, task: StepTask) -> float:
        """All leaves of a step, over as many workers as it pays; the longest move. Runs in a thread."""
        leaves = world.leaf_count()
        if leaves == 0:
            return 0.0
        # the way to a worker and back takes longer than such a step, and the kernels hold no lock
        if task.count < self._small_agents:
            return world.advance_here(task)
        number = self._knowledge.number(world)
        wanted = self.crew.count if task.count >= self._split_agents else 1
        with self._turns.take(wanted, self._favourite.get(number)) as members:
            self._favourite[number] = members[0]
            parts = min(len(members), leaves)
            cuts = [leaves * part // parts for part in range(parts + 1)]
            try:
                orders = [
                    (member, first, last, self._order(world, number, task, member, first, last))
                    for member, (first, last) in zip(members, pairwise(cuts), strict=False)
                ]
                return self._longest(world, number, task, orders)
            finally:
                # whatever went wrong: who has the next turn must not be given an answer to this one
                for member in members:
                    worker = self.crew.present(member)
                    if worker is not None and worker.awaited:
                        self.crew.dismiss(member, f"the answer of worker {worker.pid} is not waited for")

    def _longest(self, world: World, number: int, task: StepTask, orders: list[Order]) -> float:
        """The longest move of all ranges; every answer is taken, whatever the others were."""
        longest = 0.0
        failure: RuntimeError | None = None
        for order in orders:
            try:
                longest = max(longest, self._result(world, number, task, *order))
            except RuntimeError as error:
                failure = failure or error
        try:
            if failure is not None:
                raise failure
        finally:
            # it knows this frame, and the frame must not know it: the world would stay until somebody collects cycles
            del failure
        return longest

    def _order(self, world: World, number: int, task: StepTask, member: int, first: int, last: int) -> str | None:
        """Tell a worker its range; what was wrong with it, if it could not be told."""
        try:
            worker = self.crew.worker(member)
            self._knowledge.acquaint(worker, world, number)
            worker.ask("step", number, task.values(), first, last)
        except Lost as lost:
            return str(lost)
        return None

    def _result(
        self, world: World, number: int, task: StepTask, member: int, first: int, last: int, lost: str | None
    ) -> float:
        """The longest move of a range, from whichever worker lives to compute it."""
        for trial in range(TRIES):
            if trial:
                lost = self._order(world, number, task, member, first, last)
            if lost is None:
                try:
                    name, value = self.crew.worker(member).answer(self._deadline)
                except Lost as error:
                    lost = str(error)
                    self.crew.hung += isinstance(error, Hung)
                else:
                    if name == "failed":
                        raise RuntimeError(f"a worker failed in the leaves {first} to {last}:\n{value}")
                    return float(value)
            self.crew.dismiss(member, lost)
        raise StepFailed(f"{TRIES} workers were lost over the leaves {first} to {last}; the last: {lost}")

    # what is no more

    def _tidy(self) -> None:
        """Now and then have workers let go of what is no more: memory of a deleted world would stay with whoever had it
        until he is given his next order, which may be never.
        """
        while not self._closing.wait(TIDY_SECONDS):
            workers = [self.crew.present(member) for member in range(self.crew.count)]
            if not any(worker is not None and self._knowledge.outdated(worker) for worker in workers):
                continue
            with self._turns.take(self.crew.count) as members:
                for member in members:
                    worker = self.crew.present(member)
                    if worker is not None:
                        try:
                            self._knowledge.forget(worker)
                        except Lost as lost:
                            self.crew.dismiss(member, str(lost))
            for number in [number for number in list(self._favourite) if not self._knowledge.lives(number)]:
                self._favourite.pop(number, None)
