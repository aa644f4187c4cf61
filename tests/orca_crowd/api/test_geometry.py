"""Obstacles, walkable areas and maps over REST."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest

from tests.orca_crowd.api.checks import digest, faults, problem

SQUARE = [[-5, -5], [5, -5], [5, 5], [-5, 5]]
HOLE = [[-1, -1], [1, -1], [1, 1], [-1, 1]]
JSON = {"content-type": "application/json"}
GEOJSON = {"content-type": "application/geo+json"}
TEXT = {"content-type": "text/plain"}


def polygon(*rings: object) -> dict[str, Any]:
    """A GeoJSON polygon."""
    return {"type": "Polygon", "coordinates": list(rings)}


def test_obstacles_come_and_go(client: httpx.Client, world: str) -> None:
    rows = [{"id": 4, "points": [[0, 0], [3, -0.0]]}, {"points": SQUARE, "closed": True}]
    assert client.post(f"{world}/obstacles", json={"obstacles": rows}).json() == {
        "ids": [4, 0],
        "step": 0,
        "sequence": 1,
        "warnings": [],
    }
    shown = client.get(f"{world}/obstacles").json()
    assert [entry["id"] for entry in shown["obstacles"]] == [4, 0]
    wall = {"id": 4, "points": [[0.0, 0.0], [3.0, 0.0]], "closed": False, "z_range": None, "open": False}
    assert shown["obstacles"][0] == wall
    assert client.get(f"{world}/obstacles/0").json() == shown["obstacles"][1]
    assert client.get(world).json()["obstacles"] == 2
    changed = client.put(f"{world}/obstacles/4", json={"points": [[7, 7], [8, 8], [9, 7]]})
    assert changed.json() == {"step": 0, "sequence": 2, "warnings": []}
    assert client.get(f"{world}/obstacles/4").json()["points"] == [[7.0, 7.0], [8.0, 8.0], [9.0, 7.0]]
    # what is read can be put back
    assert client.put(f"{world}/obstacles/4", json=client.get(f"{world}/obstacles/4").json()).status_code == 200
    deleted = client.delete(f"{world}/obstacles/4")
    assert deleted.status_code == 204
    # what has no body says it in its head
    assert (deleted.headers["orca-crowd-step"], deleted.headers["orca-crowd-sequence"]) == ("0", "4")
    problem(client.get(f"{world}/obstacles/4"), 410, "gone")
    problem(client.delete(f"{world}/obstacles/4"), 410, "gone")
    problem(client.put(f"{world}/obstacles/4", json={"points": [[0, 0], [1, 1]]}), 410, "gone")
    problem(client.get(f"{world}/obstacles/9"), 404, "not-found")
    problem(client.put(f"{world}/obstacles/9", json={"points": [[0, 0], [1, 1]]}), 404, "not-found")
    problem(
        client.post(f"{world}/obstacles", json={"obstacles": [{"id": 4, "points": [[0, 0], [1, 1]]}]}), 409, "exists"
    )
    assert client.get(world).json()["obstacles"] == 1


def test_a_wall_acts_in_the_very_next_step(client: httpx.Client, world: str) -> None:
    client.post(f"{world}/agents", json={"agents": [{"position": [0, 0], "preferred_velocity": [1.5, 0]}]})
    client.post(f"{world}/steps", json={})
    client.post(f"{world}/obstacles", json={"obstacles": [{"id": 1, "points": [[2, -9], [2, 9]]}]})
    held = client.post(f"{world}/steps", json={"count": 20, "return": "agents"}).json()["agents"]["position"][0]
    assert held[0] <= 1.5 + 1e-9
    client.delete(f"{world}/obstacles/1")
    free = client.post(f"{world}/steps", json={"count": 20, "return": "agents"}).json()["agents"]["position"][0]
    assert free[0] == pytest.approx(held[0] + 20 * 0.25 * 1.5)


def test_doors_open_and_close_in_the_very_next_step(client: httpx.Client, world: str) -> None:
    client.post(f"{world}/agents", json={"agents": [{"position": [0, 0], "preferred_velocity": [1.5, 0]}]})
    door = {"id": 3, "points": [[2, -9], [2, 9]], "open": True}
    client.post(f"{world}/obstacles", json={"obstacles": [door, {"id": 5, "points": [[50, 0], [51, 0]]}]})
    assert [one["open"] for one in client.get(f"{world}/obstacles").json()["obstacles"]] == [True, False]
    seen = client.get(world).json()["geometry"]
    closed = client.patch(f"{world}/obstacles/3", json={"open": False})
    assert closed.json() == {"step": 0, "sequence": 3, "warnings": []}
    assert client.get(f"{world}/obstacles/3").json()["open"] is False
    assert client.get(world).json()["geometry"] == seen + 1
    held = client.post(f"{world}/steps", json={"count": 20, "return": "agents"}).json()["agents"]["position"][0]
    assert held[0] <= 1.5 + 1e-9
    # before the step that sees it, in one request with it; a list of ids, as many as one likes
    opened = {"commands": [{"op": "open_door", "ids": [3, 5]}], "return": "agents"}
    answer = client.post(f"{world}/steps", json=opened).json()
    assert answer["results"] == [{"warnings": []}]
    assert answer["agents"]["position"][0][0] == pytest.approx(held[0] + 0.375)
    client.post(f"{world}/commands", json={"commands": [{"op": "close_door", "ids": [3]}]})
    assert [one["open"] for one in client.get(f"{world}/obstacles").json()["obstacles"]] == [False, True]
    # a PUT says what it is from then on
    client.put(f"{world}/obstacles/5", json={"points": [[50, 0], [51, 0]]})
    assert client.get(f"{world}/obstacles/5").json()["open"] is False
    back = {"commands": [{"op": "set_agents", "agents": [{"id": 0, "position": [0, 0]}]}], "count": 20}
    client.post(f"{world}/steps", json=back)
    assert client.get(f"{world}/agents/0").json()["position"][0] <= 1.5 + 1e-9


@pytest.mark.parametrize("encoding", ["json", "msgpack"])
def test_doors_that_are_not_there_and_words_for_open_are_refused(
    client: httpx.Client, world: str, encoding: str
) -> None:
    client.post(f"{world}/obstacles", json={"obstacles": [{"id": 3, "points": [[2, -9], [2, 9]]}]})

    def sent(method: str, path: str, body: Any) -> httpx.Response:
        if encoding == "json":
            return client.request(method, f"{world}/{path}", json=body)
        headers = {"Content-Type": "application/msgpack"}
        return client.request(method, f"{world}/{path}", content=msgspec.msgpack.encode(body), headers=headers)

    before = client.get(f"{world}/obstacles").json()
    for value in ("yes", 1, None):
        assert faults(sent("PATCH", "obstacles/3", {"open": value})) == {(None, "open")}
    assert faults(sent("PATCH", "obstacles/3", {})) == {(None, "open")}
    assert faults(sent("PATCH", "obstacles/3", {"open": True, "closed": True})) == {(None, "closed")}
    problem(sent("PATCH", "obstacles/4", {"open": True}), 404, "not-found")
    batch = {"commands": [{"op": "open_door", "ids": [3]}, {"op": "close_door", "ids": [9]}]}
    problem(sent("POST", "commands", batch), 404, "not-found")
    problem(sent("POST", "commands", {"commands": [{"op": "open_door", "ids": "3"}]}), 422, "invalid")
    problem(sent("POST", "commands", {"commands": [{"op": "open_door", "id": 3}]}), 422, "invalid")
    assert client.get(f"{world}/obstacles").json() == before


def test_who_is_caught_is_told_by_status_warning_and_event(client: httpx.Client, world: str) -> None:
    client.post(f"{world}/agents", json={"agents": [{"id": 8, "position": [0.2, 0.1]}]})
    client.post(f"{world}/steps", json={})
    box = {"points": [[-1, -1], [1, -1], [1, 1], [-1, 1]], "closed": True}
    warnings = client.post(f"{world}/obstacles", json={"obstacles": [box]}).json()["warnings"]
    assert [(one["code"], one["item"]) for one in warnings] == [("inside-obstacle", None)]
    assert "agent 8 is inside obstacle 0" in warnings[0]["message"]
    assert client.get(f"{world}/agents/8").json()["status"] == "inside-obstacle"
    answer = client.post(f"{world}/steps", json={"return": "agents", "fields": ["position", "status"]}).json()
    assert [(one["kind"], one["step"], one["ids"]) for one in answer["events"]] == [("inside-obstacle", 2, [8])]
    assert answer["agents"]["status"] == ["inside-obstacle"]
    answer = client.post(f"{world}/steps", json={"count": 4, "return": "agents", "fields": ["position", "status"]})
    assert answer.json()["agents"]["status"] == ["no-goal"]
    assert answer.json()["agents"]["position"][0] == pytest.approx([1.5, 0.1])
    # whoever is put into one is warned of and stays
    added = client.post(f"{world}/agents", json={"agents": [{"id": 9, "position": [0.2, 0.1]}]}).json()
    assert "inside-obstacle" in {one["code"] for one in added["warnings"]}


def test_walkable_areas_come_and_go(client: httpx.Client, world: str) -> None:
    rows = [
        {"id": 2, "geometry": polygon([*SQUARE, SQUARE[0]], HOLE), "clearance": 0.25, "horizon": 1.0},
        {
            "geometry": {
                "type": "MultiPolygon",
                "coordinates": [[[[20, 0], [25, 0], [25, 5]]], [[[30, 0], [35, 0], [35, 5]]]],
            },
            "shrunk": True,
        },
    ]
    added = client.post(f"{world}/walkable", json={"areas": rows})
    assert added.status_code == 201, added.text
    assert added.json()["ids"] == [2, 0]
    shown = client.get(f"{world}/walkable").json()["areas"]
    assert [area["id"] for area in shown] == [2, 0]
    assert shown[0]["geometry"]["type"] == "Polygon"
    outer, hole = shown[0]["geometry"]["coordinates"]
    assert outer[0] == outer[-1]
    assert {tuple(point) for point in outer} == {tuple(map(float, point)) for point in SQUARE}
    assert {tuple(point) for point in hole} == {tuple(map(float, point)) for point in HOLE}
    assert (shown[0]["clearance"], shown[0]["horizon"], shown[0]["shrunk"]) == (0.25, 1.0, False)
    assert shown[1]["geometry"]["type"] == "MultiPolygon"
    assert shown[1]["shrunk"] is True
    assert client.get(f"{world}/walkable/2").json() == shown[0]
    assert client.put(f"{world}/walkable/2", json=shown[0]).status_code == 200
    assert client.get(f"{world}/walkable/2").json() == shown[0]
    assert client.put(f"{world}/walkable/0", json={"geometry": polygon(SQUARE)}).status_code == 200
    assert client.delete(f"{world}/walkable/0").status_code == 204
    problem(client.get(f"{world}/walkable/0"), 410, "gone")
    problem(client.delete(f"{world}/walkable/7"), 404, "not-found")
    assert client.get(world).json()["walkable"] == 1


def test_an_agent_outside_the_area_is_accepted_with_a_warning(client: httpx.Client, world: str) -> None:
    client.post(f"{world}/walkable", json={"areas": [{"geometry": polygon(SQUARE)}]})
    answer = client.post(f"{world}/agents", json={"agents": [{"position": [0, 0]}, {"position": [50, 0]}]})
    assert answer.status_code == 201
    assert {warning["item"] for warning in answer.json()["warnings"]} == {1}


@pytest.mark.parametrize(
    ("row", "field"),
    [
        ({}, "points"),
        ({"points": []}, "points"),
        ({"points": [[0, 0]]}, "points"),
        ({"points": [[0, 0], [0, 0]]}, "points"),
        ({"points": [[0, 0], [1, True]]}, "points"),
        ({"points": [[0, 0], ["1", 1]]}, "points"),
        ({"points": [[0, 0], [1, 1, 1]]}, "points"),
        ({"points": [[0, 0], [1e10, 0]]}, "points"),
        ({"points": [[0, 0], [1, 0], [2, 0]], "closed": True}, "points"),
        ({"points": [[0, 0], [2, 2], [2, 0], [0, 2]], "closed": True}, "points"),
        ({"points": [[0, 0], [1, 1]], "closed": 1}, "closed"),
        ({"points": [[0, 0], [1, 1]], "id": -1}, "id"),
        ({"points": [[0, 0], [1, 1]], "thickness": 1}, "thickness"),
    ],
)
def test_a_wrong_obstacle_is_named(client: httpx.Client, world: str, row: dict[str, Any], field: str) -> None:
    before = digest(client, world)
    good = {"points": [[0, 0], [1, 1]]}
    assert (1, field) in faults(client.post(f"{world}/obstacles", json={"obstacles": [good, row]}))
    assert client.get(f"{world}/obstacles").json()["obstacles"] == []
    client.post(f"{world}/obstacles", json={"obstacles": [{"id": 0, **good}]})
    assert (None, field) in faults(client.put(f"{world}/obstacles/0", json=row))
    batch = {"commands": [{"op": "remove_obstacle", "id": 0}, {"op": "add_obstacles", "obstacles": [good, row]}]}
    assert (1, f"[1].{field}") in faults(client.post(f"{world}/commands", json=batch))
    assert client.get(f"{world}/obstacles/0").json()["points"] == [[0.0, 0.0], [1.0, 1.0]]
    assert digest(client, world) == before


@pytest.mark.parametrize(
    ("row", "field"),
    [
        ({}, "geometry"),
        ({"geometry": None}, "geometry"),
        ({"geometry": SQUARE}, "geometry"),
        ({"geometry": {"type": "Point", "coordinates": [0, 0]}}, "geometry"),
        ({"geometry": polygon()}, "geometry"),
        ({"geometry": polygon([[0, 0], [1, 0]])}, "geometry"),
        ({"geometry": polygon([[0, 0], [1, 0], [2, 0]])}, "geometry"),
        ({"geometry": polygon([[0, 0], [1, 0], [0, 0]])}, "geometry"),
        ({"geometry": polygon([[0, 0], [2, 2], [2, 0], [0, 2]])}, "geometry"),
        ({"geometry": polygon([[0, 0], [2, 0], ["2", 2]])}, "geometry"),
        ({"geometry": polygon([[0, 0], [2, 0], [True, 2]])}, "geometry"),
        ({"geometry": polygon([[0, 0], [2, 0], [1e10, 2]])}, "geometry"),
        ({"geometry": {**polygon(SQUARE), "bbox": []}}, "geometry"),
        ({"geometry": polygon(SQUARE), "clearance": -1}, "clearance"),
        ({"geometry": polygon(SQUARE), "clearance": "1"}, "clearance"),
        ({"geometry": polygon(SQUARE), "horizon": 0}, "horizon"),
        ({"geometry": polygon(SQUARE), "shrunk": 1}, "shrunk"),
        ({"geometry": polygon(SQUARE), "margin": 1}, "margin"),
    ],
)
def test_a_wrong_area_is_named(client: httpx.Client, world: str, row: dict[str, Any], field: str) -> None:
    good = {"geometry": polygon(SQUARE)}

    def named(answer: httpx.Response, item: int | None) -> bool:
        return any(i == item and (f or "").split(".")[0].split("[")[0] == field for i, f in faults(answer))

    assert named(client.post(f"{world}/walkable", json={"areas": [good, row]}), 1)
    assert client.get(f"{world}/walkable").json()["areas"] == []
    client.post(f"{world}/walkable", json={"areas": [{"id": 0, **good}]})
    before = client.get(f"{world}/walkable/0").json()
    assert named(client.put(f"{world}/walkable/0", json=row), None)
    assert client.get(f"{world}/walkable/0").json() == before


@pytest.mark.parametrize("text", ["NaN", "1e999", "-Infinity"])
def test_coordinates_that_are_not_finite_are_named(client: httpx.Client, world: str, text: str) -> None:
    wall = f'{{"obstacles": [{{"points": [[0, 0], [{text}, 1]]}}]}}'
    assert faults(client.post(f"{world}/obstacles", content=wall, headers=JSON)) == {(0, "points")}
    area = f'{{"areas": [{{"geometry": {{"type": "Polygon", "coordinates": [[[0, 0], [1, 0], [1, {text}]]]}}}}]}}'
    answer = client.post(f"{world}/walkable", content=area, headers=JSON)
    (entry,) = problem(answer, 422, "invalid")["errors"]
    assert entry["item"] == 0
    assert entry["field"].startswith("geometry")


MAP = "type octile\nheight 3\nwidth 4\nmap\n....\n.@@.\n....\n"


@pytest.mark.parametrize(("kind", "shown"), [("walkable", "areas"), ("obstacles", "obstacles")])
def test_a_grid_map_becomes_geometry(client: httpx.Client, world: str, kind: str, shown: str) -> None:
    answer = client.post(f"{world}/map?as={kind}&cell_size=2", content=MAP, headers=TEXT)
    assert answer.status_code == 201, answer.text
    assert set(answer.json()) == {"ids", "step", "sequence", "warnings"}
    entries = client.get(f"{world}/{kind}").json()[shown]
    assert [entry["id"] for entry in entries] == answer.json()["ids"]
    points = entries[0]["geometry"]["coordinates"][0] if kind == "walkable" else entries[0]["points"]
    assert {tuple(point) for point in points} == {(0.0, 0.0), (8.0, 0.0), (8.0, 6.0), (0.0, 6.0)}


def test_geojson_becomes_geometry(client: httpx.Client, world: str) -> None:
    feature = {
        "type": "Feature",
        "properties": {"name": "hall"},
        "geometry": polygon([*SQUARE, SQUARE[0]], [*HOLE, HOLE[0]]),
    }
    collection = {"type": "FeatureCollection", "features": [feature]}
    answer = client.post(f"{world}/map?as=walkable", json=collection, headers=GEOJSON)
    assert answer.status_code == 201, answer.text
    assert len(answer.json()["ids"]) == 1
    answer = client.post(f"{world}/map?as=obstacles", json=collection)
    assert len(answer.json()["ids"]) == 2


def test_a_whole_game_map_is_taken(client: httpx.Client, world: str) -> None:
    path = Path(__file__).resolve().parents[3] / "service" / "orca_crowd" / "viewer" / "maps" / "den312d.map"
    answer = client.post(f"{world}/map?as=walkable", content=path.read_bytes(), headers=TEXT)
    assert answer.status_code == 201, answer.text
    assert client.get(world).json()["walkable"] == 1


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("", "as"),
        ("as=both", "as"),
        ("as=walkable&cell_size=NaN", "cell_size"),
        ("as=walkable&cell_size=1e999", "cell_size"),
        ("as=walkable&cell_size=two", "cell_size"),
        ("as=walkable&size=2", "size"),
    ],
)
def test_a_wrong_map_query_is_named(client: httpx.Client, world: str, query: str, field: str) -> None:
    assert (None, field) in faults(client.post(f"{world}/map?{query}", content=MAP, headers=TEXT))


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("", "line 1"),
        ("type octile\nheight 2\nwidth 2\nmap\n..\n", "line 6"),
        ("type octile\nheight 2\nwidth 2\nmap\n..\n...\n", "line 6"),
        ("type octile\nheight x\nwidth 2\nmap\n..\n..\n", "line 2"),
        ("type octile\nheight 1\nwidth 2\nmap\n.\xe9\n", "line 5"),
    ],
)
def test_a_broken_map_is_refused_with_its_line(client: httpx.Client, world: str, text: str, line: str) -> None:
    answer = client.post(f"{world}/map?as=walkable", content=text.encode("latin-1"), headers=TEXT)
    assert line in problem(answer, 422, "invalid")["detail"]
    assert client.get(world).json()["walkable"] == 0


def test_a_broken_geojson_is_refused_with_its_place(client: httpx.Client, world: str) -> None:
    features = [
        {"type": "Feature", "properties": {}, "geometry": polygon(SQUARE)},
        {"type": "Feature", "properties": {}, "geometry": polygon([[0, 0], [2, 2], [2, 0], [0, 2]])},
    ]
    body = {"type": "FeatureCollection", "features": features}
    (entry,) = problem(client.post(f"{world}/map?as=walkable", json=body, headers=GEOJSON), 422, "invalid")["errors"]
    assert entry["item"] == 1
    assert client.get(world).json()["walkable"] == 0
    problem(client.post(f"{world}/map?as=walkable", content=b"{", headers=GEOJSON), 400, "malformed")
    problem(
        client.post(f"{world}/map?as=walkable", content=b"{}", headers={"content-type": "image/png"}),
        415,
        "unsupported-type",
    )
    assert faults(client.post(f"{world}/map?as=walkable&cell_size=2", json=body, headers=GEOJSON)) == {
        (None, "cell_size")
    }


def test_messagepack_geometry(client: httpx.Client, world: str) -> None:
    headers = {"content-type": "application/msgpack"}
    body = msgspec.msgpack.encode({"obstacles": [{"points": [[0.1, -0.0], [1, 1]]}]})
    answer = client.post(f"{world}/obstacles", content=body, headers=headers)
    assert msgspec.msgpack.decode(answer.content)["ids"] == b"\0" * 8
    shown = client.get(f"{world}/obstacles", headers={"accept": "application/msgpack"})
    assert msgspec.msgpack.decode(shown.content)["obstacles"][0]["points"] == [[0.1, 0.0], [1.0, 1.0]]


def test_geometry_has_limits(small: httpx.Client) -> None:
    small.post("/v1/worlds", json={"id": "w", "time_step": 0.25})
    line = {"points": [[k, 0] for k in range(12)]}
    assert small.post("/v1/worlds/w/obstacles", json={"obstacles": [{"id": 1, **line}]}).status_code == 201
    two = {"obstacles": [{"points": [[0, 9], [1, 9], [2, 9]]}]}
    problem(small.post("/v1/worlds/w/obstacles", json=two), 429, "limit")
    problem(small.put("/v1/worlds/w/obstacles/1", json={"points": [[k, 0] for k in range(14)]}), 429, "limit")
    # a refused batch gives back what it had counted
    batch = {
        "commands": [{"op": "remove_obstacle", "id": 1}, {"op": "add_obstacles", "obstacles": [{"points": [[0, 0]]}]}]
    }
    problem(small.post("/v1/worlds/w/commands", json=batch), 422, "invalid")
    problem(small.post("/v1/worlds/w/obstacles", json=two), 429, "limit")
    assert small.put("/v1/worlds/w/obstacles/1", json={"points": [[0, 0], [1, 0]]}).status_code == 200
    assert small.post("/v1/worlds/w/obstacles", json=two).status_code == 201
    ring = [[k, k * k] for k in range(13)]
    problem(small.post("/v1/worlds/w/walkable", json={"areas": [{"geometry": polygon(ring)}]}), 429, "limit")
    wide = "type octile\nheight 1\nwidth 17\nmap\n" + "." * 17
    problem(small.post("/v1/worlds/w/map?as=walkable", content=wide, headers=TEXT), 429, "limit")
    assert small.get("/v1/worlds/w").json()["walkable"] == 0


def test_a_surface_that_is_taken_away_says_whom_it_leaves_in_the_air(client: httpx.Client, world: str) -> None:
    def square(x: float) -> dict[str, Any]:
        ring = [[x, 0], [x + 8, 0], [x + 8, 8], [x, 8], [x, 0]]
        return {"id": int(x), "geometry": {"type": "Polygon", "coordinates": [ring]}}

    client.post(f"{world}/walkable", json={"areas": [square(0), square(8)]})
    client.post(f"{world}/agents", json={"agents": [{"id": 1, "position": [2, 2]}, {"id": 2, "position": [13, 4]}]})
    batch = {"commands": [{"op": "remove_walkable", "id": 8}]}
    (result,) = client.post(f"{world}/commands", json=batch).json()["results"]
    assert result["removed"] == [8]
    assert [(one["code"], one["message"].split(" is ")[0]) for one in result["warnings"]] == [
        ("outside-area", "agent 2")
    ]
    assert client.get(f"{world}/agents?fields=status").json()["status"] == ["no-goal", "inside-obstacle"]
    # with the last one gone everybody may be anywhere
    (result,) = client.post(f"{world}/commands", json={"commands": [{"op": "remove_walkable", "id": 0}]}).json()[
        "results"
    ]
    assert result["warnings"] == []
    assert client.get(f"{world}/agents?fields=status").json()["status"] == ["no-goal", "no-goal"]
