"""Compiling every kernel at the start, in a thread of its own: the server answers at once and says when it is ready."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from orca_crowd.errors import ApiError

__all__ = ["Progress", "Warmup"]

# how often the end is looked for: a thread that waited for the other one could not be woken at the end of the server
POLL_SECONDS = 0.05
# Ctrl+C ends the server of forks and tells this process to end: the one may be seen before the other
MOMENT_SECONDS = 0.5

log = logging.getLogger("orca_crowd")
Progress = Callable[[int, int, str], None]


class Warmup:
    """Whether this process can step."""

    def __init__(self, progress: Progress | None = None, others: Callable[[], None] = lambda: None) -> None:
        """`progress(done, total, kernel)` is called from the thread, the last time with done == total.

        `others` brings up whoever else must be ready, such as an engine's workers. It runs at the same time, since
        these compile for themselves where there is no kernel cache.
        """
        self._others = others
        self.ready = False
        self.failed = False
        self._progress = progress
        self._unwanted = threading.Event()
        self._thread = threading.Thread(target=self._run, name="orca-warmup", daemon=True)

    def start(self) -> None:
        """Begin to compile."""
        self._thread.start()

    def give_up(self) -> None:
        """The server ends: what fails from now on is nobody's concern."""
        self._unwanted.set()

    def join(self, seconds: float) -> None:
        """Wait for the end, at most so long; a compilation cannot be interrupted."""
        if self._thread.is_alive():
            self._thread.join(seconds)

    async def wait(self) -> None:
        """Return when it is over, whether or not it went well."""
        while self._thread.is_alive():
            await asyncio.sleep(POLL_SECONDS)

    def check(self) -> None:
        """Refuse with 503 until every kernel is compiled."""
        if self.failed:
            raise ApiError("not-ready", "the kernels could not be compiled; the server's log says why")
        if not self.ready:
            raise ApiError(
                "not-ready",
                "the kernels are still being compiled; try again in a few seconds",
                headers={"Retry-After": "2"},
            )

    def _run(self) -> None:
        try:
            # imported here, so that the listener is up before the compiler is even loaded
            from orca_core import warmup

            with ThreadPoolExecutor(1, thread_name_prefix="orca-warmup") as pool:
                others = pool.submit(self._others)
                warmup.compile_all(self._progress)
                others.result()
            self.ready = True
        except Exception:
            self.failed = True
            if not self._unwanted.wait(MOMENT_SECONDS):
                log.exception("the kernels could not be compiled")
