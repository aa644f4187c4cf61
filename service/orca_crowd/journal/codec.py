"""Requests as bytes and back, to the last bit: what the records of a journal hold.

MessagePack, in which any reader can look: a dataclass is a map with its class under `$`, an array a map of its dtype,
shape and little-endian bytes. Requests are kept as they were after parsing, not as they were sent: whatever came as
rows, columns, JSON or MessagePack, over REST or a socket, is the same request here and is carried out by the same code.
Pickle was rejected: it runs what it reads, and a journal may come from somebody else.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from orca_core.cooperative.team_planning import TeamPlan
from orca_core.errors import Notice
from orca_core.formats.movingai import GridMap
from orca_core.geometry.obstacles import Obstacle
from orca_core.geometry.placed_grid import PlacedGrid
from orca_core.geometry.walkable import WalkableArea
from orca_core.guidance.planning import FoundWays
from orca_crowd.journal.errors import BadJournal
from orca_crowd.journal.order import BrokenOff, Order
from orca_crowd.protocol import commands
from orca_crowd.protocol.agents import Agents
from orca_crowd.protocol.controllers import OwnRequest
from orca_crowd.protocol.steps import Selection, StepRequest

__all__ = ["CLASSES", "pack", "unpack"]

# what a record may hold, by the name that stands in it; a name is never used again for something else
CLASSES: Mapping[str, type[Any]] = {
    kind.__name__: kind
    for kind in (
        commands.AddAgents,
        commands.SetAgents,
        commands.RemoveAgents,
        commands.AddObstacles,
        commands.SetObstacle,
        commands.RemoveObstacle,
        commands.AddWalkable,
        commands.SetWalkable,
        commands.RemoveWalkable,
        commands.SetDefaults,
        commands.SetDoors,
        commands.SetGridMap,
        commands.SetLevelOfDetail,
        commands.CommandRequest,
        Agents,
        BrokenOff,
        FoundWays,
        GridMap,
        Notice,
        Obstacle,
        Order,
        OwnRequest,
        PlacedGrid,
        Selection,
        StepRequest,
        TeamPlan,
        WalkableArea,
    )
}
# the name of each and its fields, looked up once: a record costs as much as a short transaction otherwise
PARTS: Mapping[type[Any], tuple[str, tuple[str, ...]]] = {
    kind: (name, tuple(each.name for each in dataclasses.fields(kind))) for name, kind in CLASSES.items()
}
# what needs no change; the exact type, since a boolean is an int, and a numpy number a float
ATOMS = frozenset({type(None), bool, int, float, str, bytes})

# dtypes that arrays of requests have; nothing else is read, since "O" would be anybody's objects
DTYPES = frozenset({"<f8", "<f4", "<i8", "|b1", "|u1"})

_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder()


def pack(value: Any) -> bytes:
    """The bytes of a request, or of anything that is made of what requests are made of; TypeError for other things."""
    return _encoder.encode(_plain(value))


def unpack(data: bytes) -> Any:
    """What `pack` was given; BadJournal where the bytes are not of its making."""
    try:
        return _lively(_decoder.decode(data))
    except (msgspec.DecodeError, KeyError, TypeError, ValueError) as error:
        raise BadJournal(f"a record cannot be read: {error}") from None


def _plain(value: Any) -> Any:
    """`value` as maps, lists, numbers, strings and bytes."""
    kind = type(value)
    if kind in ATOMS:
        return value
    parts = PARTS.get(kind)
    if parts is not None:
        name, fields = parts
        made: dict[str, Any] = {"$": name}
        for each in fields:
            inner = getattr(value, each)
            made[each] = inner if type(inner) in ATOMS else _plain(inner)
        return made
    # the plain types first: to ask for an abstract one takes as long as to pack an array
    if kind is np.ndarray:
        return _array(value)
    if kind is list:
        return [inner if type(inner) in ATOMS else _plain(inner) for inner in value]
    if kind is dict or isinstance(value, Mapping):
        if "$" in value:
            raise TypeError("a map with the entry '$' is not part of any request")
        return {key: inner if type(inner) in ATOMS else _plain(inner) for key, inner in value.items()}
    if kind is tuple or isinstance(value, tuple):
        return {"$": "tuple", "items": [_plain(inner) for inner in value]}
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        return _array(value)
    if isinstance(value, Sequence):
        return [_plain(inner) for inner in value]
    raise TypeError(f"{type(value).__name__} is not part of any request")


def _array(value: NDArray[Any]) -> dict[str, Any]:
    dtype = value.dtype.str
    if dtype not in DTYPES:
        # of the other byte order, or nothing that a request has
        value = value.astype(value.dtype.newbyteorder("<"))
        dtype = value.dtype.str
        if dtype not in DTYPES:
            raise TypeError(f"an array of {value.dtype} is not part of any request")
    return {"$": "array", "dtype": dtype, "shape": value.shape, "data": value.tobytes()}


def _lively(value: Any) -> Any:
    """What `_plain` was given."""
    if isinstance(value, list):
        return [_lively(inner) for inner in value]
    if not isinstance(value, dict):
        return value
    kind = value.pop("$", None)
    if kind is None:
        return {key: _lively(inner) for key, inner in value.items()}
    if kind == "tuple":
        return tuple(_lively(inner) for inner in value["items"])
    if kind == "array":
        if value["dtype"] not in DTYPES:
            raise ValueError(f"an array of dtype {value['dtype']!r}")
        # a copy: frombuffer's own is read-only, and kernels take writable arrays
        return np.frombuffer(value["data"], dtype=np.dtype(value["dtype"])).reshape(value["shape"]).copy()
    # fields that a later version added have defaults; fields that it does not know are an error, not a guess
    return CLASSES[kind](**{key: _lively(inner) for key, inner in value.items()})
