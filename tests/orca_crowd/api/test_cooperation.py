"""Worlds whose agents are planned for together, over the wire."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import httpx
import msgspec
import pytest

MakeWorld = Callable[..., str]
TEXT = {"content-type": "text/plain"}
PACKED = {"accept": "application/msgpack"}
MAP = "type octile\nheight 5\nwidth 7\nmap\n...@...\n...@...\n.......\n...@...\n...@...\n"
TRAITS = {"radius": 0.4, "max_speed": 1.0, "obstacle_horizon": 0.25}


def rooms(make_world: MakeWorld, client: httpx.Client, **members: Any) -> str:
    """Two rooms with a gap of one cell between them."""
    world = make_world(**{"time_step": 0.25, "guidance": {"variant": "corca-mapf"}, **members})
    for kind in ("grid", "obstacles"):
        client.post(f"{world}/map?as={kind}", content=MAP, headers=TEXT).raise_for_status()
    return world


def test_agents_of_a_guided_world_take_turns(client: httpx.Client, make_world: MakeWorld) -> None:
    world = rooms(make_world, client)
    shown = client.get(world).json()
    assert shown["guidance"] == {"variant": "corca-mapf", "init_algo": "PP", "neighbor_size": 8, "max_iterations": 0}
    assert "cooperation" not in shown["options"]
    assert shown["defaults"]["guidance"] == "cooperative"
    agents = [
        {"id": 1, "position": [0.5, 1.5], "goal": [6.5, 1.5], **TRAITS},
        {"id": 2, "position": [6.5, 3.5], "goal": [0.5, 3.5], **TRAITS},
        {"id": 3, "position": [2.5, 4.5], "goal": [2.0, 4.0], "guidance": "straight", **TRAITS},
    ]
    client.post(f"{world}/agents", json={"agents": agents}).raise_for_status()
    waited = []
    for _ in range(40):
        body = {"count": 2, "return": "agents", "fields": ["cooperation", "waits_for"]}
        told = client.post(f"{world}/steps", json=body).json()["agents"]
        assert told["cooperation"][2] == "none"
        waited += [other for other in told["waits_for"] if other is not None]
    assert set(waited) <= {1, 2}
    assert waited, "nobody waited for anybody at the gap"
    read = client.get(f"{world}/agents", params={"fields": "status,cooperation,waits_for"}).json()
    assert (read["status"], read["cooperation"]) == (["arrived"] * 3, ["orca", "orca", "none"])
    assert read["waits_for"] == [None] * 3
    # one of them: what is read may be sent back, in either encoding
    one = client.get(f"{world}/agents/1").json()
    assert (one["cooperation"], one["waits_for"], one["waypoint"], one["unreachable"]) == ("orca", None, None, None)
    assert msgspec.msgpack.decode(client.get(f"{world}/agents/1", headers=PACKED).content) == one
    back = client.put(f"{world}/agents/1", json=one)
    assert back.status_code == 200, back.text
    assert "read-only" in [warning["code"] for warning in back.json()["warnings"]]
    assert "waypoint" not in client.get(f"{world}/agents/3").json()


@pytest.mark.parametrize(
    ("guidance", "field"),
    [
        ({}, "guidance.variant"),
        ({"variant": "lns-only"}, "guidance.variant"),
        ({"variant": "corca", "neighbor_size": 0}, "guidance.neighbor_size"),
        ({"variant": "corca", "speed": 1}, "guidance.speed"),
    ],
)
def test_a_guidance_that_is_none_is_refused(client: httpx.Client, guidance: dict[str, Any], field: str) -> None:
    answer = client.post("/v1/worlds", json={"time_step": 0.25, "guidance": guidance})
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (422, field), answer.text


def test_agents_cannot_cooperate_in_a_world_without_guidance(client: httpx.Client, world: str) -> None:
    agent = {"position": [0, 0], "guidance": "cooperative"}
    answer = client.post(f"{world}/agents", json={"agents": [agent]})
    (fault,) = answer.json()["errors"]
    assert (answer.status_code, fault["item"], fault["field"]) == (422, 0, "guidance")
    assert "no guidance" in fault["message"]
    changed = client.patch(world, json={"defaults": {"guidance": "cooperative"}})
    assert (changed.status_code, changed.json()["errors"][0]["field"]) == (422, "defaults.guidance")
