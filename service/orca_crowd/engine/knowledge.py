"""What workers know of worlds: where their arrays stand, and their walls. Each is told what it lacks, once, and what is
no more.
"""

from __future__ import annotations

import itertools
import threading
import weakref

from orca_core.world import World
from orca_crowd.engine.memory import Lender
from orca_crowd.engine.workmate import Layout, Workmate

__all__ = ["Knowledge"]


class Knowledge:
    """The worlds there are, by a number that workers know them by. Safe for threads, a worker for one at a time."""

    def __init__(self, lender: Lender) -> None:
        """No world yet; the arrays of all that come are the lender's."""
        self._lender = lender
        self._numbers = itertools.count()
        self._known: weakref.WeakKeyDictionary[World, int] = weakref.WeakKeyDictionary()
        self._living: set[int] = set()
        self._ended = itertools.count()
        self._endings = 0
        self._lock = threading.Lock()

    def number(self, world: World) -> int:
        """The number of a world, the same in all its life and never given again."""
        with self._lock:
            number = self._known.get(world)
            if number is None:
                number = self._known[world] = next(self._numbers)
                self._living.add(number)
                weakref.finalize(world, self._end, number).atexit = False
            return number

    def _end(self, number: int) -> None:
        """A world is no more; called in the middle of anything, so it takes no lock."""
        self._living.discard(number)
        self._endings = next(self._ended) + 1

    def lives(self, number: int) -> bool:
        """Whether there is still a world of this number."""
        return number in self._living

    def outdated(self, worker: Workmate) -> bool:
        """Whether a worker may hold something that is no more."""
        return worker.heard != (self._lender.released(), self._endings)

    def forget(self, worker: Workmate) -> None:
        """Have a worker let go of what is no more; raises Lost."""
        heard = (self._lender.released(), self._endings)
        gone = self._lender.gone(worker.blocks)
        ended = [world for world in worker.layouts if world not in self._living]
        # a world that has moved elsewhere, and was not stepped by this worker since
        moved = [world for world, layout in worker.layouts.items() if layout.blocks & gone and world in self._living]
        if gone or ended:
            worker.tell("drop", sorted(gone), moved, ended)
            worker.blocks -= gone
            for world in (*moved, *ended):
                worker.layouts.pop(world, None)
            for world in ended:
                worker.statics.pop(world, None)
        worker.heard = heard

    def acquaint(self, worker: Workmate, world: World, number: int) -> None:
        """Bring a worker's picture of a world up to date; raises Lost."""
        if self.outdated(worker):
            self.forget(worker)
        agents, solver = world.shared()
        generation = (agents.generation, solver.generation)
        layout = worker.layouts.get(number)
        if layout is None or layout.generation != generation:
            places = [
                {name: self._lender.place(array) for name, array in arrays.export().items()}
                for arrays in (agents, solver)
            ]
            needed = {place[0] for table in places for place in table.values()}
            for block in self._lender.blocks(needed - worker.blocks):
                worker.show(block)
            worker.tell("layout", number, *places, world.options, world.time_step, world.seed)
            worker.layouts[number] = Layout(generation, frozenset(needed))
        statics = world.statics()
        known = worker.statics.get(number)
        if known is not statics:
            if known is not None and known.boundaries is statics.boundaries:
                # a door, or an obstacle that came or went: boundaries may be long, and are there
                worker.tell("walls", number, statics.walled)
            else:
                worker.tell("statics", number, statics)
            worker.statics[number] = statics
