"""Sockets that are open: looked at while there are any, ended without a key, and at once where all are to end."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any, cast

from orca_crowd.clock import SystemClock
from orca_crowd.streaming.admission import Admission
from orca_crowd.streaming.open_sockets import LOOKS, OpenSockets


class Line:
    """A socket that is open until it is told to end."""

    def __init__(self) -> None:
        self.valid, self.ended, self.over = True, None, asyncio.Event()
        self.admission = cast("Admission", SimpleNamespace(valid=lambda: self.valid))

    async def run(self) -> None:
        await self.over.wait()

    def end(self, code: int, reason: str) -> None:
        self.ended = code
        self.over.set()


async def test_who_has_no_key_any_more_is_ended_and_the_others_are_looked_at() -> None:
    looked: list[Any] = []
    sockets: OpenSockets[Line] = OpenSockets(SystemClock(), LOOKS * 0.01, looked.append)
    one, other = Line(), Line()
    async with asyncio.TaskGroup() as group:
        first, second = group.create_task(sockets.run(one)), group.create_task(sockets.run(other))
        while one not in looked or other not in looked:
            await asyncio.sleep(0)
        one.valid = False
        await first
        assert one.ended == 1008
        assert list(sockets) == [other]
        assert other.ended is None
        other.end(1000, "gone")
        await second
    # nobody is there, and no task is left that looks
    assert list(sockets) == []
    await asyncio.sleep(0)
    assert len(asyncio.all_tasks()) == 1


async def test_who_comes_while_all_end_is_ended_at_once() -> None:
    sockets: OpenSockets[Line] = OpenSockets(SystemClock(), 60.0, lambda _: None)
    sockets.close()
    late = Line()
    await sockets.run(late)
    assert late.ended == 1012
