"""Messages as bytes and bytes as messages, for both subprotocols. No I/O.

`orca-crowd.v1.json` sends text, with columns as arrays; `orca-crowd.v1.msgpack` sends binary, with number columns as
bins of little-endian float64 (float32 where asked for), id columns as bins of int64, columns of strings as arrays.

A state frame is put together from pieces. The columns, nearly all of it, are encoded once for everybody who asked for
the same fields and precision (`encode_columns`); what differs from reader to reader, `since` and the ids that came and
went, stands in front of them in a few bytes (`assemble`). A map is its entries one behind another in both formats, so
putting pieces together is a copy and not an encoding.
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
]

JSON_SUBPROTOCOL: Final = "orca-crowd.v1.json"
MSGPACK_SUBPROTOCOL: Final = "orca-crowd.v1.msgpack"
SUBPROTOCOLS: Final = (JSON_SUBPROTOCOL, MSGPACK_SUBPROTOCOL)

Precision = Literal["float32", "float64"]
Column = npt.NDArray[Any] | Sequence[str]

# Columns of ids; every other column of numbers travels as floating point in a bin, whole numbers too.
IDENTIFIERS = frozenset({"id", "ids", "entered", "left", "removed", "other", "owned"})

# Rows that one call of the JSON encoder gets. The encoder holds the interpreter's lock for a whole call, and whoever
# waits for it gets it only after the switch interval of 5 ms: in long columns the lock is given away between pieces, so
# that the event loop waits a fraction of a millisecond while another thread encodes 50,000 agents.
ROWS_A_PIECE = 512
LONG_COLUMN = 4 * ROWS_A_PIECE

_json = msgspec.json.Encoder()
_msgpack = msgspec.msgpack.Encoder()


class Entries:
    """Encoded entries of one map in one subprotocol: how many, and their bytes without the map around them."""

    __slots__ = ("count", "data")

    def __init__(self, count: int, data: bytes) -> None:
        """Hold `count` entries in `data`."""
        self.count = count
        self.data = data


def choose_subprotocol(offered: Iterable[str]) -> str | None:
    """The first of the client's subprotocols that is spoken here; None when there is none."""
    return next((name for name in offered if name in SUBPROTOCOLS), None)


def encode_message(message: Mapping[str, Any], subprotocol: str) -> str | bytes:
    """One whole message of Python values, numpy arrays allowed as columns: str for JSON, bytes for MessagePack."""
    return assemble([encode_entries(message, subprotocol)], subprotocol)


def assemble(parts: Sequence[Entries], subprotocol: str) -> str | bytes:
    """One map from the entries of all parts, in order."""
    if subprotocol == JSON_SUBPROTOCOL:
        return (b"{" + b",".join(part.data for part in parts if part.count) + b"}").decode()
    count = sum(part.count for part in parts)
    head = bytes([0x80 | count]) if count < 16 else struct.pack(">BH", 0xDE, count)
    return head + b"".join(part.data for part in parts)


def encode_entries(values: Mapping[str, Any], subprotocol: str) -> Entries:
    """The entries of `values`; arrays inside become columns of the subprotocol in their own precision."""
    if subprotocol == JSON_SUBPROTOCOL:
        data = b",".join(_json.encode(name) + b":" + _encode_json(value) for name, value in values.items())
    else:
        data = b"".join(_msgpack.encode(name) + _msgpack.encode(_binary(name, value)) for name, value in values.items())
    return Entries(len(values), data)


def encode_columns(columns: Mapping[str, Column], precision: str, subprotocol: str) -> Entries:
    """Columns of one frame: float64 arrays (n,) or (n, 2), int64 (n,), or strings.

    With `precision` float32 the numbers are rounded once, to nearest even; in JSON they then read as the exact value of
    the float32. A row without a value (NaN) is null in JSON and NaN in a bin.
    """
    # whole numbers stay whole in JSON, and in a bin have the precision of all others
    narrow = ("f",) if subprotocol == JSON_SUBPROTOCOL else ("f", "i")
    travelling = {
        name: column.astype(np.float32)
        if precision == "float32" and isinstance(column, np.ndarray) and column.dtype.kind in narrow
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


def _binary(name: str, value: Any) -> Any:
    """`value`, which has that name, with the arrays inside as bins and numpy scalars as Python values."""
    if isinstance(value, np.ndarray):
        dtype = value.dtype if value.dtype.kind == "f" or name in IDENTIFIERS else np.dtype(np.float64)
        # little-endian whatever the machine; x0 y0 x1 y1 … for vectors
        return value.astype(dtype.newbyteorder("<"), copy=False).tobytes()
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, Mapping):
        return {inside: _binary(inside, inner) for inside, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_binary(name, inner) for inner in value]
    return value
