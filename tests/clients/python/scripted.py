"""A WebSocket server that plays a script, one act for each connection, so that a test decides when things break."""

from __future__ import annotations

import gc
import json
import socket
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from types import TracebackType
from typing import Any, Self

from websockets.datastructures import Headers
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request, Response
from websockets.sync.server import ServerConnection, serve
from websockets.typing import Subprotocol

from tests.clients.python.messages import Wire, problem, unwire

SUBPROTOCOLS = [Subprotocol("orca-crowd.v1.msgpack"), Subprotocol("orca-crowd.v1.json")]


class Refusal:
    """An act that refuses the handshake with a problem document."""

    def __init__(self, status: int, code: str) -> None:
        self.status = status
        self.code = code


class Peer:
    """The server's end of one connection."""

    def __init__(self, connection: ServerConnection) -> None:
        self.connection = connection

    def send(self, *messages: Wire) -> None:
        """Send messages, in order."""
        for message in messages:
            self.connection.send(message)

    def expect(self, kind: str) -> dict[str, Any]:
        """Wait for the next message of the client, which is of this type."""
        message = unwire(self.connection.recv(timeout=10))
        assert message["type"] == kind, f"expected {kind}, got {message}"
        return message

    def expect_next(self, kind: str) -> dict[str, Any]:
        """Wait for a message of this type; credit that comes before it is passed over."""
        while (message := unwire(self.connection.recv(timeout=10)))["type"] == "got":
            pass
        assert message["type"] == kind, f"expected {kind}, got {message}"
        return message

    def close(self, code: int, reason: str = "") -> None:
        """Close as a server does."""
        self.connection.close(code, reason)

    def drop(self) -> None:
        """Break the connection without a word."""
        self.connection.socket.shutdown(socket.SHUT_RDWR)

    def wait_closed(self) -> None:
        """Read until the client closes."""
        with suppress(ConnectionClosed):
            while True:
                self.connection.recv(timeout=10)


Act = Callable[[Peer], None] | Refusal


class ScriptedServer:
    """Plays one act after another; a connection beyond the last is refused. What fails in an act fails the test."""

    def __init__(self, acts: Sequence[Act]) -> None:
        self._acts = list(acts)
        self.handshakes: list[Request] = []
        self.failures: list[BaseException] = []
        self._server = serve(
            self._play, "127.0.0.1", 0, subprotocols=SUBPROTOCOLS, process_request=self._admit, close_timeout=1
        )
        self.url = f"http://127.0.0.1:{self._server.socket.getsockname()[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever)

    def __enter__(self) -> Self:
        """Serve in a thread."""
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop, and tell what went wrong on this side."""
        self._server.shutdown()
        self._thread.join()
        # the library's pollers lie in reference cycles, on either side, and hold a descriptor until they are found
        gc.collect()
        if kind is None:
            assert self.failures == []
            assert len(self.handshakes) >= len(self._acts), "not every act was played"

    def _admit(self, connection: ServerConnection, request: Request) -> Response | None:
        self.handshakes.append(request)
        number = len(self.handshakes) - 1
        act = self._acts[number] if number < len(self._acts) else Refusal(404, "not-found")
        if not isinstance(act, Refusal):
            return None
        body = json.dumps(problem(act.code, act.status)).encode()
        headers = Headers({"Content-Type": "application/problem+json", "Content-Length": str(len(body))})
        return Response(act.status, "No", headers, body)

    def _play(self, connection: ServerConnection) -> None:
        act = self._acts[len(self.handshakes) - 1]
        assert not isinstance(act, Refusal)
        try:
            act(Peer(connection))
        except BaseException as error:
            self.failures.append(error)
            raise
