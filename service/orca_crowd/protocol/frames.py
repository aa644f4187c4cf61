"""Messages as bytes and bytes as messages, for both subprotocols. No I/O.

`orca-crowd.v1.json` sends text, with columns as arrays; `orca-crowd.v1.msgpack` sends binary, with number columns as
bins of little-endian float64 (float32 where asked for), id columns as bins of int64, columns of strings as arrays.

A message is put together from pieces: entries of its map, one behind another in both formats, each with the bytes of
its columns as they lie in memory. `message_chunks` gives them in order, so that a large frame is copied once, when
whoever sends it joins them.
"""

from __future__ import annotations

import struct
import time
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, Literal

import msgspec
import numpy as np
import numpy.typing as npt

__all__ = [
    "JSON_SUBPROTOCOL",
    "MSGPACK_SUBPROTOCOL",
    "SUBPROTOCOLS",
    "Entries",
    "Precision",
    "assemble",
    "choose_subprotocol",
    "encode_columns",
    "encode_entries",
    "encode_message",
    "message_chunks",
]

JSON_SUBPROTOCOL: Final = "orca-crowd.v1.json"
MSGPACK_SUBPROTOCOL: Final = "orca-crowd.v1.msgpack"
SUBPROTOCOLS: Final = (JSON_SUBPROTOCOL, MSGPACK_SUBPROTOCOL)

Precision = Literal["float32", "float64"]
Column = npt.NDArray[Any] | Sequence[str] | Sequence[bool]
# what joining takes
Chunk = bytes | memoryview

# Columns of ids; every other column of numbers travels as floating point in a bin, whole numbers too, unless they are
# as narrow as int16 or int8.
IDENTIFIERS = frozenset({"id", "ids", "entered", "left", "removed", "other", "owned", "based"})
NARROW = (np.dtype(np.int16), np.dtype(np.int8))

# Rows that one call of the JSON encoder gets. The encoder holds the interpreter's lock for a whole call, and whoever
# waits for it gets it only after the switch interval of 5 ms: in long columns the lock is given away between pieces, so
# that the event loop waits a fraction of a millisecond while another thread encodes 50,000 agents.
ROWS_A_PIECE = 512
LONG_COLUMN = 4 * ROWS_A_PIECE

_json = msgspec.json.Encoder()
_msgpack = msgspec.msgpack.Encoder()


class Entries:
    """Encoded entries of one map in one subprotocol: how many, and their bytes without the map around them."""

    __slots__ = ("chunks", "count")

    def __init__(self, count: int, chunks: list[Chunk]) -> None:
        """Hold `count` entries in `chunks`, which joined are their bytes."""
        self.count = count
        self.chunks = chunks

    @property
    def data(self) -> bytes:
        """All of it in one piece, copied."""
        return b"".join(self.chunks)


def choose_subprotocol(offered: Iterable[str]) -> str | None:
    """The first of the client's subprotocols that is spoken here; None when there is none."""
    return next((name for name in offered if name in SUBPROTOCOLS), None)


def encode_message(message: Mapping[str, Any], subprotocol: str) -> str | bytes:
    """One whole message of Python values, numpy arrays allowed as columns: str for JSON, bytes for MessagePack."""
    return assemble([encode_entries(message, subprotocol)], subprotocol)


def assemble(parts: Sequence[Entries], subprotocol: str) -> str | bytes:
    """One map from the entries of all parts, in order: str for JSON, bytes for MessagePack."""
    data = b"".join(message_chunks(parts, subprotocol))
    return data.decode() if subprotocol == JSON_SUBPROTOCOL else data


def message_chunks(parts: Sequence[Entries], subprotocol: str) -> list[Chunk]:
    """What is to be joined for one map from the entries of all parts, in order."""
    count = sum(part.count for part in parts)
    if subprotocol == JSON_SUBPROTOCOL:
        chunks: list[Chunk] = [b"{"]
        for part in parts:
            if part.count:
                chunks += [b","] * (len(chunks) > 1)
                chunks += part.chunks
        chunks.append(b"}")
        return chunks
    head: list[Chunk] = [bytes([0x80 | count]) if count < 16 else struct.pack(">BH", 0xDE, count)]
    for part in parts:
        head += part.chunks
    return head


def encode_entries(values: Mapping[str, Any], subprotocol: str) -> Entries:
    """The entries of `values`; arrays inside become columns of the subprotocol in their own precision."""
    chunks: list[Chunk] = []
    if subprotocol == JSON_SUBPROTOCOL:
        for name, value in values.items():
            chunks += [b","] * bool(chunks)
            chunks += [_json.encode(name), b":", _encode_json(value)]
    else:
        for name, value in values.items():
            chunks.append(_msgpack.encode(name))
            chunks += _bin(name, value) if isinstance(value, np.ndarray) else [_msgpack.encode(_binary(name, value))]
    return Entries(len(values), chunks)


def encode_columns(columns: Mapping[str, Column], precision: str, subprotocol: str) -> Entries:
    """Columns of one frame: float64 arrays (n,) or (n, 2), int64 (n,), or strings.

    With `precision` float32 the numbers are rounded once, to nearest even; in JSON they then read as the exact value of
    the float32. A row without a value (NaN) is null in JSON and NaN in a bin.
    """
    # whole numbers stay whole in JSON, and in a bin have the precision of all others
    narrowed = ("f",) if subprotocol == JSON_SUBPROTOCOL else ("f", "i")
    travelling = {
        name: column.astype(np.float32)
        if precision == "float32" and isinstance(column, np.ndarray) and column.dtype.kind in narrowed
        else column
        for name, column in columns.items()
    }
    return encode_entries(travelling, subprotocol)


def _encode_json(value: Any) -> bytes:
    if not isinstance(value, np.ndarray):
        return _json.encode(_plain(value))
    pieces = []
    for start in range(0, len(value), ROWS_A_PIECE):
        piece = _json.encode(_rows(value[start : start + ROWS_A_PIECE]))
        pieces.append(piece[1:-1])
        if len(value) > LONG_COLUMN:
            # the shortest sleep there is; with 0 the lock would be taken back before anybody is awake
            time.sleep(1e-9)
    return b"[" + b",".join(pieces) + b"]"


def _rows(array: npt.NDArray[Any]) -> list[Any]:
    """Python values of an array; a row of NaN, in a vector both numbers, is None."""
    rows: list[Any] = array.tolist()
    if array.dtype.kind == "f":
        missing = np.isnan(array) if array.ndim == 1 else np.isnan(array).all(axis=1)
        for index in np.flatnonzero(missing).tolist():
            rows[index] = None
    return rows


def _plain(value: Any) -> Any:
    """`value` with the arrays and numpy scalars inside as Python values."""
    if isinstance(value, np.ndarray):
        return _rows(value)
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, Mapping):
        return {name: _plain(inner) for name, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(inner) for inner in value]
    return value


def _bin(name: str, array: npt.NDArray[Any]) -> list[Chunk]:
    """A column as head and bytes of a bin, without a copy where it lies in memory as it travels."""
    column = _packed(name, array)
    size = column.nbytes
    # bin 8, bin 16, bin 32, by the size
    head = (
        struct.pack(">BB", 0xC4, size)
        if size < 0x100
        else struct.pack(">BH", 0xC5, size)
        if size < 0x10000
        else struct.pack(">BI", 0xC6, size)
    )
    # a view of no rows cannot be cast
    return [head, column.data.cast("B")] if size else [head]


def _packed(name: str, array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The array as it lies in a bin: little-endian whatever the machine; x0 y0 x1 y1 … for vectors."""
    kept = array.dtype.kind == "f" or name in IDENTIFIERS or array.dtype in NARROW
    dtype = array.dtype if kept else np.dtype(np.float64)
    return np.ascontiguousarray(array.astype(dtype.newbyteorder("<"), copy=False))


def _binary(name: str, value: Any) -> Any:
    """`value`, which has that name, with the arrays inside as bins and numpy scalars as Python values."""
    if isinstance(value, np.ndarray):
        return _packed(name, value).tobytes()
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, Mapping):
        return {inside: _binary(inside, inner) for inside, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_binary(name, inner) for inner in value]
    return value
