"""Requests survive the way into a record and out again, to the bit and to the type."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import msgspec
import numpy as np
import pytest

from orca_crowd.journal.codec import CLASSES, DTYPES, pack, unpack
from orca_crowd.journal.errors import BadJournal
from orca_crowd.protocol import commands
from orca_crowd.protocol.commands import parse_commands
from orca_crowd.protocol.steps import parse_step
from orca_crowd.settings import Settings

POLYGON = {"type": "Polygon", "coordinates": [[[0, 0], [9, 0], [9, 9], [0, 0]]]}
TWO = [{"position": [0.1 + 0.2, -0.0], "goal": [1e-310, 5572094.155411]}, {"id": 2**53 - 1, "position": [1, 2]}]
BATCH: dict[str, Any] = {
    "commands": [
        {"op": "add_agents", "agents": TWO},
        {"op": "add_agents", "columns": {"position": [[1, 2], [3, 4]], "max_neighbors": [3, 4]}},
        {"op": "set_agents", "agents": [{"id": 0, "goal": None, "radius": 0.25}]},
        {"op": "remove_agents", "ids": [1]},
        {"op": "add_obstacles", "obstacles": [{"points": [[0, 0], [1, 0], [1, 1]], "closed": True}]},
        {"op": "set_obstacle", "id": 0, "points": [[0, 0], [2, 0]]},
        {"op": "remove_obstacle", "id": 0},
        {"op": "add_walkable", "areas": [{"geometry": POLYGON, "horizon": 3}]},
        {"op": "set_walkable", "id": 0, "geometry": POLYGON},
        {"op": "remove_walkable", "id": 0},
    ],
    "key": "once",
}


def same(a: Any, b: Any) -> bool:
    """Equal in value, in type and in every bit."""
    if type(a) is not type(b):
        return False
    if isinstance(a, np.ndarray):
        return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()
    if dataclasses.is_dataclass(a):
        return all(same(getattr(a, f.name), getattr(b, f.name)) for f in dataclasses.fields(a))
    if isinstance(a, dict):
        return list(a) == list(b) and all(same(a[key], b[key]) for key in a)
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, float):
        return math.copysign(1.0, a) == math.copysign(1.0, b) and a == b
    return bool(a == b)


def test_every_operation_comes_back() -> None:
    request = parse_commands(BATCH, Settings())
    assert {type(command) for command in request.commands} == {
        commands.AddAgents,
        commands.SetAgents,
        commands.RemoveAgents,
        commands.AddObstacles,
        commands.SetObstacle,
        commands.RemoveObstacle,
        commands.AddWalkable,
        commands.SetWalkable,
        commands.RemoveWalkable,
    }
    assert same(unpack(pack(request)), request)


def test_a_step_request_comes_back() -> None:
    body = {
        "count": 3,
        "key": "k",
        "return": "agents",
        "fields": ["goal"],
        "ids": [1, 2],
        "commands": BATCH["commands"],
    }
    request = parse_step(body, Settings())
    assert same(unpack(pack(request)), request)


def test_arrays_are_the_own_of_who_reads_them() -> None:
    back = unpack(pack(np.arange(3.0)))
    back[0] = 7.0
    assert back.tolist() == [7.0, 1.0, 2.0]


def test_defaults_and_their_kinds_come_back() -> None:
    command = commands.SetDefaults({"radius": 0.3, "max_neighbors": 4})
    assert same(unpack(pack(command)), command)


@pytest.mark.parametrize("value", [object(), np.array([None]), {1, 2}, {"$": 1}, np.array(["a"])])
def test_what_no_request_holds_is_refused(value: object) -> None:
    with pytest.raises(TypeError):
        pack(value)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\xc1",
        msgspec.msgpack.encode({"$": "Popen", "args": ["true"]}),
        msgspec.msgpack.encode({"$": "RemoveObstacle", "id": 1, "later": 2}),
        msgspec.msgpack.encode({"$": "RemoveObstacle"}),
        msgspec.msgpack.encode({"$": "array", "dtype": "|O", "shape": [1], "data": b"12345678"}),
        msgspec.msgpack.encode({"$": "array", "dtype": "<f8", "shape": [2], "data": b"12345678"}),
    ],
)
def test_bytes_of_something_else_are_refused(data: bytes) -> None:
    with pytest.raises(BadJournal):
        unpack(data)


def test_every_class_has_its_own_name() -> None:
    assert all(name == kind.__name__ and dataclasses.is_dataclass(kind) for name, kind in CLASSES.items())
    assert "|O" not in DTYPES
