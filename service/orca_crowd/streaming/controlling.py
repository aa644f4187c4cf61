"""The ordering half of a socket: commands, steps, and what a controller asks for, each as a call into the world.

A socket is one controller at most; under its name go all orders of the socket. What a controller asks for is an order
like any other: it reaches the world in its turn, and is answered in its turn.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from orca_crowd.errors import ApiError
from orca_crowd.protocol.controllers import Disown, Own, Ready, Register, Unregister, parse_own
from orca_crowd.protocol.steps import parse_ready
from orca_crowd.protocol.stream import Command, Step
from orca_crowd.settings import Settings
from orca_crowd.worlds.controllers import Controller
from orca_crowd.worlds.runner import Runner

__all__ = ["Call", "Controlling", "OrderMessage"]

OrderMessage = Command | Step | Register | Unregister | Own | Disown | Ready
# told how to say that the order is in the queue of its world, gives what it is answered with
Call = Callable[[Callable[[], None]], Awaitable[dict[str, Any]]]


class Controlling:
    """Gives the orders of one socket to its world, and takes its controller out when the socket ends."""

    def __init__(
        self, runner: Runner, settings: Settings, *, lease: str | None, tell: Callable[[ApiError], None]
    ) -> None:
        """`lease` is the holder that the handshake named; `tell` sends an error that answers nothing."""
        self._runner = runner
        self._settings = settings
        self._lease = lease

        def replaced(name: str) -> None:
            tell(ApiError("replaced", f"{name!r} was registered on another socket; this one is no controller any more"))

        self._controller = Controller(replaced=replaced)

    def order(self, message: OrderMessage, size: int) -> tuple[str, Call]:
        """The type of the answer, and the call that gives it; `size` is the bytes that the message came in."""
        control, controller = self._runner.control, self._controller
        if isinstance(message, Command):
            return "ack", lambda _: self._command(message, size)
        if isinstance(message, Step):
            return "stepped", lambda _: self._step(message, size)
        if isinstance(message, Ready):
            return "stepped", lambda queued: self._ready(message, size, queued)
        if isinstance(message, Register):
            return "ack", lambda _: control.register(message.controller, controller)
        if isinstance(message, Unregister):
            return "ack", lambda _: control.unregister(controller)
        return "ack", lambda _: self._own(message, size)

    def end(self) -> None:
        """The socket has ended: no step waits for its controller any more."""
        self._runner.control.leave(self._controller)

    async def _command(self, message: Command, size: int) -> dict[str, Any]:
        body = {"commands": message.commands}
        return await self._runner.command(body, message.key, controller=self._controller, size=size)

    async def _step(self, message: Step, size: int) -> dict[str, Any]:
        return await self._runner.step(_body(message), lease=self._lease, controller=self._controller, size=size)

    async def _ready(self, message: Ready, size: int, queued: Callable[[], None]) -> dict[str, Any]:
        call = lambda: parse_ready(message, message.for_step, self._settings)  # noqa: E731
        request = await self._runner.parse(call, message.commands, size)
        # called when it first waits, and then it is in the queue; for the step nobody behind it has to wait
        asyncio.get_running_loop().call_soon(queued)
        return await self._runner.control.ready(request, self._controller)

    async def _own(self, message: Own | Disown, size: int) -> dict[str, Any]:
        request = await self._runner.parse(lambda: parse_own(message), message.ids, size)
        return await self._runner.control.own(request, self._controller)


def _body(message: Step) -> dict[str, Any]:
    """What was sent, without `type`: the body of the same call over REST, so that one key goes for both."""
    named = {name: field.alias or name for name, field in type(message).model_fields.items()}
    return {named[name]: getattr(message, name) for name in message.model_fields_set if name != "type"}
