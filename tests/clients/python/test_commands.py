"""Commands travel with the body of the REST call of the same name."""

from __future__ import annotations

import struct
from typing import Any

import msgpack
import numpy as np
import pytest

from orca_crowd_client import CannotEncode, Obstacle, WalkableArea, commands
from orca_crowd_client.commands import encode_command
from orca_crowd_client.encoding import JSON, MESSAGE_PACK

SQUARE = {"type": "Polygon", "coordinates": [[[0, 0], [4, 0], [4, 4], [0, 4], [0, 0]]]}


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        (
            commands.add_agents(position=[(1, 2), (3, 4)], radius=0.5, ids=[7, 8]),
            {"op": "add_agents", "columns": {"position": [[1, 2], [3, 4]], "radius": [0.5, 0.5], "id": [7, 8]}},
        ),
        (
            commands.add_agents([{"position": np.array([1.0, 2.0]), "goal": None}]),
            {"op": "add_agents", "agents": [{"position": [1.0, 2.0], "goal": None}]},
        ),
        (
            commands.set_agents(np.array([1, 2]), goal=None, max_speed=2),
            {"op": "set_agents", "ids": [1, 2], "columns": {"goal": [None, None], "max_speed": [2, 2]}},
        ),
        (commands.remove_agents([3]), {"op": "remove_agents", "ids": [3]}),
        (
            commands.add_obstacles([[(0, 0), (1, 0)], Obstacle([(0, 0), (1, 1)], closed=True, id=4)]),
            {
                "op": "add_obstacles",
                "obstacles": [{"points": [[0, 0], [1, 0]]}, {"id": 4, "points": [[0, 0], [1, 1]], "closed": True}],
            },
        ),
        (commands.set_obstacle(4, [(0, 0), (2, 0)]), {"op": "set_obstacle", "points": [[0, 0], [2, 0]], "id": 4}),
        (commands.remove_obstacle(4), {"op": "remove_obstacle", "id": 4}),
        (
            commands.add_walkable([SQUARE, WalkableArea(SQUARE, horizon=3.0)]),
            {
                "op": "add_walkable",
                "areas": [
                    {"geometry": SQUARE},
                    {"geometry": SQUARE, "horizon": 3.0, "clearance": 0.0, "shrunk": False},
                ],
            },
        ),
        (
            commands.set_walkable(5, {"geometry": SQUARE, "clearance": 1}),
            {"op": "set_walkable", "geometry": SQUARE, "clearance": 1, "id": 5},
        ),
        (commands.remove_walkable(5), {"op": "remove_walkable", "id": 5}),
        (
            commands.set_level_of_detail({"distance": 30, "every": 4}),
            {"op": "set_level_of_detail", "level_of_detail": {"distance": 30, "every": 4}},
        ),
        (commands.set_level_of_detail(None), {"op": "set_level_of_detail", "level_of_detail": None}),
        (
            commands.set_grid_map({"rows": ["..@"], "cell_size": 2}),
            {"op": "set_grid_map", "grid_map": {"rows": ["..@"], "cell_size": 2}},
        ),
    ],
    ids=lambda value: value.get("op", ""),
)
def test_the_json_of_each_command(command: commands.Command, expected: dict[str, Any]) -> None:
    assert JSON.decode(JSON.encode(encode_command(JSON, command))) == expected


def test_columns_and_ids_are_bins_in_message_pack() -> None:
    command = commands.set_agents([1, 2], velocity=[(1, 2), (3, -0.0)], goal=[None, (1, 1)])
    packed = msgpack.unpackb(MESSAGE_PACK.encode(encode_command(MESSAGE_PACK, command)))
    assert packed == {
        "op": "set_agents",
        "ids": struct.pack("<2q", 1, 2),
        "columns": {"velocity": struct.pack("<4d", 1, 2, 3, -0.0), "goal": [None, [1, 1]]},
    }


def test_a_mapping_by_hand_is_the_same_command() -> None:
    by_hand = {"op": "add_agents", "columns": {"position": np.array([[1.0, 2.0]])}}
    assert encode_command(MESSAGE_PACK, by_hand) == encode_command(
        MESSAGE_PACK, commands.add_agents(position=[(1.0, 2.0)])
    )


def test_rows_and_columns_are_one_or_the_other() -> None:
    with pytest.raises(TypeError, match="either as a list of rows or in columns"):
        commands.add_agents()
    with pytest.raises(TypeError, match="either as a list of rows or in columns"):
        commands.add_agents([{"position": (0, 0)}], radius=0.5)


@pytest.mark.parametrize("encoding", [MESSAGE_PACK, JSON])
def test_what_cannot_travel_says_so(encoding: Any) -> None:
    with pytest.raises(CannotEncode, match="does not carry this body"):
        encoding.encode({"radius": object()})


def test_an_integer_beyond_64_bits_does_not_fit_message_pack() -> None:
    with pytest.raises(CannotEncode, match="MessagePack"):
        MESSAGE_PACK.encode(encode_command(MESSAGE_PACK, commands.remove_agents([2**70])))
