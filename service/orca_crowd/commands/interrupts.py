"""Ctrl+C before a command has begun: it ends as one that runs does, without a traceback."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["INTERRUPTED", "ended_quietly"]

# what a shell says of a command that SIGINT ended
INTERRUPTED = 130


@contextmanager
def ended_quietly() -> Iterator[None]:
    """Leave with exit code 130, and say nothing, where Ctrl+C comes within."""
    try:
        yield
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
