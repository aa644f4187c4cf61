"""A world's stream for asyncio: an iterator of frames and events, and commands and steps over the same socket."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from functools import partial
from types import TracebackType
from typing import Any, Self, TypeVar, cast

from websockets.asyncio.client import ClientConnection
from websockets.asyncio.client import connect as open_socket
from websockets.exceptions import ConnectionClosed, WebSocketException

from orca_crowd_client.columns import Identifiers
from orca_crowd_client.commands import Command
from orca_crowd_client.encoding import Encoding
from orca_crowd_client.errors import OrcaCrowdError, StreamClosed, TimedOut
from orca_crowd_client.protocol.stepping import Return, commands_body, controller_body, fresh_key, ready_body, step_body
from orca_crowd_client.protocol.stream_state import Answer, Message, RequestKey, StreamItem, StreamState
from orca_crowd_client.protocol.subscription import Delivery, StreamedRows, StreamPrecision, Subscription
from orca_crowd_client.results import Acknowledged, Frame, Stepped
from orca_crowd_client.retry import RECONNECTING, REQUESTING, Attempts, Backoff
from orca_crowd_client.transport import close_of, handshake_failure, socket_options

__all__ = ["AsyncStream"]

Found = TypeVar("Found")


class AsyncStream:
    """The stream of one world, over as many connections as it takes.

    Made by `AsyncWorld.stream`; use it as a context manager. Reading is by pull: nothing runs in the background, so a
    caller who does not read is not sent more than the window, and each task that waits reads for all of them.
    """

    def __init__(
        self,
        url: str,
        encoding: Encoding,
        subscription: Subscription | None,
        *,
        headers: dict[str, str],
        max_size: int,
        connect: Backoff = REQUESTING,
        reconnect: Backoff = RECONNECTING,
    ) -> None:
        """Prepare; nothing is sent before the stream is entered or read."""
        self._url = url
        self._options = socket_options(encoding, headers, max_size)
        self._state = StreamState(encoding, subscription)
        self._reconnect = reconnect
        # a server that never answered is given up soon, one that did is waited for
        self._attempts = Attempts(connect)
        self._connection: ClientConnection | None = None
        self._reading = asyncio.Lock()
        self._ended: StreamClosed | None = None
        self._closed_here = False

    async def __aenter__(self) -> Self:
        """Connect and subscribe; raises what the server refuses it with."""
        async with self._reading:
            await self._connected()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close."""
        await self.close()

    @property
    def hello(self) -> Mapping[str, Any]:
        """What the server greeted with: world, step, time, time_step, profile, limits; empty before it came."""
        return self._state.hello or {}

    def __aiter__(self) -> Self:
        """Iterate over frames and events as they come, for ever."""
        return self

    async def __anext__(self) -> StreamItem:
        """Wait for the next frame or event; ends where this side closed, raises where the server did."""
        try:
            return await self.receive()
        except StreamClosed:
            if self._closed_here:
                raise StopAsyncIteration from None
            raise

    async def frames(self) -> AsyncIterator[Frame]:
        """Iterate over the frames alone; events are passed over."""
        async for item in self:
            if isinstance(item, Frame):
                yield item

    async def receive(self, timeout: float | None = None) -> StreamItem:
        """Wait for the next frame or event; raises `TimedOut` after `timeout` seconds, and can be called again then."""
        item, credit = await self._until(self._state.take, timeout)
        if credit is not None:
            await self._send(credit)
        return item

    async def subscribe(
        self,
        *,
        fields: Sequence[str] | None = None,
        precision: StreamPrecision = "float64",
        every: int = 1,
        delivery: Delivery = "latest",
        interest: Mapping[str, Any] | None = None,
        window: int = 3,
        rows: StreamedRows = "changed",
    ) -> None:
        """Change what is seen; the first frame of the new subscription is full."""
        await self._send(
            self._state.subscribe(Subscription(fields, precision, every, delivery, interest, window, rows))
        )

    async def unsubscribe(self) -> None:
        """See no more frames until `resume` or `subscribe`."""
        await self._send(self._state.unsubscribe())

    async def resume(self) -> None:
        """Go on after the last frame that came, say after `unsubscribe`: what was missed comes where it is kept."""
        await self._send(self._state.resume())

    async def got(self, step: int) -> None:
        """Say that every frame up to `step` has been used; done by itself for each frame that is taken."""
        await self._send(self._state.got(step))

    async def ping(self, data: str | None = None, *, timeout: float | None = None) -> str:
        """Ask for a `pong` and wait for it; gives its data, which is that of the ping."""
        sent = fresh_key() if data is None else data
        return cast(str, await self._wait(("ping", sent), self._state.ping(sent), timeout))

    async def command(
        self, commands: Sequence[Command], *, key: str | None = None, timeout: float | None = None
    ) -> Acknowledged:
        """Run commands, all or nothing, and wait until they are acknowledged; see `AsyncWorld.commands`."""
        body = commands_body(self._state.encoding, commands, key)
        return cast(Acknowledged, await self._ask("command", body, timeout))

    async def step(
        self,
        count: int = 1,
        *,
        expected_step: int | None = None,
        commands: Sequence[Command] | None = None,
        key: str | None = None,
        return_: Return = "none",
        fields: Sequence[str] | None = None,
        ids: Sequence[int] | Identifiers | None = None,
        timeout: float | None = None,
    ) -> Stepped:
        """Take steps and wait for their answer; see `AsyncWorld.step`."""
        body = step_body(
            self._state.encoding,
            count,
            expected_step=expected_step,
            commands=commands,
            key=key,
            return_=return_,
            fields=fields,
            ids=ids,
        )
        return cast(Stepped, await self._ask("step", body, timeout))

    # ---- several controllers of one world

    async def register(self, controller: str, *, key: str | None = None, timeout: float | None = None) -> Acknowledged:
        """Be the controller of this name, over every connection of this stream; `results[0]["owned"]` are its agents.

        Whoever had the name on another socket is told `replaced`, a `Conflict`, and is a controller no longer.
        """
        body = controller_body(self._state.encoding, key, controller=controller)
        return cast(Acknowledged, await self._ask("register", body, timeout))

    async def unregister(self, *, key: str | None = None, timeout: float | None = None) -> Acknowledged:
        """Be a controller no longer; what it owns stays its own."""
        return cast(Acknowledged, await self._ask("unregister", controller_body(self._state.encoding, key), timeout))

    async def own(
        self, ids: Sequence[int] | Identifiers, *, key: str | None = None, timeout: float | None = None
    ) -> Acknowledged:
        """Let nobody else order these agents, all of them or none; `register` first. Raises `Forbidden`: `owned`."""
        body = controller_body(self._state.encoding, key, ids=ids)
        return cast(Acknowledged, await self._ask("own", body, timeout))

    async def disown(
        self, ids: Sequence[int] | Identifiers, *, key: str | None = None, timeout: float | None = None
    ) -> Acknowledged:
        """Give these agents back, all of them or none."""
        body = controller_body(self._state.encoding, key, ids=ids)
        return cast(Acknowledged, await self._ask("disown", body, timeout))

    async def ready(
        self,
        for_step: int | None = None,
        *,
        commands: Sequence[Command] | None = None,
        key: str | None = None,
        return_: Return = "none",
        fields: Sequence[str] | None = None,
        ids: Sequence[int] | Identifiers | None = None,
        timeout: float | None = None,
    ) -> Stepped:
        """Say that the orders for the next step of a barrier world are in, and wait until it was taken.

        `for_step` is the number of that step; raises `Conflict`, `wrong-step`, where the next one is another.
        """
        body = ready_body(
            self._state.encoding, for_step, commands=commands, key=key, return_=return_, fields=fields, ids=ids
        )
        return cast(Stepped, await self._ask("ready", body, timeout))

    async def close(self) -> None:
        """Close the socket; iterators end."""
        self._closed_here = True
        self._ended = self._ended or StreamClosed(1000, "by this side")
        connection, self._connection = self._connection, None
        if connection is not None:
            await connection.close()

    # ---- inside

    async def _ask(self, kind: str, body: dict[str, Any], timeout: float | None) -> Answer:
        """Send a request and wait for the answer with its key."""
        return await self._wait(body["key"], self._state.request(kind, body), timeout)

    async def _wait(self, key: RequestKey, message: Message, timeout: float | None) -> Answer:
        """Send what the state machine has made of a request, and wait for its answer."""
        try:
            # before the first connection the request is sent by its opening
            await self._send(message)
            return await self._until(partial(self._state.answer, key), timeout)
        finally:
            self._state.forget(key)

    async def _until(self, look: Callable[[], Found | None], timeout: float | None) -> Found:
        """Read messages until `look` finds what the caller waits for."""
        try:
            async with asyncio.timeout(timeout):
                while (found := look()) is None:
                    # one task reads at a time and gives way after each message, which may be what another waits for;
                    # looked at before and after the wait, since the reader may wait long for a message of its own
                    async with self._reading:
                        if (found := look()) is not None:
                            break
                        await self._read()
                return found
        except TimeoutError as error:
            raise TimedOut(f"nothing came over {self._url} within {timeout} s") from error

    async def _read(self) -> None:
        """Read one message, or learn that the connection is gone and what that means."""
        connection = await self._connected()
        try:
            data = await connection.recv()
        except ConnectionClosed as error:
            await self._lost(error)
        else:
            self._state.receive(data)

    async def _lost(self, error: ConnectionClosed) -> None:
        """Wait before the next connection, or end where the close code leaves no hope."""
        self._connection = None
        if self._ended is not None:
            raise self._ended
        self._ended = self._state.closed(*close_of(error))
        if self._ended is not None:
            raise self._ended from error
        if self._state.progress:
            self._attempts = Attempts(self._reconnect)
        await self._pause(handshake_failure(self._url, error)[0], error)

    async def _connected(self) -> ClientConnection:
        """Give the connection; make one, and send what it begins with, where there is none."""
        while self._connection is None:
            # asked each time round, since another task may close during a pause
            if self._ended is not None:
                raise self._ended
            try:
                connection = await open_socket(self._url, **self._options)
            except (OSError, WebSocketException, EOFError) as error:
                failure, transient = handshake_failure(self._url, error)
                if not transient:
                    raise failure from error
                await self._pause(failure, error)
                continue
            self._connection = connection
            for message in self._state.opening():
                await self._send(message)
        return self._connection

    async def _pause(self, failure: OrcaCrowdError, cause: Exception) -> None:
        """Wait before another try; raises `failure` where none is left."""
        delay = self._attempts.next_delay()
        if delay is None:
            self._attempts.renew()
            raise failure from cause
        await asyncio.sleep(delay)

    async def _send(self, message: Message) -> None:
        """Send; where the connection just broke the next read finds out, and the next opening sends it again."""
        if self._connection is not None:
            try:
                await self._connection.send(message)
            except ConnectionClosed:
                return
