"""Sending through ASGI alone, where another server runs the application: one message at a time.

It has no word for closing on a client who does not read, nor for learning when a message has arrived.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from fastapi.websockets import WebSocket

from orca_crowd.streaming.outbox import Wire
from orca_crowd.streaming.packed import Packed

__all__ = ["AsgiConnection"]


class AsgiConnection:
    """Takes a message when the one before has been taken."""

    def __init__(self, websocket: WebSocket, on_room: Callable[[], None]) -> None:
        """`on_room` is called when the next one can be taken."""
        self._websocket = websocket
        self._on_room = on_room
        self._sending: asyncio.Task[None] | None = None

    def takes(self) -> bool:
        """Whether nothing is being sent."""
        return self._sending is None

    def write(self, message: Wire | Packed) -> None:
        """Begin to send."""
        wire = message.wire if isinstance(message, Packed) else message
        part = "text" if isinstance(wire, str) else "bytes"
        self._sending = asyncio.ensure_future(self._websocket.send({"type": "websocket.send", part: wire}))
        self._sending.add_done_callback(self._sent)

    def ping(self, step: int) -> bool:
        """Nothing can be asked."""
        return False

    async def close(self, code: int, reason: str) -> None:
        """Give up what is being sent, and close."""
        if self._sending is not None:
            self._sending.cancel()
            await asyncio.wait([self._sending])
        await self._websocket.close(code, reason)

    def _sent(self, sending: asyncio.Task[None]) -> None:
        # a client who has gone is told of by the reader
        if not sending.cancelled() and sending.exception() is None:
            self._sending = None
            self._on_room()
