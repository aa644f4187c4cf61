"""The crew: worker processes as their parent sees them; started, given orders, watched, and replaced when they die or
hang.
"""

from __future__ import annotations

import logging
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import get_all_start_methods, get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from multiprocessing.reduction import send_handle
from typing import Any

from orca_crowd.engine.memory import Block
from orca_crowd.engine.worker import work

__all__ = ["Crew", "Lost", "Worker"]

log = logging.getLogger("orca_crowd")

# how long a worker may take to start: it may have to compile every kernel
START_SECONDS = 300.0
END_SECONDS = 2.0


class Lost(Exception):
    """A worker died or hung while it computed."""


@contextmanager
def _without_main() -> Iterator[None]:
    """Start processes as if this one had no main module.

    multiprocessing imports the parent's main module again in each child; ours is the command, which a worker has no use
    for, and importing it would make a replacement slow.
    """
    main = sys.modules["__main__"]
    kept: dict[str, Any] = {name: main.__dict__[name] for name in ("__spec__", "__file__") if name in main.__dict__}
    main.__dict__["__spec__"] = None
    main.__dict__.pop("__file__", None)
    try:
        yield
    finally:
        main.__dict__.update(kept)


class Worker:
    """One process, its pipe, and what it has been told of blocks and worlds."""

    def __init__(self, process: BaseProcess, pipe: Connection) -> None:
        """A process that has just been started."""
        self.process = process
        self.pipe = pipe
        self.blocks: set[int] = set()
        self.layouts: dict[int, tuple[int, int]] = {}
        self.statics: dict[int, object] = {}

    @property
    def pid(self) -> int:
        """Its process id."""
        return self.process.pid or 0

    def tell(self, *order: Any) -> None:
        """Give an order; raises Lost where nobody is there to take it."""
        try:
            self.pipe.send(order)
        except (OSError, ValueError) as error:
            raise Lost(f"worker {self.pid} took no order: {error}") from error

    def show(self, block: Block) -> None:
        """Hand over the descriptor of a block of memory."""
        self.tell("block", block.number, block.size)
        try:
            send_handle(self.pipe, block.descriptor, self.pid)
        except OSError as error:
            raise Lost(f"worker {self.pid} took no memory: {error}") from error
        self.blocks.add(block.number)

    def answer(self, deadline: float) -> tuple[str, Any]:
        """Its answer; raises Lost where it dies first or takes longer than `deadline` seconds."""
        ready = wait([self.pipe, self.process.sentinel], deadline)
        if self.pipe in ready:
            try:
                answer: tuple[str, Any] = self.pipe.recv()
                return answer
            except (EOFError, OSError) as error:
                raise Lost(f"worker {self.pid} died") from error
        raise Lost(f"worker {self.pid} {'died' if ready else f'did not answer for {deadline:g} s'}")

    def end(self, kill: bool) -> None:
        """Let it end, or make it; afterwards nothing of it is left."""
        if not kill:
            try:
                self.pipe.send(("end",))
            except (OSError, ValueError):
                kill = True
        if not kill:
            self.process.join(END_SECONDS)
        if self.process.is_alive():
            self.process.kill()
        self.process.join()
        self.pipe.close()
        self.process.close()


class Crew:
    """So many workers, always; the context is forkserver where there is one, for its kernels are compiled once."""

    def __init__(self, count: int) -> None:
        """Nobody yet; `start` brings them."""
        method = "forkserver" if "forkserver" in get_all_start_methods() else "spawn"
        self._context: Any = get_context(method)
        if method == "forkserver":
            self._context.set_forkserver_preload(["orca_crowd.engine.preload"])
        self.count = count
        self.workers: list[Worker] = []
        self.replaced = 0
        self._starting = threading.Lock()

    def start(self) -> None:
        """Start all of them and wait until each can compute."""
        self.workers = [self._begin() for _ in range(self.count)]

    def _begin(self) -> Worker:
        ours, theirs = self._context.Pipe(duplex=True)
        process = self._context.Process(target=work, args=(theirs,), name="orca-worker", daemon=True)
        # one at a time: starting borrows the main module
        with self._starting, _without_main():
            process.start()
        theirs.close()
        worker = Worker(process, ours)
        name, warm = worker.answer(START_SECONDS)
        if name != "warm" or (not warm and self._context.get_start_method() == "forkserver"):
            log.warning("worker %d had to compile its kernels itself", worker.pid)
        return worker

    def replace(self, index: int, reason: Lost) -> Worker:
        """Another worker in the place of one that is lost."""
        self.workers[index].end(kill=True)
        self.workers[index] = self._begin()
        self.replaced += 1
        log.warning("%s; worker %d took its place", reason, self.workers[index].pid)
        return self.workers[index]

    def close(self) -> None:
        """End all of them, and the server of forks with them; nothing is left behind."""
        for worker in self.workers:
            worker.end(kill=False)
        self.workers = []
        _stop_forkserver()


def _stop_forkserver() -> None:
    """End the server of forks, which would otherwise stay until this process ends; the next start brings another.

    CPython offers no public way; where its private one is missing the server of forks stays, and ends with us.
    """
    from multiprocessing import forkserver, resource_tracker

    for holder in (forkserver._forkserver, resource_tracker._resource_tracker):
        stop = getattr(holder, "_stop", None)
        if stop is not None:
            try:
                stop()
            except (OSError, ChildProcessError):
                log.debug("%s had ended already", type(holder).__name__)
