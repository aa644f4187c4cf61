"""One socket of a client, passed on message by message to the process that has the world, and to the next one after it.

The client's connection lives as long as the world and this front end. When the process of the world ends, moves or
falls silent, the relay finds the world again, tells the new process what the client had asked for, and the client sees
an event `gap` with the reason and then a `full`.

Nothing is queued here: what the client does not take is not read from the process, whose own bounded queues decide;
what the process does not take is not read from the client.
"""

from __future__ import annotations

import asyncio
import logging
from typing import Any, Final

from fastapi.websockets import WebSocket
from websockets.asyncio.client import ClientConnection
from websockets.exceptions import ConnectionClosed

from orca_crowd.cluster.directory import Directory
from orca_crowd.cluster.upstream import Lost, Upstream
from orca_crowd.errors import ApiError, document
from orca_crowd.protocol.frames import JSON_SUBPROTOCOL, encode_message
from orca_crowd.settings import Settings
from orca_crowd.streaming.admission import Admission
from orca_crowd.streaming.dialling import Refused, Unreached, dial
from orca_crowd.streaming.remembered import ORDERS, Heard, Remembered, kind_of
from orca_crowd.streaming.statistics import StreamStatistics
from orca_crowd.streaming.transport import PING_MESSAGE, StreamProtocol, pong_payload, transport_of

__all__ = ["RelayedSocket"]

log = logging.getLogger("orca_crowd")

# messages above this many bytes are looked into in a helper thread
LARGE_MESSAGE: Final = 65_536
# what the process of a world closes with when it lets go of it; 1006 and 1011 are its death
MOVES: Final = frozenset({1001, 1006, 1011, 1012})
LINGER_SECONDS: Final = 120.0
PAUSE_SECONDS: Final = 0.2
# how many times as long as a request a socket waits for its world
PATIENCE: Final = 10


class RelayedSocket:
    """One accepted connection; `run` returns when it is over and leaves no task behind."""

    def __init__(
        self,
        websocket: WebSocket,
        subprotocol: str,
        *,
        directory: Directory,
        upstream: Upstream,
        connection: ClientConnection,
        admission: Admission,
        settings: Settings,
        statistics: StreamStatistics,
    ) -> None:
        """Take both connections."""
        self.admission = admission
        self._websocket = websocket
        self._subprotocol = subprotocol
        self._text = subprotocol == JSON_SUBPROTOCOL
        self._directory = directory
        self._upstream = upstream
        self._connection: ClientConnection | None = connection
        self._settings = settings
        self._statistics = statistics
        self._remembered = Remembered(subprotocol)
        self._transport: StreamProtocol | None = transport_of(websocket.scope)
        self._room = asyncio.Event()
        self._there = asyncio.Event()
        self._there.set()
        self._answered = asyncio.Event()
        self._unanswered_full = asyncio.Event()
        self._pong: bytes | None = None
        self._over: asyncio.Future[tuple[int, str]] = asyncio.get_running_loop().create_future()
        self._step = 0

    async def run(self) -> None:
        """Pass messages on until either side ends it for good."""
        if self._transport is not None:
            self._transport.on_room = self._room.set
            self._transport.on_answer = self._client_answered
        tasks: list[asyncio.Future[Any]] = [
            asyncio.create_task(self._from_world(), name="relay from the world"),
            asyncio.create_task(self._from_client(), name="relay from the client"),
            asyncio.create_task(self._pongs(), name="relay of pongs"),
        ]
        try:
            await asyncio.wait([*tasks, self._over], return_when=asyncio.FIRST_COMPLETED)
            for task in tasks:
                if task.done() and task.exception() is not None:
                    log.error("a relayed socket failed", exc_info=task.exception())
                    self.end(1011, "the server failed on this connection; its log says how", told=False)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks)
            if self._transport is not None:
                self._transport.on_room = self._transport.on_answer = None
            if self._connection is not None:
                await self._connection.close()
        if self._over.done():
            code, reason = self._over.result()
            self._statistics.count_close(code)
            if self._transport is not None:
                self._transport.end(code, _short(reason), 0.0 if code == 1012 else LINGER_SECONDS)
            else:
                await self._websocket.close(code, _short(reason))

    def end(self, code: int, reason: str, *, told: bool = True) -> None:
        """Tell the client why, and close."""
        if self._over.done():
            return
        if told and (self._transport is None or self._transport.takes()):
            self._write(_bytes({"type": "closing", "reason": reason}, self._subprotocol))
        self._over.set_result((code, reason))

    # from the world to the client

    async def _from_world(self) -> None:
        closing: bytes | None = None
        while True:
            connection = self._connection
            assert connection is not None
            try:
                with self._upstream.waiting():
                    data = await connection.recv(decode=False)
            except (ConnectionClosed, Lost) as error:
                received = error.rcvd if isinstance(error, ConnectionClosed) else None
                code, reason = (1006, _why(error)) if received is None else (received.code, received.reason)
                if code in MOVES:
                    closing = None
                    await self._find_again(reason or "the process of the world ended")
                    continue
                if closing is not None:
                    await self._send(closing)
                if not self._over.done():
                    self._over.set_result((code, reason))
                return
            if data.startswith(PING_MESSAGE):
                self._ping(data)
                continue
            kind = kind_of(data)
            if kind == b"closing":
                # whether it is for the client is known when the code is
                closing = data
            elif self._remembered.answered(data, kind):
                await self._send(data)
                self._unanswered_full.set()

    async def _send(self, data: bytes) -> None:
        """Write when the client takes it."""
        while self._transport is not None and not self._transport.takes():
            self._room.clear()
            await self._room.wait()
        if self._transport is None:
            part = {"text": data.decode()} if self._text else {"bytes": data}
            await self._websocket.send({"type": "websocket.send", **part})
        else:
            self._transport.write_bytes(data, text=self._text)

    def _write(self, data: bytes) -> None:
        if self._transport is not None:
            self._transport.write_bytes(data, text=self._text)

    def _ping(self, data: bytes) -> None:
        if self._transport is not None:
            self._transport.ping(int.from_bytes(data[len(PING_MESSAGE) :], "big"))

    def _client_answered(self, step: int) -> None:
        """The client has what came before a ping."""
        if self._remembered.seen(step):
            self._pong = pong_payload(PING_MESSAGE + step.to_bytes(8, "big"))
            self._answered.set()

    async def _pongs(self) -> None:
        """The newest answer says as much as all of them."""
        while True:
            await self._answered.wait()
            self._answered.clear()
            await self._there.wait()
            payload, self._pong = self._pong, None
            if payload is not None and self._connection is not None:
                try:
                    await self._connection.pong(payload)
                except ConnectionClosed:
                    # the reader sees to it
                    continue

    # from the client to the world

    async def _from_client(self) -> None:
        while True:
            received = await self._websocket.receive()
            if received["type"] == "websocket.disconnect":
                return
            text = received.get("text")
            data: str | bytes = text if text is not None else received.get("bytes") or b""
            if isinstance(data, str) is not self._text:
                heard = Heard()
            elif len(data) > LARGE_MESSAGE:
                heard = await asyncio.to_thread(self._remembered.hear, data)
            else:
                heard = self._remembered.hear(data)
            try:
                if heard.type in ORDERS:
                    self.admission.check("control")
                elif heard.type != "got":
                    self.admission.charge()
            except ApiError as refusal:
                await self._tell_error(refusal, heard.key)
                if refusal.code == "unauthorized":
                    self.end(1008, "the key is not valid any more")
                continue
            await self._there.wait()
            while self._remembered.full:
                self._unanswered_full.clear()
                await self._unanswered_full.wait()
            if self._remembered.passes(heard, data) and self._connection is not None:
                try:
                    await self._connection.send(data)
                except ConnectionClosed:
                    # remembered, and told again to the next one
                    await asyncio.sleep(0)

    async def _tell_error(self, refusal: ApiError, key: str | None = None) -> None:
        problem = document(refusal, self._settings.errors_per_answer)
        message = {"type": "error", "problem": problem} | ({} if key is None else {"key": key})
        await self._send(_bytes(message, self._subprotocol))

    # from one process to the next

    async def _find_again(self, reason: str) -> None:
        """Another process of the world takes over; the client is told, or let go where there is none."""
        self._there.clear()
        self._directory.lose(self._upstream, reason)
        await self._let_go()
        # orders that may have had their effect and cannot be asked for again
        for _ in range(self._remembered.give_up_the_uncertain()):
            detail = f"{reason}; whether the message has taken effect is not known, since it had no key"
            await self._tell_error(ApiError("interrupted", detail))
        loop, until = asyncio.get_running_loop(), 0.0
        while True:
            try:
                self._upstream = await self._directory.find(self._upstream.world)
                # a process that falls silent here as well is given up like any other
                with self._upstream.waiting():
                    await self._begin_again(reason)
                break
            except (Unreached, ConnectionClosed, Lost) as error:
                self._directory.lose(self._upstream, str(error))
                await self._let_go()
                await asyncio.sleep(PAUSE_SECONDS)
            except Refused as refused:
                if refused.code == "draining":
                    self._directory.lose(self._upstream, refused.detail)
                    await asyncio.sleep(PAUSE_SECONDS)
                    continue
                self.end(4004 if refused.status == 404 else 4009, refused.detail)
                await asyncio.Event().wait()
            except ApiError as refusal:
                until = until or loop.time() + PATIENCE * self._settings.return_seconds
                if refusal.code == "not-ready" and loop.time() < until:
                    # each search has its own end; a client would only come back and wait likewise
                    await asyncio.sleep(PAUSE_SECONDS)
                    continue
                self.end(4004 if refusal.code == "not-found" else 1012, refusal.detail)
                await asyncio.Event().wait()
        self._there.set()

    async def _begin_again(self, reason: str) -> None:
        """Connect to the process that has the world now, and be there what the client was."""
        connection = self._connection = await dial(self._upstream, self._websocket, self._subprotocol, self.admission)
        hello = self._remembered.hear(await connection.recv(decode=False))
        gap = {"type": "event", "kind": "gap", "step": hello.step, "reason": reason}
        await self._send(_bytes(gap, self._subprotocol))
        for data in self._remembered.again():
            await connection.send(data)

    async def _let_go(self) -> None:
        """Of a connection to a process, if there is one."""
        before, self._connection = self._connection, None
        if before is not None:
            await before.close()


def _why(error: ConnectionClosed | Lost) -> str:
    """What a client is told of a connection that nobody has closed in order."""
    return str(error) if isinstance(error, Lost) else ""


def _bytes(message: dict[str, Any], subprotocol: str) -> bytes:
    wire = encode_message(message, subprotocol)
    return wire.encode() if isinstance(wire, str) else wire


def _short(reason: str) -> str:
    """A close reason has at most 123 bytes."""
    return reason.encode()[:123].decode(errors="ignore")
