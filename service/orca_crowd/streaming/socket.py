"""One WebSocket: what the client says is read, done and answered; what the world does is written.

One task beside that of the connection: the reader is always waiting for the client, so that a client who goes away is
seen at once. What takes time (commands, steps, what a subscription begins with) is a task of its own (answers.py,
subscriber.py). Sending takes none (writer.py). A socket never waits for another, and the world waits for none (but see
the gate in hub.py).
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Any

from fastapi.websockets import WebSocket, WebSocketDisconnect

from orca_crowd.errors import ApiError, Fault, InvalidRequest, document, problem_of
from orca_crowd.protocol.bodies import size_of
from orca_crowd.protocol.frames import JSON_SUBPROTOCOL, MSGPACK_SUBPROTOCOL, encode_message
from orca_crowd.protocol.reading import BadMessage, read_message
from orca_crowd.protocol.stream import ClientMessage, Command, Got, Ping, Resume, Subscribe, Unsubscribe
from orca_crowd.settings import LIMITS
from orca_crowd.streaming.admission import Admission
from orca_crowd.streaming.answers import Answers
from orca_crowd.streaming.asgi import AsgiConnection
from orca_crowd.streaming.controlling import Call, Controlling, OrderMessage
from orca_crowd.streaming.frame import SharedFrame
from orca_crowd.streaming.hub import PATIENCE_SECONDS, Hub, Watching
from orca_crowd.streaming.outbox import Outbox, OutboxOverflow, Wire
from orca_crowd.streaming.shared import Shared
from orca_crowd.streaming.subscriber import Subscriber
from orca_crowd.streaming.subscription import FrameOverflow, UnsentStep
from orca_crowd.streaming.transport import transport_of
from orca_crowd.streaming.writer import Writer

__all__ = ["Socket"]

Order = asyncio.Task[Wire]

log = logging.getLogger("orca_crowd")

# bytes of answers that may wait for one socket: above one of the largest world, so that only who has stopped meets it
REPLY_BYTES = 64 * 2**20
# messages above this many bytes are decoded in a helper thread
LARGE_MESSAGE = 65_536
# answers above this many bytes are encoded in one: a quarter of a millisecond in either subprotocol
LARGE_ANSWERS = {JSON_SUBPROTOCOL: 16_000, MSGPACK_SUBPROTOCOL: 1_000_000}
# a client has so long to take what waits for it when the server closes
CLOSE_SECONDS = 2.0
# how long a closed connection is kept for a client who does not read, so that it finds out why when it does
LINGER_SECONDS = 120.0


class Socket:
    """One accepted connection; `run` returns when it is over and leaves no task behind but orders under way."""

    def __init__(self, websocket: WebSocket, hub: Hub, subprotocol: str, shared: Shared, admission: Admission) -> None:
        """Take the connection and the hub of its world."""
        self.subprotocol = subprotocol
        self.admission = admission
        self._websocket = websocket
        self._hub = hub
        self._runner = hub.runner
        self._shared = shared
        self._transport = transport_of(websocket.scope)
        self._controlling = Controlling(
            hub.runner,
            shared.settings,
            lease=websocket.headers.get("orca-crowd-lease"),
            tell=lambda problem: self._say({"type": "error", "problem": document(problem)}),
        )
        self._closing: tuple[int, str] | None = None
        # the newest command, whose effect a `full` that is asked for after it shows
        self._changed: Order | None = None
        self._cut: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._patience: asyncio.TimerHandle | None = None
        self._outbox = Outbox(message_limit=shared.settings.reply_queue, byte_limit=REPLY_BYTES)
        self._answers = Answers(self.tell, shared.orders)
        # another server than ours has no transport that sends without waiting
        self._slow = AsgiConnection(websocket, lambda: self._writer.push()) if self._transport is None else None
        self._writer = Writer(
            self._transport or self._slow,  # type: ignore[arg-type]  # one of them is there
            outbox=self._outbox,
            clock=shared.clock,
            statistics=shared.statistics,
            progressed=hub.progressed,
            announce=lambda update: self._subscriber.announcement(update),
            failed=self._failed,
        )
        self._subscriber = Subscriber(
            self._writer, hub=hub, subprotocol=subprotocol, shared=shared, refuse=self._refuse
        )

    @property
    def subscription(self) -> Watching | None:
        """What the client has asked to see."""
        return self._writer.subscription

    @property
    def queued(self) -> tuple[int, int]:
        """Replies and frames that wait to be sent."""
        return len(self._outbox), 0 if self.subscription is None else self.subscription.waiting

    # life

    async def run(self) -> None:
        """Serve an accepted connection until either side ends it."""
        self._say(self._hello())
        self._hub.watchers.add(self)
        if self._transport is not None:
            self._transport.on_answer = self._subscriber.answered
            self._transport.on_room = self._writer.push
        # a world that ended while the connection was accepted tells nobody any more
        if self._runner.state != "ready":
            kind = "failed" if self._runner.state == "failed" else "gone"
            self._hub.end(kind, self._runner.reason or "the world was deleted")
        reader = asyncio.create_task(self._read(), name="socket reader")
        try:
            await asyncio.wait([reader, self._cut], return_when=asyncio.FIRST_COMPLETED)
            if reader.done():
                self._look_at(reader)
            if self._slow is not None and self._closing is not None:
                await self._slow.close(self._closing[0], _short(self._closing[1]))
        finally:
            self._hub.watchers.discard(self)
            self._controlling.end()
            self._subscriber.stop()
            self._closing = self._closing or (1000, "")
            self._outbox.clear()
            if self._patience is not None:
                self._patience.cancel()
            if self._transport is not None:
                self._transport.on_answer = self._transport.on_room = None
            reader.cancel()
            self._cut.cancel()
            await asyncio.gather(reader, return_exceptions=True)
            self._hub.progressed()

    def _hello(self) -> dict[str, Any]:
        facts, settings = self._runner.facts, self._shared.settings
        return {
            "type": "hello",
            "world": self._runner.name,
            "step": facts.step,
            "time": facts.time,
            "time_step": self._runner.description.time_step,
            "profile": self._runner.description.options["profile"],
            "limits": {name: getattr(settings, name) for name in LIMITS},
        }

    def _look_at(self, task: asyncio.Task[Any]) -> None:
        """A fault of our own ends this socket alone, and the log tells it."""
        error = task.exception()
        if error is not None and not isinstance(error, WebSocketDisconnect):
            self._failed(error)

    def _failed(self, error: BaseException) -> None:
        log.error("a socket of world %s failed", self._runner.name, exc_info=error)
        self._cut_off(1011, "the server failed on this connection; its log says how")

    # what the hub calls

    def tell(self, wire: Wire) -> None:
        """Queue a message that must not be lost; a full queue closes the socket with 4001."""
        if self._closing is not None:
            return
        try:
            self._outbox.put(wire)
        except OutboxOverflow as full:
            self._cut_off(4001, str(full))
        else:
            self._writer.push()

    def show(self, frame: SharedFrame) -> None:
        """Queue a frame by the policy of the subscription; a full queue closes the socket with 4001."""
        if self._closing is not None or self.subscription is None:
            return
        try:
            self.subscription.offer(frame)
        except FrameOverflow as full:
            self._cut_off(4001, str(full))
        else:
            self._writer.push()

    def end(self, code: int, reason: str, problem: ApiError | None = None) -> None:
        """Send what must not be lost, then `closing`, then close; a client who does not read is cut off soon."""
        if self._closing is not None:
            return
        # nothing comes behind the last message
        self._subscriber.stop()
        if problem is not None:
            self._say({"type": "error", "problem": document(problem)})
        self._say({"type": "closing", "reason": reason})
        # the queue may have been full
        if self._closing is None:
            self._closing = (code, reason)
            self._writer.finish(lambda: self._cut_off(code, reason))
            # a world can wait for those who stopped reading to come back, a server that stops cannot
            linger = 0.0 if code == 1012 else LINGER_SECONDS
            if not self._cut.done():
                loop = asyncio.get_running_loop()
                self._patience = loop.call_later(CLOSE_SECONDS, self._cut_off, code, reason, linger)

    def reading(self) -> bool:
        """Whether the client has taken anything in the last moment."""
        return self._shared.clock.now() - self._writer.last_sent < PATIENCE_SECONDS

    def _cut_off(self, code: int, reason: str, linger: float = LINGER_SECONDS) -> None:
        """Close without waiting for the client: behind what the connection has taken, nothing more is sent."""
        if self._cut.done():
            return
        self._closing = (code, reason)
        self._cut.set_result(None)
        self._shared.statistics.count_close(code)
        if self._transport is not None:
            self._transport.end(code, _short(reason), linger)

    # writing

    def beat(self, silence: float) -> None:
        """Tell the step, where nothing was sent for so many seconds and nothing waits to be."""
        silent = self._shared.clock.now() - self._writer.last_sent >= silence
        if silent and self._closing is None and not len(self._outbox):
            self._say({"type": "heartbeat", "step": self._runner.facts.step})

    def _say(self, message: dict[str, Any]) -> None:
        self.tell(encode_message(message, self.subprotocol))

    def _error(self, problem: ApiError, key: str | None) -> Wire:
        self._shared.statistics.messages_refused += 1
        told = document(problem, self._shared.settings.errors_per_answer)
        message = {"type": "error", "problem": told} | ({} if key is None else {"key": key})
        return encode_message(message, self.subprotocol)

    def _refuse(self, problem: ApiError, key: str | None = None) -> None:
        """Answer with an error, behind the answers to what came before."""
        self._answers.ready(self._error(problem, key))

    # reading

    async def _read(self) -> None:
        """Take messages as they come, until the client has gone."""
        while True:
            received = await self._websocket.receive()
            if received["type"] == "websocket.disconnect":
                return
            text = received.get("text")
            data: str | bytes = text if text is not None else received.get("bytes") or b""
            try:
                if len(data) > LARGE_MESSAGE:
                    message = await self._shared.offload(lambda data=data: read_message(data, self.subprotocol))  # type: ignore[misc]
                else:
                    message = read_message(data, self.subprotocol)
                self._admit(message)
                self._handle(message, len(data))
            except BadMessage as bad:
                self._refuse(bad.problem, bad.key)
            except ApiError as refusal:
                self._refuse(refusal, getattr(message, "key", None))
                # a key that has ended would be one more wrong one with each message
                if refusal.code == "unauthorized":
                    self.end(1008, "the key is not valid any more")
            await self._answers.room()
            # many messages can come in one piece: the writer and everybody else have their turn between any two
            await asyncio.sleep(0)

    def _admit(self, message: ClientMessage) -> None:
        """Refuse what the key of this socket does not allow; acknowledgements of frames are no requests."""
        if isinstance(message, OrderMessage):
            self.admission.check("control")
        elif not isinstance(message, Got):
            self.admission.charge()

    def _handle(self, message: ClientMessage, size: int) -> None:
        """Do what takes no time, begin what does."""
        if isinstance(message, Ping):
            self._say({"type": "pong"} | ({"data": message.data} if "data" in message.model_fields_set else {}))
        elif isinstance(message, Got):
            self._got(message.step)
        elif isinstance(message, Subscribe | Resume):
            self._subscriber.begin(message, self._changed)
        elif isinstance(message, Unsubscribe):
            self._subscriber.stop()
        elif isinstance(message, OrderMessage):
            kind, call = self._controlling.order(message, size)
            order = self._order(call, kind, message.key, size)
            if isinstance(message, Command):
                self._changed = order

    def _order(self, call: Call, kind: str, key: str | None, size: int) -> Order:
        """Hand an order to the world and go on reading."""

        async def answer(queued: Callable[[], None]) -> Wire:
            try:
                head = {"type": kind} if key is None else {"type": kind, "key": key}
                values = {**head, **await call(queued)}
                if size_of(values) > LARGE_ANSWERS[self.subprotocol]:
                    return await self._shared.offload(lambda: encode_message(values, self.subprotocol))
                return encode_message(values, self.subprotocol)
            except Exception as error:
                return self._error(problem_of(error), key)

        return self._answers.order(answer, size, large=size > LARGE_MESSAGE)

    def _got(self, step: int) -> None:
        try:
            self._subscriber.got(step)
        except UnsentStep as unsent:
            self._refuse(InvalidRequest([Fault(None, "step", str(unsent))]))


def _short(reason: str) -> str:
    """A close reason has at most 123 bytes."""
    return reason.encode()[:123].decode(errors="ignore")
