"""Turns: whoever came first is served first, whatever he wants; nobody is starved and nobody starves others."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest

from orca_crowd.engine.turns import Turns
from tests.orca_crowd.engine.support import wait_until


class Queue:
    """Threads before turns: each takes its turn, notes its name, and gives its workers back when told."""

    def __init__(self, count: int) -> None:
        self.turns = Turns(count)
        self.order: list[str] = []
        self.taken: dict[str, list[int]] = {}
        self._ends: dict[str, threading.Event] = {}
        self._threads: dict[str, threading.Thread] = {}

    def arrive(self, name: str, wanted: int, preferred: int | None = None) -> None:
        """Somebody comes; returns when he has his turn or waits for it."""
        end = self._ends[name] = threading.Event()

        def visit() -> None:
            with self.turns.take(wanted, preferred) as workers:
                self.taken[name] = workers
                self.order.append(name)
                end.wait()

        waiting = len(self.turns._queue)
        thread = self._threads[name] = threading.Thread(target=visit)
        thread.start()
        assert wait_until(lambda: name in self.taken or len(self.turns._queue) > waiting)

    def leave(self, name: str) -> None:
        """He gives his workers back."""
        self._ends[name].set()
        self._threads[name].join()

    def served(self, name: str) -> bool:
        """Whether he comes to have his turn."""
        return wait_until(lambda: name in self.taken)


def test_workers_are_had_by_one_at_a_time_and_given_back() -> None:
    turns = Turns(3)
    with turns.take(2) as first:
        with turns.take(1) as second:
            assert sorted(first + second) == [0, 1, 2]
        with turns.take(1) as third:
            assert third == second
    with turns.take(99) as everybody:
        assert everybody == [0, 1, 2]


def test_the_preferred_worker_if_it_is_free() -> None:
    turns = Turns(3)
    with turns.take(1, 2) as first:
        assert first == [2]
        with turns.take(1, 2) as second:
            assert second == [0]
    with turns.take(3, 1) as everybody:
        assert everybody == [1, 0, 2]


def test_a_wide_one_waits_for_those_before_and_for_none_behind() -> None:
    queue = Queue(2)
    queue.arrive("small before", 1)
    queue.arrive("wide", 2)
    # there is a worker for this one, but it came later
    queue.arrive("small behind", 1)
    assert queue.order == ["small before"]
    queue.leave("small before")
    assert queue.served("wide")
    assert queue.order == ["small before", "wide"]
    queue.leave("wide")
    assert queue.served("small behind")
    queue.leave("small behind")
    assert queue.order == ["small before", "wide", "small behind"]


def test_order_of_arrival_among_many() -> None:
    queue = Queue(4)
    wanted = {f"{number}": 1 + number * 7 % 4 for number in range(24)}
    queue.arrive("first", 4)
    for name, count in wanted.items():
        queue.arrive(name, count)
    queue.leave("first")
    for name in wanted:
        assert queue.served(name)
        queue.leave(name)
    # nobody overtook: who is served is a prefix of those who came at every moment
    assert sorted(queue.order[1:], key=int) == list(wanted)
    for place, name in enumerate(queue.order[1:]):
        # as many as there are workers may note themselves at the same moment
        assert abs(int(name) - place) < 4


def test_an_error_inside_gives_the_workers_back() -> None:
    turns = Turns(1)
    with pytest.raises(KeyError), turns.take(1):
        raise KeyError
    with turns.take(1) as workers:
        assert workers == [0]


def test_whoever_is_interrupted_while_waiting_leaves_no_gap(monkeypatch: pytest.MonkeyPatch) -> None:
    turns = Turns(1)

    def interrupted(true: Callable[[], bool]) -> None:
        raise KeyboardInterrupt

    with turns.take(1):
        monkeypatch.setattr(turns._change, "wait_for", interrupted)
        with pytest.raises(KeyboardInterrupt), turns.take(1):
            pass
        monkeypatch.undo()
    with turns.take(1) as workers:
        assert workers == [0]


def test_many_threads_never_share_a_worker() -> None:
    turns, used, clashes = Turns(3), set(), []

    def visit(seed: int) -> None:
        for number in range(200):
            with turns.take(1 + (seed + number) % 3, number % 3) as workers:
                if used & set(workers):
                    clashes.append(workers)
                used.update(workers)
                used.difference_update(workers)

    threads = [threading.Thread(target=visit, args=(seed,)) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert clashes == []
    assert turns._free == {0, 1, 2}
