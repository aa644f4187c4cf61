"""The frame of one step for everybody who asked for the same, encoded once.

Small frames are encoded at once; large ones in a thread, and whoever sends one waits until it is ready. A frame that
nobody wants any more before a thread has begun with it is not encoded at all, so that steps which come faster than they
can be encoded cost nothing for subscribers who take the latest.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from orca_core.state import STATUS_NAMES
from orca_crowd.protocol.frames import JSON_SUBPROTOCOL, Column, Entries, assemble, encode_columns, encode_entries
from orca_crowd.streaming.outbox import Wire
from orca_crowd.streaming.subscription import FrameKey
from orca_crowd.worlds.publication import Publication

__all__ = ["SharedFrame", "StreamStatistics", "encode_full", "is_small"]

# what is encoded on the event loop: about a quarter of a millisecond in either subprotocol
SMALL_JSON_NUMBERS = 2_000
SMALL_BINARY_BYTES = 1_000_000


@dataclass
class StreamStatistics:
    """Counts of one server's streams since its start, and what is open now; /metrics shows them."""

    sockets: int = 0
    subscribers: int = 0
    frames_encoded: int = 0
    fulls_encoded: int = 0
    frames_sent: int = 0
    frames_replaced: int = 0
    messages_refused: int = 0
    closed: dict[int, int] = field(default_factory=dict)

    def count_close(self, code: int) -> None:
        """One more socket that the server closed with `code`."""
        self.closed[code] = self.closed.get(code, 0) + 1


class SharedFrame:
    """One step's columns for one FrameKey, and the few different messages that carry them."""

    def __init__(self, publication: Publication, key: FrameKey, statistics: StreamStatistics) -> None:
        """Hold the publication until it is encoded."""
        self.step = publication.step
        self.time = publication.time
        self.ids = publication.ids
        self.key = key
        self._publication: Publication | None = publication
        self._statistics = statistics
        self._columns: Entries | None = None
        self._encoding: asyncio.Future[None] | None = None
        self._wanted = 0
        self._messages: dict[int, tuple[NDArray[np.int64], Wire]] = {}

    @property
    def size(self) -> int:
        """Encoded bytes; 0 until encoded."""
        return len(self._columns.data) if self._columns is not None else 0

    def hold(self) -> None:
        """One more reader wants this frame."""
        self._wanted += 1

    def release(self) -> None:
        """One reader fewer."""
        self._wanted -= 1

    def encode(self, offload: Callable[[Callable[[], None]], Awaitable[None]]) -> None:
        """Encode now if small, else by `offload`. Called once, on the event loop, after all who want it hold it."""
        if self._publication is not None and is_small(self._publication, self.key):
            self._encode()
            return
        self._encoding = asyncio.ensure_future(offload(self._encode))
        # whoever waits sees the exception; a frame that nobody waits for any more must not be a "never retrieved"
        self._encoding.add_done_callback(lambda done: done.cancelled() or done.exception())

    async def message(self, since: int, known: NDArray[np.int64]) -> Wire:
        """The frame for a reader who was last sent the ids `known` at step `since`; waits for the encoding."""
        if self._columns is None:
            if self._encoding is None:
                raise RuntimeError("a frame is encoded before it is sent")
            # one reader who goes away must not cancel what all others wait for
            await asyncio.shield(self._encoding)
        held = self._messages.get(since)
        if held is not None and held[0] is known:
            return held[1]
        message = self._assemble(since, known)
        self._messages[since] = (known, message)
        return message

    def _encode(self) -> None:
        publication = self._publication
        if publication is None or self._wanted <= 0:
            return
        self._columns = encode_columns(_columns_of(publication, self.key), self.key.precision, self.key.subprotocol)
        self._statistics.frames_encoded += 1
        self._publication = None

    def _assemble(self, since: int, known: NDArray[np.int64]) -> Wire:
        head: dict[str, Any] = {"type": "frame", "step": self.step, "time": self.time, "since": since}
        if known is self.ids or np.array_equal(known, self.ids):
            entered = left = np.empty(0, np.int64)
        else:
            head["ids"] = self.ids
            entered = np.setdiff1d(self.ids, known, assume_unique=True)
            left = np.setdiff1d(known, self.ids, assume_unique=True)
        head |= {"entered": entered, "left": left}
        if self._columns is None:
            raise RuntimeError("the frame was given up before it was encoded")
        return assemble([encode_entries(head, self.key.subprotocol), self._columns], self.key.subprotocol)


def is_small(publication: Publication, key: FrameKey) -> bool:
    """Whether encoding these columns takes too little time to be worth a thread."""
    numbers = len(publication.ids) * (1 + sum(2 if publication.columns[name].ndim == 2 else 1 for name in key.fields))
    return numbers <= SMALL_JSON_NUMBERS if key.subprotocol == JSON_SUBPROTOCOL else 8 * numbers <= SMALL_BINARY_BYTES


def encode_full(publication: Publication, key: FrameKey, statistics: StreamStatistics) -> Wire:
    """The `full` of a publication."""
    head = {"type": "full", "step": publication.step, "time": publication.time, "ids": publication.ids}
    columns = encode_columns(_columns_of(publication, key), key.precision, key.subprotocol)
    statistics.fulls_encoded += 1
    return assemble([encode_entries(head, key.subprotocol), columns], key.subprotocol)


def _columns_of(publication: Publication, key: FrameKey) -> dict[str, Column]:
    """The columns that `key` names, as they travel: status by name."""
    return {name: _travelling(name, publication.columns[name]) for name in key.fields}


def _travelling(name: str, column: NDArray[Any]) -> Column:
    if name != "status":
        return column
    names: list[str] = np.array(STATUS_NAMES, dtype=object)[column].tolist()
    return names
