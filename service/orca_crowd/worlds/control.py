"""The controllers of one world and what they ask for: to be registered, to own agents, to be waited for.

Everything goes through the queue of the world, so that it has its place among the commands; what concerns the queue's
own side (who is registered, who waits) is decided on the event loop when its turn has come.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from orca_crowd.errors import ApiError
from orca_crowd.protocol.controllers import OwnRequest
from orca_crowd.protocol.steps import StepRequest
from orca_crowd.protocol.worlds import ClockBody
from orca_crowd.settings import Settings
from orca_crowd.worlds.controllers import Controller, Controllers
from orca_crowd.worlds.jobs import CallJob, new_future
from orca_crowd.worlds.readiness import Readiness, Waiting
from orca_crowd.worlds.session import Accepted, Session
from orca_crowd.worlds.ticking import Ticker

__all__ = ["Control"]

Answer = dict[str, Any]


class Control:
    """What the runner of a world knows of its controllers."""

    def __init__(
        self,
        world: str,
        *,
        ticker: Ticker,
        settings: Settings,
        submit: Callable[[CallJob], Awaitable[Any]],
        wake: Callable[[], None],
    ) -> None:
        """`submit` puts a job into the queue of the world, `wake` lets its task look whether a step is due."""
        self._world = world
        self._ticker = ticker
        self._submit = submit
        self._wake = wake
        self._controllers = Controllers(world, settings.controllers_per_world)
        self._readiness = Readiness(world, settings.command_queue)

    # what a controller asks for

    async def register(self, name: str, controller: Controller) -> Answer:
        """Be the controller of this name: `{step, results}`; whoever was it elsewhere is told."""

        def registered(_: object) -> None:
            # whoever has gone meanwhile must not be waited for; whoever is it already stays as ready as it was
            if not controller.connected or self._controllers.has(controller, name):
                return
            self._leave(controller)
            self._readiness.refuse(ApiError("replaced", f"{name!r} was registered on another socket"), name)
            self._controllers.register(name, controller)
            self._ticker.join(name)

        job = CallJob(
            lambda session: _owned(session, name),
            changes=True,
            before=lambda: self._controllers.check_room(name, controller),
            after=registered,
        )
        return await self._do(job)

    async def unregister(self, controller: Controller) -> Answer:
        """Be a controller no longer: `{step, results}`."""

        def left(_: object) -> None:
            self._leave(controller)
            controller.name = None

        job = CallJob(
            lambda session: _owned(session, str(controller.name)),
            changes=True,
            before=lambda: self._check(controller),
            after=left,
        )
        return await self._do(job)

    async def own(self, request: OwnRequest, controller: Controller) -> Answer:
        """Own agents, or give them back: `{step, sequence, results}`."""
        job = CallJob(
            lambda session: session.own(request, str(controller.name)),
            changes=True,
            before=lambda: self._check(controller),
        )
        return await self._do(job)

    async def ready(self, request: StepRequest, controller: Controller) -> Answer:
        """Give orders for the next step and wait for it: what a step request answers."""
        future = new_future()

        def wait(waiting: Waiting) -> None:
            waiting.futures.append(future)
            self._ticker.ready(waiting.name)

        def sent_again() -> Waiting | None:
            self._ticker.check_barrier(self._world)
            self._check(controller)
            waiting = self._readiness.find(request)
            if waiting is None:
                self._readiness.check_room()
            else:
                wait(waiting)
            return waiting

        def begun(found: Answer | Accepted) -> None:
            if isinstance(found, Accepted):
                wait(self._readiness.add(str(controller.name), request, found))
                if not controller.connected:
                    # gone while its commands took effect
                    self._readiness.refuse(self._gone(), str(controller.name))

        job = CallJob(
            lambda session: session.begin(request, controller.name), changes=True, before=sent_again, after=begun
        )
        found: Answer | Accepted | Waiting = await self._submit(job)
        if isinstance(found, Accepted | Waiting):
            answer: Answer = await future
            return answer
        return found

    def names(self) -> list[str]:
        """Who is registered, in the order of registration."""
        return self._controllers.names()

    def leave(self, controller: Controller) -> None:
        """The connection of a controller has ended: no step waits for it, and its agents stay its own."""
        controller.connected = False
        self._leave(controller)

    # what the runner asks for

    def retime(self, timing: ClockBody) -> None:
        """Follow another clock from now on."""
        self._ticker.retime(timing, self._controllers.names())
        if timing.mode != "barrier":
            self._readiness.refuse(ApiError("wrong-clock", f"the clock of world {self._world!r} is {timing.mode} now"))

    def waiting(self) -> list[Waiting]:
        """Who is to be answered with the next step."""
        return self._readiness.all()

    def stepped(self, waiting: Sequence[Waiting], answers: Sequence[Answer]) -> None:
        """That step was taken; an answer for each."""
        self._ticker.stepped()
        self._readiness.answer(waiting, answers)

    def held(self, error: ApiError) -> None:
        """The step could not be recorded: whoever waits for it is told, and a barrier waits for them again."""
        self._ticker.stepped()
        self._readiness.refuse(error)

    def close(self, error: ApiError) -> None:
        """The world has ended."""
        self._readiness.refuse(error)

    # inside

    async def _do(self, job: CallJob) -> Answer:
        answer: Answer = await self._submit(job)
        return answer

    def _check(self, controller: Controller) -> None:
        if not self._controllers.has(controller, controller.name):
            raise self._gone()

    def _gone(self) -> ApiError:
        return ApiError(
            "not-registered", f"no controller of world {self._world!r} is registered here; send `register` first"
        )

    def _leave(self, controller: Controller) -> None:
        name = self._controllers.leave(controller)
        if name is not None:
            self._ticker.leave(name)
            self._readiness.refuse(self._gone(), name)
            # the others may have waited for nobody else
            self._wake()


def _owned(session: Session, name: str) -> Answer:
    """What `ack` tells a controller that was registered or is none any more."""
    return {"step": session.world.step_count, "results": [{"controller": name, "owned": session.owned(name)}]}
