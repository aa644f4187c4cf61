"""A frame of one step: encoded once, shared as it is, and not encoded at all when nobody wants it any more."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable

import numpy as np

from orca_crowd.protocol.frames import JSON_SUBPROTOCOL
from orca_crowd.streaming.shared import SharedFrame, StreamStatistics, is_small
from orca_crowd.streaming.subscription import FrameKey
from orca_crowd.worlds.publication import Publication

KEY = FrameKey(JSON_SUBPROTOCOL, ("position", "status"), "float64")


def publication(count: int, step: int = 7) -> Publication:
    """Agents 0 to count - 1."""
    columns = {"position": np.arange(2.0 * count).reshape(count, 2), "status": np.ones(count, np.uint8)}
    return Publication("w", step, step * 0.1, np.arange(count), columns, [], [])


class Later:
    """A helper thread that has not got to it yet."""

    def __init__(self) -> None:
        self.calls: list[tuple[Callable[[], None], asyncio.Future[None]]] = []

    def __call__(self, call: Callable[[], None]) -> asyncio.Future[None]:
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.calls.append((call, done))
        return done

    def run(self) -> None:
        """Get to all of it."""
        for call, done in self.calls:
            call()
            done.set_result(None)
        self.calls = []


async def test_a_small_frame_is_there_at_once_and_shared() -> None:
    statistics, later = StreamStatistics(), Later()
    told = publication(3)
    frame = SharedFrame(told, KEY, statistics)
    frame.hold()
    frame.encode(later)
    assert later.calls == []
    assert frame.size > 0
    first = await frame.message(6, told.ids)
    assert await frame.message(6, told.ids) is first
    assert json.loads(first) == {
        "type": "frame",
        "step": 7,
        "time": 7 * 0.1,
        "since": 6,
        "entered": [],
        "left": [],
        "position": [[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]],
        "status": ["moving"] * 3,
    }
    assert statistics.frames_encoded == 1


async def test_readers_with_other_pasts_share_the_columns_and_not_the_head() -> None:
    statistics = StreamStatistics()
    told = publication(3)
    frame = SharedFrame(told, KEY, statistics)
    frame.hold()
    frame.encode(Later())
    older = json.loads(await frame.message(2, np.array([9, 0, 1])))
    assert (older["since"], older["ids"], older["entered"], older["left"]) == (2, [0, 1, 2], [2], [9])
    # the same step before it, and other agents: a full was taken after a command
    newer = json.loads(await frame.message(2, np.array([0, 1, 2])))
    assert "ids" not in newer
    assert (newer["entered"], newer["left"]) == ([], [])
    assert statistics.frames_encoded == 1


async def test_a_large_frame_that_nobody_wants_any_more_is_not_encoded() -> None:
    statistics, later = StreamStatistics(), Later()
    told = publication(5000)
    assert not is_small(told, KEY)
    unwanted, wanted = SharedFrame(told, KEY, statistics), SharedFrame(told, KEY, statistics)
    for frame in (unwanted, wanted):
        frame.hold()
        frame.encode(later)
    unwanted.release()
    readers = [asyncio.create_task(wanted.message(6, told.ids)) for _ in range(3)]
    await asyncio.sleep(0)
    # one reader who goes away takes nothing from the others
    readers[0].cancel()
    await asyncio.sleep(0)
    later.run()
    one, other = await asyncio.gather(*readers[1:])
    assert one is other
    assert len(json.loads(one)["position"]) == 5000
    assert statistics.frames_encoded == 1
    assert unwanted.size == 0
