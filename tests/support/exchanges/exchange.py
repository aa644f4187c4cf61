"""One exchange: a message or body as it travels, and what it means, written for whoever writes a client."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from orca_crowd.protocol.frames import JSON_SUBPROTOCOL, SUBPROTOCOLS, encode_message

__all__ = ["MEDIA", "Direction", "Exchange", "dumps", "in_both", "meaning_of"]

Direction = Literal["to-server", "from-server"]
# what a body of REST is encoded like
MEDIA = {"application/json": SUBPROTOCOLS[0], "application/msgpack": SUBPROTOCOLS[1]}


@dataclass(frozen=True)
class Exchange:
    """`wire` names subprotocol or media type, `message` is what `data` means, `more` what else is told of it."""

    name: str
    direction: Direction
    wire: str
    what: str
    message: Any
    data: str | bytes
    more: Mapping[str, Any] = field(default_factory=dict)

    def map(self) -> dict[str, Any]:
        """As it stands in a file."""
        kind = "media_type" if self.wire in MEDIA else "subprotocol"
        sent = {"text": self.data} if isinstance(self.data, str) else {"bytes": self.data.hex()}
        head = {"name": self.name, "direction": self.direction, kind: self.wire, "what": self.what}
        return {**head, **self.more, "message": self.message, **sent}


def meaning_of(values: Mapping[str, Any]) -> Any:
    """The JSON form: columns as arrays, a row without a value as null, float32 as the exact value that it has."""
    return json.loads(encode_message(values, JSON_SUBPROTOCOL))


def in_both(
    name: str, direction: Direction, what: str, values: Mapping[str, Any], more: Mapping[str, Any] | None = None
) -> list[Exchange]:
    """A message of the stream in both subprotocols, by the server's own encoder; arrays in `values` are columns."""
    return [
        Exchange(name, direction, wire, what, meaning_of(values), encode_message(values, wire), more or {})
        for wire in SUBPROTOCOLS
    ]


def dumps(value: Any) -> str:
    """JSON with one entry of the outermost list in a line, so that a change shows as lines."""
    return "[\n" + ",\n".join(json.dumps(entry, ensure_ascii=False) for entry in value) + "\n]\n"
