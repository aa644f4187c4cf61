"""A link: one connection between a world and a helper of its, over which arrays go as they stand in memory.

Ray places helpers, starts them again and says where they are; the data of a step does not go through it. There and back
with 50,000 agents takes 0.4 ms on a direct socket, 1 to 3 through a compiled graph and 5 to 15 as arguments and results
of actor calls, and a socket tells at once when the other side is no more.

Both ends know a key that was handed over in the creation of the helper. Headers are pickled, which is safe between two
processes of one cluster that have proved to know it, and nobody else gets that far.
"""

from __future__ import annotations

import os
import pickle
import socket
import struct
from contextlib import suppress
from multiprocessing import AuthenticationError
from multiprocessing.connection import Connection, answer_challenge, deliver_challenge
from typing import Any

from numpy.typing import NDArray

from orca_crowd.engine.workmate import Hung, Lost

__all__ = ["Link", "accept", "connect", "listen"]

LENGTH = struct.Struct("!I")
# a header holds names and numbers, and the walls of a world
LARGEST_HEADER = 1 << 30
# how long the proof of the key may take; seconds
GREETING_SECONDS = 10


class Link:
    """One end of a connection. Every method raises Lost where the other end is gone, and Hung where it is silent."""

    def __init__(self, connection: socket.socket, deadline: float | None) -> None:
        """`deadline`: seconds that the other end may be silent in the middle of anything; None for ever."""
        self._socket = connection
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        # a machine that is no more says nothing: one that waits for ever has to ask now and then
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        connection.settimeout(deadline)

    def send(self, header: tuple[Any, ...], *arrays: NDArray[Any]) -> None:
        """Send a header, and after it arrays without gaps, as they are."""
        data = pickle.dumps(header, pickle.HIGHEST_PROTOCOL)
        try:
            self._socket.sendall(LENGTH.pack(len(data)) + data)
            for array in arrays:
                if array.nbytes:
                    self._socket.sendall(memoryview(array.data).cast("B"))
        except TimeoutError as error:
            raise Hung("a helper took nothing in time") from error
        except OSError as error:
            raise Lost(f"a helper took nothing: {error}") from error

    def receive(self) -> tuple[Any, ...]:
        """The next header; who sent it also says which arrays follow, for `fill`."""
        length = bytearray(LENGTH.size)
        self._read(memoryview(length))
        (size,) = LENGTH.unpack(length)
        if size > LARGEST_HEADER:
            raise Lost(f"a header of {size} bytes is none")
        data = bytearray(size)
        self._read(memoryview(data))
        header: tuple[Any, ...] = pickle.loads(data)
        return header

    def fill(self, *arrays: NDArray[Any]) -> None:
        """Read the arrays that follow a header straight to where they belong."""
        for array in arrays:
            if array.nbytes:
                self._read(memoryview(array.data).cast("B"))

    def _read(self, room: memoryview) -> None:
        at = 0
        try:
            while at < len(room):
                count = self._socket.recv_into(room[at:])
                if not count:
                    raise Lost("the other end is gone")
                at += count
        except TimeoutError as error:
            raise Hung("a helper did not answer in time") from error
        except OSError as error:
            raise Lost(f"the connection has failed: {error}") from error

    def close(self) -> None:
        """Whoever waits at either end learns that there is nobody any more."""
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()


def listen(host: str) -> socket.socket:
    """A listening socket on a free port of this address."""
    return socket.create_server((host, 0), backlog=8)


def accept(listening: socket.socket, key: bytes) -> Link | None:
    """Wait for the next who connects; None where he does not know the key. Raises OSError where nobody listens more."""
    connection, _ = listening.accept()
    if not _greeted(connection, key, first=True):
        connection.close()
        return None
    return Link(connection, None)


def connect(host: str, port: int, key: bytes, deadline: float) -> Link:
    """Connect to who listens there; raises Lost where nobody does or he does not know the key."""
    try:
        connection = socket.create_connection((host, port), GREETING_SECONDS)
    except OSError as error:
        raise Lost(f"nobody listens at {host}:{port}: {error}") from error
    if not _greeted(connection, key, first=False):
        connection.close()
        raise Lost(f"who listens at {host}:{port} does not know the key")
    return Link(connection, deadline)


def _greeted(connection: socket.socket, key: bytes, *, first: bool) -> bool:
    """Have both ends prove that they know the key, without sending it."""
    connection.settimeout(None)
    # multiprocessing's own proof reads the descriptor itself, so the system has to keep the time
    patience = struct.pack("ll", GREETING_SECONDS, 0)
    for option in (socket.SO_RCVTIMEO, socket.SO_SNDTIMEO):
        connection.setsockopt(socket.SOL_SOCKET, option, patience)
    with Connection(os.dup(connection.fileno())) as end:
        try:
            for prove in (deliver_challenge, answer_challenge) if first else (answer_challenge, deliver_challenge):
                prove(end, key)
        except (AuthenticationError, OSError, EOFError, AssertionError):
            return False
    for option in (socket.SO_RCVTIMEO, socket.SO_SNDTIMEO):
        connection.setsockopt(socket.SOL_SOCKET, option, struct.pack("ll", 0, 0))
    return True
