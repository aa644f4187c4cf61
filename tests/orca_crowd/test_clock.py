"""The two clocks: what they read, and whom they wake."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest
import uvloop

from orca_crowd.clock import ManualClock, SystemClock


async def test_a_manual_clock_stands_still_until_it_is_moved() -> None:
    clock, event = ManualClock(5.0), asyncio.Event()
    waiting = asyncio.ensure_future(clock.wait(event, 7.0))
    await asyncio.sleep(0.01)
    clock.advance(1.9)
    await asyncio.sleep(0.01)
    assert not waiting.done()
    clock.advance(0.1)
    await waiting
    assert clock.now() == 7.0
    with pytest.raises(ValueError, match="only goes forward"):
        clock.advance(-1)
    with pytest.raises(ValueError, match="only goes forward"):
        clock.advance(float("nan"))


@pytest.mark.parametrize("clock", [ManualClock(), SystemClock()])
async def test_an_event_ends_the_wait(clock: ManualClock | SystemClock) -> None:
    event = asyncio.Event()
    for until in (None, clock.now() + 1000):
        event.clear()
        waiting = asyncio.ensure_future(clock.wait(event, until))
        await asyncio.sleep(0.01)
        assert not waiting.done()
        event.set()
        await waiting


@pytest.fixture(scope="module")
def uvloop_used() -> None:
    """The first loop of uvloop opens a pipe for signals that stays for good."""
    uvloop.new_event_loop().close()


@pytest.mark.usefixtures("uvloop_used")
@pytest.mark.parametrize("make_loop", [asyncio.new_event_loop, uvloop.new_event_loop])
def test_the_system_clock_wakes_once_for_a_deadline_and_not_before(
    make_loop: Callable[[], asyncio.AbstractEventLoop],
) -> None:
    """Timers that round to milliseconds would wake half of them too early, and they would look again and again."""
    clock, early = SystemClock(), []

    async def wait(deadline: float) -> None:
        await clock.wait(asyncio.Event(), deadline)
        early.append(max(0.0, deadline - clock.now()))

    async def main() -> None:
        begin = clock.now() + 0.01
        await asyncio.gather(*(wait(begin + number * 0.00037) for number in range(100)))

    with asyncio.Runner(loop_factory=make_loop) as runner:
        runner.run(main())
    assert early == [0.0] * 100


async def test_a_deadline_leaves_the_event_as_it_was() -> None:
    clock, event = SystemClock(), asyncio.Event()
    await clock.wait(event, clock.now() + 0.01)
    assert not event.is_set()
    # nor does a wait that was given up wake who waits next
    first = asyncio.ensure_future(clock.wait(event, clock.now() + 0.02))
    await asyncio.sleep(0)
    first.cancel()
    second = asyncio.ensure_future(clock.wait(event, clock.now() + 1000))
    await asyncio.sleep(0.05)
    assert first.cancelled()
    assert not second.done()
    event.set()
    await second


async def test_the_system_clock_goes_forward_and_wakes_at_the_deadline() -> None:
    clock, event = SystemClock(), asyncio.Event()
    deadline = clock.now() + 0.02
    await clock.wait(event, deadline)
    assert clock.now() >= deadline
    # a deadline that has passed returns, but not before others had their turn
    turns = []
    asyncio.get_running_loop().call_soon(turns.append, 1)
    await clock.wait(event, deadline)
    assert turns == [1]
    assert clock.wall() > 1.6e9
