"""One step for a caller who keeps the world himself."""

from __future__ import annotations

from typing import Any

import httpx
import msgspec
import numpy as np
import pytest

from orca_core import Obstacle, World
from tests.orca_crowd.api.checks import faults


def test_steering_is_one_step_of_a_world_that_is_not_kept(client: httpx.Client) -> None:
    body = {
        "time_step": 0.25,
        "agents": [
            {"position": [0, 0], "preferred_velocity": [1, 0]},
            {"position": [2, 0.1], "preferred_velocity": [-1, 0]},
            {"position": [50, 0], "goal": [60, 0]},
        ],
        "obstacles": [{"points": [[-1, 1], [3, 1]]}],
        "options": {"profile": "text"},
    }
    library = World(time_step=0.25)

    library.add_obstacles([Obstacle(points=np.array([[-1.0, 1.0], [3.0, 1.0]]))])
    columns = {
        "position": [[0, 0], [2, 0.1], [50, 0]],
        "preferred_velocity": [[1, 0], [-1, 0], [0, 0]],
        "goal": [[0, 0], [0, 0], [60, 0]],
    }
    given = {"goal": np.array([False, False, True]), "preferred_velocity": np.array([True, True, False])}
    library.add_agents(columns, given, 3)
    library.step()
    worlds = client.get("/v1/worlds").json()
    answer = client.post("/v1/steer", json=body)
    assert answer.status_code == 200, answer.text
    assert answer.json()["velocity"] == library.column("velocity").tolist()
    packed = client.post(
        "/v1/steer", content=msgspec.msgpack.encode(body), headers={"content-type": "application/msgpack"}
    )
    assert msgspec.msgpack.decode(packed.content)["velocity"] == library.column("velocity").tobytes()
    assert client.get("/v1/worlds").json() == worlds
    columns_body = {**body, "columns": {"position": [[0, 0]]}}
    del columns_body["agents"]
    assert client.post("/v1/steer", json=columns_body).json()["velocity"] == [[0.0, 0.0]]


@pytest.mark.parametrize(
    ("change", "where"),
    [
        ({"time_step": 0}, (None, "time_step")),
        ({"time_step": "1"}, (None, "time_step")),
        ({"agents": [{"position": [0, 0], "radius": -1}]}, (0, "radius")),
        ({"agents": [{"position": [0, 0], "raduis": 1}]}, (0, "raduis")),
        ({"obstacles": [{"points": [[0, 0]]}]}, (0, "points")),
        ({"obstacles": [{"points": [[0, 0], [True, 1]]}]}, (0, "obstacles.points")),
        ({"walkable": [{}]}, (0, "walkable.geometry")),
        ({"options": {"profile": "mine"}}, (None, "options.profile")),
        ({"seed": -1}, (None, "seed")),
        ({"world": 1}, (None, "world")),
    ],
)
def test_a_wrong_steering_request_is_named(
    client: httpx.Client, change: dict[str, Any], where: tuple[int | None, str | None]
) -> None:
    body = {"time_step": 0.25, "agents": [{"position": [0, 0]}], **change}
    assert faults(client.post("/v1/steer", json=body)) == {where}
