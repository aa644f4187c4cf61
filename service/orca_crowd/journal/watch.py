"""What is seen of a journal's writes from outside: how long they take, and those that found no room."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from types import TracebackType
from typing import Any

from orca_crowd.clock import Clock
from orca_crowd.journal.errors import JournalFull
from orca_crowd.metrics import Metrics
from orca_crowd.tracing import OFF, Tracing

__all__ = ["Writing", "writing_watched"]

# goes around each write that somebody waits for
Writing = Callable[[], AbstractContextManager[None]]


def writing_watched(metrics: Metrics, clock: Clock, tracing: Tracing = OFF) -> Writing:
    """A context that measures, counts and traces the write inside."""
    return lambda: _Write(metrics, clock, tracing)


class _Write:
    """One write. A class and no generator, which would cost twice as much, at every step of every world."""

    __slots__ = ("_began", "_clock", "_metrics", "_span", "_tracing")

    def __init__(self, metrics: Metrics, clock: Clock, tracing: Tracing) -> None:
        self._metrics = metrics
        self._clock = clock
        self._tracing = tracing

    def __enter__(self) -> None:
        self._span: AbstractContextManager[Any] | None = None
        if self._tracing.on:
            self._span = self._tracing.span("journal write")
            self._span.__enter__()
        self._began = self._clock.now()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._metrics.journal_write_seconds.observe(self._clock.now() - self._began)
        if isinstance(error, JournalFull):
            self._metrics.journal_full.inc()
        if self._span is not None:
            self._span.__exit__(kind, error, traceback)
