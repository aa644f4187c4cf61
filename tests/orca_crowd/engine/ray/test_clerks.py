"""The process that speaks with Ray: what it is asked comes back, also as an error, and its death is told."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator

import pytest

from orca_crowd.engine.ray.clerks import Clerk
from orca_crowd.engine.ray.cluster import ClusterError, ClusterLost


@pytest.fixture
async def clerk() -> AsyncIterator[Clerk]:
    """One that has joined nothing."""
    found = Clerk("127.0.0.1:1", "nowhere")
    await found.start()
    yield found
    await found.stop()


async def test_errors_come_back_as_what_they_are(clerk: Clerk) -> None:
    with pytest.raises(ClusterLost, match="is not joined"):
        await clerk.ask("check", seconds=30.0)
    with pytest.raises(ClusterError, match="AttributeError"):
        await clerk.ask("no_such_method", seconds=30.0)
    # many at once, each with its own answer
    asked = [clerk.ask("existing", names, seconds=30.0) for names in ([], ["w/a"], [])]
    answers = await asyncio.gather(*asked, return_exceptions=True)
    assert [type(each) for each in answers] == [list, ClusterLost, list]


async def test_its_death_is_told_to_who_waits_and_another_is_started(clerk: Clerk) -> None:
    process = clerk._process
    assert process is not None
    os.kill(process.pid, signal.SIGSTOP)
    with pytest.raises(ClusterLost, match=r"within 0\.1 seconds"):
        await clerk.ask("existing", [], seconds=0.1)
    waiting = asyncio.create_task(clerk.ask("existing", [], seconds=30.0))
    await asyncio.sleep(0)
    os.kill(process.pid, signal.SIGKILL)
    with pytest.raises(ClusterLost, match="has ended"):
        await waiting
    assert not clerk.lives
    await clerk.start()
    assert await clerk.ask("existing", [], seconds=30.0) == []
