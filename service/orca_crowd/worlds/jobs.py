"""What waits for a world, and how it is done inside: calls in a thread, one at a time, and what they bring out."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from orca_core.errors import OrcaError
from orca_crowd.clock import Clock
from orca_crowd.errors import ApiError
from orca_crowd.protocol.steps import StepRequest
from orca_crowd.worlds.publication import Publication
from orca_crowd.worlds.session import Facts, Session

__all__ = ["CallJob", "Outcome", "StepJob", "new_future", "refuse", "tick"]

Event = dict[str, Any]


@dataclass
class Outcome:
    """What a call inside the world brought out; a refusal has changed nothing."""

    result: Any
    facts: Facts
    publications: list[Publication] = field(default_factory=list)
    refusal: Exception | None = None
    seconds: float = 0.0
    steps: int = 0


@dataclass
class CallJob:
    """A command or a read. `overtakes`: may run between two slices of a step request that came before."""

    call: Callable[[Session], Any]
    changes: bool
    overtakes: bool = True
    # called on the event loop with the result, before anything else happens in the world
    after: Callable[[Any], None] | None = None
    future: asyncio.Future[Any] = field(default_factory=lambda: new_future())

    def inside(self, session: Session, listening: bool) -> Outcome:
        """Do it; in a thread."""
        try:
            result = self.call(session)
        except (ApiError, OrcaError) as refusal:
            return Outcome(None, session.facts(), refusal=refusal)
        publications = session.publications([], listening) if self.changes else []
        return Outcome(result, session.facts(), publications)


@dataclass
class StepJob:
    """A step request, which takes as many slices as it needs."""

    request: StepRequest
    holder: str | None
    left: int
    begun: bool = False
    events: list[Event] = field(default_factory=list)
    future: asyncio.Future[Any] = field(default_factory=lambda: new_future())

    def inside(self, session: Session, listening: bool, count: int, clock: Clock, event_limit: int) -> Outcome:
        """Take `count` more steps; in a thread.

        There is a result once the last one is taken, or the answer is known.
        """
        if not self.begun:
            try:
                known = session.begin(self.request)
            except (ApiError, OrcaError) as refusal:
                return Outcome(None, session.facts(), refusal=refusal)
            if known is not None:
                return Outcome(known, session.facts())
            self.begun = True
        started = clock.now()
        events = session.advance(count)
        seconds = clock.now() - started
        self.left -= count
        # one more than is shown, so that it can be said that there were more
        self.events += events[: max(0, event_limit + 1 - len(self.events))]
        publications = session.publications(events, listening)
        answer = session.finish(self.request, self.events) if self.left == 0 else None
        return Outcome(answer, session.facts(), publications, None, seconds, count)


def tick(session: Session, told: list[Event], listening: bool, clock: Clock) -> Outcome:
    """One step of the server's clock; in a thread. `told` are events of the server's own that go with it."""
    started = clock.now()
    events = session.advance(1)
    seconds = clock.now() - started
    return Outcome(None, session.facts(), session.publications(told + events, listening), None, seconds, 1)


def new_future() -> asyncio.Future[Any]:
    """A future of the running loop."""
    return asyncio.get_running_loop().create_future()


def refuse(future: asyncio.Future[Any], error: ApiError) -> None:
    """Answer with a refusal, unless whoever asked has gone."""
    if not future.done():
        future.set_exception(error)
