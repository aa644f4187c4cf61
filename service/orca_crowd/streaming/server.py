"""uvicorn as this project runs it: the stream's protocol, and clients told before their connections are closed.

On its own uvicorn closes every socket the moment it is told to stop, before the application hears of it; so the drain
comes first here.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable
from typing import Any, Final

import uvicorn

from orca_crowd.settings import Settings
from orca_crowd.streaming.transport import StreamProtocol

__all__ = ["DrainingServer", "QuietServer", "socket_options"]

TICK_SECONDS: Final = 1.0


def socket_options(settings: Settings) -> dict[str, Any]:
    """The WebSocket part of uvicorn.Config."""
    return {
        "ws": StreamProtocol,
        "ws_max_size": settings.message_bytes,
        # a client who answers no ping is gone: found and cleaned up within the sum of the two
        "ws_ping_interval": settings.ping_seconds,
        "ws_ping_timeout": settings.pong_seconds,
        # off unless asked for: compressing every frame for every client costs more than the network it saves
        "ws_per_message_deflate": settings.deflate,
    }


class DrainingServer(uvicorn.Server):
    """Awaits `drain` after it was told to stop and before it closes connections."""

    def __init__(self, config: uvicorn.Config, drain: Callable[[], Awaitable[None]]) -> None:
        """`drain` must end by itself."""
        super().__init__(config)
        self._drain = drain

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Take no new connections, drain, then close what is left."""
        for server in self.servers:
            server.close()
        await self._drain()
        await super().shutdown(sockets)


class QuietServer(DrainingServer):
    """One of many on a machine, most of which have little to do: it wakes up once a second, and not ten times.

    Told to exit by whoever runs it, it does so within that second.
    """

    async def main_loop(self) -> None:
        """Tick, every time as on the first of ten, which is when uvicorn sets the date of its answers."""
        while not await self.on_tick(0):
            await asyncio.sleep(TICK_SECONDS)
