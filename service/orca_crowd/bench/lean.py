"""Lean clients: a WebSocket and an HTTP connection over plain sockets, so that a figure is the server's and not theirs.

The handshake is the websockets library's; behind it a frame is read where its bytes arrive. A client of asyncio takes
a third of a millisecond for a round trip, and a hundred of them a core.
"""

from __future__ import annotations

import http.client
import socket
import struct
from typing import Any

import msgspec
from websockets.client import ClientProtocol
from websockets.protocol import State
from websockets.uri import parse_uri

from orca_crowd.protocol.frames import MSGPACK_SUBPROTOCOL

__all__ = ["LeanHttp", "LeanSocket"]

# seconds after which a server that says nothing has failed
PATIENCE = 60.0
# bytes that are asked for at once
PIECE = 1 << 16
# first bytes of frames that the server sends whole: a text, a binary message, and of the control frames
TEXT, BINARY, CLOSE, PING, PONG = 0x81, 0x82, 0x88, 0x89, 0x8A
MEDIA_TYPE = "application/msgpack"


def _address(address: str) -> tuple[str, int]:
    host, _, port = address.rpartition(":")
    return host, int(port)


class LeanSocket:
    """The stream of a world in MessagePack, greeted already; blocking unless its `socket` is told otherwise."""

    def __init__(self, address: str, world: str) -> None:
        """Open it. `address` is `host:port`; raises ConnectionError where the server refuses or closes."""
        self.socket = socket.create_connection(_address(address), timeout=PATIENCE)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._buffer = bytearray(2 * PIECE)
        # what has arrived and is not read yet lies between the two
        self._begin = self._end = 0
        try:
            self._shake_hands(address, world)
            self.receive()
        except BaseException:
            self.socket.close()
            raise

    def __enter__(self) -> LeanSocket:
        """Already open."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close without a farewell."""
        self.socket.close()

    def fileno(self) -> int:
        """For a selector."""
        return self.socket.fileno()

    def send(self, message: bytes) -> None:
        """Send a message; the mask that a client has to have is zero, which leaves the bytes as they are."""
        self._send(BINARY, message)

    def receive(self) -> bytes:
        """Wait for the next message and return it."""
        while (message := self.taken()) is None:
            self.fill()
        return message

    def fill(self) -> None:
        """Take what has arrived, waiting where nothing has; raises ConnectionError at the end of the connection."""
        if len(self._buffer) - self._end < PIECE:
            self._make_room()
        count = self.socket.recv_into(memoryview(self._buffer)[self._end :])
        if not count:
            raise ConnectionError("the server has closed the connection")
        self._end += count

    def taken(self) -> bytes | None:
        """The next whole message of what has arrived, None where there is none; pings are answered on the way."""
        while True:
            held = self._end - self._begin
            if held < 2:
                return None
            kind, length = self._buffer[self._begin], self._buffer[self._begin + 1]
            head = {126: 4, 127: 10}.get(length, 2)
            if held < head:
                return None
            if head > 2:
                length = int.from_bytes(self._buffer[self._begin + 2 : self._begin + head], "big")
            if held < head + length:
                self._wanted(head + length)
                return None
            first = self._begin + head
            message = bytes(memoryview(self._buffer)[first : first + length])
            self._begin = first + length
            if kind in (BINARY, TEXT):
                return message
            if kind == PING:
                self._send(PONG, message)
            elif kind == CLOSE:
                code = int.from_bytes(message[:2], "big")
                raise ConnectionError(f"the server has closed the connection: {code} {message[2:].decode()}")
            elif kind != PONG:
                raise ConnectionError(f"the server has sent a frame of a kind {kind:#x} that is not expected")

    def _send(self, kind: int, message: bytes) -> None:
        length = len(message)
        if length < 126:
            head = struct.pack(">BB", kind, 0x80 | length)
        elif length < 1 << 16:
            head = struct.pack(">BBH", kind, 0x80 | 126, length)
        else:
            head = struct.pack(">BBQ", kind, 0x80 | 127, length)
        self.socket.sendall(b"".join((head, bytes(4), message)))

    def _make_room(self) -> None:
        """Bring what is not read yet to the front, and see that a piece fits behind it."""
        held = self._end - self._begin
        self._buffer[:held] = self._buffer[self._begin : self._end]
        self._begin, self._end = 0, held
        self._wanted(held + PIECE)

    def _wanted(self, size: int) -> None:
        """See that so many bytes from the first unread one on fit."""
        missing = self._begin + size - len(self._buffer)
        if missing > 0:
            self._buffer += bytes(missing)

    def _shake_hands(self, address: str, world: str) -> None:
        protocol = ClientProtocol(
            parse_uri(f"ws://{address}/v1/worlds/{world}/stream"),
            subprotocols=[MSGPACK_SUBPROTOCOL],  # type: ignore[list-item]
        )
        protocol.send_request(protocol.connect())
        self.socket.sendall(b"".join(protocol.data_to_send()))
        # byte by byte, so that the first message stays in the socket for our own reader
        while protocol.state is State.CONNECTING and protocol.handshake_exc is None:
            piece = self.socket.recv(1)
            if not piece:
                raise ConnectionError("the server has closed the connection before it answered")
            protocol.receive_data(piece)
        if protocol.handshake_exc is not None:
            raise ConnectionError(f"the server refused the stream: {protocol.handshake_exc}")


class LeanHttp:
    """One connection that is kept open, MessagePack both ways."""

    def __init__(self, address: str) -> None:
        """Connect; `address` is `host:port`."""
        self._connection = http.client.HTTPConnection(*_address(address), timeout=PATIENCE)
        self._connection.connect()
        self._connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def __enter__(self) -> LeanHttp:
        """Already open."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close."""
        self._connection.close()

    def post(self, path: str, body: bytes) -> Any:
        """The decoded answer; raises RuntimeError for a refusal."""
        headers = {"Content-Type": MEDIA_TYPE, "Accept": MEDIA_TYPE}
        self._connection.request("POST", path, body, headers)
        answer = self._connection.getresponse()
        content = answer.read()
        if answer.status >= 400:
            raise RuntimeError(f"POST {path} was answered with {answer.status}: {content.decode(errors='replace')}")
        return msgspec.msgpack.decode(content)
