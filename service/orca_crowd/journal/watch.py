"""What is seen of a journal's writes from outside: how long they take, and those that found no room."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

from orca_crowd.journal.errors import JournalFull
from orca_crowd.metrics import Metrics
from orca_crowd.tracing import OFF, Tracing

__all__ = ["Writing", "writing_watched"]

# goes around each write that somebody waits for
Writing = Callable[[], AbstractContextManager[None]]


def writing_watched(metrics: Metrics, tracing: Tracing = OFF) -> Writing:
    """A context that measures, counts and traces the write inside."""

    @contextmanager
    def writing() -> Iterator[None]:
        with tracing.span("journal write"), metrics.journal_write_seconds.time():
            try:
                yield
            except JournalFull:
                metrics.journal_full.inc()
                raise

    return writing
