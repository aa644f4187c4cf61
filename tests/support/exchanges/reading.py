"""The exchanges as they stand in clients/conformance, and MessagePack values as the JSON form has them. No server."""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Mapping
from typing import Any

from tests.support.imports import ROOT

__all__ = ["IDENTIFIERS", "data_of", "exchanges", "label", "plain_form"]

IDENTIFIERS = frozenset({"id", "ids", "entered", "left", "based", "removed", "owned", "other"})
VECTORS = frozenset({"position", "velocity", "preferred_velocity", "goal"})


def exchanges(file: str) -> list[dict[str, Any]]:
    """The entries of one file."""
    found: list[dict[str, Any]] = json.loads((ROOT / "clients" / "conformance" / file).read_text(encoding="utf-8"))
    return found


def data_of(entry: Mapping[str, Any]) -> str | bytes:
    """What travels."""
    text: str | None = entry.get("text")
    return bytes.fromhex(entry["bytes"]) if text is None else text


def label(entry: Mapping[str, Any]) -> str:
    """A name for a test."""
    wire = entry.get("subprotocol") or entry["media_type"]
    return f"{entry['name']}-{'msgpack' if 'msgpack' in wire else 'json'}"


def plain_form(value: Any, name: str = "") -> Any:
    """A decoded value with bins of int64 and float64 as arrays, as `message` has them."""
    if isinstance(value, bytes):
        code = "q" if name in IDENTIFIERS else "d"
        numbers = [number for (number,) in struct.iter_unpack(f"<{code}", value)]
        rows = list(zip(*[iter(numbers)] * 2, strict=True)) if name in VECTORS else numbers
        return [_row(row) for row in rows]
    if isinstance(value, Mapping):
        return {inner: plain_form(part, inner) for inner, part in value.items()}
    if isinstance(value, list | tuple):
        return [plain_form(part, name) for part in value]
    return value


def _row(row: Any) -> Any:
    parts = row if isinstance(row, tuple) else (row,)
    if all(math.isnan(part) for part in parts):
        return None
    return list(row) if isinstance(row, tuple) else row
