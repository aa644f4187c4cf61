"""The two encodings of the wire behind one interface: MessagePack (the default) and JSON.

Both carry every binary64 to the bit. MessagePack sends columns as blocks and is several times smaller and faster;
JSON is for reading along. In both, what comes back from `encode` is what one HTTP body or one WebSocket message holds.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Literal, Protocol, TypeAlias

import msgpack  # type: ignore[import-untyped]

from orca_crowd_client.columns import column_length, pack_identifiers, pack_numbers, plain, spread
from orca_crowd_client.errors import CannotEncode, ProtocolError

__all__ = ["JSON", "MESSAGE_PACK", "Encoding", "EncodingName", "encode_columns", "encoding_named"]

EncodingName: TypeAlias = Literal["msgpack", "json"]


class Encoding(Protocol):
    """What a body is made of; `media_type` for HTTP, `subprotocol` for WebSocket."""

    media_type: str
    subprotocol: str

    def encode(self, body: Any) -> bytes:
        """Encode a body made of Python values; raises `CannotEncode`."""

    def decode(self, data: bytes | str) -> Any:
        """Decode a body; raises `ProtocolError`."""

    def message(self, body: Any) -> bytes | str:
        """Encode one WebSocket message: bytes for a binary one, str for a text one."""

    def number_column(self, name: str, values: Any) -> Any:
        """Make a number column travel."""

    def identifier_column(self, values: Any) -> Any:
        """Make an id column travel."""


class MessagePackEncoding:
    """Columns are bins; see `orca_crowd_client.columns` for what happens to a column that is not plainly numbers."""

    media_type = "application/msgpack"
    subprotocol = "orca-crowd.v1.msgpack"

    def encode(self, body: Any) -> bytes:
        """Encode to MessagePack; an integer beyond 64 bits or an unknown type cannot travel."""
        try:
            packed: bytes = msgpack.packb(body, use_bin_type=True)
        except (TypeError, ValueError, OverflowError) as error:
            raise CannotEncode(f"MessagePack does not carry this body: {error}") from error
        return packed

    def decode(self, data: bytes | str) -> Any:
        """Decode MessagePack; anything else, such as a proxy's page, is a `ProtocolError`."""
        if isinstance(data, str):
            raise ProtocolError("a text message came on a MessagePack stream, which has binary ones only")
        try:
            return msgpack.unpackb(data, raw=False, strict_map_key=False)
        except (ValueError, msgpack.UnpackException) as error:
            raise ProtocolError(f"what came is not MessagePack ({error}): {data[:80]!r}") from error

    def message(self, body: Any) -> bytes | str:
        """Encode one binary message."""
        return self.encode(body)

    def number_column(self, name: str, values: Any) -> Any:
        """Pack to a bin of float64 where it is plainly numbers."""
        packed = pack_numbers(name, values)
        return plain(values) if packed is None else packed

    def identifier_column(self, values: Any) -> Any:
        """Pack to a bin of int64 where it is plainly integers."""
        packed = pack_identifiers(values)
        return plain(values) if packed is None else packed


class JsonEncoding:
    """Columns are arrays; NaN and infinities are sent as Python writes them, for the server to refuse by item."""

    media_type = "application/json"
    subprotocol = "orca-crowd.v1.json"

    def encode(self, body: Any) -> bytes:
        """Encode to JSON, numbers with the fewest digits that read back to the same bits."""
        try:
            return json.dumps(body, separators=(",", ":"), ensure_ascii=False).encode()
        except (TypeError, ValueError, RecursionError) as error:
            raise CannotEncode(f"JSON does not carry this body: {error}") from error

    def decode(self, data: bytes | str) -> Any:
        """Decode JSON; anything else, such as a proxy's page, is a `ProtocolError`."""
        try:
            return json.loads(data)
        except (ValueError, RecursionError) as error:
            raise ProtocolError(f"what came is not JSON ({error}): {data[:80]!r}") from error

    def message(self, body: Any) -> bytes | str:
        """Encode one text message."""
        return self.encode(body).decode()

    def number_column(self, name: str, values: Any) -> Any:
        """Lay the column out as an array."""
        return plain(values)

    def identifier_column(self, values: Any) -> Any:
        """Lay the column out as an array."""
        return plain(values)


MESSAGE_PACK: Encoding = MessagePackEncoding()
JSON: Encoding = JsonEncoding()


def encoding_named(name: EncodingName) -> Encoding:
    """Find the encoding that a caller named; raises `ValueError` for another name."""
    encodings: dict[str, Encoding] = {"msgpack": MESSAGE_PACK, "json": JSON}
    if name not in encodings:
        raise ValueError(f"encoding must be 'msgpack' or 'json', not {name!r}")
    return encodings[name]


def encode_columns(encoding: Encoding, columns: Mapping[str, Any], count: int | None = None) -> dict[str, Any]:
    """Make named columns travel; single values are spread over all `count` rows (None: as many as the columns have)."""
    rows = column_length(columns) if count is None else count
    made = {}
    for name, value in columns.items():
        column = spread(name, value, rows)
        made[name] = encoding.identifier_column(column) if name == "id" else encoding.number_column(name, column)
    return made
