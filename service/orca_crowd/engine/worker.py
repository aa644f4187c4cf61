"""What a worker process does: takes orders from its pipe, computes ranges of leaves, answers, and ends with its parent.

Orders, each a tuple that begins with its name:

- `("block", number, size)`, followed by a descriptor: a block of shared memory;
- `("drop", numbers, layouts, worlds)`: blocks that are no more, worlds whose arrays stood there, and worlds that are no
  more;
- `("layout", world, agents, solver, options, dt, seed)`: where the arrays of a world stand;
- `("statics", world, statics)`: its walls and boundaries;
- `("walls", world, walls)`: other walls, where the boundaries are the same as before;
- `("step", world, task, first, last)`: compute these leaves; answered with `("done", longest move)`;
- `("end",)`.

Anything that goes wrong in a step is answered with `("failed", what)`.
"""

from __future__ import annotations

import mmap
import os
import signal
import threading
import traceback
from multiprocessing import parent_process
from multiprocessing.connection import Connection
from multiprocessing.reduction import recv_handle
from typing import Any

from orca_core.options import Options
from orca_core.solver import Solver, StepTask
from orca_core.state import AgentState
from orca_core.statics import Statics
from orca_core.warmup import compile_all, compiled
from orca_crowd.engine.memory import Place, attach

__all__ = ["work"]


class Twin:
    """A world as a worker sees it: the same arrays, and nothing of its own."""

    def __init__(
        self, agents: dict[str, Any], solver: dict[str, Any], options: Options, time_step: float, seed: int
    ) -> None:
        """Stand on the arrays by name."""
        self.agents = AgentState.twin(agents)
        self.solver = Solver.twin(solver)
        self.options = options
        self.time_step = time_step
        self.seed = seed

    def advance(self, statics: Statics, task: StepTask, first: int, last: int) -> float:
        """A step for the leaves [first, last); the longest move in it."""
        self.agents.look(task.count, task.side)
        return self.solver.advance(self.agents, statics, self.options, self.time_step, self.seed, task, first, last)


class Desk:
    """What a worker has been told so far."""

    def __init__(self) -> None:
        """Nothing yet."""
        self.maps: dict[int, mmap.mmap] = {}
        self.twins: dict[int, Twin] = {}
        self.statics: dict[int, Statics] = {}

    def take(self, order: tuple[Any, ...], pipe: Connection) -> tuple[str, Any] | None:
        """Carry out an order; the answer, where one is due."""
        match order:
            case ("step", world, task, first, last):
                try:
                    return "done", self.twins[world].advance(self.statics[world], StepTask(*task), first, last)
                except Exception:
                    return "failed", traceback.format_exc()
            case ("layout", world, agents, solver, options, time_step, seed):
                self.twins[world] = Twin(self._arrays(agents), self._arrays(solver), options, time_step, seed)
            case ("statics", world, statics):
                self.statics[world] = statics
            case ("walls", world, walls):
                self.statics[world] = self.statics[world].with_walls(walls)
            case ("block", number, size):
                descriptor = recv_handle(pipe)
                self.maps[number] = mmap.mmap(descriptor, size)
                os.close(descriptor)
            case ("drop", numbers, layouts, worlds):
                for world in (*layouts, *worlds):
                    self.twins.pop(world, None)
                for world in worlds:
                    self.statics.pop(world, None)
                for number in numbers:
                    self.maps.pop(number, None)
        return None

    def _arrays(self, places: dict[str, Place]) -> dict[str, Any]:
        return {name: attach(place, self.maps.__getitem__) for name, place in places.items()}


def _end_with_parent() -> None:
    """End at once when the parent does, also in the middle of a step; the pipe would tell only after it."""
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(0)


def _let_the_server_of_forks_end() -> None:
    """Close the end of its pipe that a worker inherits: it is to end with the parent, whichever workers there are."""
    from multiprocessing import forkserver

    held = getattr(forkserver._forkserver, "_forkserver_alive_fd", None)
    if held is not None:
        os.close(held)
        forkserver._forkserver._forkserver_alive_fd = None  # type: ignore[attr-defined]


def work(pipe: Connection) -> None:
    """The life of a worker process."""
    # the server decides when its workers end, and its last steps need them: a signal to the whole group, such as Ctrl-C
    # or the SIGTERM of a service manager, is its business. They end by an order, with the pipe, or with the parent.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    _let_the_server_of_forks_end()
    threading.Thread(target=_end_with_parent, name="orca-parent", daemon=True).start()
    warm = compiled()
    compile_all()
    desk = Desk()
    try:
        pipe.send(("warm", warm))
        while (order := pipe.recv())[0] != "end":
            answer = desk.take(order, pipe)
            if answer is not None:
                pipe.send(answer)
    except (EOFError, OSError):
        # the parent is gone, and with it everything that could be asked for
        return
