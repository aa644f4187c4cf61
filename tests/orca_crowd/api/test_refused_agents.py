"""What is refused of agents: each with 422, item and field, and not one bit of the world changed."""

from __future__ import annotations

import struct
from typing import Any

import httpx
import msgspec
import pytest

from tests.orca_crowd.api.checks import digest, faults, problem, strict_json

JSON = {"content-type": "application/json"}
MSGPACK = {"content-type": "application/msgpack"}
HERE = [
    {"id": 1, "position": [0, 0], "velocity": [0.5, -0.0], "goal": [9, 0]},
    {"id": 2, "position": [5, 0.1], "preferred_velocity": [-1, 0]},
]


@pytest.fixture
def crowd(client: httpx.Client, world: str) -> str:
    """Path of a world with two agents after three steps."""
    assert client.post(f"{world}/agents", json={"agents": HERE}).status_code == 201
    assert client.post(f"{world}/steps", json={"count": 3}).status_code == 200
    return world


VALUES: list[tuple[str, str]] = [
    # not finite, in every field
    *(
        (field, text)
        for text in ("NaN", "Infinity", "-Infinity", "1e999")
        for field in ("radius", "max_speed", "goal_tolerance")
    ),
    *((field, f"[{text}, 0]") for text in ("NaN", "1e999", "-Infinity") for field in ("position", "velocity", "goal")),
    ("preferred_velocity", "[0, NaN]"),
    ("preferred_velocity", "[Infinity, Infinity]"),
    ("preferred_speed", "NaN"),
    ("neighbor_distance", "Infinity"),
    ("time_horizon", "NaN"),
    ("obstacle_horizon", "1e999"),
    # another type than a number
    ("radius", "true"),
    ("radius", '"1"'),
    ("radius", "[1]"),
    ("radius", "{}"),
    ("radius", "null"),
    ("position", "null"),
    ("velocity", "null"),
    ("position", '["0", 0]'),
    ("position", '["NaN", 0]'),
    ("position", "[true, 0]"),
    ("position", "[0]"),
    ("position", "[0, 0, 0]"),
    ("position", "[]"),
    ("position", "[[0], 0]"),
    ("position", '{"x": 0, "y": 0}'),
    ("goal", "0"),
    ("goal", "[0, null]"),
    ("max_neighbors", "1.5"),
    ("max_neighbors", "10.0"),
    ("max_neighbors", "true"),
    ("max_neighbors", '"10"'),
    # out of range
    ("radius", "-1"),
    ("radius", "1" + "0" * 400),
    ("max_speed", "-1"),
    ("max_neighbors", "-1"),
    ("max_neighbors", "1000000000"),
    ("max_neighbors", "1" + "0" * 30),
    ("time_horizon", "0"),
    ("time_horizon", "-1"),
    ("time_horizon", "1e-300"),
    ("obstacle_horizon", "0"),
    ("obstacle_horizon", "9e-7"),
    ("neighbor_distance", "-1"),
    ("preferred_speed", "-1"),
    ("goal_tolerance", "-1e-9"),
    ("position", "[1000000001, 0]"),
    ("position", "[0, -1e12]"),
    ("position", "[1e308, 0]"),
    ("goal", "[1e16, 0]"),
    # unknown
    ("raduis", "1"),
    ("weight ", "1"),
]


@pytest.mark.parametrize(("field", "text"), VALUES)
def test_a_wrong_value_is_named_wherever_it_stands(client: httpx.Client, crowd: str, field: str, text: str) -> None:
    before = digest(client, crowd)
    position = "" if field == "position" else '"position": [9, 9], '
    new = f'{{"agents": [{{"position": [20, 20]}}, {{{position}"{field}": {text}}}]}}'
    assert faults(client.post(f"{crowd}/agents", content=new, headers=JSON)) == {(1, field)}
    changed = f'{{"agents": [{{"id": 1, "radius": 0.1}}, {{"id": 2, "{field}": {text}}}]}}'
    assert faults(client.patch(f"{crowd}/agents", content=changed, headers=JSON)) == {(1, field)}
    one = client.patch(f"{crowd}/agents/2", content=f'{{"{field}": {text}}}', headers=JSON)
    assert faults(one) == {(None, field)}
    batch = f'{{"commands": [{{"op": "remove_agents", "ids": [1]}}, {{"op": "set_agents", {changed[1:]}]}}'
    assert faults(client.post(f"{crowd}/commands", content=batch, headers=JSON)) == {(1, f"[1].{field}")}
    assert digest(client, crowd) == before
    assert client.get(f"{crowd}/agents/1").json()["radius"] == 0.5
    assert client.get(crowd).json()["agents"] == 2
    strict_json(client.get(f"{crowd}/agents").content)


@pytest.mark.parametrize(
    ("field", "text"),
    [
        (field, text)
        for field, text in VALUES
        if field not in ("raduis", "weight ") and text not in ("[]", "{}", "null")
    ],
)
def test_a_wrong_value_in_a_column_is_named(client: httpx.Client, crowd: str, field: str, text: str) -> None:
    good = {"position": "[20, 20]", "goal": "[1, 1]", "velocity": "[0, 0]", "preferred_velocity": "[0, 0]"}.get(
        field, "1"
    )
    position = "" if field == "position" else '"position": [[20, 20], [30, 30]], '
    body = f'{{"columns": {{{position}"{field}": [{good}, {text}]}}}}'
    before = digest(client, crowd)
    assert faults(client.post(f"{crowd}/agents", content=body, headers=JSON)) == {(1, field)}
    assert digest(client, crowd) == before


@pytest.mark.parametrize(
    ("body", "where"),
    [
        ({}, (None, None)),
        ({"agents": None}, (None, None)),
        ({"agents": [], "columns": {}}, (None, None)),
        ({"agents": {}}, (None, "agents")),
        ({"agents": [5]}, (0, None)),
        ({"agents": [[]]}, (0, None)),
        ({"agents": [{}]}, (0, "position")),
        ({"agents": [{"position": [0, 0], "id": -1}]}, (0, "id")),
        ({"agents": [{"position": [0, 0], "id": 2**53}]}, (0, "id")),
        ({"agents": [{"position": [0, 0], "id": 2**63}]}, (0, "id")),
        ({"agents": [{"position": [0, 0], "id": 1.0}]}, (0, "id")),
        ({"agents": [{"position": [0, 0], "id": True}]}, (0, "id")),
        ({"agents": [{"position": [0, 0], "id": "5"}]}, (0, "id")),
        ({"agents": [{"position": [0, 0], "id": None}]}, (0, "id")),
        ({"agents": [{"position": [90, 0], "id": 8}, {"position": [0, 90], "id": 8}]}, (1, "id")),
        ({"agents": [{"position": [0, 0], "status": "moving"}]}, (0, "status")),
        ({"agents": [], "ids": [1]}, (None, "ids")),
        ({"agents": [], "more": 1}, (None, "more")),
        ({"columns": []}, (None, "columns")),
        ({"columns": {}}, (None, "position")),
        ({"columns": {"position": 5}}, (None, "position")),
        ({"columns": {"position": "xyxy"}}, (None, "position")),
        ({"columns": {"position": [[0, 0]], "radius": [1, 2]}}, (None, "position")),
        ({"columns": {"position": [[0, 0]], "raduis": [1]}}, (None, "raduis")),
        ({"columns": {"position": [[0, 0]], "id": [1.5]}}, (0, "id")),
        ({"columns": {"position": [[0, 0]], "id": [2**63]}}, (0, "id")),
        ({"columns": {"position": [[0, 0]], "id": [8], "status": ["moving"]}}, (None, "status")),
        ({"columns": {"position": [[90, 0], [0, 90]], "id": [8, 8]}}, (1, "id")),
        ({"columns": {"position": [[0, 0]], "id": [8]}, "ids": [8]}, (None, "ids")),
        ([], (None, None)),
        (5, (None, None)),
        ("agents", (None, None)),
        (None, (None, None)),
    ],
)
def test_a_body_of_the_wrong_shape_is_refused(
    client: httpx.Client, crowd: str, body: Any, where: tuple[int | None, str | None]
) -> None:
    before = digest(client, crowd)
    answer = client.post(f"{crowd}/agents", content=msgspec.json.encode(body), headers=JSON)
    document = problem(answer, 422, "invalid")
    assert where == (None, None) or where in {(entry["item"], entry["field"]) for entry in document["errors"]}
    assert document["detail"]
    assert digest(client, crowd) == before
    assert client.get(crowd).json()["agents"] == 2


@pytest.mark.parametrize(
    ("body", "where"),
    [
        ({"agents": [{"radius": 1}]}, (0, "id")),
        ({"agents": [{"id": 1}, {"id": 1}]}, (1, "id")),
        ({"columns": {"radius": [1]}}, (None, "ids")),
        ({"ids": [1, 1], "columns": {"radius": [1, 1]}}, (1, "id")),
        ({"ids": [1], "columns": {"radius": [1, 1]}}, (None, "ids")),
        ({"ids": [1], "columns": {"radius": [None]}}, (0, "radius")),
        ({"ids": [1], "columns": {"velocity": [None]}}, (0, "velocity")),
        ({"ids": "1", "columns": {"radius": [1]}}, (None, "id")),
        ({"agents": [{"id": 1, "status": "flying"}]}, (0, "status")),
    ],
)
def test_a_change_of_the_wrong_shape_is_refused(
    client: httpx.Client, crowd: str, body: Any, where: tuple[int | None, str | None]
) -> None:
    before = digest(client, crowd)
    assert where in faults(client.patch(f"{crowd}/agents", json=body))
    assert digest(client, crowd) == before


@pytest.mark.parametrize(
    ("columns", "where"),
    [
        ({"position": b"\0" * 15}, (None, "position")),
        ({"position": b"\0" * 8}, (None, "position")),
        ({"position": struct.pack("<2d", float("nan"), 0)}, (0, "position")),
        ({"position": b"\0" * 16, "radius": struct.pack("<d", float("inf"))}, (0, "radius")),
        ({"position": b"\0" * 16, "radius": b"\0" * 16}, (None, "position")),
        ({"position": b"\0" * 16, "id": b"\0" * 4}, (None, "id")),
        ({"position": b"\0" * 16, "id": struct.pack("<q", -1)}, (0, "id")),
        ({"position": b"\0" * 16, "max_neighbors": struct.pack("<d", 1.5)}, (0, "max_neighbors")),
        ({"position": b"\0" * 16, "max_neighbors": struct.pack("<d", float("nan"))}, (0, "max_neighbors")),
    ],
)
def test_a_wrong_bin_is_named(
    client: httpx.Client, crowd: str, columns: dict[str, bytes], where: tuple[int | None, str | None]
) -> None:
    body = msgspec.msgpack.encode({"columns": columns})
    assert where in faults(client.post(f"{crowd}/agents", content=body, headers=MSGPACK))
    assert client.get(crowd).json()["agents"] == 2


def test_a_batch_names_every_wrong_item_and_adds_none(client: httpx.Client, crowd: str) -> None:
    before = digest(client, crowd)
    rows: list[dict[str, Any]] = [{"position": [20 + 2 * k, 20]} for k in range(100)]
    rows[57]["radius"] = float("nan")
    rows[80]["position"] = [1e10, 0]
    body = msgspec.msgpack.encode({"agents": rows})
    assert (57, "radius") in faults(client.post(f"{crowd}/agents", content=body, headers=MSGPACK))
    rows[57]["radius"] = -1.0
    assert faults(client.post(f"{crowd}/agents", json={"agents": rows})) == {(57, "radius"), (80, "position")}
    assert client.get(crowd).json()["agents"] == 2
    assert digest(client, crowd) == before


def test_legal_zeros_are_accepted(client: httpx.Client, world: str) -> None:
    row = {
        "radius": 0,
        "max_speed": 0,
        "max_neighbors": 0,
        "neighbor_distance": 0,
        "preferred_speed": 0,
        "goal_tolerance": 0,
    }
    assert (
        client.post(f"{world}/agents", json={"agents": [{"position": [0, 0], "goal": [1, 0], **row}]}).status_code
        == 201
    )
    assert client.post(f"{world}/steps", json={"count": 5}).status_code == 200
    shown = client.get(f"{world}/agents/0").json()
    assert shown["position"] == [0.0, 0.0]
    assert {name: shown[name] for name in row} == row


@pytest.mark.parametrize("wanted", [[1e154, 1e154], [1e200, 0.0], [1e308, 1e308], [5e-324, 0.0]])
def test_a_preferred_velocity_of_any_finite_size_has_its_direction(
    client: httpx.Client, world: str, wanted: list[float]
) -> None:
    client.post(f"{world}/agents", json={"agents": [{"position": [0, 0], "preferred_velocity": wanted}]})
    stepped = client.post(f"{world}/steps", json={"return": "agents"}).json()["agents"]
    x, y = stepped["velocity"][0]
    if wanted[0] > 1:
        assert abs((x * x + y * y) ** 0.5 - 1.5) < 1e-15
        assert abs(x * wanted[1] / wanted[0] - y) < 1e-15
    else:
        assert 0 <= x <= 5e-324


@pytest.mark.parametrize("origin", [0.0, 1e3, 1e6, 1e9 - 100])
def test_far_from_the_origin_the_same_happens(client: httpx.Client, world: str, origin: float) -> None:
    def run(at: float) -> list[list[float]]:
        client.delete(f"{world}/agents?ids={','.join(map(str, client.get(f'{world}/agents').json()['ids']))}")
        rows = [
            {"position": [at - 3, 0.1], "preferred_velocity": [1, 0]},
            {"position": [at + 3, -0.1], "preferred_velocity": [-1, 0]},
        ]
        assert client.post(f"{world}/agents", json={"agents": rows}).status_code == 201
        found: list[list[float]] = client.post(f"{world}/steps", json={"count": 20, "return": "agents"}).json()[
            "agents"
        ]["position"]
        return found

    near, far = run(0.0), run(origin)
    tolerance = 40 * max(2.0**-52 * origin, 2e-16) * 2
    for (x, y), (far_x, far_y) in zip(near, far, strict=True):
        assert abs(far_x - origin - x) <= tolerance
        assert abs(far_y - y) <= tolerance


def test_the_list_of_faults_is_bounded_and_says_so(small: httpx.Client) -> None:
    small.post("/v1/worlds", json={"id": "w", "time_step": 0.25})
    rows = [{"position": [0, 0], "radius": "1"} for _ in range(10)]
    document = problem(small.post("/v1/worlds/w/agents", json={"agents": rows}), 422, "invalid")
    assert len(document["errors"]) == 3
    assert "10" in document["detail"]
