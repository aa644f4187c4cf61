"""Messages as a server sends them, written by hand: nothing of the client's own encoding is used."""

from __future__ import annotations

import json
import struct
from collections.abc import Sequence
from typing import Any

import msgpack

Wire = bytes | str


def wire(message: dict[str, Any], subprotocol: str = "orca-crowd.v1.msgpack") -> Wire:
    """One message in one subprotocol."""
    return json.dumps(message) if subprotocol.endswith("json") else msgpack.packb(message)


def unwire(data: Wire) -> dict[str, Any]:
    """What a client sent."""
    message: dict[str, Any] = json.loads(data) if isinstance(data, str) else msgpack.unpackb(data)
    return message


def hello(step: int = 0) -> Wire:
    """The greeting."""
    greeting = {"world": "w", "step": step, "time": step / 10, "time_step": 0.1, "profile": "service", "limits": {}}
    return wire({"type": "hello", **greeting})


def state(
    kind: str,
    step: int,
    ids: Sequence[int] | None = (1, 2),
    *,
    since: int | None = None,
    entered: Sequence[int] = (),
    left: Sequence[int] = (),
    code: str = "d",
) -> Wire:
    """A `full` or a `frame` whose positions tell the step: agent i stands at (step, -0.0)."""
    count = 2 if ids is None else len(ids)
    message: dict[str, Any] = {"type": kind, "step": step, "time": step / 10}
    if since is not None:
        message |= {"since": since, "entered": pack_ids(entered), "left": pack_ids(left)}
    if ids is not None:
        message["ids"] = pack_ids(ids)
    message["position"] = struct.pack(f"<{2 * count}{code}", *[step, -0.0] * count)
    return wire(message)


def pack_ids(ids: Sequence[int]) -> bytes:
    """An id column."""
    return struct.pack(f"<{len(ids)}q", *ids)


def event(kind: str, step: int, **data: Any) -> Wire:
    """An event."""
    return wire({"type": "event", "kind": kind, "step": step, **data})


def problem(code: str, status: int = 422) -> dict[str, Any]:
    """A problem document."""
    return {
        "type": f"urn:orca-crowd:problem:{code}",
        "title": "No",
        "status": status,
        "code": code,
        "detail": "no",
        "errors": [],
    }
