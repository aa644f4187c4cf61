"""The replies that one socket still has to be sent: in order, never dropped, bounded.

Acknowledgements, steps' answers, events and errors go through here; state frames do not (see subscription.py), since
those may be replaced and these may not. When the client does not read, the bound is reached and the socket is closed
with 4001: a client that asked something always either gets its answer or sees the connection end.

A burst is not a stalled reader: the bound on messages is far above what one step answers. The bound on bytes never
refuses the only message, so that one large answer always fits.
"""

from __future__ import annotations

from collections import deque

__all__ = ["Outbox", "OutboxOverflow", "Wire"]

# what goes on the wire: text for JSON, bytes for MessagePack
Wire = str | bytes


class OutboxOverflow(Exception):
    """The client has not read what waits for it; the message says which bound was reached."""


class Outbox:
    """First in, first out; `put` raises OutboxOverflow instead of dropping or growing."""

    def __init__(self, *, message_limit: int, byte_limit: int) -> None:
        """Bound the queue by `message_limit` messages and `byte_limit` bytes, whichever is reached first."""
        self._message_limit = message_limit
        self._byte_limit = byte_limit
        # an empty deque takes 700 bytes, so there is one only while something waits
        self._waiting: deque[Wire] | None = None
        self._bytes = 0

    def __len__(self) -> int:
        """How many messages wait."""
        return 0 if self._waiting is None else len(self._waiting)

    @property
    def size(self) -> int:
        """How many bytes (characters, for text) wait."""
        return self._bytes

    def put(self, message: Wire) -> None:
        """Append one encoded message; OutboxOverflow when it does not fit, and then nothing was appended."""
        if len(self) >= self._message_limit:
            raise OutboxOverflow(f"{self._message_limit} replies and events wait unread, which is the limit")
        if self._waiting and self._bytes + len(message) > self._byte_limit:
            raise OutboxOverflow(f"more than {self._byte_limit} bytes of replies and events wait unread, the limit")
        if self._waiting is None:
            self._waiting = deque()
        self._waiting.append(message)
        self._bytes += len(message)

    def take(self) -> Wire | None:
        """Remove and return the oldest message; None when nothing waits."""
        if self._waiting is None:
            return None
        message = self._waiting.popleft()
        self._bytes -= len(message)
        if not self._waiting:
            self._waiting = None
        return message

    def clear(self) -> None:
        """Forget everything, once the socket is beyond help."""
        self._waiting = None
        self._bytes = 0
