"""What waits for a world, and how it is done inside: calls in a thread, one at a time, and what they bring out."""

from __future__ import annotations

import asyncio
import contextvars
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from orca_core.errors import OrcaError
from orca_crowd.clock import Clock
from orca_crowd.errors import ApiError
from orca_crowd.journal.recorder import Snapshot
from orca_crowd.protocol.steps import StepRequest
from orca_crowd.worlds.controllers import Controller
from orca_crowd.worlds.description import Facts
from orca_crowd.worlds.publication import Publication
from orca_crowd.worlds.readiness import Waiting
from orca_crowd.worlds.session import Accepted, Session

__all__ = ["CallJob", "Outcome", "StepJob", "new_future", "refuse", "tick"]

Event = dict[str, Any]
# what a command may raise that then has changed nothing; memory that cannot be had is no fault of the world
REFUSALS = (ApiError, OrcaError, MemoryError)


@dataclass
class Outcome:
    """What a call inside the world brought out; a refusal has changed nothing."""

    result: Any
    facts: Facts
    publications: list[Publication] = field(default_factory=list)
    refusal: Exception | None = None
    seconds: float = 0.0
    steps: int = 0
    # a state that the journal wants kept
    snapshot: Snapshot | None = None


@dataclass
class CallJob:
    """A command or a read. `overtakes`: may run between two slices of a step request that came before."""

    call: Callable[[Session], Any]
    changes: bool
    overtakes: bool = True
    # called on the event loop when its turn has come: a refusal, or a result in the place of the call's
    before: Callable[[], Any] | None = None
    # called on the event loop with the result, before anything else happens in the world
    after: Callable[[Any], None] | None = None
    future: asyncio.Future[Any] = field(default_factory=lambda: new_future())
    # of who asked: its request is told in the log, and its trace goes on
    context: contextvars.Context = field(default_factory=contextvars.copy_context)

    def inside(self, session: Session, listening: bool) -> Outcome:
        """Do it; in a thread."""
        try:
            result = self.call(session)
        except REFUSALS as refusal:
            return Outcome(None, session.facts(), refusal=refusal)
        publications = session.publications([], listening) if self.changes else []
        snapshot = session.snapshot_due(stepped=False) if self.changes else None
        return Outcome(result, session.facts(), publications, snapshot=snapshot)


@dataclass
class StepJob:
    """A step request, which takes as many slices as it needs."""

    request: StepRequest
    holder: str | None
    controller: Controller
    left: int
    # what its commands did, once it has begun
    accepted: Accepted | None = None
    events: list[Event] = field(default_factory=list)
    future: asyncio.Future[Any] = field(default_factory=lambda: new_future())
    context: contextvars.Context = field(default_factory=contextvars.copy_context)

    def inside(self, session: Session, listening: bool, count: int, clock: Clock, event_limit: int) -> Outcome:
        """Take `count` more steps; in a thread.

        There is a result once the last one is taken, or the answer is known.
        """
        try:
            if self.accepted is None:
                begun = session.begin(self.request, self.controller.name)
                if not isinstance(begun, Accepted):
                    return Outcome(begun, session.facts())
                self.accepted = begun
                self.left = begun.left if begun.left is not None else self.left
                self.events += begun.events
            else:
                session.check_room()
        except REFUSALS as refusal:
            return Outcome(None, session.facts(), refusal=self._so_far(refusal, session))
        # none where all were taken before and could not be recorded then
        count = min(count, self.left)
        started = clock.now()
        events = session.advance(count) if count else []
        seconds = clock.now() - started
        self.left -= count
        # one more than is shown, so that it can be said that there were more
        self.events += events[: max(0, event_limit + 1 - len(self.events))]
        publications = session.publications(events, listening)
        try:
            session.record(seconds)
        except ApiError as refusal:
            return Outcome(None, session.facts(), publications, self._so_far(refusal, session), seconds, count)
        answer = session.finish(self.request, self.accepted, self.events) if self.left == 0 else None
        snapshot = session.snapshot_due(stepped=True)
        return Outcome(answer, session.facts(), publications, None, seconds, count, snapshot)

    def _so_far(self, refusal: Exception, session: Session) -> Exception:
        """A refusal in the midst of the steps says how far they came."""
        if self.accepted is not None:
            session.interrupt(self.request, self.left)
        taken = self.request.count - self.left
        if not taken or not isinstance(refusal, ApiError):
            return refusal
        detail = f"{refusal.detail}; {taken} of {self.request.count} steps were taken"
        return ApiError(refusal.code, detail, more={"step": session.world.step_count})


def tick(
    session: Session, told: list[Event], listening: bool, clock: Clock, waiting: Sequence[Waiting] = ()
) -> Outcome:
    """One step of the world's own clock; in a thread. The result is an answer for each who waits for the step.

    `told` are events of the server's own that go with it. While a step could not be recorded the world stands.
    """
    try:
        session.check_room()
    except ApiError as refusal:
        return Outcome(None, session.facts(), refusal=refusal)
    started = clock.now()
    events = told + session.advance(1)
    seconds = clock.now() - started
    publications = session.publications(events, listening)
    try:
        session.record(seconds)
    except ApiError as refusal:
        return Outcome(None, session.facts(), publications, refusal, seconds, 1)
    answers = [session.finish(each.request, each.accepted, events) for each in waiting]
    return Outcome(answers, session.facts(), publications, None, seconds, 1, session.snapshot_due(stepped=True))


def new_future() -> asyncio.Future[Any]:
    """A future of the running loop."""
    return asyncio.get_running_loop().create_future()


def refuse(future: asyncio.Future[Any], error: ApiError) -> None:
    """Answer with a refusal, unless whoever asked has gone."""
    if not future.done():
        future.set_exception(error)
