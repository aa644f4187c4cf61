"""A message as the bytes of its WebSocket frame, put together once and written to every connection as they are.

Frames of a server are not masked, so without compression all its clients are sent the same bytes.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence

from orca_crowd.protocol.frames import JSON_SUBPROTOCOL, Entries, message_chunks

__all__ = ["Packed", "frame_head"]

FINAL_TEXT = 0x81
FINAL_BINARY = 0x82


def frame_head(size: int, *, text: bool) -> bytes:
    """Head of an unfragmented, unmasked WebSocket frame (RFC 6455, 5.2) with `size` bytes of payload."""
    first = FINAL_TEXT if text else FINAL_BINARY
    if size < 126:
        return bytes([first, size])
    return struct.pack("!BBH", first, 126, size) if size < 0x10000 else struct.pack("!BBQ", first, 127, size)


class Packed:
    """One whole message that many are sent."""

    __slots__ = ("_head", "framed", "text")

    def __init__(self, parts: Sequence[Entries], subprotocol: str) -> None:
        """Join the entries of all parts to one map in one frame."""
        self.text = subprotocol == JSON_SUBPROTOCOL
        chunks = message_chunks(parts, subprotocol)
        head = frame_head(sum(map(len, chunks)), text=self.text)
        self._head = len(head)
        self.framed = b"".join([head, *chunks])

    @property
    def size(self) -> int:
        """Bytes of the message."""
        return len(self.framed) - self._head

    @property
    def wire(self) -> str | bytes:
        """The message alone: text for JSON, bytes for MessagePack."""
        data = self.framed[self._head :]
        return data.decode() if self.text else data
