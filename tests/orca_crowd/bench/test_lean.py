"""Lean clients read what a server sends in whatever pieces it arrives."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable

import msgspec
import pytest
from websockets.frames import Frame, Opcode
from websockets.server import ServerProtocol

from orca_crowd.bench.lean import LeanHttp, LeanSocket
from orca_crowd.bench.scenes import Scene
from orca_crowd.bench.serving import Remote, serving
from orca_crowd.protocol.frames import MSGPACK_SUBPROTOCOL

GREETING = b"hello"


def frames(*parts: Frame) -> bytes:
    return b"".join(part.serialize(mask=False) for part in parts)


class Scripted:
    """A server of one connection: shakes hands, greets, and then says what it is told to."""

    def __init__(self) -> None:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self._listener.getsockname()[1]}"
        self.heard: list[Frame] = []

    def __enter__(self) -> Scripted:
        return self

    def __exit__(self, *_: object) -> None:
        self._listener.close()

    def say(self, script: Callable[[socket.socket], None]) -> threading.Thread:
        def run() -> None:
            connection, _ = self._listener.accept()
            with connection:
                protocol = ServerProtocol(subprotocols=[MSGPACK_SUBPROTOCOL])  # type: ignore[list-item]
                protocol.receive_data(connection.recv(65536))
                (request,) = protocol.events_received()
                protocol.send_response(protocol.accept(request))  # type: ignore[arg-type]
                greeting = frames(Frame(Opcode.BINARY, GREETING))
                # the greeting comes in the same piece as the end of the handshake
                connection.sendall(b"".join(protocol.data_to_send()) + greeting)
                script(connection)
                while data := connection.recv(65536):
                    protocol.receive_data(data)
                    self.heard += [event for event in protocol.events_received() if isinstance(event, Frame)]

        thread = threading.Thread(target=run)
        thread.start()
        return thread


@pytest.mark.parametrize("size", [0, 1, 125, 126, 65_535, 65_536, 400_000])
def test_messages_of_every_length_come_whole(size: int) -> None:
    message = bytes(range(256)) * (size // 256 + 1)
    message = message[:size]
    with Scripted() as server:
        wire = frames(Frame(Opcode.BINARY, message), Frame(Opcode.BINARY, b"next"), Frame(Opcode.BINARY, message))
        thread = server.say(lambda connection: connection.sendall(wire))
        with LeanSocket(server.address, "w") as stream:
            assert [stream.receive() for _ in range(3)] == [message, b"next", message]
            stream.send(message)
            stream.send(b"x")
        thread.join()
    assert [(frame.opcode, bytes(frame.data)) for frame in server.heard] == [
        (Opcode.BINARY, message),
        (Opcode.BINARY, b"x"),
    ]


def test_bytes_that_come_one_by_one_are_put_together() -> None:
    wire = frames(Frame(Opcode.BINARY, b"a" * 130), Frame(Opcode.BINARY, b"b"))

    def drip(connection: socket.socket) -> None:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for byte in wire:
            connection.sendall(bytes([byte]))

    with Scripted() as server:
        thread = server.say(drip)
        with LeanSocket(server.address, "w") as stream:
            assert [stream.receive() for _ in range(2)] == [b"a" * 130, b"b"]
        thread.join()


def test_a_ping_is_answered_and_never_seen() -> None:
    with Scripted() as server:
        wire = frames(Frame(Opcode.PING, b"there?"), Frame(Opcode.PONG, b""), Frame(Opcode.BINARY, b"m"))
        thread = server.say(lambda connection: connection.sendall(wire))
        with LeanSocket(server.address, "w") as stream:
            assert stream.receive() == b"m"
        thread.join()
    assert [(frame.opcode, bytes(frame.data)) for frame in server.heard] == [(Opcode.PONG, b"there?")]


@pytest.mark.parametrize(
    ("wire", "words"),
    [
        (frames(Frame(Opcode.CLOSE, b"\x0f\xa4gone")), "4004 gone"),
        (frames(Frame(Opcode.CONT, b"rest")), "not expected"),
    ],
)
def test_an_end_is_told(wire: bytes, words: str) -> None:
    with Scripted() as server:
        thread = server.say(lambda connection: connection.sendall(wire))
        with LeanSocket(server.address, "w") as stream, pytest.raises(ConnectionError, match=words):
            stream.receive()
        thread.join()


async def test_a_real_server_is_asked_and_its_refusals_are_told() -> None:
    with serving("inline", 1) as address:
        async with Remote(address) as remote:
            world = await remote.create(Scene(3))
            with LeanHttp(address) as http:
                stepped = http.post(f"/v1/worlds/{world}/steps", msgspec.msgpack.encode({"count": 2}))
                assert stepped["step"] == 2
                with pytest.raises(RuntimeError, match="answered with 404"):
                    http.post("/v1/worlds/nobody/steps", msgspec.msgpack.encode({}))
        with pytest.raises(ConnectionError, match="refused the stream"):
            LeanSocket(address, "nobody")
