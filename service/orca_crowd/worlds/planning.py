"""Who plans the ways of agents: a few threads beside the steps, for all worlds of the server.

The questions of one world are answered one after the other, in their order, since its planner is for one thread at a
time; worlds take turns. A step that needs an answer which is not there yet waits for it.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from orca_core.guidance.flow_field import FlowField
from orca_core.guidance.planner import Planner
from orca_core.guidance.planning import FoundWays, InlinePlanning, Question, answered, prepared
from orca_crowd.journal.order import Order
from orca_crowd.journal.recorder import Recorder

__all__ = ["FieldWorkshop", "LivePlanning", "PlannerPool", "ReplayedPlanning"]

Call = Callable[[], Any]


class PlannerPool:
    """Threads that plan; they start with the first question."""

    def __init__(self, threads: int) -> None:
        """So many questions are planned at once, each of another world."""
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix="orca-plan")

    def start(self, call: Callable[[], None]) -> None:
        """Have a thread call it when one is free."""
        self._threads.submit(call)

    def close(self) -> None:
        """Let what runs end and leave no thread behind; nobody may wait for an answer any more."""
        self._threads.shutdown(wait=True, cancel_futures=True)


class _Lane:
    """The questions of one world, one at a time."""

    def __init__(self, pool: PlannerPool) -> None:
        """Nothing waits."""
        self._pool = pool
        self._waiting: deque[tuple[Call, Future[Any]]] = deque()
        self._running = False
        self._lock = threading.Lock()

    def submit(self, call: Call) -> Future[Any]:
        """Behind those that wait."""
        future: Future[Any] = Future()
        with self._lock:
            self._waiting.append((call, future))
            idle, self._running = not self._running, True
        if idle:
            self._pool.start(self._next)
        return future

    def _next(self) -> None:
        """Answer one, and have the next one answered: by then other worlds have had their turn."""
        call, future = self._waiting.popleft()
        if future.set_running_or_notify_cancel():
            try:
                future.set_result(call())
            except BaseException as error:
                future.set_exception(error)
        with self._lock:
            self._running = bool(self._waiting)
        if self._running:
            self._pool.start(self._next)


class LivePlanning:
    """Plans of a world that runs; every answer is recorded before it is used, so that a replay does not plan again.

    It knows the recorder and not the session: a world is given back at once when nobody has it any more.
    """

    def __init__(self, pool: PlannerPool, recorder: Recorder | None) -> None:
        """Nothing is asked."""
        self._lane = _Lane(pool)
        self._recorder = recorder
        self._outstanding: dict[int, Future[FoundWays]] = {}
        self._preparing: Future[None] | None = None

    def prepare(self, planner: Planner, radii: NDArray[np.float64], farthest: float) -> None:
        """Begin as soon as there is a thread for it; what was prepared for a planner before this one is not needed."""
        if self._preparing is not None:
            self._preparing.cancel()
        self._preparing = self._lane.submit(lambda: prepared(planner, radii, farthest))

    def foresee(self, due: int, question: Question, tell: Callable[[FoundWays], None]) -> None:
        """Have somebody told in a thread what will be let in after step `due`, as far as it is known without a search.

        Nothing of it is recorded: the world finds it out by itself.
        """
        self._lane.submit(lambda: tell(answered(question, due)))

    def submit(self, due: int, question: Question) -> None:
        """Begin to plan as soon as there is a thread for it."""
        before = self._outstanding.get(due)
        if before is not None:
            # asked again, of a world that has changed
            before.cancel()
        self._outstanding[due] = self._lane.submit(lambda: answered(question, due))

    def collect(self, due: int) -> FoundWays:
        """The answer, waited for."""
        answer = self._outstanding.pop(due).result()
        if self._recorder is not None:
            self._recorder.brought_about(due, Order(answer))
        return answer

    def drop(self) -> None:
        """What has not begun is not planned; what has is thrown away."""
        for future in self._outstanding.values():
            future.cancel()
        self._outstanding.clear()


class FieldWorkshop:
    """Makes the flow fields of a world in the same threads, several at once: what they share has a lock of its own."""

    def __init__(self, pool: PlannerPool) -> None:
        """Nothing is under way."""
        self._pool = pool

    def begin(self, work: Callable[[], FlowField | None]) -> Callable[[], FlowField | None]:
        """Begin as soon as there is a thread for it; what is returned waits for the field."""
        future: Future[FlowField | None] = Future()

        def make() -> None:
            try:
                future.set_result(work())
            except BaseException as error:
                future.set_exception(error)

        self._pool.start(make)
        return future.result


class ReplayedPlanning(InlinePlanning):
    """Plans of a world that is brought back: its journal has the answers.

    What the journal does not have is planned: it may end between a step and the record of the ways that came with it.
    """

    def __init__(self) -> None:
        """Nothing is known of what comes."""
        super().__init__()
        self._recorded: dict[int, FoundWays] = {}

    def expect(self, ways: FoundWays) -> None:
        """What the journal has for a step that is not taken yet."""
        self._recorded[ways.due] = ways

    def collect(self, due: int) -> FoundWays:
        """As it was recorded."""
        found = self._recorded.pop(due, None)
        return super().collect(due) if found is None else found
