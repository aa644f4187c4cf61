"""Agents over REST: rows and columns, JSON and MessagePack, changed, cleared, removed, explained."""

from __future__ import annotations

import struct

import httpx
import msgspec
import numpy as np
import pytest

from tests.orca_crowd.api.checks import digest, problem

MSGPACK = {"content-type": "application/msgpack", "accept": "application/msgpack"}
# what tends to get lost: the sign of zero, subnormals, the last bit, the largest coordinate
DELICATE = [0.1 + 0.2, 5572094.155411, 1e-310, -0.0, 5e-324, -1e9, 1e9, 1 / 3, 2**-1074 * 3]


def bits(values: object) -> bytes:
    """The bits of numbers, which tell -0.0 from 0.0."""
    return np.asarray(values, "<f8").tobytes()


def test_rows_and_columns_make_the_same_agents(client: httpx.Client, make_world: object) -> None:
    rows = [
        {"id": 7, "position": [0, 0.5], "goal": [9, 0], "radius": 0.25, "max_neighbors": 3},
        {"id": 3, "position": [4, 0], "goal": [0, 1], "radius": 0.75, "max_neighbors": 0},
    ]
    columns = {name: [row[name] for row in rows] for name in rows[0]}
    packed = {
        "id": struct.pack("<2q", 7, 3),
        "position": struct.pack("<4d", 0, 0.5, 4, 0),
        "goal": struct.pack("<4d", 9, 0, 0, 1),
        "radius": struct.pack("<2d", 0.25, 0.75),
        "max_neighbors": struct.pack("<2d", 3, 0),
    }
    digests = []
    for body, headers in [
        (msgspec.json.encode({"agents": rows}), {"content-type": "application/json"}),
        (msgspec.json.encode({"columns": columns}), {"content-type": "application/json; charset=utf-8"}),
        (msgspec.msgpack.encode({"agents": rows}), MSGPACK),
        (msgspec.msgpack.encode({"columns": columns}), MSGPACK),
        (msgspec.msgpack.encode({"columns": packed}), MSGPACK),
    ]:
        world = make_world()  # type: ignore[operator]
        added = client.post(f"{world}/agents", content=body, headers={**headers, "accept": "application/json"})
        assert added.status_code == 201, added.text
        assert added.json() == {"ids": [7, 3], "step": 0, "sequence": 1, "warnings": []}
        assert client.post(f"{world}/steps", json={"count": 10}).status_code == 200
        digests.append(digest(client, world))
    assert len(set(digests)) == 1


def test_rows_may_give_different_fields(client: httpx.Client, world: str) -> None:
    rows = [{"position": [0, 0]}, {"id": 0, "position": [9, 0], "radius": 1}, {"position": [0, 9], "goal": [1, 1]}]
    assert client.post(f"{world}/agents", json={"agents": rows}).json()["ids"] == [1, 0, 2]
    shown = client.get(f"{world}/agents?fields=radius,goal,status").json()
    assert shown["radius"] == [0.5, 1.0, 0.5]
    assert shown["goal"] == [None, None, [1.0, 1.0]]
    assert shown["status"] == ["no-goal", "no-goal", "moving"]


def test_ids_are_never_given_twice(client: httpx.Client, world: str) -> None:
    ids = client.post(f"{world}/agents", json={"agents": [{"position": [k, 0]} for k in (0, 9, 18)]}).json()["ids"]
    assert client.request("DELETE", f"{world}/agents", params={"ids": f"{ids[1]}"}).json() == {
        "removed": [1],
        "step": 0,
        "sequence": 2,
    }
    assert client.post(f"{world}/agents", json={"agents": [{"position": [9, 0]}]}).json()["ids"] == [3]
    problem(client.post(f"{world}/agents", json={"agents": [{"id": 1, "position": [50, 0]}]}), 409, "exists")
    problem(client.post(f"{world}/agents", json={"agents": [{"id": 0, "position": [50, 0]}]}), 409, "exists")
    problem(client.get(f"{world}/agents/1"), 410, "gone")
    problem(client.patch(f"{world}/agents/1", json={"goal": [0, 0]}), 410, "gone")
    problem(client.patch(f"{world}/agents", json={"agents": [{"id": 1, "goal": [0, 0]}]}), 410, "gone")
    problem(client.delete(f"{world}/agents/1"), 410, "gone")
    problem(client.get(f"{world}/agents/4"), 404, "not-found")
    problem(client.get(f"{world}/agents?ids=0,4"), 404, "not-found")
    assert client.get(f"{world}/agents").json()["ids"] == [0, 2, 3]


@pytest.mark.parametrize("packed", [False, True])
def test_what_is_read_can_be_put_back_to_the_bit(client: httpx.Client, world: str, packed: bool) -> None:
    vectors = [[value, other] for value, other in zip(DELICATE, reversed(DELICATE), strict=True)]
    rows = [{"position": v, "velocity": v, "preferred_velocity": v} for v in vectors]
    assert client.post(f"{world}/agents", json={"agents": rows}).status_code == 201
    names = ["position", "velocity", "preferred_velocity"]
    query = {"fields": ",".join(names)}
    before = digest(client, world)
    if packed:
        shown = msgspec.msgpack.decode(client.get(f"{world}/agents", params=query, headers=MSGPACK).content)
        assert all(shown[name] == bits(vectors) for name in names)
        assert shown["ids"] == struct.pack(f"<{len(rows)}q", *range(len(rows)))
        body = msgspec.msgpack.encode({"ids": shown["ids"], "columns": {name: shown[name] for name in names}})
        changed = client.patch(f"{world}/agents", content=body, headers=MSGPACK)
    else:
        shown = client.get(f"{world}/agents", params=query).json()
        assert all(bits(shown[name]) == bits(vectors) for name in names)
        changed = client.patch(
            f"{world}/agents", json={"ids": shown["ids"], "columns": {name: shown[name] for name in names}}
        )
    assert changed.status_code == 200, changed.text
    assert digest(client, world) == before
    again = client.get(f"{world}/agents", params=query).json()
    assert all(bits(again[name]) == bits(vectors) for name in names)


@pytest.mark.parametrize("method", ["PATCH", "PUT"])
def test_one_agent_can_be_put_back_as_it_was_read(client: httpx.Client, world: str, method: str) -> None:
    rows = [
        {"id": 1, "position": [-0.0, 1e-310], "velocity": [0.1, -0.0], "goal": [5, 5], "radius": 0.1},
        {"id": 2, "position": [9, 9], "preferred_velocity": [-0.0, 0.3]},
    ]
    client.post(f"{world}/agents", json={"agents": rows})
    client.post(f"{world}/steps", json={"count": 3})
    before = digest(client, world)
    for identifier in (1, 2):
        read = client.get(f"{world}/agents/{identifier}")
        written = client.request(
            method, f"{world}/agents/{identifier}", content=read.content, headers={"content-type": "application/json"}
        )
        assert written.status_code == 200, written.text
        answer = written.json()
        assert [warning["code"] for warning in answer.pop("warnings")] == ["read-only"]
        assert (answer.pop("step"), answer.pop("sequence")) == (3, 1 + identifier)
        assert answer == read.json()
        # equal text, so that the sign of zero counts
        assert client.get(f"{world}/agents/{identifier}").content == read.content
    assert digest(client, world) == before


def test_of_goal_and_preferred_velocity_the_last_one_holds(client: httpx.Client, world: str) -> None:
    client.post(f"{world}/agents", json={"agents": [{"id": 1, "position": [0, 0], "goal": [9, 0]}]})
    agent = f"{world}/agents/1"

    def held(body: dict[str, object]) -> tuple[object, object]:
        shown = client.patch(agent, json=body).json()
        return shown["goal"], shown["preferred_velocity"]

    assert held({"preferred_velocity": [0, 1]}) == (None, [0.0, 1.0])
    assert held({"goal": [1, 1]}) == ([1.0, 1.0], [0.0, 0.0])
    assert held({"goal": [2, 2], "preferred_velocity": [1, 0]}) == ([2.0, 2.0], [0.0, 0.0])
    # null clears, and clearing leaves zero
    assert held({"goal": None}) == (None, [0.0, 0.0])
    assert held({"preferred_velocity": [1, 0]}) == (None, [1.0, 0.0])
    assert held({"preferred_velocity": None}) == (None, [0.0, 0.0])
    # beside a value a null takes nothing away
    assert held({"goal": None, "preferred_velocity": [0, 1]}) == (None, [0.0, 1.0])
    assert held({"goal": [3, 3], "preferred_velocity": None}) == ([3.0, 3.0], [0.0, 0.0])
    client.patch(agent, json={"preferred_speed": 0.5})
    assert client.get(agent).json()["preferred_speed"] == 0.5
    client.patch(agent, json={"preferred_speed": None})
    assert client.get(agent).json()["preferred_speed"] == 1.5


def test_columns_may_clear_single_rows(client: httpx.Client, world: str) -> None:
    client.post(f"{world}/agents", json={"columns": {"position": [[0, 0], [9, 0]], "goal": [[5, 5], [6, 6]]}})
    body = {"ids": [1, 0], "columns": {"goal": [None, [7, 7]], "preferred_speed": [0.5, None]}}
    assert client.patch(f"{world}/agents", json=body).status_code == 200
    shown = client.get(f"{world}/agents?fields=goal,preferred_speed").json()
    assert shown["goal"] == [[7.0, 7.0], None]
    assert shown["preferred_speed"] == [1.5, 0.5]


def test_the_selection_of_agents_and_fields(client: httpx.Client, world: str) -> None:
    client.post(f"{world}/agents", json={"agents": [{"id": 10 * k, "position": [0.1 * k, 9 * k]} for k in range(5)]})
    assert list(client.get(f"{world}/agents").json()) == ["step", "time", "ids", "position", "velocity"]
    assert client.get(f"{world}/agents?offset=1&limit=2&fields=radius").json() == {
        "step": 0,
        "time": 0.0,
        "ids": [10, 20],
        "radius": [0.5, 0.5],
    }
    assert client.get(f"{world}/agents?ids=40,0&fields=").json() == {"step": 0, "time": 0.0, "ids": [40, 0]}
    assert client.get(f"{world}/agents?ids=40,0,10&offset=1&limit=1").json()["ids"] == [0]
    assert client.get(f"{world}/agents?offset=99").json()["ids"] == []
    assert client.get(f"{world}/agents?limit=0").json()["ids"] == []
    rounded = client.get(f"{world}/agents?fields=position&precision=float32&ids=10").json()["position"][0][0]
    assert rounded == float(np.float32(0.1))
    packed = client.get(
        f"{world}/agents?fields=position,max_neighbors,status&precision=float32&ids=10,20", headers=MSGPACK
    )
    assert packed.headers["content-type"] == "application/msgpack"
    shown = msgspec.msgpack.decode(packed.content)
    assert shown["position"] == np.array([0.1, 9, 0.2, 18], "<f4").tobytes()
    assert shown["status"] == ["no-goal", "no-goal"]
    assert shown["max_neighbors"] == np.array([10, 10], "<f4").tobytes()
    whole = client.get(f"{world}/agents?fields=max_neighbors&ids=10,20", headers=MSGPACK)
    assert msgspec.msgpack.decode(whole.content)["max_neighbors"] == np.array([10, 10], "<f8").tobytes()
    assert client.get(f"{world}/agents?fields=max_neighbors&precision=float32").json()["max_neighbors"] == [10] * 5


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("fields=raduis", "fields"),
        ("fields=radius,radius", "fields"),
        ("fields=id", "fields"),
        ("precision=float16", "precision"),
        ("offset=-1", "offset"),
        ("offset=NaN", "offset"),
        ("limit=1.5", "limit"),
        ("limit=1&limit=2", "limit"),
        ("ids=a", "ids"),
        ("ids=1,,2", "ids"),
        ("ids=9007199254740992", "ids"),
        ("ids=1,1", "id"),
        ("nothing=1", "nothing"),
    ],
)
def test_a_wrong_query_is_named(client: httpx.Client, world: str, query: str, field: str) -> None:
    client.post(f"{world}/agents", json={"agents": [{"id": 1, "position": [0, 0]}]})
    entry = problem(client.get(f"{world}/agents?{query}"), 422, "invalid")["errors"][0]
    assert entry["field"] == field


def test_agents_are_removed_one_by_one_and_many_at_once(client: httpx.Client, world: str) -> None:
    client.post(f"{world}/agents", json={"agents": [{"position": [9 * k, 0]} for k in range(5)]})
    removed = client.delete(f"{world}/agents/2")
    assert (removed.status_code, removed.content) == (204, b"")
    problem(client.delete(f"{world}/agents?ids=0,2"), 410, "gone")
    assert client.get(f"{world}/agents").json()["ids"] == [0, 1, 3, 4]
    assert client.delete(f"{world}/agents?ids=4,0").json() == {"removed": [4, 0], "step": 0, "sequence": 3}
    assert client.get(f"{world}/agents").json()["ids"] == [1, 3]
    problem(client.delete(f"{world}/agents"), 422, "invalid")
    problem(client.delete(f"{world}/agents?ids=1,1"), 422, "invalid")
    assert client.get(world).json()["agents"] == 2


def test_an_agent_starts_its_next_step_from_where_it_was_put(client: httpx.Client, world: str) -> None:
    client.post(f"{world}/agents", json={"agents": [{"id": 1, "position": [0, 0], "preferred_velocity": [1, 0]}]})
    client.post(f"{world}/steps", json={"count": 2})
    client.patch(f"{world}/agents/1", json={"position": [0.1 + 0.2, 1e-310]})
    shown = client.get(f"{world}/agents/1").json()
    assert (shown["position"], shown["velocity"]) == ([0.1 + 0.2, 1e-310], [1.0, 0.0])
    stepped = client.post(f"{world}/steps", json={"return": "agents"}).json()["agents"]
    assert stepped["position"] == [[(0.1 + 0.2) + 1.0 * 0.25, 1e-310]]


def test_warnings_go_with_what_was_accepted(client: httpx.Client, world: str) -> None:
    rows = [
        {"position": [0, 0], "time_horizon": 0.05},
        {"position": [0.1, 0]},
        {"position": [90, 0], "neighbor_distance": 1},
    ]
    answer = client.post(f"{world}/agents", json={"agents": rows})
    assert answer.status_code == 201
    warnings = answer.json()["warnings"]
    assert all(set(warning) == {"code", "item", "field", "message"} for warning in warnings)
    assert {0, 1, 2} <= {warning["item"] for warning in warnings}


def test_explain_names_neighbours_and_constraints(client: httpx.Client, world: str) -> None:
    rows = [{"id": 1, "position": [0, 0], "goal": [9, 0]}, {"id": 2, "position": [2, 0.1], "goal": [-9, 0]}]
    client.post(f"{world}/agents", json={"agents": rows})
    client.post(f"{world}/obstacles", json={"obstacles": [{"points": [[0, 2], [4, 2]]}]})
    before = digest(client, world)
    answer = client.get(f"{world}/agents/1/explain")
    assert answer.status_code == 200
    shown = answer.json()
    kinds = {constraint["kind"] for constraint in shown["constraints"]}
    assert {"agent", "obstacle"} <= kinds
    assert digest(client, world) == before
    problem(client.get(f"{world}/agents/9/explain"), 404, "not-found")


def test_an_empty_request_changes_nothing(client: httpx.Client, world: str) -> None:
    assert client.post(f"{world}/agents", json={"agents": []}).json() == {
        "ids": [],
        "step": 0,
        "sequence": 1,
        "warnings": [],
    }
    for sequence, body in enumerate(({"agents": []}, {"ids": [], "columns": {}}), 2):
        answer = client.patch(f"{world}/agents", json=body).json()
        assert answer == {"step": 0, "sequence": sequence, "warnings": []}
    assert client.post(f"{world}/steps").json()["step"] == 1


def test_the_number_of_agents_has_a_limit(small: httpx.Client) -> None:
    small.post("/v1/worlds", json={"id": "w", "time_step": 0.25})
    many = {"columns": {"position": [[9 * k, 0] for k in range(20)]}}
    assert small.post("/v1/worlds/w/agents", json=many).status_code == 201
    one = {"agents": [{"position": [0, 90]}]}
    assert "agents_per_world" in problem(small.post("/v1/worlds/w/agents", json=one), 429, "limit")["detail"]
    assert small.get("/v1/worlds/w").json()["agents"] == 20


def test_the_number_of_radii_on_walkable_ground_has_a_limit(small: httpx.Client) -> None:
    small.post("/v1/worlds", json={"id": "w", "time_step": 0.25})
    area = {"geometry": {"type": "Polygon", "coordinates": [[[-50, -50], [50, -50], [50, 50], [-50, 50]]]}}
    rows = [{"id": k, "position": [9 * k, 0], "radius": 0.1 + 0.1 * k} for k in range(4)]
    assert small.post("/v1/worlds/w/agents", json={"agents": rows}).status_code == 201
    problem(small.post("/v1/worlds/w/walkable", json={"areas": [area]}), 429, "limit")
    small.delete("/v1/worlds/w/agents/3")
    assert small.post("/v1/worlds/w/walkable", json={"areas": [area]}).status_code == 201
    problem(small.post("/v1/worlds/w/agents", json={"agents": [{"position": [0, 9], "radius": 1}]}), 429, "limit")
    problem(
        small.patch("/v1/worlds/w/agents", json={"agents": [{"id": 0, "radius": 1}, {"id": 1, "radius": 2}]}),
        429,
        "limit",
    )
    assert small.post("/v1/worlds/w/agents", json={"agents": [{"position": [0, 9], "radius": 0.1}]}).status_code == 201


@pytest.mark.parametrize("kind", ["rows", "columns", "packed"])
def test_words_travel_as_words(kind: str, client: httpx.Client, make_world: object) -> None:
    world = make_world(defaults={"guidance": "flow"})  # type: ignore[operator]
    words = ["path", "straight", None]
    rows = [{"position": [3 * n, 0], "guidance": word} for n, word in enumerate(words)]
    del rows[2]["guidance"]
    columns = {"position": [[0, 0], [3, 0]], "guidance": words[:2]}
    if kind == "rows":
        added = client.post(f"{world}/agents", json={"agents": rows})
    elif kind == "columns":
        added = client.post(f"{world}/agents", json={"columns": columns})
        client.post(f"{world}/agents", json={"columns": {"position": [[6, 0]]}})
    else:
        body = msgspec.msgpack.encode({"columns": {**columns, "position": struct.pack("<4d", 0, 0, 3, 0)}})
        added = client.post(f"{world}/agents", content=body, headers={**MSGPACK, "accept": "application/json"})
        client.post(f"{world}/agents", json={"columns": {"position": [[6, 0]]}})
    assert added.status_code == 201, added.text
    shown = client.get(f"{world}/agents", params={"fields": "guidance"}).json()
    assert shown["guidance"] == ["path", "straight", "flow"]
    packed = client.get(f"{world}/agents", params={"fields": "guidance"}, headers={"accept": "application/msgpack"})
    assert msgspec.msgpack.decode(packed.content)["guidance"] == ["path", "straight", "flow"]
    assert client.get(f"{world}/agents/0").json()["guidance"] == "path"
    assert client.patch(f"{world}/agents/0", json={"guidance": "straight"}).json()["guidance"] == "straight"


@pytest.mark.parametrize(
    ("body", "item", "said"),
    [
        ({"agents": [{"position": [0, 0]}, {"position": [1, 1], "guidance": "teleport"}]}, 1, "straight"),
        ({"columns": {"position": [[0, 0], [1, 1]], "guidance": ["path", 2]}}, 1, "one of straight, path, flow"),
        ({"columns": {"position": [[0, 0], [1, 1]], "guidance": ["path", None]}}, 1, "must not be null"),
    ],
)
def test_a_word_that_is_none_is_refused(
    body: dict[str, object], item: int, said: str, client: httpx.Client, make_world: object
) -> None:
    world = make_world()  # type: ignore[operator]
    answer = problem(client.post(f"{world}/agents", json=body), 422, "invalid")
    assert answer["errors"][0]["item"] == item
    assert answer["errors"][0]["field"] == "guidance"
    assert said in answer["errors"][0]["message"]
    assert client.get(f"{world}/agents").json()["ids"] == []
