"""The asyncio side of one world: one bounded queue, one task, one call inside the world at a time.

Order. Commands and step requests take effect in the order in which they arrive. Reads do not wait for step requests:
they run between any two slices. A step request of many steps is cut into slices, and the commands behind it, up to the
next step request, take effect between two of its steps; each is answered with that step. Step requests never mix.

Bound. Commands, steps and reads together are at most `command_queue`; one more is refused with `busy`.

Watchers. A listener is called on the loop's thread with a Publication after every step and after every command that
changed agents, none left out. `endings` are called once, with the kind (`failed`, `gone`, `restarting`) and a reason.
`gates` are awaited before each step: a watcher who must not miss one can hold the world.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from typing import Any, Literal, TypeVar

from orca_crowd.clock import Clock
from orca_crowd.engine.interface import Engine, StepFailed
from orca_crowd.errors import ApiError, problem_of
from orca_crowd.journal.errors import Superseded
from orca_crowd.metrics import Metrics
from orca_crowd.protocol.bodies import weight_of
from orca_crowd.protocol.commands import Command, parse_commands
from orca_crowd.protocol.steps import parse_step
from orca_crowd.protocol.worlds import ClockBody
from orca_crowd.settings import Settings
from orca_crowd.tracing import OFF, Tracing
from orca_crowd.worlds.control import Control
from orca_crowd.worlds.controllers import Controller
from orca_crowd.worlds.description import WorldDescription
from orca_crowd.worlds.doing import Doing
from orca_crowd.worlds.effort import Effort
from orca_crowd.worlds.jobs import CallJob, Outcome, StepJob, refuse, tick
from orca_crowd.worlds.lanes import Lanes
from orca_crowd.worlds.lease import Lease
from orca_crowd.worlds.publication import Publication
from orca_crowd.worlds.session import Accepted, Session
from orca_crowd.worlds.ticking import Ticker
from orca_crowd.worlds.upkeep import Upkeep
from orca_crowd.worlds.watchers import Watchers

__all__ = ["NOBODY", "Runner"]

log = logging.getLogger("orca_crowd")
Result = TypeVar("Result")

# bodies above this many bytes are checked in a helper thread; below, the hop costs more than the check
LARGE = 65_536
# above this many the estimate of what the check costs is not trusted
VERY_LARGE = 1_000_000
# whoever gives orders without a name
NOBODY = Controller()


class Runner:
    """Owns one session; everything that touches it goes through here."""

    def __init__(
        self,
        session: Session,
        description: WorldDescription,
        *,
        engine: Engine,
        clock: Clock,
        settings: Settings,
        metrics: Metrics,
        timing: ClockBody,
        tracing: Tracing = OFF,
    ) -> None:
        """Take the session and what surrounds it; `start` begins the task."""
        self.name = session.name
        self.description = description
        self.title: str | None = None
        self.ttl: float | None = None
        self._watchers = Watchers(self.name)
        self.listeners = self._watchers.listeners
        self.endings = self._watchers.endings
        self.gates = self._watchers.gates
        self.tellers = self._watchers.tellers
        self.lease = Lease()
        self.state: Literal["ready", "failed", "ended"] = "ready"
        self.reason: str | None = None
        self.facts = session.facts()
        # when somebody last asked for this world, for its time to live; watchers of the server's own do not count
        self.last_used = clock.now()
        self.attendants = 0
        self._session = session
        self.recorder = session.recorder
        self._engine = engine
        self._clock = clock
        self._settings = settings
        self._metrics = metrics
        self._doing = Doing(self.name, tracing)
        self._lanes = Lanes(self.name, settings.command_queue)
        self._current: StepJob | None = None
        self._wake = asyncio.Event()
        self._ending: tuple[str, str] | None = None
        self._task: asyncio.Task[None] | None = None
        self._upkeep = Upkeep(self.name, session.recorder, engine)
        self._effort = Effort(settings)
        self._ticker = Ticker(timing, settings=settings, clock=clock, metrics=metrics)
        self.control = Control(
            self.name, ticker=self._ticker, settings=settings, submit=self._submit, wake=self._wake.set
        )

    # what others call

    def start(self) -> None:
        """Begin to serve; the task is referenced here, so that nothing collects it, and its end is always looked at."""
        self._session.ways.tell = self._watchers.foretelling(asyncio.get_running_loop())
        self._task = asyncio.create_task(self._run(), name=f"world {self.name}", context=self._doing.context)

    def fail_at_once(self, reason: str) -> None:
        """Be a failed world from the beginning, in the place of one that could not be had."""
        self.state, self.reason = "failed", reason
        self._ending = ("failed", reason)

    async def command(
        self, body: object, key: str | None = None, *, controller: Controller = NOBODY, size: int = 0
    ) -> dict[str, Any]:
        """`{commands: […]}` as decoded: `{step, sequence, results}`, all or nothing. `size` is the bytes it came in."""
        self._check_open()
        request = await self.parse(lambda: parse_commands(body, self._settings, key), body, size)
        answer: dict[str, Any] = await self._submit(
            CallJob(lambda session: session.answer(request, controller.name), changes=True)
        )
        return answer

    async def apply(self, commands: Sequence[Command], *, controller: Controller = NOBODY) -> Accepted:
        """Commands that are checked already, all or nothing."""
        result: Accepted = await self._submit(
            CallJob(lambda session: session.apply(commands, controller.name), changes=True)
        )
        return result

    async def change(self, change: Callable[[Session], Result]) -> Result:
        """Call a function that changes something with the session, in the order of the commands."""
        result: Result = await self._submit(CallJob(change, changes=True))
        return result

    async def step(
        self, body: object, *, lease: str | None = None, controller: Controller = NOBODY, size: int = 0
    ) -> dict[str, Any]:
        """`{count, expected_step, commands, key, return, fields, ids}` as decoded: `{step, time, …, events}`."""
        self._check_open()
        request = await self.parse(lambda: parse_step(body, self._settings), body, size)
        answer: dict[str, Any] = await self._submit(StepJob(request, lease, controller, request.count))
        return answer

    async def read(self, function: Callable[[Session], Result]) -> Result:
        """Call a function that changes nothing with the session, between two steps; what it returns must be its own."""
        result: Result = await self._submit(CallJob(function, changes=False))
        return result

    async def snapshot_publication(self) -> Publication:
        """The state now, whole and consistent."""
        return await self.read(lambda session: session.whole())

    async def retime(self, timing: ClockBody, commands: Sequence[Command] = ()) -> Accepted:
        """Change the clock of the world, after the step requests that came before, and what goes with it."""

        def change(session: Session) -> Accepted:
            session.keep(clock=timing.shown())
            return session.apply(commands)

        result: Accepted = await self._submit(
            CallJob(change, changes=True, overtakes=False, after=lambda _: self.control.retime(timing))
        )
        return result

    async def rename(self, title: str | None) -> None:
        """Another name for people."""
        await self.change(lambda session: session.keep(name=title))
        self.title = title

    async def parse(self, call: Callable[[], Result], body: object, size: int) -> Result:
        """Check a body that came in `size` bytes, away from the loop where that takes long."""
        large = size > VERY_LARGE or (size > LARGE and weight_of(body) > LARGE)
        return await self._engine.serve(call) if large else call()

    @property
    def timing(self) -> ClockBody:
        """The clock of the world."""
        return self._ticker.timing

    @property
    def info(self) -> dict[str, Any]:
        """The world as it is shown: true after the last call that was answered."""
        return {
            "id": self.name,
            "name": self.title,
            "state": self.state,
            "reason": self.reason,
            "clock": self.timing.shown(),
            "ttl": self.ttl,
            **self.description.shown(self.facts),
        }

    @property
    def queued(self) -> int:
        """How many commands, steps and reads wait."""
        return len(self._lanes)

    async def close(self, kind: str, reason: str) -> None:
        """End the world: the running slice finishes, what waits is refused, watchers are told `kind` and `reason`."""
        if self._ending is None:
            self._ending = (kind, reason)
            self._wake.set()
        if self._task is not None:
            await asyncio.wait([self._task])

    # how a request gets in

    def _check_open(self) -> None:
        if self.state != "ready" or self._ending is not None:
            raise self._closed()

    def _closed(self) -> ApiError:
        """Why nothing is taken any more."""
        kind, reason = self._ending or ("gone", "the world was deleted")
        code = {"failed": "world-failed", "restarting": "draining"}.get(kind, "not-found")
        return ApiError(code, f"world {self.name!r}: {reason}")

    async def _submit(self, job: CallJob | StepJob) -> Any:
        self._check_open()
        self._lanes.put(job)
        self._wake.set()
        return await job.future

    # the task

    async def _run(self) -> None:
        try:
            while self._ending is None:
                await self._wait()
                await self._turn()
        except Exception as error:
            self._fail(error)
        kind, reason = self._ending or ("gone", "the world was deleted")
        if self.state == "ready":
            self.state = "ended"
        # what still waits is refused, the request under way says how far it came
        if self._current is not None:
            self._cut(self._current)
        for job in self._lanes.clear():
            refuse(job.future, self._closed())
        self.control.close(self._closed())
        await self._upkeep.close()
        self._watchers.end(kind, reason)
        # nothing is taken any more, so nothing asks for the world again; its arrays are given back at once
        del self._session

    async def _wait(self) -> None:
        """Sleep until there is something to do."""
        if self._lanes or self._current or self._ending:
            return
        self._wake.clear()
        await self._clock.wait(self._wake, self._ticker.next_deadline())

    async def _turn(self) -> None:
        """One round: the reads that wait, a step of the world's own clock, a command, a slice of a step request."""
        for read in self._lanes.reads():
            await self._execute(read)
        if not self._ending:
            await self._tick()
        if not self._ending:
            call = self._lanes.next_call(stepping=self._current is not None)
            if call is not None:
                await self._execute(call)
            elif self._current is None:
                self._current = self._lanes.next_steps()
        if self._current is not None and not self._ending:
            await self._slice(self._current)

    async def _execute(self, job: CallJob) -> None:
        """Run one command or read; a refusal goes to who asked, anything unforeseen in a command ends the world."""
        if job.future.cancelled() and not job.changes:
            return
        try:
            found = job.before() if job.before is not None else None
        except ApiError as refusal:
            refuse(job.future, refusal)
            return
        if found is not None:
            if not job.future.done():
                job.future.set_result(found)
            return
        listening = bool(self.listeners)
        try:
            with self._doing("change" if job.changes else "read", job.context):
                out = await self._engine.serve(lambda: job.inside(self._session, listening))
        except Exception as error:
            refuse(job.future, self._fail(error) if job.changes else problem_of(error))
            return
        self._show(out)
        if out.refusal is not None:
            refuse(job.future, problem_of(out.refusal))
            return
        if job.after is not None:
            job.after(out.result)
        if not job.future.done():
            job.future.set_result(out.result)

    async def _slice(self, job: StepJob) -> None:
        """Take some steps of a request: one where somebody watches, else as many as fit a slice."""
        if job.accepted is None:
            refusal = self._refusal_of(job)
            if refusal is not None:
                self._current = None
                refuse(job.future, refusal)
                return
        await self._watchers.pass_gates()
        listening = bool(self.listeners)
        count = 1 if listening else self._effort.slice_count(job.left)
        limit = self._settings.events_per_answer
        inside = lambda: job.inside(self._session, listening, count, self._clock, limit)  # noqa: E731
        try:
            with self._doing("step", job.context, steps=count):
                # commands that come with the steps may make the world a large one
                brief = job.request.commands is None and self._effort.brief(count, self.facts.agents)
                out = await self._engine.compute(inside, brief=brief)
        except Exception as error:
            self._current = None
            refuse(job.future, self._fail(error))
            return
        self._show(out)
        if out.refusal is not None:
            self._current = None
            refuse(job.future, problem_of(out.refusal))
        elif out.result is not None:
            self._current = None
            if not job.future.done():
                job.future.set_result(out.result)

    def _refusal_of(self, job: StepJob) -> ApiError | None:
        """Why a step request may not begin: the world has a clock of its own, or somebody else holds the lease."""
        try:
            self._ticker.check_by_hand(self.name)
            self.lease.check(job.holder, self._clock.now())
        except ApiError as error:
            return error
        return None

    async def _tick(self) -> None:
        """One step of the world's own clock, if one is due."""
        told = self._ticker.due(self.facts.step)
        if told is None:
            return
        await self._watchers.pass_gates()
        listening = bool(self.listeners)
        waiting = self.control.waiting()
        try:
            with self._doing("step", None, steps=1):
                out = await self._engine.compute(
                    lambda: tick(self._session, told, listening, self._clock, waiting),
                    brief=self._effort.brief(1, self.facts.agents),
                )
        except Exception as error:
            self._fail(error)
            return
        self._show(out)
        if out.refusal is not None:
            # no room to record it: the world stands, and tries again at the next one
            self.control.held(self._upkeep.held(problem_of(out.refusal)))
            return
        self.control.stepped(waiting, out.result)

    def _show(self, out: Outcome) -> None:
        """Make what came out of the world known: the facts, the metrics, and a publication to every watcher."""
        self.facts = out.facts
        if out.steps:
            self._effort.took(out.seconds, out.steps)
            self._metrics.stepped(out.steps, self._effort.step_seconds, out.facts.agents)
            self._metrics.events(self._session.take_counts())
        self._watchers.publish(out.publications)
        self._upkeep.after(out)

    def _fail(self, error: Exception) -> ApiError:
        """Stop the world for ever: an unforeseen fault inside means that its state cannot be trusted."""
        if isinstance(error, Superseded):  # it lives on elsewhere
            self._ending = self._ending or ("restarting", str(error))
        elif self.state != "failed":
            self.state = "failed"
            cause = str(error) if isinstance(error, StepFailed) else f"{type(error).__name__} inside the server"
            self.reason = f"step {self.facts.step} could not be followed by another: {cause}"
            self._ending = ("failed", self.reason)
            self._metrics.failures.inc()
            log.error("world %s failed after step %d", self.name, self.facts.step, exc_info=error)
        return self._closed()

    def _cut(self, job: StepJob) -> None:
        """Answer a step request that the end of the world or of the server cut short, and say how far it came."""
        closed = self._closed()
        detail = f"{closed.detail}; {job.request.count - job.left} of {job.request.count} steps were taken"
        refuse(job.future, ApiError(closed.code, detail, more={"step": self.facts.step}))
        self._current = None
