"""Rounds: every call has its own result, many share a hop, and none waits for another longer than it must."""

from __future__ import annotations

import asyncio
import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import pytest

from orca_crowd.engine.rounds import TOLD, Rounds


@pytest.fixture
def make_rounds() -> Iterator[Callable[[int], Rounds]]:
    """Makes rounds of so many threads, which are ended after the test."""
    made: list[Rounds] = []

    def make(threads: int) -> Rounds:
        made.append(Rounds(threads))
        return made[-1]

    yield make
    for rounds in made:
        rounds.close()


MakeRounds = Callable[[int], Rounds]


async def test_every_call_has_its_own_result_or_its_own_failure(make_rounds: MakeRounds) -> None:
    rounds = make_rounds(2)

    def call(number: int) -> int:
        if number % 7 == 3:
            raise ValueError(number)
        if number == 50:
            raise StopIteration
        return number * number

    found = await asyncio.gather(*(rounds.run(lambda n=n: call(n)) for n in range(100)), return_exceptions=True)  # type: ignore[misc]
    for number, outcome in enumerate(found):
        if number % 7 == 3:
            assert isinstance(outcome, ValueError)
            assert outcome.args == (number,)
        elif number == 50:
            assert isinstance(outcome, RuntimeError)
        else:
            assert outcome == number * number


async def test_calls_of_one_turn_share_hops(make_rounds: MakeRounds, monkeypatch: pytest.MonkeyPatch) -> None:
    rounds, loop = make_rounds(1), asyncio.get_running_loop()
    told: list[Any] = []
    back = loop.call_soon_threadsafe

    def counted(*arguments: Any, **more: Any) -> asyncio.Handle:
        told.append(arguments)
        return back(*arguments, **more)

    monkeypatch.setattr(loop, "call_soon_threadsafe", counted)
    order: list[int] = []
    await asyncio.gather(*(rounds.run(lambda n=n: order.append(n)) for n in range(10 * TOLD)))  # type: ignore[misc]
    # first come, first served, and a callback for every few
    assert order == list(range(10 * TOLD))
    assert len(told) == 10


async def test_a_call_that_takes_long_delays_nobody_else(make_rounds: MakeRounds) -> None:
    rounds, begun, go_on = make_rounds(2), threading.Event(), threading.Event()

    def long() -> str:
        begun.set()
        assert go_on.wait(30)
        return "long"

    waiting = asyncio.ensure_future(rounds.run(long))
    while not begun.is_set():
        await asyncio.sleep(0.001)
    # one by one, so that nothing but the second thread can have done them
    for number in range(20):
        assert await rounds.run(lambda number=number: number) == number  # type: ignore[misc]
    assert not waiting.done()
    go_on.set()
    assert await waiting == "long"


async def test_who_has_gone_is_not_served(make_rounds: MakeRounds) -> None:
    rounds, begun, go_on = make_rounds(1), threading.Event(), threading.Event()
    done: list[str] = []

    def first() -> None:
        begun.set()
        assert go_on.wait(30)

    waiting = asyncio.ensure_future(rounds.run(first))
    while not begun.is_set():
        await asyncio.sleep(0.001)
    gone, after = (asyncio.ensure_future(rounds.run(lambda name=name: done.append(name))) for name in ("gone", "after"))  # type: ignore[misc]
    await asyncio.sleep(0)
    gone.cancel()
    await asyncio.gather(gone, return_exceptions=True)
    go_on.set()
    await asyncio.gather(waiting, after)
    assert done == ["after"]


async def test_the_end_lets_running_calls_finish_and_cancels_the_others(make_rounds: MakeRounds) -> None:
    rounds, begun, go_on = make_rounds(1), threading.Event(), threading.Event()

    def first() -> str:
        begun.set()
        assert go_on.wait(30)
        return "finished"

    running = asyncio.ensure_future(rounds.run(first))
    while not begun.is_set():
        await asyncio.sleep(0.001)
    others = [asyncio.ensure_future(rounds.run(lambda: "never")) for _ in range(20)]
    await asyncio.sleep(0.01)
    rounds.refuse()
    assert {type(outcome) for outcome in await asyncio.gather(*others, return_exceptions=True)} == {
        asyncio.CancelledError
    }
    with pytest.raises(RuntimeError, match="the engine is closed"):
        await rounds.run(lambda: "never")
    closing = asyncio.ensure_future(asyncio.to_thread(rounds.close))
    await asyncio.sleep(0.01)
    assert not closing.done()
    go_on.set()
    await closing
    assert await running == "finished"
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("orca-round")]


def test_several_event_loops_have_their_own_answers(make_rounds: MakeRounds) -> None:
    rounds = make_rounds(2)
    found: dict[int, list[tuple[int, bool]]] = {}

    async def ask(number: int) -> None:
        here = threading.get_ident()
        found[number] = []
        for _ in range(50):
            answers = await asyncio.gather(*(rounds.run(lambda: number) for _ in range(5)))
            found[number] += [(answer, threading.get_ident() == here) for answer in answers]

    threads = [threading.Thread(target=lambda n=n: asyncio.run(ask(n))) for n in range(3)]  # type: ignore[misc]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {number: [(number, True)] * 250 for number in range(3)}


class Held:
    """Something that a call holds on to."""


@pytest.mark.parametrize("fails", [False, True])
async def test_nothing_of_a_call_is_kept(make_rounds: MakeRounds, fails: bool) -> None:
    """A world that was deleted must not wait for the collector of cycles: its memory is shared."""
    rounds, held = make_rounds(1), Held()
    watch = weakref.ref(held)

    def call(held: Held = held) -> None:
        if fails:
            raise ValueError

    with suppress(ValueError):
        await rounds.run(call)
    del call, held
    # the thread may still be on its way to its next wait
    for _ in range(1000):
        if watch() is None:
            break
        await asyncio.sleep(0.001)
    assert watch() is None
