"""What a relay remembers of one client, so that another process of its world can go on with it. No I/O.

- what it watches: the newest subscription, told again as `subscribe`, which brings a `full`;
- which controller it is, told again as `register`, whose answer is for nobody;
- orders that were not answered: those with a key are sent again as they were, since the same key and body have their
  effect once; of those without one it cannot be known whether they had it, and the client is told so;
- acknowledgements of frames of the old process say nothing to the new one, and are left out.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import Any, Final

import msgspec

from orca_crowd.protocol.frames import JSON_SUBPROTOCOL, encode_message

__all__ = ["RELAY_KEY", "Heard", "Remembered", "kind_of"]

ORDERS: Final = frozenset({"command", "step", "register", "unregister", "own", "disown", "ready"})
ANSWERS: Final = frozenset({b"ack", b"stepped", b"error"})
# what a relay asks in its own name
RELAY_KEY: Final = "orca-crowd.relay"
# bytes of unanswered orders that are kept for a client; beyond, it is not read until some are answered
KEPT_BYTES: Final = 64 * 2**20


class Heard(msgspec.Struct):
    """What of a message matters here; the rest is skipped."""

    type: str = ""
    key: str | None = None
    step: int = 0


_json = msgspec.json.Decoder(Heard)
_msgpack = msgspec.msgpack.Decoder(Heard)


def kind_of(data: bytes) -> bytes:
    """The `type` of a message of the server, which is its first member; nothing is decoded."""
    if data.startswith(b'{"type":"'):
        return data[9 : data.index(b'"', 9)]
    # a short map has its count in the first byte, a longer one in two more
    start = 1 if data[:1] < b"\x90" else 3
    if data[start : start + 5] != b"\xa4type":
        return b""
    return data[start + 6 : start + 6 + (data[start + 5] & 0x1F)]


class Remembered:
    """Of one client."""

    def __init__(self, subprotocol: str) -> None:
        """Nothing was said yet."""
        self._subprotocol = subprotocol
        self._decoder = _json if subprotocol == JSON_SUBPROTOCOL else _msgpack
        self._watched: dict[str, Any] | None = None
        self._registered: dict[str, Any] | None = None
        self._unanswered: deque[tuple[str | None, bytes | str]] = deque()
        self._bytes = 0
        # acknowledgements of frames before this step are of another process; None: of any step
        self._floor: int | None = 0

    @property
    def full(self) -> bool:
        """Whether no more orders are to be taken before some are answered."""
        return self._bytes > KEPT_BYTES

    def hear(self, data: bytes | str) -> Heard:
        """What a message of the client or of the server is; one that cannot be read has no type."""
        try:
            return self._decoder.decode(data.encode() if isinstance(data, str) else data)
        except (msgspec.DecodeError, UnicodeDecodeError):
            return Heard()

    # from the client

    def passes(self, heard: Heard, data: bytes | str) -> bool:
        """Remember a message of the client; whether it is to be passed on."""
        if heard.type in ORDERS:
            self._unanswered.append((heard.key, data))
            self._bytes += len(data)
            if heard.type == "register":
                self._registered = self._whole(data)
            elif heard.type == "unregister":
                self._registered = None
        elif heard.type == "subscribe":
            self._watched = self._whole(data)
        elif heard.type == "resume":
            wanted = {name: value for name, value in self._whole(data).items() if name != "after_step"}
            self._watched = {**(self._watched or {}), **wanted, "type": "subscribe"}
        elif heard.type == "unsubscribe":
            self._watched = None
        elif heard.type == "got":
            return self.seen(heard.step)
        return True

    def seen(self, step: int) -> bool:
        """Whether the process of now has sent a frame of this step."""
        return self._floor is not None and step >= self._floor

    # from the server

    def answered(self, data: bytes, kind: bytes) -> bool:
        """Forget what a message of the server answers; whether it is for the client."""
        if kind == b"full":
            if self._floor is None:
                self._floor = self.hear(data).step
            return True
        if kind not in ANSWERS:
            return True
        key = self.hear(data).key
        if key == RELAY_KEY:
            return False
        for place, (known, sent) in enumerate(self._unanswered):
            if known == key:
                del self._unanswered[place]
                self._bytes -= len(sent)
                break
        return True

    # between two processes

    def again(self) -> Iterator[bytes | str]:
        """What the next process has to be told."""
        self._floor = None
        if self._registered is not None:
            yield encode_message({**self._registered, "key": RELAY_KEY}, self._subprotocol)
        if self._watched is not None:
            yield encode_message(self._watched, self._subprotocol)
        else:
            self._floor = 0
        yield from [data for _, data in self._unanswered]

    def give_up_the_uncertain(self) -> int:
        """Forget orders without a key; how many there were."""
        kept = [(key, data) for key, data in self._unanswered if key is not None]
        given_up = len(self._unanswered) - len(kept)
        self._unanswered = deque(kept)
        self._bytes = sum(len(data) for _, data in kept)
        return given_up

    def _whole(self, data: bytes | str) -> dict[str, Any]:
        found = msgspec.json.decode(data) if self._subprotocol == JSON_SUBPROTOCOL else msgspec.msgpack.decode(data)  # type: ignore[arg-type]
        return dict(found)
