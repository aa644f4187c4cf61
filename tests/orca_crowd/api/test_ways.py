"""Agents that find their ways, over the wire: what is shown of a way, and how it is told that there is none."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import httpx
import msgspec

MakeWorld = Callable[..., str]
PACKED = {"accept": "application/msgpack"}
ROOMS = [[[0, 0], [10, 0], [10, 10], [0, 10]], [[11, 0], [21, 0], [21, 10], [11, 10]]]


def two_rooms(client: httpx.Client, make_world: MakeWorld, **members: Any) -> str:
    """Two rooms without a door, a wall in the first, an agent who goes round it and one who wants into the other."""
    world = make_world(**members)
    areas = [{"geometry": {"type": "Polygon", "coordinates": [ring]}} for ring in ROOMS]
    client.post(f"{world}/walkable", json={"areas": areas}).raise_for_status()
    client.post(f"{world}/obstacles", json={"obstacles": [{"points": [[5, 0], [5, 8]]}]}).raise_for_status()
    agents = [
        {"id": 1, "position": [2, 2], "goal": [8, 2], "guidance": "path", "radius": 0.3},
        {"id": 2, "position": [2, 5], "goal": [15, 5], "guidance": "path", "radius": 0.3},
        {"id": 3, "position": [2, 8], "goal": [2, 9], "radius": 0.3},
    ]
    client.post(f"{world}/agents", json={"agents": agents}).raise_for_status()
    return world


def stepped(client: httpx.Client, world: str, count: int) -> list[dict[str, Any]]:
    """Take steps; their events."""
    answer = client.post(f"{world}/steps", json={"count": count})
    assert answer.status_code == 200, answer.text
    events: list[dict[str, Any]] = answer.json()["events"]
    return events


def test_a_way_is_shown_and_followed(client: httpx.Client, make_world: MakeWorld) -> None:
    world = two_rooms(client, make_world)
    stepped(client, world, 2)
    shown = client.get(f"{world}/agents/1").json()
    assert shown["unreachable"] is None
    assert all(point[1] > 8.0 for point in shown["path"])
    packed = msgspec.msgpack.decode(client.get(f"{world}/agents/1", headers=PACKED).content)
    assert packed["path"] == shown["path"]
    # what is read may be put back
    assert client.put(f"{world}/agents/1", json=shown).status_code == 200
    assert "path" not in client.get(f"{world}/agents/3").json()
    events = stepped(client, world, 100)
    assert [1] in [event["ids"] for event in events if event["kind"] == "arrived"]
    assert client.get(f"{world}/agents/1").json()["path"] == []


def test_what_cannot_be_reached_is_told_in_the_events_and_on_the_agent(
    client: httpx.Client, make_world: MakeWorld
) -> None:
    world = two_rooms(client, make_world)
    told = [event for event in stepped(client, world, 2) if event["kind"] == "unreachable"]
    nearest = told[0].pop("nearest")
    assert told == [{"kind": "unreachable", "step": 2, "ids": [2], "reason": ["disconnected"]}]
    assert math.dist(nearest[0], [9.7, 5.0]) < 1e-9
    shown = client.get(f"{world}/agents/2").json()
    assert shown["status"] == "unreachable"
    assert shown["unreachable"] == {"reason": "disconnected", "nearest": nearest[0]}
    assert stepped(client, world, 1)[:1] != told
    columns = client.get(f"{world}/agents", params={"fields": "status"}).json()
    assert columns["status"][1] == "unreachable"


def test_a_point_that_there_is_not_is_null(client: httpx.Client, make_world: MakeWorld) -> None:
    for headers in ({}, PACKED):
        world = make_world()
        area = {"areas": [{"geometry": {"type": "Polygon", "coordinates": [[[0, 0], [1, 0], [1, 1], [0, 1]]]}}]}
        client.post(f"{world}/walkable", json=area).raise_for_status()
        agent = {"position": [0.5, 0.5], "goal": [5, 5], "guidance": "path", "radius": 0.8}
        client.post(f"{world}/agents", json={"agents": [agent]}).raise_for_status()
        answer = client.post(f"{world}/steps", json={"count": 2}, headers=headers)
        (event,) = msgspec.msgpack.decode(answer.content)["events"] if headers else answer.json()["events"]
        assert event["nearest"] == [None]
        assert event["reason"] == ["start-off-surface"]


def test_options_of_a_world(client: httpx.Client, make_world: MakeWorld) -> None:
    world = two_rooms(client, make_world, options={"unreachable_goals": "nearest", "plan_delay_steps": 3})
    assert [event["step"] for event in stepped(client, world, 3)] == []
    assert [event["kind"] for event in stepped(client, world, 1)] == ["unreachable"]
    stepped(client, world, 60)
    shown = client.get(f"{world}/agents/2").json()
    assert shown["status"] == "unreachable"
    assert math.dist(shown["position"], [9.7, 5.0]) < 0.05
    refused = client.post("/v1/worlds", json={"time_step": 0.1, "options": {"unreachable_goals": "wander"}})
    assert refused.status_code == 422
    assert refused.json()["errors"][0]["field"] == "options.unreachable_goals"
