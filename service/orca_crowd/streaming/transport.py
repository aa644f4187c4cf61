"""The WebSocket side of uvicorn, with what ASGI has no words for.

An application can only send through ASGI once the client has taken what was sent before, so it could never tell a
client who does not read that it is closed, nor get rid of it: a connection whose buffer is full is neither closed by
`close` nor found dead by a ping. StreamProtocol adds, and gives to the application as an extension of the scope:

- `end(code, reason, linger)`: the close frame goes behind what is buffered at once, nothing more is taken, and after
  `linger` seconds the connection is cut. A reader who comes back within that time learns why.
- `takes()`, `write(message)` and `on_room`: sending without waiting, of bytes that are framed already where the
  connection is not compressed;
- `ping(step)` and `on_answer`: a ping that carries a step, to learn when the client has what was sent before it;
- `on_lost`: the connection is gone, which can be long after the application is through with it.

It also closes a message over the limit properly: with 1009, the limit in the reason, and reading on until the client
has seen it, since closing a socket with unread bytes resets it and the reason is lost.
"""

from __future__ import annotations

from collections.abc import Callable, MutableMapping
from typing import Any, Final

from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.frames import Frame

from orca_crowd.streaming.outbox import Wire
from orca_crowd.streaming.packed import Packed, frame_head

__all__ = ["EXTENSION", "PING_MESSAGE", "PassedOnProtocol", "StreamProtocol", "pong_payload", "transport_of"]

EXTENSION = "orca-crowd.transport"

# a ping of ours is told from uvicorn's own four bytes by its first byte and its length
_MARK = b"s"
_PAYLOAD = 9
# how a ping begins that travels as a message; MessagePack never uses the first byte, and no JSON begins with it
PING_MESSAGE: Final = b"\xc1ping"
# final frame, ping, unmasked
_PING = bytes([0x89, _PAYLOAD]) + _MARK

# how long a client who sent too much has to read the close frame
REFUSED_SECONDS = 5.0
# how long a closed connection may take to hand over its last bytes when the server stops
STOP_SECONDS = 0.5


class StreamProtocol(WebSocketsSansIOProtocol):
    """uvicorn's protocol on websockets without I/O; see the module's text for what is added."""

    on_answer: Callable[[int], None] | None = None
    on_room: Callable[[], None] | None = None
    on_lost: Callable[[StreamProtocol], None] | None = None

    def handle_connect(self, event: Any) -> None:
        """Offer this object to the application."""
        super().handle_connect(event)
        # a refused handshake has no scope
        if hasattr(self, "scope"):
            extensions: MutableMapping[str, Any] = self.scope["extensions"]
            extensions[EXTENSION] = self

    async def send(self, message: Any) -> None:
        """A handshake that was refused with an answer is complete; uvicorn would call each of them an error."""
        await super().send(message)
        if message["type"] == "websocket.http.response.body" and not message.get("more_body", False):
            self.handshake_complete = True

    def forget_handshake(self) -> None:
        """Let go of the request and the answer to it, which are as large as all else that an idle connection holds."""
        self.request = self.response = None  # type: ignore[assignment]

    def connection_lost(self, exc: Exception | None) -> None:
        """Tell whoever waits for the end of this connection."""
        super().connection_lost(exc)
        if self.on_lost is not None:
            self.on_lost(self)

    @property
    def buffered(self) -> int:
        """Bytes that the kernel has not taken yet."""
        return self.transport.get_write_buffer_size()

    def takes(self) -> bool:
        """Whether less than the high-water mark is unsent, and the connection is open."""
        return self.writable.is_set() and not (self.close_sent or self.disconnected or self.transport.is_closing())

    def write(self, message: Wire | Packed) -> None:
        """Send a message; call it only while the connection takes one."""
        if self.conn.extensions:
            # compressed for each connection anew
            wire = message.wire if isinstance(message, Packed) else message
            if isinstance(wire, str):
                self.conn.send_text(wire.encode())
            else:
                self.conn.send_binary(wire)
            self.transport.write(b"".join(self.conn.data_to_send()))
        elif isinstance(message, Packed):
            self.transport.write(message.framed)
        else:
            data = message.encode() if isinstance(message, str) else message
            self.transport.write(frame_head(len(data), text=isinstance(message, str)) + data)

    def write_bytes(self, data: bytes, *, text: bool) -> None:
        """Send a message that is bytes already, text or not; call it only while the connection takes one."""
        if self.conn.extensions:
            (self.conn.send_text if text else self.conn.send_binary)(data)
            self.transport.write(b"".join(self.conn.data_to_send()))
        else:
            self.transport.write(frame_head(len(data), text=text) + data)

    def resume_writing(self) -> None:
        """There is room again."""
        super().resume_writing()
        if self.on_room is not None:
            self.on_room()

    def ping(self, step: int) -> bool:
        """Send a ping that carries `step`; `on_answer` is called with it when the pong is here. Always True."""
        if not (self.close_sent or self.disconnected or self.transport.is_closing()):
            self.transport.write(_PING + step.to_bytes(_PAYLOAD - 1, "big"))
        return True

    def handle_pong(self, event: Frame) -> None:
        """Tell the application of its own pongs and leave the others to uvicorn."""
        payload = bytes(event.data)
        if len(payload) == _PAYLOAD and payload.startswith(_MARK):
            if self.on_answer is not None:
                self.on_answer(int.from_bytes(payload[1:], "big"))
            return
        super().handle_pong(event)

    def end(self, code: int, reason: str, linger: float) -> None:
        """Close behind what is buffered, whether or not the client reads; cut the connection after `linger` seconds."""
        if self.close_sent or self.disconnected or self.transport.is_closing():
            return
        self.stop_keepalive()
        self.queue.put_nowait({"type": "websocket.disconnect", "code": code, "reason": reason})
        self.conn.send_close(code, reason)
        self.transport.write(b"".join(self.conn.data_to_send()))
        self._await_end(linger)

    def keepalive_timeout(self) -> None:
        """A client who does not answer a ping will not take the close frame either: cut the connection."""
        super().keepalive_timeout()
        self.transport.abort()

    def data_received(self, data: bytes) -> None:
        """Once a message has broken the rules, read on and forget what comes."""
        if self.conn.parser_exc is None:
            super().data_received(data)

    def handle_parser_exception(self) -> None:
        """Say why, and wait for the client to hang up."""
        if self.close_sent or self.conn.close_sent is None:
            return
        self.stop_keepalive()
        code, reason = self.conn.close_sent.code, self.conn.close_sent.reason
        self.queue.put_nowait({"type": "websocket.disconnect", "code": code, "reason": reason})
        self.transport.write(b"".join(self.conn.data_to_send()))
        # after a broken message no close frame of the client is understood, so our end of the stream has to say it
        if self.transport.can_write_eof():
            self.transport.write_eof()
        self._await_end(REFUSED_SECONDS)

    def shutdown(self) -> None:
        """The server stops: a connection that is closed but not taken leave of is given a moment, then cut."""
        super().shutdown()
        if self.close_timer is not None:
            self.close_timer.cancel()
        self.close_timer = self.loop.call_later(STOP_SECONDS, self.transport.abort)

    def _await_end(self, seconds: float) -> None:
        """Take nothing more from the application, and wait for the client to close, at most so long."""
        self.close_sent = True
        # a sender who waits for room finds out that there will be none
        self.disconnected = True
        self.writable.set()
        if self.read_paused:
            self.read_paused = False
            self.transport.resume_reading()
        self.close_timer = self.loop.call_later(seconds, self.transport.abort)


class PassedOnProtocol(StreamProtocol):
    """The connection of a relay, which stands between the application and the client.

    A ping would be answered by the relay, that has the frames before it, and not by the client, that may not. So it
    goes as a message, in its place among the others, and the relay sends it on as a ping; the client's pong comes back
    as one that nobody asked for.
    """

    def ping(self, step: int) -> bool:
        """Send a ping that carries `step` by way of the relay."""
        if self.takes():
            data = PING_MESSAGE + step.to_bytes(_PAYLOAD - 1, "big")
            self.transport.write(frame_head(len(data), text=False) + data)
        return True


def pong_payload(data: bytes) -> bytes:
    """What a relay answers a message that begins with PING_MESSAGE with, when the client has answered its ping."""
    return _MARK + data[len(PING_MESSAGE) :]


def transport_of(scope: MutableMapping[str, Any]) -> StreamProtocol | None:
    """The protocol object under an ASGI scope; None when another server runs the application."""
    found = scope.get("extensions", {}).get(EXTENSION)
    return found if isinstance(found, StreamProtocol) else None
