"""The sockets that are open: who is among them, and one task that looks at all of them while there are any."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from typing import Final, Generic, Protocol, TypeVar

from orca_crowd.clock import Clock
from orca_crowd.streaming.admission import Admission

__all__ = ["LOOKS", "OpenSockets"]

# sockets are looked at so often in the time between two heartbeats, so that one comes at most that part early
LOOKS: Final = 8


class Open(Protocol):
    """What a socket is for this."""

    @property
    def admission(self) -> Admission:
        """On whose behalf it is open."""
        ...

    async def run(self) -> None:
        """Serve it to its end."""
        ...

    def end(self, code: int, reason: str) -> None:
        """Let it end."""
        ...


Socket = TypeVar("Socket", bound=Open)


class OpenSockets(Generic[Socket]):
    """Those that are served at the moment. One whose key is worth nothing any more is ended."""

    def __init__(self, clock: Clock, heartbeat_seconds: float, look: Callable[[Socket], None]) -> None:
        """`look` is called for each of the others, LOOKS times between two heartbeats."""
        self._clock = clock
        self._seconds = heartbeat_seconds / LOOKS
        self._look = look
        self._sockets: set[Socket] = set()
        self._looking: asyncio.Task[None] | None = None
        self._closing = False

    def __iter__(self) -> Iterator[Socket]:
        """Those of this moment, whoever comes or goes meanwhile; from any thread."""
        return iter(list(self._sockets))

    async def run(self, socket: Socket) -> None:
        """Serve one to its end."""
        self._sockets.add(socket)
        if self._looking is None:
            self._looking = asyncio.create_task(self._look_at_all(), name="open sockets")
        try:
            if self._closing:
                socket.end(1012, "the server is restarting")
            await socket.run()
        finally:
            self._sockets.discard(socket)
            if not self._sockets and self._looking is not None:
                self._looking.cancel()
                self._looking = None

    def close(self) -> None:
        """Whoever comes from now on is ended at once."""
        self._closing = True

    async def _look_at_all(self) -> None:
        """Until cancelled."""
        never = asyncio.Event()
        while True:
            await self._clock.wait(never, self._clock.now() + self._seconds)
            for socket in self:
                if socket.admission.valid():
                    self._look(socket)
                else:
                    socket.end(1008, "the key is not valid any more")
