"""Commands, steps and the lease over REST."""

from __future__ import annotations

import struct
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import msgspec
import pytest

from orca_core import World
from orca_core.options import Options
from tests.orca_crowd.api.checks import digest, faults, problem

AGENTS = {
    "agents": [
        {"id": 1, "position": [-5, 0.1], "goal": [5, 0]},
        {"id": 2, "position": [5, -0.1], "goal": [-5, 0]},
        {"id": 3, "position": [0, 5], "goal": [0, -5]},
    ]
}


@pytest.fixture
def crowd(client: httpx.Client, world: str) -> str:
    """Path of a world with three agents that meet in the middle."""
    assert client.post(f"{world}/agents", json=AGENTS).status_code == 201
    return world


def test_steps_are_those_of_the_library(client: httpx.Client, crowd: str) -> None:
    library = World(time_step=0.25, options=Options.service())
    library.add_agents(
        {"id": [1, 2, 3], "position": [[-5, 0.1], [5, -0.1], [0, 5]], "goal": [[5, 0], [-5, 0], [0, -5]]}
    )
    library.step(17)
    answer = client.post(f"{crowd}/steps", json={"count": 17, "return": "digest"}).json()
    assert set(answer) == {"step", "time", "digest", "events"}
    assert (answer["step"], answer["time"]) == (17, 17 * 0.25)
    assert answer["digest"] == library.digest() == digest(client, crowd)
    assert client.get(f"{crowd}/digest").json()["step"] == 17
    library.step(23)
    assert client.post(f"{crowd}/steps", json={"count": 23, "return": "digest"}).json()["digest"] == library.digest()


def test_what_a_step_answers(client: httpx.Client, crowd: str) -> None:
    assert client.post(f"{crowd}/steps", json={}).json() == {"step": 1, "time": 0.25, "events": []}
    assert client.post(f"{crowd}/steps", json={"return": "none"}).json() == {"step": 2, "time": 0.5, "events": []}
    answer = client.post(f"{crowd}/steps", json={"return": "agents"}).json()
    assert list(answer["agents"]) == ["ids", "position", "velocity"]
    shown = client.get(f"{crowd}/agents").json()
    assert answer["agents"] == {name: shown[name] for name in ("ids", "position", "velocity")}
    answer = client.post(f"{crowd}/steps", json={"return": "agents", "fields": ["status"], "ids": [3, 1]}).json()
    assert answer["agents"] == {"ids": [3, 1], "status": ["moving", "moving"]}
    packed = client.post(
        f"{crowd}/steps",
        content=msgspec.msgpack.encode({"return": "agents", "fields": ["position"], "ids": struct.pack("<q", 2)}),
        headers={"content-type": "application/msgpack"},
    )
    value = msgspec.msgpack.decode(packed.content)
    assert value["agents"]["ids"] == struct.pack("<q", 2)
    assert len(value["agents"]["position"]) == 16


def test_arrival_is_told_once(client: httpx.Client, world: str) -> None:
    client.post(f"{world}/agents", json={"agents": [{"id": 8, "position": [0, 0], "goal": [0.1, 0]}]})
    events = client.post(f"{world}/steps", json={"count": 10}).json()["events"]
    arrived = [event for event in events if event["kind"] == "arrived"]
    assert [(event["ids"], event["step"]) for event in arrived] == [([8], arrived[0]["step"])]
    shown = client.get(f"{world}/agents/8").json()
    assert shown["status"] == "arrived"
    assert abs(shown["position"][0] - 0.1) <= 1e-9
    assert shown["velocity"] == [0.0, 0.0]


def test_commands_are_one_and_answered_one_by_one(client: httpx.Client, crowd: str) -> None:
    commands = [
        {"op": "add_agents", "agents": [{"id": 10, "position": [20, 20]}, {"position": [30, 30]}]},
        {"op": "set_agents", "agents": [{"id": 10, "goal": [0, 0]}]},
        {"op": "set_agents", "ids": [1], "columns": {"radius": [0.25]}},
        {"op": "remove_agents", "ids": [2]},
        {"op": "add_obstacles", "obstacles": [{"id": 7, "points": [[50, 0], [60, 0]]}]},
        {"op": "set_obstacle", "id": 7, "points": [[50, 1], [60, 1]]},
        {
            "op": "add_walkable",
            "areas": [{"geometry": {"type": "Polygon", "coordinates": [[[-90, -90], [90, -90], [0, 90]]]}}],
        },
        {
            "op": "set_walkable",
            "id": 0,
            "geometry": {"type": "Polygon", "coordinates": [[[-99, -99], [99, -99], [0, 99]]]},
        },
        {"op": "remove_walkable", "id": 0},
        {"op": "remove_obstacle", "id": 7},
    ]
    answer = client.post(f"{crowd}/commands", json={"commands": commands})
    assert answer.status_code == 200, answer.text
    value = answer.json()
    # the agents of the crowd were the first change of this world
    assert (value["step"], value["sequence"]) == (0, 2)
    assert [sorted(result) for result in value["results"]] == [
        ["ids", "warnings"],
        ["warnings"],
        ["warnings"],
        ["removed"],
        ["ids", "warnings"],
        ["warnings"],
        ["ids", "warnings"],
        ["warnings"],
        # whom it has left without ground
        ["removed", "warnings"],
        ["removed"],
    ]
    assert value["results"][0]["ids"] == [10, 0]
    assert value["results"][3]["removed"] == [2]
    assert client.get(f"{crowd}/agents?fields=goal").json()["ids"] == [1, 3, 10, 0]
    shown = client.get(crowd).json()
    assert (shown["agents"], shown["obstacles"], shown["walkable"]) == (4, 0, 0)


@pytest.mark.parametrize(
    ("last", "status", "code", "field"),
    [
        ({"op": "set_agents", "agents": [{"id": 99, "goal": [0, 0]}]}, 404, "not-found", None),
        ({"op": "remove_agents", "ids": [2, 2]}, 422, "invalid", "[1].id"),
        ({"op": "add_agents", "agents": [{"id": 1, "position": [50, 50]}]}, 409, "exists", None),
        ({"op": "add_agents", "agents": [{"position": [50, 50], "radius": -1}]}, 422, "invalid", "[0].radius"),
        ({"op": "set_agents", "agents": [{"id": 3, "goal": [0, 0]}]}, 410, "gone", None),
        ({"op": "nope"}, 422, "invalid", "op"),
        ({}, 422, "invalid", "op"),
        ({"op": 5}, 422, "invalid", "op"),
        ({"op": "remove_agents"}, 422, "invalid", "ids"),
        ({"op": "remove_agents", "ids": [1], "more": 1}, 422, "invalid", "more"),
        ({"op": "remove_agents", "ids": [True]}, 422, "invalid", "[0].ids"),
        ({"op": "remove_obstacle", "id": 4}, 404, "not-found", None),
        ({"op": "remove_obstacle", "id": "4"}, 422, "invalid", "id"),
        ({"op": "set_obstacle", "points": [[0, 0], [1, 1]]}, 422, "invalid", "id"),
        ({"op": "remove_walkable", "id": 4.0}, 422, "invalid", "id"),
    ],
)
def test_a_batch_with_one_fault_changes_nothing(
    client: httpx.Client, crowd: str, last: dict[str, Any], status: int, code: str, field: str | None
) -> None:
    client.post(f"{crowd}/obstacles", json={"obstacles": [{"id": 7, "points": [[50, 0], [60, 0]]}]})
    before = client.get(f"{crowd}/snapshot").content
    commands = [
        {"op": "remove_agents", "ids": [3]},
        {"op": "add_agents", "agents": [{"position": [20, 20]}]},
        {"op": "set_agents", "agents": [{"id": 1, "radius": 0.125}]},
        {"op": "remove_obstacle", "id": 7},
        last,
    ]
    document = problem(client.post(f"{crowd}/commands", json={"commands": commands}), status, code)
    assert document["errors"][0]["item"] == 4
    assert document["errors"][0]["field"] == field
    assert client.get(f"{crowd}/snapshot").content == before
    # the same batch before steps refuses the steps as well
    document = problem(client.post(f"{crowd}/steps", json={"count": 3, "commands": commands}), status, code)
    assert client.get(f"{crowd}/snapshot").content == before
    assert client.get(crowd).json()["step"] == 0
    # and a good one of the same length goes through
    good = [*commands[:4], {"op": "remove_agents", "ids": [2]}]
    assert client.post(f"{crowd}/commands", json={"commands": good}).status_code == 200


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"count": 0}, "count"),
        ({"count": -1}, "count"),
        ({"count": 1.5}, "count"),
        ({"count": True}, "count"),
        ({"count": "1"}, "count"),
        ({"count": None}, "count"),
        ({"expected_step": -1}, "expected_step"),
        ({"expected_step": "0"}, "expected_step"),
        ({"return": "all"}, "return"),
        ({"return": None}, "return"),
        ({"fields": ["position"]}, "fields"),
        ({"ids": [1]}, "ids"),
        ({"return": "agents", "fields": ["raduis"]}, "fields"),
        ({"return": "agents", "fields": "position"}, "fields"),
        ({"return": "agents", "ids": [1.5]}, "ids"),
        ({"return": "agents", "ids": {"1": 1}}, "ids"),
        ({"key": ""}, "key"),
        ({"key": 5}, "key"),
        ({"commands": {}}, "commands"),
        ({"commands": [5]}, "commands"),
        ({"steps": 5}, "steps"),
    ],
)
def test_a_wrong_step_request_is_named(client: httpx.Client, crowd: str, body: dict[str, Any], field: str) -> None:
    entry = problem(client.post(f"{crowd}/steps", json=body), 422, "invalid")["errors"][0]
    assert (entry["field"] or "").split(".")[0] == field
    assert client.get(crowd).json()["step"] == 0


def test_unknown_agents_in_the_answer_refuse_the_steps(client: httpx.Client, crowd: str) -> None:
    body = {"return": "agents", "ids": [99], "commands": [{"op": "remove_agents", "ids": [1]}]}
    problem(client.post(f"{crowd}/steps", json=body), 404, "not-found")
    assert client.get(crowd).json() == {**client.get(crowd).json(), "step": 0, "agents": 3}
    body = {"return": "agents", "ids": [1], "commands": [{"op": "remove_agents", "ids": [1]}]}
    problem(client.post(f"{crowd}/steps", json=body), 410, "gone")
    assert client.get(crowd).json()["agents"] == 3


def test_an_expected_step_that_is_stale_is_409_with_the_step(client: httpx.Client, crowd: str) -> None:
    assert client.post(f"{crowd}/steps", json={"count": 4, "expected_step": 0}).json()["step"] == 4
    document = problem(client.post(f"{crowd}/steps", json={"expected_step": 0}), 409, "wrong-step")
    assert document["step"] == 4
    assert client.post(f"{crowd}/steps", json={"expected_step": 4}).json()["step"] == 5


def test_a_repeated_key_has_one_effect_and_the_same_answer(client: httpx.Client, crowd: str) -> None:
    body = {
        "count": 3,
        "key": "a",
        "return": "agents",
        "commands": [{"op": "add_agents", "agents": [{"position": [40, 0]}]}],
    }
    first = client.post(f"{crowd}/steps", json=body)
    again = client.post(f"{crowd}/steps", json=body)
    packed = client.post(
        f"{crowd}/steps",
        content=msgspec.msgpack.encode(body),
        headers={"content-type": "application/msgpack", "accept": "application/json"},
    )
    assert first.status_code == 200
    assert first.content == again.content == packed.content
    assert client.get(crowd).json()["step"] == 3
    assert client.get(crowd).json()["agents"] == 4
    problem(client.post(f"{crowd}/steps", json={**body, "count": 4}), 409, "key-reused")
    commands = {"commands": [{"op": "add_agents", "agents": [{"position": [60, 0]}]}]}
    problem(client.post(f"{crowd}/commands", json={**commands, "key": "a"}), 409, "key-reused")
    first = client.post(f"{crowd}/commands", json={**commands, "key": "b"})
    client.post(f"{crowd}/steps", json={})
    again = client.post(f"{crowd}/commands", json={**commands, "key": "b"})
    assert first.content == again.content
    assert client.get(crowd).json()["agents"] == 5


def test_a_refused_request_may_be_sent_again_under_its_key(client: httpx.Client, crowd: str) -> None:
    body = {"key": "k", "expected_step": 1}
    problem(client.post(f"{crowd}/steps", json=body), 409, "wrong-step")
    client.post(f"{crowd}/steps", json={})
    assert client.post(f"{crowd}/steps", json=body).json()["step"] == 2


def test_steps_of_two_clients_are_two_hundred_and_each_is_told_its_own(
    server: str, client: httpx.Client, crowd: str
) -> None:
    def a_hundred(_: int) -> list[int]:
        with httpx.Client(base_url=server, timeout=60) as own:
            return [own.post(f"{crowd}/steps", json={}).json()["step"] for _ in range(100)]

    with ThreadPoolExecutor(2) as pool:
        found = list(pool.map(a_hundred, range(2)))
    assert sorted(found[0] + found[1]) == list(range(1, 201))
    assert all(steps == sorted(steps) for steps in found)
    assert client.get(crowd).json()["step"] == 200


def test_a_batch_is_never_seen_half(server: str, client: httpx.Client, make_world: Any) -> None:
    crowd = make_world(options={"profile": "text"})
    count = 100
    places = [[0.0, 3.0 * k] for k in range(count)]
    client.post(f"{crowd}/agents", json={"columns": {"position": places, "max_neighbors": [0] * count}})

    def write(sign: float) -> None:
        with httpx.Client(base_url=server, timeout=60) as own:
            for _ in range(10):
                body = {"ids": list(range(count)), "columns": {"velocity": [[sign, 0.0]] * count}}
                assert own.patch(f"{crowd}/agents", json=body).status_code == 200

    def read(_: int) -> None:
        with httpx.Client(base_url=server, timeout=60) as own:
            for _ in range(20):
                shown = own.get(f"{crowd}/agents?fields=velocity").json()["velocity"]
                assert len({velocity[0] for velocity in shown}) == 1

    def step(_: int) -> None:
        with httpx.Client(base_url=server, timeout=60) as own:
            for _ in range(10):
                assert own.post(f"{crowd}/steps", json={"count": 3}).status_code == 200

    with ThreadPoolExecutor(6) as pool:
        tasks = [
            pool.submit(write, 1.0),
            pool.submit(write, -1.0),
            pool.submit(step, 0),
            *(pool.submit(read, k) for k in range(3)),
        ]
        for task in tasks:
            task.result()


def test_a_realtime_world_is_not_stepped_by_hand(client: httpx.Client, make_world: Any) -> None:
    world = make_world(clock={"mode": "realtime", "rate": 200})
    problem(client.post(f"{world}/steps", json={}), 409, "wrong-clock")
    assert client.patch(world, json={"clock": {"mode": "manual"}}).status_code == 200
    step = client.get(world).json()["step"]
    assert client.post(f"{world}/steps", json={}).json()["step"] == step + 1


def test_requests_have_limits(small: httpx.Client) -> None:
    small.post("/v1/worlds", json={"id": "w", "time_step": 0.25})
    problem(small.post("/v1/worlds/w/steps", json={"count": 51}), 429, "limit")
    assert small.post("/v1/worlds/w/steps", json={"count": 50}).json()["step"] == 50
    commands = [{"op": "add_agents", "agents": []}] * 6
    problem(small.post("/v1/worlds/w/commands", json={"commands": commands}), 429, "limit")
    assert small.post("/v1/worlds/w/commands", json={"commands": commands[:5]}).status_code == 200
    assert faults(small.post("/v1/worlds/w/lease", json={"holder": "me", "ttl": 61})) == {(None, "ttl")}
    clock = {"mode": "realtime", "rate": 101}
    assert faults(small.patch("/v1/worlds/w", json={"clock": clock})) == {(None, "clock.rate")}
