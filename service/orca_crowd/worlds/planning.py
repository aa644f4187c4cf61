"""Who plans the ways of agents: a few threads beside the steps, for all worlds of the server.

The questions of one world are answered one after the other, in their order, since its planner is for one thread at a
time; worlds take turns. A step that needs an answer which is not there yet waits for it.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from orca_core.guidance import planning
from orca_core.guidance.flow_field import FlowField
from orca_core.guidance.planner import Planner
from orca_core.guidance.planning import FoundWays, prepared
from orca_crowd.journal.order import Order, Planned
from orca_crowd.journal.recorder import Recorder

__all__ = ["FieldWorkshop", "LivePlanning", "LiveWays", "PlannerPool", "ReplayedPlanning", "ReplayedWays"]

Question = TypeVar("Question")
Answer = TypeVar("Answer", bound=Planned)
Result = TypeVar("Result")


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
        self._waiting: deque[tuple[Callable[[], Any], Future[Any]]] = deque()
        self._running = False
        self._lock = threading.Lock()

    def submit(self, call: Callable[[], Result], *, at_once: bool = False) -> Future[Result]:
        """Behind those that wait, or before them, after the one that is being answered."""
        future: Future[Result] = Future()
        with self._lock:
            if at_once:
                self._waiting.appendleft((call, future))
            else:
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


class LivePlanning(Generic[Question, Answer]):
    """Plans of a world that runs; every answer is recorded before it is used, so that a replay does not plan again.

    It knows the recorder and not the session: a world is given back at once when nobody has it any more.
    """

    def __init__(self, pool: PlannerPool, recorder: Recorder | None, answer: Callable[[Question, int], Answer]) -> None:
        """Nothing is asked; `answer` plans for a question that is due after a step."""
        self._lane = _Lane(pool)
        self._recorder = recorder
        self._answer = answer
        self._outstanding: dict[int, Future[Answer]] = {}

    def submit(self, due: int, question: Question) -> None:
        """Begin to plan as soon as there is a thread for it."""
        before = self._outstanding.get(due)
        if before is not None:
            # asked again, of a world that has changed
            before.cancel()
        self._outstanding[due] = self._lane.submit(lambda: self._answer(question, due))

    def collect(self, due: int) -> Answer:
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


class LiveWays(LivePlanning[planning.Question, FoundWays]):
    """Ways of agents: of these there is something to prepare."""

    def __init__(
        self, pool: PlannerPool, recorder: Recorder | None, answer: Callable[[planning.Question, int], FoundWays]
    ) -> None:
        """Nothing is asked."""
        super().__init__(pool, recorder, answer)
        self._preparing: Future[None] | None = None

    def prepare(self, planner: Planner, discs: NDArray[np.float64], farthest: float) -> None:
        """Begin as soon as there is a thread for it; what was prepared for a planner before this one is not needed."""
        if self._preparing is not None:
            self._preparing.cancel()
        self._preparing = self._lane.submit(lambda: prepared(planner, discs, farthest))

    def foresee(self, due: int, question: planning.Question, tell: Callable[[FoundWays], None]) -> None:
        """Have somebody told in a thread what will be let in after step `due`, as far as it is known without a search.

        Nothing of it is recorded: the world finds it out by itself. It takes no search, so nobody waits long for it,
        and it waits for one question at the most.
        """
        self._lane.submit(lambda: tell(self._answer(question, due)), at_once=True)


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


class ReplayedPlanning(Generic[Question, Answer]):
    """Plans of a world that is brought back: its journal has the answers.

    What the journal does not have is planned: it may end between a step and the record of the ways that came with it.
    """

    def __init__(self, answer: Callable[[Question, int], Answer]) -> None:
        """Nothing is known of what comes."""
        self._answer = answer
        self._questions: dict[int, Question] = {}
        self._recorded: dict[int, Answer] = {}

    def submit(self, due: int, question: Question) -> None:
        """Keep it, in case it has to be answered here."""
        self._questions[due] = question

    def expect(self, answer: Answer) -> None:
        """What the journal has for a step that is not taken yet."""
        self._recorded[answer.due] = answer

    def collect(self, due: int) -> Answer:
        """As it was recorded."""
        question = self._questions.pop(due)
        found = self._recorded.pop(due, None)
        return self._answer(question, due) if found is None else found

    def drop(self) -> None:
        """Nobody wants what is outstanding any more."""
        self._questions.clear()


class ReplayedWays(ReplayedPlanning[planning.Question, FoundWays]):
    """Ways of agents: what there is to prepare is made when it is asked for, if it is."""

    def prepare(self, planner: Planner, discs: NDArray[np.float64], farthest: float) -> None:
        """Nothing to do before somebody asks."""
