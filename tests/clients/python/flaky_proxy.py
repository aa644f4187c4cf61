"""A TCP proxy that loses answers and cuts connections when a test tells it to."""

from __future__ import annotations

import socket
import threading
from contextlib import suppress
from types import TracebackType
from typing import Self
from urllib.parse import urlsplit


class FlakyProxy:
    """Stands in front of a server; each connection is two threads that copy bytes."""

    def __init__(self, server: str) -> None:
        parts = urlsplit(server)
        assert parts.hostname is not None
        assert parts.port is not None
        self._target = (parts.hostname, parts.port)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._lock = threading.Lock()
        self._open: set[socket.socket] = set()
        self._threads: list[threading.Thread] = []
        self._to_lose = 0
        self.connections = 0
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"

    def __enter__(self) -> Self:
        """Listen."""
        self._start(self._accept)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close everything and wait for the threads."""
        # shutdown, since closing alone does not wake a thread that accepts
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self.cut()
        for thread in self._threads:
            thread.join()

    def lose_answers(self, count: int) -> None:
        """Break the connection in place of the next answers; the server has done what it was asked."""
        with self._lock:
            self._to_lose = count

    def cut(self) -> None:
        """Break every connection."""
        with self._lock:
            for end in self._open:
                with suppress(OSError):
                    end.shutdown(socket.SHUT_RDWR)

    def _start(self, work: object, *arguments: object) -> None:
        thread = threading.Thread(target=work, args=arguments)  # type: ignore[arg-type]
        self._threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        while True:
            try:
                near, _ = self._listener.accept()
            except OSError:
                return
            self.connections += 1
            far = socket.create_connection(self._target)
            with self._lock:
                self._open |= {near, far}
            self._start(self._copy_both, near, far)

    def _copy_both(self, near: socket.socket, far: socket.socket) -> None:
        back = threading.Thread(target=self._copy, args=(far, near, True))
        back.start()
        self._copy(near, far, False)
        back.join()
        with self._lock:
            self._open -= {near, far}
        near.close()
        far.close()

    def _copy(self, source: socket.socket, sink: socket.socket, answers: bool) -> None:
        with suppress(OSError):
            while data := source.recv(65536):
                if answers and self._loses():
                    break
                sink.sendall(data)
        # whichever side ends, both do
        for end in (source, sink):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def _loses(self) -> bool:
        with self._lock:
            lost = self._to_lose > 0
            self._to_lose -= lost
        return lost
