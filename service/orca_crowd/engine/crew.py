"""The crew: worker processes, started, ended, and another in the place of one that died or hung.

A place in the crew is empty after a worker was lost; whoever needs it next starts another there, so that a worker that
cannot be started either is no more than one more loss to whoever asked.
"""

from __future__ import annotations

import atexit
import logging
import tempfile
import threading
from collections.abc import Callable
from multiprocessing import get_all_start_methods
from typing import Any

from orca_crowd.engine.starting import Attendants, launch
from orca_crowd.engine.worker import work
from orca_crowd.engine.workmate import Lost, Workmate

__all__ = ["Crew"]

log = logging.getLogger("orca_crowd")

# how long a worker may take to start: it may have to compile every kernel
START_SECONDS = 300.0


def _usual_method() -> str:
    """forkserver where there can be one: it listens on a socket in a temporary folder. Where nothing at all can be
    written, workers are spawned, who need no file.
    """
    if "forkserver" not in get_all_start_methods():
        return "spawn"
    try:
        tempfile.gettempdir()
    except FileNotFoundError:
        return "spawn"
    return "forkserver"


class Crew:
    """Places for so many workers. A place is used by one thread at a time, which is for its users to see to."""

    def __init__(
        self,
        count: int,
        *,
        deadline: float,
        method: str | None = None,
        target: Callable[[Any], None] = work,
    ) -> None:
        """Nobody yet; `start` brings them. `deadline`: seconds after which an order or an answer does not come.

        `method` is forkserver where there is one, for its kernels are compiled once, and spawn elsewhere.
        """
        self.method = method or _usual_method()
        self.count = count
        self.replaced = 0
        self.hung = 0
        self.cold = 0
        self._deadline = deadline
        self._target = target
        self._places: list[Workmate | None] = [None] * count
        self._attendants = Attendants()
        self._starting = threading.Lock()
        self._closed = False

    def start(self) -> None:
        """Start all of them and wait until each can compute; raises Lost where one does not come up."""
        with self._starting:
            if not self._closed:
                self._attendants.hold(self.method)
                # who is not closed in the end: multiprocessing would ask workers by SIGTERM to end, and wait for ever
                atexit.register(self.abandon)
            # all at once: each may have to compile
            for place in range(self.count):
                self._places[place] = self._launch()
            for place in range(self.count):
                self._welcome(place)

    def present(self, place: int) -> Workmate | None:
        """Who stands in a place, if anybody does."""
        return self._places[place]

    def worker(self, place: int) -> Workmate:
        """Who stands in a place, started now where it is empty; raises Lost where nobody can be had."""
        worker = self._places[place]
        if worker is not None:
            return worker
        with self._starting:
            self._places[place] = self._launch()
        worker = self._welcome(place)
        self.replaced += 1
        log.warning("worker %d takes the place of one that was lost", worker.pid)
        return worker

    def dismiss(self, place: int, reason: str) -> None:
        """Make sure that nothing is left of a worker that was lost, and leave its place empty."""
        worker, self._places[place] = self._places[place], None
        if worker is not None:
            log.warning("%s", reason)
            worker.end(kill=True)

    def _launch(self) -> Workmate:
        if self._closed:
            raise Lost("the engine is closed and starts no worker any more")
        return launch(self.method, self._target, self._deadline)

    def _welcome(self, place: int) -> Workmate:
        """Wait until a worker that was started says that it can compute."""
        worker = self._places[place]
        if worker is None:
            raise Lost("the engine was closed before its workers had started")
        try:
            name, warm = worker.answer(START_SECONDS)
        except Lost as lost:
            self.dismiss(place, str(lost))
            raise
        if name != "warm" or (not warm and self.method == "forkserver"):
            self.cold += 1
            log.warning(
                "worker %d had to load or compile its kernels itself, and so will who takes its place: the server of "
                "forks could not import orca_crowd.engine.preload; install orca-crowd or put it on PYTHONPATH",
                worker.pid,
            )
        return worker

    def abandon(self) -> None:
        """Start nobody any more, and kill whoever computes: what waits for an answer learns at once that none comes."""
        self._closed = True
        # somebody may wait for the server of forks itself
        if self.method == "forkserver" and self._starting.locked():
            self._attendants.kill()
        for worker in list(self._places):
            if worker is not None:
                worker.kill()

    def close(self) -> None:
        """End all of them, and the server of forks with the last crew that used it; nothing is left behind."""
        self._closed = True
        # who is just being started would be waited for, and may have to compile first
        while not self._starting.acquire(timeout=0.1):
            self.abandon()
        try:
            for place, worker in enumerate(self._places):
                if worker is not None:
                    worker.end(kill=False)
                self._places[place] = None
            self._attendants.release()
            atexit.unregister(self.abandon)
        finally:
            self._starting.release()
