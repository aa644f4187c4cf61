"""Worlds whose agents are planned for together, over the wire."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import httpx
import msgspec
import pytest
from websockets.sync.client import connect
from websockets.typing import Subprotocol

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


def test_agents_as_wide_as_a_gap_are_refused(client: httpx.Client, make_world: MakeWorld) -> None:
    world = rooms(make_world, client)
    # the radius is 0.5 where none is given
    agents = [{"position": [0.5, 0.5], **TRAITS}, {"position": [1.5, 0.5], "goal": [6.5, 0.5]}]
    answer = client.post(f"{world}/agents", json={"agents": agents})
    (fault,) = answer.json()["errors"]
    assert (answer.status_code, fault["item"], fault["field"]) == (422, 1, "radius")
    assert "must be at most 0.4995" in fault["message"]
    assert client.get(world).json()["agents"] == 0
    client.post(f"{world}/agents", json={"agents": agents[:1]}).raise_for_status()
    answer = client.post(f"{world}/map?as=grid&cell_size=0.7", content=MAP, headers=TEXT)
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (422, "cell_size"), answer.text


def test_a_crowd_that_gets_a_goal_at_every_arrival_goes_on(client: httpx.Client, make_world: MakeWorld) -> None:
    world = rooms(make_world, client)
    spots = [[[0.5, 0.5], [0.5, 2.5], [1.5, 4.5]], [[6.5, 0.5], [6.5, 2.5], [5.5, 4.5]]]
    agents = [
        {"id": k, "position": spots[k % 2][k // 2], "goal": spots[1 - k % 2][k // 2], **TRAITS, "radius": radius}
        for k, radius in enumerate([0.4, 0.4, 0.2, 0.4, 0.4, 0.2])
    ]
    client.post(f"{world}/agents", json={"agents": agents}).raise_for_status()
    side, arrivals, left = [1 - k % 2 for k in range(6)] + [0], [0] * 7, None
    url = str(client.base_url).replace("http://", "ws://").rstrip("/") + f"{world}/stream"
    with connect(url, subprotocols=[Subprotocol("orca-crowd.v1.json")]) as socket:

        def answer(kind: str) -> dict[str, Any]:
            while True:
                message: dict[str, Any] = json.loads(socket.recv(timeout=20))
                assert message["type"] not in ("error", "closing"), message
                if message["type"] == kind:
                    return message

        for turn in range(300):
            socket.send(json.dumps({"type": "step", "count": 2, "key": f"s{turn}"}))
            arrived = [
                one for event in answer("stepped")["events"] if event["kind"] == "arrived" for one in event["ids"]
            ]
            changes = []
            for one in arrived:
                arrivals[one] += 1
                side[one] = 1 - side[one]
                changes.append({"id": one, "goal": spots[side[one]][min(one, 5) // 2]})
            commands: list[dict[str, Any]] = [{"op": "set_agents", "agents": changes}] if changes else []
            if turn == 150:
                # one goes for good, and another one comes in its place
                left = list(arrivals)
                commands += [{"op": "remove_agents", "ids": [5]}]
                commands += [{"op": "add_agents", "agents": [{**agents[5], "id": 6}]}]
            if commands:
                socket.send(json.dumps({"type": "command", "commands": commands, "key": f"c{turn}"}))
                answer("ack")
    assert left is not None
    assert min(left[:6]) >= 1
    # nobody is held up by who comes and goes
    assert all(arrivals[k] > left[k] for k in range(5))
    assert arrivals[6] >= 1
    assert sum(arrivals) >= 20


OUTLINE = [(0, 0), (6, 0), (6, 2.5), (12, 2.5), (12, 0), (18, 0), (18, 6), (12, 6), (12, 3.5), (6, 3.5), (6, 6), (0, 6)]


def halls(make_world: MakeWorld, client: httpx.Client, **options: Any) -> str:
    """Two rooms with a passage between them in which two do not pass each other, four on either side."""
    world = make_world(time_step=0.1, options={"profile": "text", **options})
    ground = {"type": "Polygon", "coordinates": [[*OUTLINE, OUTLINE[0]]]}
    client.post(f"{world}/walkable", json={"areas": [{"geometry": ground}]}).raise_for_status()
    places = [[x, 1.0 + 1.3 * row] for x in (1, 17) for row in range(4)]
    traits = {"radius": 0.3, "max_speed": 1.0, "goal_tolerance": 0.1, "guidance": "path"}
    agents = [{"position": place, "goal": places[k - 4], **traits} for k, place in enumerate(places)]
    client.post(f"{world}/agents", json={"agents": agents}).raise_for_status()
    return world


def test_agents_take_turns_on_walkable_ground(client: httpx.Client, make_world: MakeWorld) -> None:
    there, waited = {}, []
    for turns in (False, True):
        world = halls(make_world, client, corridor_turns=turns)
        shown = client.get(world).json()
        assert (shown["options"]["corridor_turns"], shown["options"]["corridor_margin"]) == (turns, 0.0)
        assert shown["guidance"] is None
        for _ in range(50):
            body = {"count": 10, "return": "agents", "fields": ["cooperation", "waits_for", "status"]}
            told = client.post(f"{world}/steps", json=body).json()["agents"]
            if not turns:
                assert told["cooperation"] == ["none"] * 8
                continue
            for one, (state, other) in enumerate(zip(told["cooperation"], told["waits_for"], strict=True)):
                if state == "drift" and other is not None:
                    waited.append(other)
                    why = client.get(f"{world}/agents/{one}/explain").json()["agent"]
                    assert (why["cooperation"], why["waits_for"]) == ("drift", other)
        there[turns] = told["status"].count("arrived")
    assert there[True] == 8 > there[False]
    assert set(waited) <= set(range(8))
    assert waited, "nobody waited for anybody"


@pytest.mark.parametrize(
    ("members", "field"),
    [
        ({"options": {"corridor_turns": "yes"}}, "options.corridor_turns"),
        ({"options": {"corridor_margin": -1}}, "options.corridor_margin"),
        ({"options": {"corridor_turns": True}, "guidance": {"variant": "corca"}}, "options.corridor_turns"),
    ],
)
def test_turns_that_cannot_be_are_refused(client: httpx.Client, members: dict[str, Any], field: str) -> None:
    answer = client.post("/v1/worlds", json={"time_step": 0.1, **members})
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (422, field), answer.text
