"""A world's stream for threads: an iterator of frames and events, and commands and steps over the same socket."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from types import TracebackType
from typing import Any, Self, TypeVar, cast

from websockets.exceptions import ConnectionClosed, WebSocketException
from websockets.sync.client import ClientConnection
from websockets.sync.client import connect as open_socket

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

__all__ = ["Stream"]

Found = TypeVar("Found")


class Stream:
    """The stream of one world, over as many connections as it takes.

    Made by `World.stream`; use it as a context manager. Reading is by pull: nothing runs in the background, so a
    caller who does not read is not sent more than the window. A stream belongs to one thread; only
    `close` may come from another.
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
        self._sockets = ExitStack()
        self._ended: StreamClosed | None = None
        self._closed_here = False
        self._deadline: float | None = None

    def __enter__(self) -> Self:
        """Connect and subscribe; raises what the server refuses it with."""
        self._connected()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close."""
        self.close()

    @property
    def hello(self) -> Mapping[str, Any]:
        """What the server greeted with: world, step, time, time_step, profile, limits; empty before it came."""
        return self._state.hello or {}

    def __iter__(self) -> Self:
        """Iterate over frames and events as they come, for ever."""
        return self

    def __next__(self) -> StreamItem:
        """Wait for the next frame or event; ends where this side closed, raises where the server did."""
        try:
            return self.receive()
        except StreamClosed:
            if self._closed_here:
                raise StopIteration from None
            raise

    def frames(self) -> Iterator[Frame]:
        """Iterate over the frames alone; events are passed over."""
        for item in self:
            if isinstance(item, Frame):
                yield item

    def receive(self, timeout: float | None = None) -> StreamItem:
        """Wait for the next frame or event; raises `TimedOut` after `timeout` seconds, and can be called again then."""
        item, credit = self._until(self._state.take, timeout)
        if credit is not None:
            self._send(credit)
        return item

    def subscribe(
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
        self._send(self._state.subscribe(Subscription(fields, precision, every, delivery, interest, window, rows)))

    def unsubscribe(self) -> None:
        """See no more frames until `resume` or `subscribe`."""
        self._send(self._state.unsubscribe())

    def resume(self) -> None:
        """Go on after the last frame that came, say after `unsubscribe`: what was missed comes where it is kept."""
        self._send(self._state.resume())

    def got(self, step: int) -> None:
        """Say that every frame up to `step` has been used; done by itself for each frame that is taken."""
        self._send(self._state.got(step))

    def ping(self, data: str | None = None, *, timeout: float | None = None) -> str:
        """Ask for a `pong` and wait for it; gives its data, which is that of the ping."""
        sent = fresh_key() if data is None else data
        return cast(str, self._wait(("ping", sent), self._state.ping(sent), timeout))

    def command(
        self, commands: Sequence[Command], *, key: str | None = None, timeout: float | None = None
    ) -> Acknowledged:
        """Run commands, all or nothing, and wait until they are acknowledged; see `World.commands`."""
        body = commands_body(self._state.encoding, commands, key)
        return cast(Acknowledged, self._ask("command", body, timeout))

    def step(
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
        """Take steps and wait for their answer; see `World.step`."""
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
        return cast(Stepped, self._ask("step", body, timeout))

    # ---- several controllers of one world

    def register(self, controller: str, *, key: str | None = None, timeout: float | None = None) -> Acknowledged:
        """Be the controller of this name, over every connection of this stream; `results[0]["owned"]` are its agents.

        Whoever had the name on another socket is told `replaced`, a `Conflict`, and is a controller no longer.
        """
        body = controller_body(self._state.encoding, key, controller=controller)
        return cast(Acknowledged, self._ask("register", body, timeout))

    def unregister(self, *, key: str | None = None, timeout: float | None = None) -> Acknowledged:
        """Be a controller no longer; what it owns stays its own."""
        return cast(Acknowledged, self._ask("unregister", controller_body(self._state.encoding, key), timeout))

    def own(
        self, ids: Sequence[int] | Identifiers, *, key: str | None = None, timeout: float | None = None
    ) -> Acknowledged:
        """Let nobody else order these agents, all of them or none; `register` first. Raises `Forbidden`: `owned`."""
        body = controller_body(self._state.encoding, key, ids=ids)
        return cast(Acknowledged, self._ask("own", body, timeout))

    def disown(
        self, ids: Sequence[int] | Identifiers, *, key: str | None = None, timeout: float | None = None
    ) -> Acknowledged:
        """Give these agents back, all of them or none."""
        body = controller_body(self._state.encoding, key, ids=ids)
        return cast(Acknowledged, self._ask("disown", body, timeout))

    def ready(
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
        return cast(Stepped, self._ask("ready", body, timeout))

    def close(self) -> None:
        """Close the socket; the iterator ends."""
        self._closed_here = True
        self._ended = self._ended or StreamClosed(1000, "by this side")
        self._connection = None
        self._sockets.close()

    # ---- inside

    def _ask(self, kind: str, body: dict[str, Any], timeout: float | None) -> Answer:
        """Send a request and wait for the answer with its key."""
        return self._wait(body["key"], self._state.request(kind, body), timeout)

    def _wait(self, key: RequestKey, message: Message, timeout: float | None) -> Answer:
        """Send what the state machine has made of a request, and wait for its answer."""
        try:
            # before the first connection the request is sent by its opening
            self._send(message)
            # cast, since mypy joins the union to object when it solves the type variable without a coroutine around it
            return cast(Answer, self._until(partial(self._state.answer, key), timeout))
        finally:
            self._state.forget(key)

    def _until(self, look: Callable[[], Found | None], timeout: float | None) -> Found:
        """Read messages until `look` finds what the caller waits for."""
        self._deadline = None if timeout is None else time.monotonic() + timeout
        while True:
            found = look()
            if found is not None:
                return found
            try:
                self._read()
            except TimeoutError as error:
                raise TimedOut(f"nothing came over {self._url} within {timeout} s") from error

    def _left(self) -> float | None:
        """Seconds until the deadline of this wait; None without one."""
        return None if self._deadline is None else max(0.0, self._deadline - time.monotonic())

    def _read(self) -> None:
        """Read one message, or learn that the connection is gone and what that means; raises TimeoutError."""
        connection = self._connected()
        try:
            data = connection.recv(self._left())
        except ConnectionClosed as error:
            self._lost(error)
        else:
            self._state.receive(data)

    def _lost(self, error: ConnectionClosed) -> None:
        """Wait before the next connection, or end where the close code leaves no hope."""
        self._connection = None
        self._sockets.close()
        if self._ended is not None:
            raise self._ended
        self._ended = self._state.closed(*close_of(error))
        if self._ended is not None:
            raise self._ended from error
        if self._state.progress:
            self._attempts = Attempts(self._reconnect)
        self._pause(handshake_failure(self._url, error)[0], error)

    def _connected(self) -> ClientConnection:
        """Give the connection; make one, and send what it begins with, where there is none."""
        while self._connection is None:
            # asked each time round, since another thread may close during a pause
            if self._ended is not None:
                raise self._ended
            try:
                connection = self._sockets.enter_context(open_socket(self._url, **self._options))
            except (OSError, WebSocketException, EOFError) as error:
                failure, transient = handshake_failure(self._url, error)
                if not transient:
                    raise failure from error
                self._pause(failure, error)
                continue
            self._connection = connection
            for message in self._state.opening():
                self._send(message)
        return self._connection

    def _pause(self, failure: OrcaCrowdError, cause: Exception) -> None:
        """Wait before another try; raises `failure` where none is left."""
        delay = self._attempts.next_delay()
        if delay is None:
            self._attempts.renew()
            raise failure from cause
        left = self._left()
        time.sleep(delay if left is None else min(delay, left))
        if left is not None and left < delay:
            raise TimeoutError

    def _send(self, message: Message) -> None:
        """Send; where the connection just broke the next read finds out, and the next opening sends it again."""
        if self._connection is not None:
            try:
                self._connection.send(message)
            except ConnectionClosed:
                return
