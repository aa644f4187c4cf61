"""JSON of megabytes as Python values without keeping the interpreter's lock for all of it.

A parser in C holds the lock until it is through, and the event loop, though in another thread, stands so long. Here
such a text is cut where its outer lists and maps are, which finds out no more than where each item ends and takes a
fifteenth of the time, and the items are parsed a piece at a time, with the lock given away in between. An iterative
parser was the other choice; it goes through a line of Python for every number.
"""

from __future__ import annotations

import time
from typing import Any, Final

import msgspec
from pydantic_core import from_json

__all__ = ["read_json"]

# text up to this many bytes is parsed in one go, which takes about 2 ms
PIECE: Final = 65_536

_members = msgspec.json.Decoder(dict[str, msgspec.Raw])
_items = msgspec.json.Decoder(list[msgspec.Raw])


def read_json(data: bytes | str) -> Any:
    """The value of a JSON text; NaN and infinities come through, to be refused by field. Raises ValueError."""
    if len(data) > PIECE:
        try:
            return _read(data.encode() if isinstance(data, str) else data)
        except (ValueError, RecursionError):
            # whether and where it is wrong is for the one parser to say, which also knows NaN
            pass
    return from_json(data, allow_inf_nan=True)


def _read(text: bytes | msgspec.Raw) -> Any:
    """A value whose text may be long."""
    view = memoryview(text)
    if view.nbytes <= PIECE:
        return from_json(bytes(view), allow_inf_nan=True)
    start = next((byte for byte in view[:PIECE] if byte not in b" \t\r\n"), None)
    if start == ord("{"):
        return {name: _read(value) for name, value in _members.decode(text).items()}
    if start == ord("["):
        return _read_list(_items.decode(text))
    return from_json(bytes(view), allow_inf_nan=True)


def _read_list(items: list[msgspec.Raw]) -> list[Any]:
    """A list of which each item is known as text."""
    values: list[Any] = []
    piece: list[msgspec.Raw] = []
    size = 0

    def flush() -> None:
        nonlocal size
        values.extend(from_json(b"[" + b",".join(piece) + b"]", allow_inf_nan=True))
        piece.clear()
        size = 0
        # the shortest sleep there is; with 0 the lock would be taken back before anybody is awake
        time.sleep(1e-9)

    for item in items:
        length = memoryview(item).nbytes
        if size and size + length > PIECE:
            flush()
        if length > PIECE:
            values.append(_read(item))
            continue
        piece.append(item)
        size += length + 1
    flush()
    return values
