"""Each method sends the request that the protocol's table has, in both encodings, and reads its answer."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import msgpack
import numpy as np
import pytest

from orca_crowd_client import (
    Added,
    CannotEncode,
    Changed,
    Client,
    Digest,
    Event,
    InvalidRequest,
    Lease,
    Notice,
    Obstacle,
    ProtocolError,
    WalkableArea,
    World,
    commands,
)

SQUARE = {"type": "Polygon", "coordinates": [[[0, 0], [4, 0], [4, 4], [0, 4], [0, 0]]]}
ADDED = {"ids": [5], "step": 2, "warnings": []}
OBSTACLE = {"id": 4, "points": [[0.0, 0.0], [1.0, 0.0]], "closed": False}
AREA = {"id": 6, "geometry": SQUARE, "clearance": 0.0, "shrunk": False}


class Server:
    """Keeps what was asked, and answers what it was told to."""

    def __init__(self) -> None:
        self.answer: Any = {}
        self.status = 200
        self.requests: list[httpx.Request] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        if isinstance(self.answer, bytes):
            return httpx.Response(
                self.status, content=self.answer, headers={"Content-Type": "application/octet-stream"}
            )
        if self.answer is None:
            return httpx.Response(204)
        # the last part of Accept is for problems alone
        if request.headers["Accept"].startswith("application/msgpack"):
            return httpx.Response(
                self.status, content=msgpack.packb(self.answer), headers={"Content-Type": "application/msgpack"}
            )
        return httpx.Response(self.status, json=self.answer)

    @property
    def sent(self) -> tuple[str, str, Any]:
        """Method, path with query, and body of the last request."""
        request = self.requests[-1]
        body: Any = request.content or None
        if request.headers.get("Content-Type") == "application/json":
            body = json.loads(request.content)
        elif request.headers.get("Content-Type") == "application/msgpack":
            body = msgpack.unpackb(request.content)
        return request.method, request.url.raw_path.decode(), body


@pytest.fixture
def server() -> Server:
    """A server that keeps what it was asked."""
    return Server()


def client_of(server: Server, **options: Any) -> Client:
    """A client that talks to it, in JSON unless told otherwise."""
    return Client("http://test/prefix/", transport=httpx.MockTransport(server), **{"encoding": "json", **options})


Do = Callable[[World], Any]
CALLS: list[tuple[str, Do, Any, tuple[str, str, Any], Any]] = [
    ("describe", lambda w: w.describe(), {"id": "w", "step": 3}, ("GET", "", None), {"id": "w", "step": 3}),
    (
        "update",
        lambda w: w.update(clock={"mode": "realtime", "rate": 30}),
        {"id": "w"},
        ("PATCH", "", {"clock": {"mode": "realtime", "rate": 30}}),
        {"id": "w"},
    ),
    ("delete", lambda w: w.delete(), None, ("DELETE", "", None), None),
    ("digest", lambda w: w.digest(), {"step": 1, "sha256": "ab"}, ("GET", "/digest", None), Digest(1, "ab")),
    ("snapshot", lambda w: w.snapshot(), b"bytes", ("GET", "/snapshot", None), b"bytes"),
    (
        "rows",
        lambda w: w.add_agents([{"position": (1, 2), "radius": np.float64(0.5)}]).step,
        ADDED,
        ("POST", "/agents", {"agents": [{"position": [1, 2], "radius": 0.5}]}),
        2,
    ),
    (
        "columns",
        lambda w: w.add_agents(position=[(1, 2), (3, 4)], radius=0.5).step,
        ADDED,
        ("POST", "/agents", {"columns": {"position": [[1, 2], [3, 4]], "radius": [0.5, 0.5]}}),
        2,
    ),
    (
        "one agent",
        lambda w: w.add_agents(position=(1, 2), goal=(3, 4)).step,
        ADDED,
        ("POST", "/agents", {"columns": {"position": [[1, 2]], "goal": [[3, 4]]}}),
        2,
    ),
    (
        "agents",
        lambda w: w.agents(fields=["position"], ids=[5], offset=0, limit=9, precision="float32").position.tolist(),
        {"step": 1, "time": 0.1, "ids": [5], "position": [[1.0, 2.0]]},
        ("GET", "/agents?fields=position&ids=5&offset=0&limit=9&precision=float32", None),
        [[1.0, 2.0]],
    ),
    (
        "set_agents",
        lambda w: w.set_agents([5, 6], goal=(1, 1), preferred_speed=None),
        {"step": 2, "warnings": [{"code": "late", "item": 1, "field": None, "message": "look"}]},
        ("PATCH", "/agents", {"ids": [5, 6], "columns": {"goal": [[1, 1], [1, 1]], "preferred_speed": [None, None]}}),
        Changed(2, (Notice("late", 1, None, "look"),)),
    ),
    (
        "remove_agents",
        lambda w: w.remove_agents(np.array([5, 6])).removed.tolist(),
        {"removed": [5, 6], "step": 3},
        ("DELETE", "/agents?ids=5%2C6", None),
        [5, 6],
    ),
    ("agent", lambda w: w.agent(5), {"id": 5}, ("GET", "/agents/5", None), {"id": 5}),
    (
        "set_agent",
        lambda w: w.set_agent(5, goal=None, position=(1, 2)),
        {"id": 5},
        ("PATCH", "/agents/5", {"goal": None, "position": [1, 2]}),
        {"id": 5},
    ),
    ("remove_agent", lambda w: w.remove_agent(5), None, ("DELETE", "/agents/5", None), None),
    (
        "paths",
        lambda w: w.paths([{"from": (0, 1), "to": (5, 1), "radius": 0.3}]).paths[0].length,
        {"step": 0, "paths": [{"waypoints": [[0, 1], [5, 1]], "length": 5.0}]},
        ("POST", "/paths", {"queries": [{"from": [0, 1], "to": [5, 1], "radius": 0.3}]}),
        5.0,
    ),
    ("explain", lambda w: w.explain(5), {"status": "moving"}, ("GET", "/agents/5/explain", None), {"status": "moving"}),
    (
        "add_obstacles",
        lambda w: w.add_obstacles([[(0, 0), (1, 0)], {"points": [(0, 0), (1, 1)], "closed": True}]).step,
        ADDED,
        (
            "POST",
            "/obstacles",
            {"obstacles": [{"points": [[0, 0], [1, 0]]}, {"points": [[0, 0], [1, 1]], "closed": True}]},
        ),
        2,
    ),
    ("obstacles", lambda w: w.obstacles()[0].id, {"obstacles": [OBSTACLE]}, ("GET", "/obstacles", None), 4),
    ("obstacle", lambda w: w.obstacle(4).points.tolist(), OBSTACLE, ("GET", "/obstacles/4", None), [[0, 0], [1, 0]]),
    (
        "set_obstacle",
        lambda w: w.set_obstacle(4, Obstacle([(0, 0), (2, 0)], id=4)),
        {"step": 2, "warnings": []},
        ("PUT", "/obstacles/4", {"points": [[0, 0], [2, 0]], "closed": False}),
        Changed(2),
    ),
    (
        "set_door",
        lambda w: w.set_door(4, open=True),
        {"step": 2, "warnings": []},
        ("PATCH", "/obstacles/4", {"open": True}),
        Changed(2),
    ),
    ("remove_obstacle", lambda w: w.remove_obstacle(4), None, ("DELETE", "/obstacles/4", None), None),
    (
        "add_walkable",
        lambda w: w.add_walkable([SQUARE]).step,
        ADDED,
        ("POST", "/walkable", {"areas": [{"geometry": SQUARE}]}),
        2,
    ),
    ("walkable", lambda w: w.walkable(), {"areas": [AREA]}, ("GET", "/walkable", None), [WalkableArea(SQUARE, id=6)]),
    ("walkable_area", lambda w: w.walkable_area(6), AREA, ("GET", "/walkable/6", None), WalkableArea(SQUARE, id=6)),
    (
        "set_walkable",
        lambda w: w.set_walkable(6, WalkableArea(SQUARE, clearance=1.0)),
        {"step": 2, "warnings": []},
        ("PUT", "/walkable/6", {"geometry": SQUARE, "clearance": 1.0, "shrunk": False}),
        Changed(2),
    ),
    ("remove_walkable", lambda w: w.remove_walkable(6), None, ("DELETE", "/walkable/6", None), None),
    (
        "add_map",
        lambda w: w.add_map("type octile\nheight 1\nwidth 1\nmap\n.\n", as_="walkable", cell_size=0.5).step,
        ADDED,
        ("POST", "/map?as=walkable&cell_size=0.5", b"type octile\nheight 1\nwidth 1\nmap\n.\n"),
        2,
    ),
    (
        "commands",
        lambda w: w.commands([commands.remove_agents([5])], key="k").results,
        {"step": 2, "results": [{"warnings": []}]},
        ("POST", "/commands", {"commands": [{"op": "remove_agents", "ids": [5]}], "key": "k"}),
        ({"warnings": []},),
    ),
    (
        "step",
        lambda w: w.step(key="k").events,
        {"step": 2, "time": 0.2, "events": [{"kind": "arrived", "step": 2, "ids": [5], "where": "here"}]},
        ("POST", "/steps", {"count": 1, "return": "none", "key": "k"}),
        (Event("arrived", 2, (5,), {"where": "here"}),),
    ),
    (
        "step for agents",
        lambda w: w.step(
            3,
            expected_step=7,
            key="k",
            return_="agents",
            fields=["velocity"],
            ids=[5],
            commands=[commands.remove_agents([6])],
        ).agents.velocity.tolist(),
        {"step": 10, "time": 1.0, "agents": {"ids": [5], "velocity": [[1.0, 0.0]]}, "events": []},
        (
            "POST",
            "/steps",
            {
                "count": 3,
                "return": "agents",
                "key": "k",
                "expected_step": 7,
                "commands": [{"op": "remove_agents", "ids": [6]}],
                "fields": ["velocity"],
                "ids": [5],
            },
        ),
        [[1.0, 0.0]],
    ),
    (
        "lease",
        lambda w: w.lease("me", 5.0),
        {"holder": "me", "expires": 12.5},
        ("POST", "/lease", {"holder": "me", "ttl": 5.0}),
        Lease("me", 12.5),
    ),
]


@pytest.mark.parametrize(("do", "answer", "sent", "result"), [row[1:] for row in CALLS], ids=[row[0] for row in CALLS])
def test_each_call_of_a_world(server: Server, do: Do, answer: Any, sent: tuple[str, str, Any], result: Any) -> None:
    server.answer = answer
    with client_of(server) as client:
        assert do(client.world("w")) == result
    method, path, body = sent
    assert server.sent == (method, f"/prefix/v1/worlds/w{path}", body)


def test_columns_go_as_bins_and_come_as_bins(server: Server) -> None:
    server.answer = {"ids": struct.pack("<2q", 7, 8), "step": 0, "warnings": []}
    with client_of(server, encoding="msgpack") as client:
        added = client.world("w").add_agents(id=[7, 8], position=np.array([[1, 2], [3, -0.0]]), max_neighbors=4)
        assert isinstance(added, Added)
        assert added.ids.tolist() == [7, 8]
    assert server.sent[2] == {
        "columns": {
            "id": struct.pack("<2q", 7, 8),
            "position": struct.pack("<4d", 1, 2, 3, -0.0),
            "max_neighbors": struct.pack("<2d", 4, 4),
        }
    }


def test_calls_of_the_server(server: Server) -> None:
    with client_of(server) as client:
        server.answer = {"version": "1"}
        assert client.info() == {"version": "1"}
        assert server.sent == ("GET", "/prefix/v1/info", None)
        server.answer = {"id": "plaza", "time_step": 0.1}
        world = client.create_world(time_step=0.1, options={"profile": "text"}, seed=0)
        assert (world.id, world.description) == ("plaza", server.answer)
        expected = {"time_step": 0.1, "options": {"profile": "text"}, "seed": 0}
        assert server.sent == ("POST", "/prefix/v1/worlds", expected)
        server.answer = {"worlds": [{"id": "a"}, {"id": "b"}]}
        assert [world.id for world in client.worlds()] == ["a", "b"]
        server.answer = {"id": "copy"}
        assert client.restore(b"\0\1", id="copy").id == "copy"
        assert server.sent == ("POST", "/prefix/v1/worlds/restore?id=copy", b"\0\1")
        assert server.requests[-1].headers["Content-Type"] == "application/octet-stream"
        server.answer = {"velocity": [[1.0, 0.0], [0.0, 1.0]]}
        velocity = client.steer(time_step=0.1, agents={"position": [(0, 0), (5, 5)], "radius": 0.5}, obstacles=[])
        assert velocity.tolist() == [[1, 0], [0, 1]]
        rows = [{"position": [0, 0], "radius": 0.5}, {"position": [5, 5], "radius": 0.5}]
        assert server.sent == ("POST", "/prefix/v1/steer", {"time_step": 0.1, "agents": rows, "obstacles": []})


def test_an_id_may_hold_any_character(server: Server) -> None:
    server.answer = {"id": "a/b c?"}
    with client_of(server) as client:
        client.world("a/b c?ä").describe()
    assert server.sent[1] == "/prefix/v1/worlds/a%2Fb%20c%3F%C3%A4"


def test_the_holder_of_a_lease_shows_it(server: Server) -> None:
    with client_of(server) as client:
        world = client.world("w")
        server.answer = {"holder": "me", "expires": 1.0}
        world.lease("me", 5)
        server.answer = {"step": 1, "time": 0.1, "events": []}
        world.step()
        assert server.requests[-1].headers["Orca-Crowd-Lease"] == "me"
        server.answer = None
        world.release_lease()
        assert (server.sent[0], server.requests[-1].headers["Orca-Crowd-Lease"]) == ("DELETE", "me")
        server.answer = {"step": 2, "time": 0.2, "events": []}
        world.step()
        assert "Orca-Crowd-Lease" not in server.requests[-1].headers


def test_more_ids_than_a_url_holds(server: Server) -> None:
    many = range(10_000)
    with client_of(server) as client:
        # a removal is all or nothing, so it becomes a command
        server.answer = {"step": 4, "results": [{"removed": list(many)}]}
        removed = client.world("w").remove_agents(many)
        assert (removed.removed.tolist(), removed.step) == (list(many), 4)
        method, path, body = server.sent
        assert (method, path) == ("POST", "/prefix/v1/worlds/w/commands")
        assert body["commands"] == [{"op": "remove_agents", "ids": list(many)}]
        with pytest.raises(CannotEncode, match="10000 ids are too many"):
            client.world("w").agents(ids=many)
    assert len(server.requests) == 1


@pytest.mark.parametrize("kind", ["path", "name", "text", "bytes", "mapping"])
def test_a_map_from_a_file_or_as_text(server: Server, tmp_path: Path, kind: str) -> None:
    text = json.dumps(SQUARE)
    file = tmp_path / "square.geojson"
    file.write_text(text, encoding="utf-8")
    sources = {"path": file, "name": str(file), "text": text, "bytes": text.encode(), "mapping": SQUARE}
    server.answer = ADDED
    with client_of(server) as client:
        client.world("w").add_map(sources[kind], as_="obstacles")
    assert json.loads(server.sent[2]) == SQUARE
    assert server.sent[1] == "/prefix/v1/worlds/w/map?as=obstacles"
    assert server.requests[-1].headers["Content-Type"] == "application/geo+json"


def test_a_moving_ai_map_is_plain_text(server: Server) -> None:
    server.answer = ADDED
    with client_of(server) as client:
        client.world("w").add_map(b"type octile\nheight 1\nwidth 1\nmap\n.\n", as_="obstacles")
    assert server.requests[-1].headers["Content-Type"] == "text/plain"


def test_a_refusal_is_raised(server: Server) -> None:
    server.status = 422
    fault = {"item": 3, "field": "radius", "message": "must be zero or more"}
    server.answer = {"status": 422, "code": "invalid", "title": "Invalid", "detail": "refused", "errors": [fault]}
    with client_of(server) as client, pytest.raises(InvalidRequest, match="item 3, radius: must be zero or more"):
        client.world("w").add_agents(position=[(0, 0)])


@pytest.mark.parametrize(
    ("answer", "do"),
    [
        ([], lambda world: world.describe()),
        ({"step": 1}, lambda world: world.digest()),
        ({"ids": "x", "step": 1}, lambda world: world.add_agents(position=(0, 0))),
        ({"step": 1, "time": 0.0, "ids": [1], "position": [[1]]}, lambda world: world.agents()),
        ({"step": 1, "time": 0.0, "ids": [1], "position": [["a", "b"]]}, lambda world: world.agents()),
        ({"obstacles": [{}]}, lambda world: world.obstacles()),
        (b"page", lambda world: world.step()),
    ],
)
def test_an_answer_that_is_not_the_protocols(server: Server, answer: Any, do: Do) -> None:
    server.answer = answer
    with client_of(server) as client, pytest.raises(ProtocolError):
        do(client.world("w"))


def test_a_redirect_is_not_followed_into_the_dark(server: Server) -> None:
    server.status = 302
    with client_of(server) as client, pytest.raises(ProtocolError, match="302"):
        client.info()


def test_an_unknown_encoding_is_named() -> None:
    with pytest.raises(ValueError, match="'msgpack' or 'json', not 'xml'"):
        Client(encoding="xml")  # type: ignore[arg-type]
