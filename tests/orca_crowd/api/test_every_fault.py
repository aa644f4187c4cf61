"""A refusal names every item that is wrong, of whatever kind the fault is, and changes nothing."""

from __future__ import annotations

import json
from typing import Any

import httpx
import pytest

from tests.orca_crowd.api.checks import digest, faults, problem

JSON = {"content-type": "application/json"}
SQUARE = {"type": "Polygon", "coordinates": [[[0, 0], [7, 0], [7, 7], [0, 7]]]}
TALL = {"type": "Polygon", "coordinates": [[[0, 0, 2], [7, 0, 2], [7, 7, 2], [0, 7]]]}


@pytest.fixture
def crowd(client: httpx.Client, world: str) -> str:
    """Path of a world with agents 3, 4 and 6, and one that was there: 5."""
    rows = [{"id": 3 + k, "position": [3 * k, 0]} for k in range(4)]
    assert client.post(f"{world}/agents", json={"agents": rows}).status_code == 201
    assert client.delete(f"{world}/agents/5").status_code == 204
    return world


def test_agents_of_wrong_types_and_of_wrong_values_in_one_batch(client: httpx.Client, crowd: str) -> None:
    rows: list[dict[str, Any]] = [{"position": [k, 9.5]} for k in range(100)]
    rows[57] = {"position": [float("nan"), 0]}
    rows[60] = {"position": [0, 0], "raduis": 1, "max_neighbors": -1}
    rows[71] = {"position": [0, 0], "group_mode": "alone"}
    rows[80] = {"position": [2e9, 0], "radius": -0.25}
    before = digest(client, crowd)
    answer = client.post(f"{crowd}/agents", content=json.dumps({"agents": rows}), headers=JSON)
    assert faults(answer) == {
        *((57, "position"), (60, "raduis"), (60, "max_neighbors"), (71, "group_mode")),
        *((80, "position"), (80, "radius")),
    }
    items = [entry["item"] for entry in answer.json()["errors"]]
    assert items == sorted(items)
    changes = [{"id": 3, "radius": -1}, {"id": 4, "goal": "home"}, {"goal": [0, 0]}, {"id": 6, "max_speed": 1e300}]
    answer = client.patch(f"{crowd}/agents", json={"agents": changes})
    assert faults(answer) == {(0, "radius"), (1, "goal"), (2, "id"), (3, "max_speed")}
    assert digest(client, crowd) == before


def test_obstacles_and_areas_of_wrong_types_and_of_wrong_values(client: httpx.Client, world: str) -> None:
    walls = [
        {"points": [[1, 1]]},
        {"points": [[0, "0"], [1, 1]]},
        {"points": [[0, 0], [1, 1]]},
        {"points": [[0, 0], [1, 1]], "z_range": [3, 1]},
    ]
    answer = client.post(f"{world}/obstacles", json={"obstacles": walls})
    assert faults(answer) == {(0, "points"), (1, "points"), (3, "z_range")}
    areas = [
        {"geometry": SQUARE, "clearance": -1},
        {"geometry": SQUARE, "shrunk": 1},
        {"geometry": SQUARE},
        {"geometry": {"type": "Polygon", "coordinates": [[[0, 0], [1, 1]]]}},
        {"geometry": SQUARE, "horizon": 0},
    ]
    answer = client.post(f"{world}/walkable", json={"areas": areas})
    assert faults(answer) == {(0, "clearance"), (1, "shrunk"), (3, "geometry.coordinates[0]"), (4, "horizon")}
    assert client.get(world).json()["geometry"] == 0


def test_ids_that_are_not_here_are_named_by_their_places(client: httpx.Client, crowd: str) -> None:
    def places(answer: httpx.Response, status: int, code: str) -> list[tuple[int, str]]:
        return [(entry["item"], entry["field"]) for entry in problem(answer, status, code)["errors"]]

    ids = [{"id": one} for one in (3, 5, 99, 4, 98)]
    assert places(client.patch(f"{crowd}/agents", json={"agents": ids}), 404, "not-found") == [(2, "id"), (4, "id")]
    assert places(client.delete(f"{crowd}/agents?ids=4,5"), 410, "gone") == [(1, "id")]
    new = [{"id": 12, "position": [0, 5]}, {"id": 5, "position": [0, 7]}, {"id": 3, "position": [0, 9]}]
    assert places(client.post(f"{crowd}/agents", json={"agents": new}), 409, "exists") == [(1, "id"), (2, "id")]
    batch = {"commands": [{"op": "remove_agents", "ids": [6]}, {"op": "set_agents", "agents": ids[:2]}]}
    assert places(client.post(f"{crowd}/commands", json=batch), 410, "gone") == [(1, "[1].id")]
    walls = [{"id": one, "points": [[one, 0], [one, 1]]} for one in (8, 9)]
    assert client.post(f"{crowd}/obstacles", json={"obstacles": walls}).status_code == 201
    assert client.delete(f"{crowd}/obstacles/8").status_code == 204
    again = {"obstacles": [{"id": 7, "points": [[0, 0], [1, 1]]}, *walls]}
    assert places(client.post(f"{crowd}/obstacles", json=again), 409, "exists") == [(1, "id"), (2, "id")]
    # of one it is clear which
    assert places(client.get(f"{crowd}/agents/99"), 404, "not-found") == []
    assert client.get(f"{crowd}/agents").json()["ids"] == [3, 4, 6]


def test_one_agent_by_its_path_is_in_no_list(client: httpx.Client, crowd: str) -> None:
    document = problem(client.patch(f"{crowd}/agents/6", json={"radius": -1}), 422, "invalid")
    assert document["detail"].startswith("radius: must be")
    assert [(entry["item"], entry["field"]) for entry in document["errors"]] == [(None, "radius")]
    shown = client.put(f"{crowd}/agents/6", json={"position": [0.25, 0]}).json()
    assert [(warning["code"], warning["item"]) for warning in shown["warnings"]] == [("overlapping", None)]


def test_positions_of_more_than_two_numbers_are_told_of(client: httpx.Client, world: str) -> None:
    def told(warnings: list[dict[str, Any]]) -> list[tuple[str, int | None]]:
        return [(warning["code"], warning["item"]) for warning in warnings]

    added = client.post(f"{world}/walkable", json={"areas": [{"geometry": SQUARE}, {"geometry": TALL}]})
    assert added.status_code == 201
    assert told(added.json()["warnings"]) == [("extra-ordinates-ignored", 1)]
    put = client.put(f"{world}/walkable/0", json={"geometry": TALL})
    assert told(put.json()["warnings"]) == [("extra-ordinates-ignored", None)]
    batch = {"commands": [{"op": "add_walkable", "areas": [{"geometry": TALL}]}]}
    (result,) = client.post(f"{world}/commands", json=batch).json()["results"]
    assert told(result["warnings"]) == [("extra-ordinates-ignored", 0)]
