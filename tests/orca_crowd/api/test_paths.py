"""Paths over the geometry of a world, for somebody who steers himself."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import httpx
import msgspec
import numpy as np
import pytest

from orca_core import Obstacle, WalkableArea, World
from orca_core.guidance.navmesh import NavmeshPlanner
from orca_core.guidance.planner import Path
from tests.orca_crowd.api.checks import faults, problem

MakeWorld = Callable[..., str]
# an L of width 3, its inner corner at (4, 4)
CORRIDOR = [[1.0, 1.0], [4.0, 1.0], [4.0, 4.0], [12.0, 4.0], [12.0, 7.0], [1.0, 7.0]]
THERE = {"from": [2.5, 2.5], "to": [10.5, 5.5], "radius": 0.3}


def area(ring: list[list[float]]) -> dict[str, Any]:
    """The body that adds one walkable area."""
    return {"areas": [{"geometry": {"type": "Polygon", "coordinates": [ring]}}]}


def found(client: httpx.Client, world: str, *queries: dict[str, Any]) -> list[dict[str, Any]]:
    """The answers to some queries."""
    answer = client.post(f"{world}/paths", json={"queries": list(queries)})
    assert answer.status_code == 200, answer.text
    paths: list[dict[str, Any]] = answer.json()["paths"]
    return paths


def test_a_path_is_that_of_the_library_to_the_bit(client: httpx.Client, make_world: MakeWorld) -> None:
    world = make_world()
    client.post(f"{world}/walkable", json=area(CORRIDOR)).raise_for_status()
    client.post(f"{world}/obstacles", json={"obstacles": [{"points": [[3, 4], [3, 6]]}]}).raise_for_status()
    client.post(f"{world}/steps", json={"count": 2}).raise_for_status()
    library = World(time_step=0.25)
    library.add_walkable([WalkableArea(((CORRIDOR,),))])
    library.add_obstacles([Obstacle([[3, 4], [3, 6]])])
    planner = NavmeshPlanner(library.walkable_set, library.obstacle_set, merge_collinear=True)
    expected = planner.path(THERE["from"], THERE["to"], 0.3)  # type: ignore[arg-type]
    assert isinstance(expected, Path)
    assert len(expected.waypoints) > 2
    answer = client.post(f"{world}/paths", json={"queries": [THERE]})
    waypoints = [list(point) for point in expected.waypoints]
    assert answer.json() == {"step": 2, "paths": [{"waypoints": waypoints, "length": expected.length}]}
    packed = client.post(
        f"{world}/paths",
        content=msgspec.msgpack.encode({"queries": [THERE]}),
        headers={"content-type": "application/msgpack"},
    )
    row = msgspec.msgpack.decode(packed.content)["paths"][0]
    assert row["waypoints"] == np.array(expected.waypoints).tobytes()


def test_each_storey_has_ways_of_its_own(client: httpx.Client, make_world: MakeWorld) -> None:
    world = make_world()
    client.post(f"{world}/walkable", json=area([[-5.0, 0.0], [5.0, 0.0], [5.0, 8.0], [-5.0, 8.0]])).raise_for_status()
    walls = [
        {"points": [[0, -1], [0, 6]], "z_range": [0, 2.5]},
        {"points": [[0, 2], [0, 9]], "z_range": [3, 5.5]},
    ]
    client.post(f"{world}/obstacles", json={"obstacles": walls}).raise_for_status()
    there = {"from": [-4, 4], "to": [4, 4], "radius": 0.3}
    ranges = ([0, 1.8], [3.2, 5.0], [2.6, 2.9], [2.0, 3.5], None)
    rows = found(client, world, *({**there, "z_range": one} for one in ranges), there)
    assert min(y for _, y in rows[0]["waypoints"][1:-1]) > 6.2
    assert max(y for _, y in rows[1]["waypoints"][1:-1]) < 1.8
    assert rows[2] == {"waypoints": [[-4, 4], [4, 4]], "length": 8.0}
    # on the stairs, and where nothing is said, both walls are in the way
    assert [row["reason"] for row in rows[3:]] == ["disconnected"] * 3
    refused = client.post(f"{world}/paths", json={"queries": [there, {**there, "z_range": [2, 1]}]})
    assert faults(refused) == {(1, "z_range")}


def test_the_truth_is_told_of_what_cannot_be_reached(client: httpx.Client, make_world: MakeWorld) -> None:
    world = make_world()
    for left in (0.0, 12.0):
        room = [[left, 0.0], [left + 10, 0.0], [left + 10, 10.0], [left, 10.0]]
        client.post(f"{world}/walkable", json=area(room)).raise_for_status()
    rows = found(
        client,
        world,
        {"from": [2, 2], "to": [15, 5]},
        {"from": [2, 2], "to": [9.8, 5]},
        {"from": [11, 5], "to": [2, 2]},
        {"from": [2, 2], "to": [5, 6], "radius": 6},
        {"from": [2, 2], "to": [5, 6]},
    )
    # agents of this world have the radius 0.5 where nothing else is said
    assert rows == [
        {"unreachable": True, "nearest": [9.5, 5.0], "reason": "disconnected"},
        {"unreachable": True, "nearest": [9.5, 5.0], "reason": "goal-off-surface"},
        {"unreachable": True, "nearest": [9.5, 5.0], "reason": "start-off-surface"},
        {"unreachable": True, "nearest": None, "reason": "start-off-surface"},
        {"waypoints": [[2.0, 2.0], [5.0, 6.0]], "length": 5.0},
    ]


def test_a_door_that_shuts_and_opens_shows_at_once(client: httpx.Client, make_world: MakeWorld) -> None:
    world = make_world()
    client.post(f"{world}/walkable", json=area(CORRIDOR)).raise_for_status()
    (before,) = found(client, world, THERE)
    door = {"obstacles": [{"id": 7, "points": [[6, 3], [6, 8]]}]}
    client.post(f"{world}/obstacles", json=door).raise_for_status()
    (shut,) = found(client, world, THERE)
    assert shut["reason"] == "disconnected"
    client.put(f"{world}/obstacles/7", json={"points": [[6, 4.8], [6, 8]]}).raise_for_status()
    (ajar,) = found(client, world, THERE)
    assert ajar["length"] > before["length"]
    client.delete(f"{world}/obstacles/7").raise_for_status()
    assert found(client, world, THERE) == [before]


def test_defaults_of_the_world_decide_the_radius(client: httpx.Client, make_world: MakeWorld) -> None:
    world = make_world(defaults={"radius": 1.2})
    client.post(f"{world}/walkable", json=area(CORRIDOR)).raise_for_status()
    query = {name: THERE[name] for name in ("from", "to")}
    assert found(client, world, query) == found(client, world, {**query, "radius": 1.2})
    assert found(client, world, query) != found(client, world, THERE)


def test_nothing_is_changed(client: httpx.Client, make_world: MakeWorld) -> None:
    world = make_world()
    client.post(f"{world}/walkable", json=area(CORRIDOR)).raise_for_status()
    client.post(f"{world}/agents", json={"agents": [{"position": [2, 2], "goal": [10, 5]}]}).raise_for_status()
    before = client.get(f"{world}/snapshot").content
    (row,) = found(client, world, THERE)
    assert math.dist(*(THERE[name] for name in ("from", "to"))) < row["length"] < math.inf  # type: ignore[arg-type]
    assert client.get(f"{world}/snapshot").content == before
    assert found(client, world) == []


@pytest.mark.parametrize(
    ("query", "where"),
    [
        ({"to": [1, 1]}, (0, "from")),
        ({"from": [1, 1]}, (0, "to")),
        ({"from": [1], "to": [1, 1]}, (0, "from")),
        ({"from": [1, True], "to": [1, 1]}, (0, "from")),
        ({"from": [1, "1"], "to": [1, 1]}, (0, "from")),
        ({"from": [1, 2e9], "to": [1, 1]}, (0, "from")),
        ({"from": [1, 1], "to": [1, 1], "radius": -1}, (0, "radius")),
        ({"from": [1, 1], "to": [1, 1], "raduis": 1}, (0, "raduis")),
        ({"from_": [1, 1], "from": [1, 1], "to": [1, 1]}, (0, "from_")),
    ],
)
def test_a_wrong_query_is_named(
    client: httpx.Client, make_world: MakeWorld, query: dict[str, Any], where: tuple[int, str]
) -> None:
    assert faults(client.post(f"{make_world()}/paths", json={"queries": [query]})) == {where}


def test_limits_are_named(client: httpx.Client, make_world: MakeWorld) -> None:
    world = make_world()
    many = client.post(f"{world}/paths", json={"queries": [THERE] * 101})
    assert "paths_per_request" in problem(many, 429, "limit")["detail"]
    radii = [{**THERE, "radius": k / 64} for k in range(33)]
    assert "distinct_radii" in problem(client.post(f"{world}/paths", json={"queries": radii}), 429, "limit")["detail"]


def test_a_world_that_is_not_there_has_no_paths(client: httpx.Client) -> None:
    problem(client.post("/v1/worlds/nobody/paths", json={"queries": []}), 404, "not-found")
