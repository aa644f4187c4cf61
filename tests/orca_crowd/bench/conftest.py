"""What the event loop of the server keeps for the life of a process is there before the first test."""

from __future__ import annotations

import asyncio

import pytest

from orca_crowd.bench.engines import event_loop


@pytest.fixture(scope="session", autouse=True)
def _pipe_for_signals() -> None:
    """libuv opens one pipe with its first loop and never closes it: that is no test's doing."""
    with asyncio.Runner(loop_factory=event_loop) as runner:
        runner.run(asyncio.sleep(0))
