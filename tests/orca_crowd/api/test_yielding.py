"""Who yields to whom over REST, as a client meets it: set, read, explained, driven, refused, saved."""

from __future__ import annotations

import struct
from typing import Any

import httpx
import msgspec
import numpy as np
import pytest

from tests.orca_crowd.api.checks import digest, problem

MSGPACK = {"content-type": "application/msgpack", "accept": "application/msgpack"}

NEUTRAL: dict[str, Any] = {
    "weight": 1.0,
    "priority": 0,
    "locked": False,
    "avoidance": True,
    "layer": 1,
    "mask": 2**32 - 1,
    "elevation": 0.0,
    "height": 0.0,
    "group": 0,
    "group_mode": "none",
}
OTHERS: dict[str, Any] = {
    "weight": 0.1 + 0.2,
    "priority": -7,
    "locked": True,
    "avoidance": False,
    "layer": 2**31,
    "mask": 6,
    "elevation": -3.5,
    "height": 1.8,
    "group": 2**53 - 1,
    "group_mode": "ignore",
}


def numbers(value: bytes) -> list[float]:
    """A column of numbers out of a bin."""
    return np.frombuffer(value, "<f8").tolist()


def packed(name: str, values: list[Any]) -> Any:
    """A column as MessagePack has it: words and flags in a list, numbers in a bin."""
    coded = isinstance(NEUTRAL[name], bool | str)
    return values if coded else struct.pack(f"<{len(values)}d", *values)


@pytest.mark.parametrize("kind", ["rows", "columns", "packed", "commands"])
def test_every_field_goes_there_and_back(kind: str, client: httpx.Client, make_world: Any) -> None:
    world = make_world()
    rows = [{"position": [0, 0], **NEUTRAL}, {"position": [9, 0], **OTHERS}, {"position": [18, 0]}]
    if kind == "rows":
        assert client.post(f"{world}/agents", json={"agents": rows}).status_code == 201
    elif kind == "commands":
        body = {"commands": [{"op": "add_agents", "agents": rows}]}
        assert client.post(f"{world}/commands", json=body).status_code == 200
    else:
        columns: dict[str, Any] = {name: [NEUTRAL[name], OTHERS[name]] for name in NEUTRAL}
        if kind == "packed":
            columns = {name: packed(name, values) for name, values in columns.items()}
            columns["position"] = struct.pack("<4d", 0, 0, 9, 0)
            body_bytes = msgspec.msgpack.encode({"columns": columns})
            assert client.post(f"{world}/agents", content=body_bytes, headers=MSGPACK).status_code == 201
        else:
            columns["position"] = [[0, 0], [9, 0]]
            assert client.post(f"{world}/agents", json={"columns": columns}).status_code == 201
        assert client.post(f"{world}/agents", json={"agents": rows[2:]}).status_code == 201
    # one by one, in columns, and in columns of MessagePack
    for identifier, wanted in ((0, NEUTRAL), (1, OTHERS), (2, NEUTRAL)):
        shown = client.get(f"{world}/agents/{identifier}").json()
        assert {name: shown[name] for name in NEUTRAL} == wanted
    fields = {"fields": ",".join(NEUTRAL)}
    shown = client.get(f"{world}/agents", params=fields).json()
    bins = msgspec.msgpack.decode(client.get(f"{world}/agents", params=fields, headers=MSGPACK).content)
    for name in NEUTRAL:
        wanted_column = [NEUTRAL[name], OTHERS[name], NEUTRAL[name]]
        assert shown[name] == wanted_column
        assert (numbers(bins[name]) if isinstance(bins[name], bytes) else bins[name]) == wanted_column
    # and back to where nobody differs
    assert client.patch(f"{world}/agents/1", json=NEUTRAL).status_code == 200
    assert {name: client.get(f"{world}/agents/1").json()[name] for name in NEUTRAL} == NEUTRAL


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("weight", [-1, "1", True, None]),
        ("priority", [0.5, "1", True, None, 2**40]),
        ("locked", [1, 0, "true", None]),
        ("avoidance", [1, 0, "false", None]),
        ("layer", [-1, 2**32, 0.5, True, None]),
        ("mask", [-1, 2**32, 0.5, True, None]),
        ("elevation", ["0", True, None, 1e300]),
        ("height", [-0.5, "0", True, None]),
        ("group", [-1, 2**53, 0.5, True, None]),
        ("group_mode", ["alone", 1, True, None]),
    ],
)
def test_what_is_none_is_refused_and_changes_nothing(
    name: str, wrong: list[Any], client: httpx.Client, make_world: Any
) -> None:
    world = make_world()
    client.post(f"{world}/agents", json={"agents": [{"position": [0, 0], **OTHERS}, {"position": [5, 0]}]})
    before = client.get(f"{world}/snapshot").content
    for value in wrong:
        for body in (
            {"agents": [{"position": [0, 9]}, {"position": [3, 9], name: value}]},
            {"columns": {"position": [[0, 9], [3, 9]], name: [OTHERS[name], value]}},
        ):
            answer = problem(client.post(f"{world}/agents", json=body), 422, "invalid")
            # in a column pydantic has no part, so the place is the row's
            assert answer["errors"][0]["item"] == 1
            assert answer["errors"][0]["field"].startswith(name)
        problem(client.patch(f"{world}/agents/1", json={name: value}), 422, "invalid")
        body = {"ids": [0, 1], "columns": {name: [OTHERS[name], value]}}
        problem(client.patch(f"{world}/agents", json=body), 422, "invalid")
    assert client.get(f"{world}/snapshot").content == before


def test_a_locked_body_is_driven_and_the_other_makes_way(client: httpx.Client, make_world: Any) -> None:
    world = make_world(time_step=0.25)
    client.post(
        f"{world}/agents",
        json={
            "agents": [
                {"position": [-5, 0.05], "velocity": [1, 0], "locked": True},
                {"position": [5, 0], "preferred_velocity": [-1, 0]},
            ]
        },
    )
    told = client.get(f"{world}/agents/1/explain").json()
    assert [(one["responsibility"], one["why"]) for one in told["constraints"]] in ([], [(1.0, "locked")])
    x, gap = -5.0, np.inf
    for _ in range(48):
        answer = client.post(f"{world}/steps", json={"count": 1, "return": "agents"}).json()
        assert answer["events"] == []
        x += 0.25
        first, second = answer["agents"]["position"]
        assert first == [x, 0.05]
        gap = min(gap, np.hypot(first[0] - second[0], first[1] - second[1]))
    assert gap >= 1.0 - 1e-6
    client.patch(f"{world}/agents/0", json={"position": [0, 7], "velocity": [0, -2]})
    client.post(f"{world}/steps", json={"count": 1})
    shown = client.get(f"{world}/agents/0").json()
    assert (shown["position"], shown["velocity"], shown["locked"]) == ([0.0, 6.5], [0.0, -2.0], True)


def test_explain_names_shares_and_reasons(client: httpx.Client, make_world: Any) -> None:
    world = make_world()
    rows = [
        {"position": [0, 0], "weight": 1},
        {"position": [2, 0], "weight": 3},
        {"position": [0, 2], "priority": 1},
        {"position": [-2, 0], "layer": 0},
    ]
    client.post(f"{world}/agents", json={"agents": rows})
    told = client.get(f"{world}/agents/0/explain").json()
    shares = {one["source"]: (one["responsibility"], one["why"]) for one in told["constraints"]}
    assert shares == {1: (0.25, "weight"), 2: (1.0, "priority")}
    assert [(one["id"], one["why"]) for one in told["unheeded"]] == [(3, "mask")]


def test_obstacles_stand_on_storeys(client: httpx.Client, make_world: Any) -> None:
    world = make_world()
    rows = [{"points": [[0, -9], [0, 9]], "z_range": [0, 3]}, {"points": [[5, -9], [5, 9]]}]
    assert client.post(f"{world}/obstacles", json={"obstacles": rows}).status_code == 201
    shown = client.get(f"{world}/obstacles").json()["obstacles"]
    assert [one["z_range"] for one in shown] == [[0.0, 3.0], None]
    assert client.get(f"{world}/obstacles/0").json()["z_range"] == [0.0, 3.0]
    agents = [
        {"position": [-2, 0], "preferred_velocity": [1, 0], "height": 1.8},
        {"position": [-2, 0], "preferred_velocity": [1, 0], "elevation": 4, "height": 1.8},
    ]
    answer = client.post(f"{world}/agents", json={"agents": agents}).json()
    assert answer["warnings"] == []
    client.post(f"{world}/steps", json={"count": 400})
    first, second = client.get(f"{world}/agents").json()["position"]
    assert (first[0], second[0]) == (pytest.approx(-0.5, abs=0.05), pytest.approx(4.5, abs=0.05))
    # the door of the upper storey becomes one of the lower: a range may be changed and taken away
    client.put(f"{world}/obstacles/0", json={"points": [[0, -9], [0, 9]], "z_range": [4, 7]})
    client.put(f"{world}/obstacles/1", json={"points": [[5, -9], [5, 9]], "z_range": None})
    assert [one["z_range"] for one in client.get(f"{world}/obstacles").json()["obstacles"]] == [[4.0, 7.0], None]
    client.post(f"{world}/steps", json={"count": 400})
    assert client.get(f"{world}/agents").json()["position"][0][0] == pytest.approx(4.5, abs=0.05)
    before = digest(client, world)
    for wrong in ([3, 0], [0], [0, 1, 2], "0..3", [0, True], [0, "3"], 3):
        row = {"points": [[0, 0], [1, 0]], "z_range": wrong}
        answer = problem(client.post(f"{world}/obstacles", json={"obstacles": [row]}), 422, "invalid")
        assert "z_range" in answer["errors"][0]["field"]
        problem(client.put(f"{world}/obstacles/0", json=row), 422, "invalid")
    assert len(client.get(f"{world}/obstacles").json()["obstacles"]) == 2
    assert digest(client, world) == before


def test_a_restored_world_knows_who_yields(client: httpx.Client, make_world: Any) -> None:
    world = make_world(id="first")
    rows = [{"position": [0, 0], **OTHERS}, {"position": [9, 0], "goal": [0, 0], "weight": 3}]
    client.post(f"{world}/agents", json={"agents": rows})
    client.post(f"{world}/obstacles", json={"obstacles": [{"points": [[4, 1], [4, 9]], "z_range": [-1, 1]}]})
    saved = client.get(f"{world}/snapshot").content
    other = client.post("/v1/worlds/restore", params={"id": "second"}, content=saved,
                        headers={"content-type": "application/octet-stream"})  # fmt: skip
    assert other.status_code == 201, other.text
    try:
        assert client.get("/v1/worlds/second/agents/0").json() == client.get(f"{world}/agents/0").json()
        for name in ("first", "second"):
            client.post(f"/v1/worlds/{name}/steps", json={"count": 30})
        assert client.get("/v1/worlds/second/snapshot").content == client.get(f"{world}/snapshot").content
    finally:
        client.delete("/v1/worlds/second")


def test_steering_for_somebody_who_keeps_the_world_himself(client: httpx.Client) -> None:
    agents = [
        {"position": [-1.2, 0], "velocity": [1, 0], "locked": True},
        {"position": [0, 0.05], "preferred_velocity": [-1, 0]},
        {"position": [0, 0.05], "preferred_velocity": [-1, 0], "avoidance": False},
    ]
    answer = client.post("/v1/steer", json={"time_step": 0.1, "agents": agents})
    assert answer.status_code == 200, answer.text
    first, second, third = answer.json()["velocity"]
    assert (first, third) == ([1.0, 0.0], [-1.0, 0.0])
    assert second[1] > 0.0


def test_members_of_a_group_keep_together(client: httpx.Client, make_world: Any) -> None:
    spread = {}
    for mode in ("none", "together"):
        world = make_world(time_step=0.1)
        rows = [
            {"position": [2.5 * k, 1.1 * (k % 3)], "goal": [60 + 2.5 * k, 1.1 * (k % 3)], "preferred_speed": 1.0,
             "group": 5, "group_mode": mode}
            for k in range(6)
        ]  # fmt: skip
        client.post(f"{world}/agents", json={"agents": rows})
        client.post(f"{world}/steps", json={"count": 200})
        places = np.array(client.get(f"{world}/agents").json()["position"])
        spread[mode] = float(np.hypot(*(places - places.mean(axis=0)).T).mean())
    assert spread["together"] < 0.7 * spread["none"]


def test_defaults_of_a_world_say_who_yields(client: httpx.Client, make_world: Any) -> None:
    defaults = {
        "weight": 0.5, "priority": -3, "locked": False, "avoidance": True, "layer": 2, "mask": 3, "elevation": 3.0,
        "height": 1.5, "group": 7, "group_mode": "together",
    }  # fmt: skip
    world = make_world(defaults=defaults)
    assert client.get(world).json()["defaults"] == defaults
    client.post(f"{world}/agents", json={"agents": [{"position": [0, 0]}, {"position": [9, 0], "layer": 1}]})
    shown = [client.get(f"{world}/agents/{which}").json() for which in (0, 1)]
    assert {name: shown[0][name] for name in defaults} == defaults
    assert {name: shown[1][name] for name in defaults} == {**defaults, "layer": 1}
    refused = client.patch(world, json={"defaults": {"layer": -1}})
    assert refused.status_code == 422
    assert "layer" in refused.text


def test_a_jam_is_shown(client: httpx.Client, make_world: Any) -> None:
    world = make_world(time_step=0.25)
    walls = [{"points": [[-10, y], [10, y]]} for y in (-0.6, 0.6)]
    client.post(f"{world}/obstacles", json={"obstacles": walls})
    both = [{"position": [-2, 0], "goal": [15, 0]}, {"position": [2, 0.01], "goal": [-15, 0]}]
    client.post(f"{world}/agents", json={"agents": both})
    before = client.get(f"{world}/agents/0").json()
    assert (before["waiting"], before["blocked_by"], before["yields_to"]) == (0.0, None, None)
    client.post(f"{world}/steps", json={"count": 20})
    first, second = (client.get(f"{world}/agents/{which}").json() for which in (0, 1))
    assert first["blocked_by"] == 1
    assert second["blocked_by"] == 0
    assert min(first["waiting"], second["waiting"]) >= 3.0
    client.post(f"{world}/steps", json={"count": 10})
    first, second = (client.get(f"{world}/agents/{which}/explain").json()["agent"] for which in (0, 1))
    assert (first["yields_to"], second["yields_to"]) == (None, 0)
    # as it was read it may be sent back
    assert client.patch(f"{world}/agents/1", json=second).status_code == 200
