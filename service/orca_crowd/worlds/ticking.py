"""When a world steps that nobody steps by hand: at the rate of a realtime clock, or when a barrier opens."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from orca_crowd.clock import Clock
from orca_crowd.errors import ApiError
from orca_crowd.metrics import Metrics
from orca_crowd.protocol.worlds import ClockBody
from orca_crowd.settings import Settings
from orca_crowd.worlds.barrier import Barrier
from orca_crowd.worlds.pace import Pace

__all__ = ["Ticker"]

Event = dict[str, Any]

# a deadline that has always passed
NOW = float("-inf")


class Ticker:
    """The clock of one world, as the task that steps it sees it."""

    def __init__(self, timing: ClockBody, *, settings: Settings, clock: Clock, metrics: Metrics) -> None:
        """Follow `timing` from now on; no controller is there yet."""
        self.timing = timing
        self._settings = settings
        self._clock = clock
        self._metrics = metrics
        self._pace: Pace | None = None
        self._barrier: Barrier | None = None
        # steps of a late realtime world that are due at once
        self._burst = 0
        self.retime(timing, ())

    def retime(self, timing: ClockBody, controllers: Sequence[str]) -> None:
        """Follow another clock from now on; `controllers` are those that are registered."""
        self.timing = timing
        self._burst = 0
        now = self._clock.now()
        self._pace = Pace(timing.rate, self._settings.catch_up_steps, now) if timing.rate is not None else None
        if timing.timeout is None:
            self._barrier = None
        elif self._barrier is None:
            self._barrier = Barrier(timing.timeout, controllers, now)
        else:
            self._barrier.retime(timing.timeout, now)

    def check_by_hand(self, world: str) -> None:
        """Refuse a step request unless the world is stepped by whoever asks."""
        if self.timing.mode != "manual":
            whose = "the server's clock" if self._pace is not None else "its controllers, with `ready`"
            raise ApiError(
                "wrong-clock", f"world {world!r} is stepped by {whose}; set its mode to manual to step it by hand"
            )

    def check_barrier(self, world: str) -> None:
        """Refuse a `ready` unless the world waits for its controllers."""
        if self._barrier is None:
            raise ApiError(
                "wrong-clock", f"the clock of world {world!r} is {self.timing.mode}; `ready` goes with mode barrier"
            )

    # controllers

    def join(self, name: str) -> None:
        """A controller has registered."""
        if self._barrier is not None:
            self._barrier.join(name, self._clock.now())

    def leave(self, name: str) -> None:
        """A controller has gone."""
        if self._barrier is not None:
            self._barrier.leave(name)

    def ready(self, name: str) -> None:
        """A controller has given its orders for the next step."""
        if self._barrier is not None:
            self._barrier.ready(name)

    # steps

    def next_deadline(self) -> float | None:
        """The moment at which a step is or was due; None while none is."""
        if self._burst:
            return NOW
        if self._pace is not None:
            return self._pace.next_deadline()
        return self._barrier.deadline() if self._barrier is not None else None

    def due(self, step: int) -> list[Event] | None:
        """What goes with a step that is due now, `step` were taken before; None where none is.

        A realtime world that is too late says what it gave up, a barrier world for whom it did not wait.
        """
        if self._pace is not None:
            return self._due_by_pace(self._pace, step)
        if self._barrier is None or not self._barrier.due(self._clock.now()):
            return None
        absent = self._barrier.absent()
        if not absent:
            return []
        self._metrics.barrier_timeouts.inc()
        return [{"kind": "barrier-timeout", "step": step + 1, "controllers": absent}]

    def stepped(self) -> None:
        """The step that was due was taken."""
        if self._barrier is not None:
            self._barrier.stepped(self._clock.now())

    def _due_by_pace(self, pace: Pace, step: int) -> list[Event] | None:
        told: list[Event] = []
        if not self._burst:
            self._burst, given_up = pace.due(self._clock.now())
            if given_up:
                self._metrics.late.inc(given_up)
                told = [{"kind": "late", "step": step, "given_up": given_up, "made_up": self._burst}]
        if not self._burst:
            return None
        self._burst -= 1
        return told
