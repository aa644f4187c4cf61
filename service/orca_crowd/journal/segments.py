"""What one object of a journal in a store holds: some operations on the tables of schema.py, in their order.

An object is `ORCASEG1`, the CRC-32 of the rest (little-endian), and MessagePack: its number, the life of the world that
wrote it, and the operations, each a name and its values.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import Any, Final

import msgspec

__all__ = ["Operation", "Segment", "joined", "parted", "seal", "unseal"]

MAGIC: Final = b"ORCASEG1"
HEAD: Final = len(MAGIC) + 4
LENGTH: Final = 8

# a name and its values
Operation = tuple[str, list[Any]]


class Segment(msgspec.Struct, array_like=True, frozen=True):
    """One object: its place in the order, the token of the life that wrote it, and what it does."""

    number: int
    life: bytes
    operations: list[Operation]


ENCODER: Final = msgspec.msgpack.Encoder()
DECODER: Final = msgspec.msgpack.Decoder(Segment)


def seal(number: int, life: bytes, operations: Sequence[Operation]) -> bytes:
    """The bytes of an object."""
    body = ENCODER.encode(Segment(number, life, list(operations)))
    return MAGIC + zlib.crc32(body).to_bytes(4, "little") + body


def unseal(data: bytes, number: int | None = None) -> Segment | None:
    """What an object holds; None where it is damaged, or not the one of this number."""
    body = data[HEAD:]
    if data[: len(MAGIC)] != MAGIC or int.from_bytes(data[len(MAGIC) : HEAD], "little") != zlib.crc32(body):
        return None
    try:
        segment = DECODER.decode(body)
    except msgspec.DecodeError:
        return None
    return segment if number is None or segment.number == number else None


def joined(pieces: Sequence[bytes]) -> bytes:
    """Many objects as one, each behind its length."""
    return b"".join(len(piece).to_bytes(LENGTH, "little") + piece for piece in pieces)


def parted(data: bytes) -> list[bytes]:
    """The same back; what is cut off at the end is left out."""
    found, place = [], 0
    while place + LENGTH <= len(data):
        size = int.from_bytes(data[place : place + LENGTH], "little")
        place += LENGTH
        if place + size > len(data):
            break
        found.append(data[place : place + size])
        place += size
    return found
