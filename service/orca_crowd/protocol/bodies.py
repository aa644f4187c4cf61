"""Bytes of a body as Python values and back, JSON and MessagePack, with the refusals that belong to it. No I/O."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal

import msgspec
import numpy as np

from orca_crowd.errors import ApiError
from orca_crowd.protocol.frames import JSON_SUBPROTOCOL, MSGPACK_SUBPROTOCOL, encode_entries, encode_message
from orca_crowd.protocol.pieces import read_json

__all__ = [
    "JSON",
    "MEDIA_TYPES",
    "MSGPACK",
    "Encoding",
    "accepted",
    "decode",
    "encode",
    "encoding_of",
    "media_type",
    "size_of",
    "weight_of",
]

Encoding = Literal["json", "msgpack"]
JSON: Final = "application/json"
MSGPACK: Final = "application/msgpack"
MEDIA_TYPES: Final[dict[Encoding, str]] = {"json": JSON, "msgpack": MSGPACK}

# names under which the two are known as well
_ENCODINGS: Final[dict[str, Encoding]] = {
    JSON: "json",
    MSGPACK: "msgpack",
    "application/x-msgpack": "msgpack",
    "application/vnd.msgpack": "msgpack",
}


def media_type(header: str | None) -> tuple[str, dict[str, str]]:
    """Type and parameters of a content-type header, in lower case; the type is empty where there is none."""
    kind, *rest = (header or "").split(";")
    parameters = {}
    for part in rest:
        name, _, value = part.partition("=")
        parameters[name.strip().lower()] = value.strip().strip('"').lower()
    return kind.strip().lower(), parameters


def encoding_of(header: str | None) -> Encoding:
    """The encoding that a content-type header names; 415 for any other and for none.

    A body without a type is not taken for JSON: a page of another origin may send one without asking first.
    """
    kind, parameters = media_type(header)
    if kind not in _ENCODINGS:
        raise ApiError(
            "unsupported-type",
            f"content-type must be {JSON} or {MSGPACK}, {'not ' + repr(kind) if kind else 'and is missing'}",
        )
    if parameters.get("charset", "utf-8") not in ("utf-8", "utf8"):
        raise ApiError("unsupported-type", f"JSON is read as UTF-8 only, not as {parameters['charset']!r}")
    return _ENCODINGS[kind]


def accepted(header: str | None, body: Encoding | None) -> Encoding:
    """The encoding of the answer: what `Accept` ranks first, else the body's own, else JSON."""
    ranked: list[tuple[float, int, Encoding | None]] = []
    for place, entry in enumerate((header or "*/*").split(",")):
        kind, parameters = media_type(entry)
        try:
            quality = float(parameters.get("q", "1"))
        except ValueError:
            quality = 0.0
        if quality > 0 and (kind in _ENCODINGS or kind in ("*/*", "application/*")):
            ranked.append((-quality, place, _ENCODINGS.get(kind)))
    chosen = min(ranked, key=lambda entry: entry[:2])[2] if ranked else None
    return chosen or body or "json"


def decode(data: bytes, encoding: Encoding) -> Any:
    """The value in the bytes; 400 where they are not of the encoding.

    NaN and infinities come through, to be refused by field.
    """
    if not data:
        raise ApiError("malformed", f"the body is empty; {MEDIA_TYPES[encoding]} is expected")
    try:
        return read_json(data) if encoding == "json" else msgspec.msgpack.decode(data)
    except RecursionError:
        raise ApiError("malformed", "the body is nested too deeply") from None
    except ValueError as error:  # msgspec's errors, from_json's and UnicodeDecodeError are all of this kind
        raise ApiError("malformed", f"the body is not {MEDIA_TYPES[encoding]}: {error}") from None


def encode(value: Mapping[str, Any], encoding: Encoding) -> bytes:
    """The bytes of an answer; numpy arrays inside are columns."""
    if encoding == "json":
        # as the stream does, but as bytes from the beginning: megabytes need not become a string and bytes again
        return b"{" + encode_entries(value, JSON_SUBPROTOCOL).data + b"}"
    data = encode_message(value, MSGPACK_SUBPROTOCOL)
    return data if isinstance(data, bytes) else data.encode()


def weight_of(value: Any) -> int:
    """About how many bytes of JSON a decoded body would be worth checking: what its size says where all is in lists.

    A bin is checked by a few operations on the whole of it, a list value by value, a hundred times slower. Of a list
    only the first item is looked at, since looking at all of them would be the work that this decides about.
    """
    if isinstance(value, Mapping):
        return 16 + sum(weight_of(inner) for inner in value.values())
    if isinstance(value, list):
        return 16 + len(value) * (weight_of(value[0]) if value else 0)
    return 16 + len(value) // 64 if isinstance(value, (bytes, str)) else 16


def size_of(value: Any) -> int:
    """About how many bytes a value of an answer takes, encoded or kept."""
    if isinstance(value, np.ndarray):
        return int(value.nbytes) + 128
    if isinstance(value, Mapping):
        return 64 + sum(64 + size_of(inner) for inner in value.values())
    if isinstance(value, (list, tuple)):
        return 64 + sum(size_of(inner) for inner in value)
    return 64
