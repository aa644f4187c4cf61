"""Every call there is, right and wrong, in both encodings: each answer is a value of its encoding, and none is 500."""

from __future__ import annotations

import struct
from typing import Any

import httpx
import msgspec
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.orca_crowd.api.checks import strict_json
from tests.orca_crowd.conftest import MakeWorld

PACKED = {"accept": "application/msgpack"}
SQUARE = {"type": "Polygon", "coordinates": [[[-90.0, -90.0], [90.0, -90.0], [90.0, 90.0], [-90.0, 90.0]]]}
COMMANDS = {"commands": [{"op": "add_agents", "agents": [{"position": [20, 20]}, {"position": [20.1, 20]}]}]}
MAP = "type octile\nheight 3\nwidth 4\nmap\n....\n.@@.\n....\n"

# in an order in which each finds what it needs; {w} is the world
CALLS: list[tuple[str, str, dict[str, Any]]] = [
    ("POST", "{w}/agents", {"json": {"agents": [{"id": 1, "position": [0, 0], "goal": [1, 0]}, {"position": [9, 9]}]}}),
    ("POST", "{w}/commands", {"json": COMMANDS}),
    ("POST", "{w}/steps", {"json": {"count": 3, "return": "agents", "fields": ["status", "goal", "max_neighbors"]}}),
    ("GET", "{w}/agents?fields=position,velocity,preferred_velocity,goal,preferred_speed,max_neighbors,status", {}),
    ("GET", "{w}/agents?precision=float32", {}),
    ("PATCH", "{w}/agents", {"json": {"ids": [1], "columns": {"radius": [0.25]}}}),
    ("GET", "{w}/agents/1", {}),
    ("PATCH", "{w}/agents/1", {"json": {"goal": None, "time_horizon": 0.01}}),
    ("PUT", "{w}/agents/1", {"json": {"preferred_velocity": [1, 0]}}),
    ("GET", "{w}/agents/1/explain", {}),
    ("POST", "{w}/obstacles", {"json": {"obstacles": [{"id": 3, "points": [[40, 0], [50, 1]]}]}}),
    ("GET", "{w}/obstacles", {}),
    ("GET", "{w}/obstacles/3", {}),
    ("PUT", "{w}/obstacles/3", {"json": {"points": [[40, 0], [50, 2]]}}),
    ("PATCH", "{w}/obstacles/3", {"json": {"open": True}}),
    ("DELETE", "{w}/obstacles/3", {}),
    ("POST", "{w}/walkable", {"json": {"areas": [{"id": 4, "geometry": SQUARE}]}}),
    ("GET", "{w}/walkable", {}),
    ("GET", "{w}/walkable/4", {}),
    ("PUT", "{w}/walkable/4", {"json": {"geometry": SQUARE, "clearance": 0.1}}),
    ("POST", "{w}/steps", {"json": {"count": 3}}),
    ("DELETE", "{w}/walkable/4", {}),
    ("POST", "{w}/map?as=obstacles", {"content": MAP, "headers": {"content-type": "text/plain"}}),
    ("POST", "{w}/map?as=grid&x=3&y=-1", {"content": MAP, "headers": {"content-type": "text/plain"}}),
    ("GET", "{w}/grid-map", {}),
    ("DELETE", "{w}/agents/0", {}),
    ("DELETE", "{w}/agents?ids=1", {}),
    ("POST", "{w}/paths", {"json": {"queries": [{"from": [0, 0], "to": [1, 1]}, {"from": [0, 0], "to": [99, 0]}]}}),
    ("POST", "{w}/lease", {"json": {"holder": "me", "ttl": 5}}),
    ("DELETE", "{w}/lease", {"headers": {"Orca-Crowd-Lease": "me"}}),
    ("GET", "{w}/digest", {}),
    ("PATCH", "{w}", {"json": {"name": "x", "defaults": {"radius": 0.25}, "clock": {"mode": "barrier", "timeout": 1}}}),
    ("GET", "{w}", {}),
    ("GET", "/v1/worlds", {}),
    ("GET", "/v1/info", {}),
    ("GET", "/v1/demos", {}),
    ("POST", "/v1/steer", {"json": {"time_step": 0.1, "agents": [{"position": [0, 0], "goal": [1, 1]}]}}),
    ("GET", "/healthz", {}),
    ("GET", "/readyz", {}),
]
# what answers with something else than a value, or makes what would have to be taken away again
OTHERS = {
    *(("GET", path) for path in ("/metrics", "/asyncapi.json", "/v1/worlds/{world}/snapshot")),
    *(("POST", path) for path in ("/v1/worlds", "/v1/worlds/restore", "/v1/demos/{name}")),
    *(("POST", f"/v1/worlds/{{world}}/{what}") for what in ("fork", "restore")),
    ("DELETE", "/v1/worlds/{world}"),
}


def template(path: str) -> str:
    """A path as the document of the interface writes it."""
    parts = path.partition("?")[0].replace("{w}", "/v1/worlds/{world}").split("/")
    return "/".join("{id}" if part.isdigit() else part for part in parts)


def test_the_calls_are_all_there_are(client: httpx.Client) -> None:
    paths = client.get("/openapi.json").json()["paths"]
    document = {(method.upper(), path) for path, methods in paths.items() for method in methods}
    assert {(method, template(path)) for method, path, _ in CALLS} | OTHERS == document


def plain(value: Any) -> bool:
    """Whether a decoded value is made of nothing but what MessagePack and JSON both know, and bins."""
    if isinstance(value, dict):
        return all(isinstance(name, str) and plain(inner) for name, inner in value.items())
    if isinstance(value, list):
        return all(plain(inner) for inner in value)
    return value is None or isinstance(value, bool | int | float | str | bytes)


@pytest.mark.parametrize("packed", [False, True])
def test_every_answer_is_a_value_of_its_encoding(client: httpx.Client, make_world: MakeWorld, packed: bool) -> None:
    world = make_world()
    for method, path, options in CALLS:
        headers = {**options.get("headers", {}), **(PACKED if packed else {})}
        answer = client.request(method, path.replace("{w}", world), **{**options, "headers": headers})
        assert answer.status_code < 300, (method, path, answer.text)
        if answer.status_code == 204:
            assert answer.content == b""
        elif packed:
            assert answer.headers["content-type"] == "application/msgpack", path
            assert plain(msgspec.msgpack.decode(answer.content)), path
        else:
            strict_json(answer.content)


@pytest.mark.parametrize("data", [b"{", b"[]", b'{"a": NaN}', b'{"agents": [{"position": ["NaN", 0]}]}', b"\xff"])
def test_every_refusal_is_a_document(client: httpx.Client, make_world: MakeWorld, data: bytes) -> None:
    world = make_world()
    for method, path, _ in CALLS:
        if method in ("POST", "PUT", "PATCH"):
            for where in (world, "/v1/worlds/nowhere"):
                answer = client.request(
                    method,
                    path.replace("{w}", where),
                    content=data,
                    headers={"content-type": "text/plain" if "/map" in path else "application/json"},
                )
                assert 400 <= answer.status_code < 500, (method, path, answer.text)
                assert answer.headers["content-type"] == "application/problem+json"
                assert strict_json(answer.content)["status"] == answer.status_code
    assert client.get(world).json()["sequence"] == 0


numbers = st.floats(-1e9, 1e9, allow_nan=False)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=20)
@given(places=st.lists(st.tuples(numbers, numbers), min_size=1, max_size=5))
def test_a_position_comes_back_as_it_was_sent(
    client: httpx.Client, make_world: MakeWorld, places: list[tuple[float, float]]
) -> None:
    world = make_world(options={"profile": "text"})
    assert client.post(f"{world}/agents", json={"agents": [{"position": place} for place in places]}).status_code == 201
    sent = np.array(places, "<f8").tobytes()
    read = strict_json(client.get(f"{world}/agents").content)["position"]
    assert np.array(read, "<f8").tobytes() == sent
    assert msgspec.msgpack.decode(client.get(f"{world}/agents", headers=PACKED).content)["position"] == sent
    client.delete(world)


def test_whole_numbers_have_the_precision_of_all_others_in_bins(client: httpx.Client, world: str) -> None:
    client.post(f"{world}/agents", json={"agents": [{"id": 7, "position": [1, 2], "max_neighbors": 3}]})
    wanted = f"{world}/agents?fields=max_neighbors,position"
    shown = msgspec.msgpack.decode(client.get(f"{wanted}&precision=float32", headers=PACKED).content)
    assert (shown["max_neighbors"], shown["position"]) == (struct.pack("<f", 3.0), struct.pack("<2f", 1.0, 2.0))
    assert shown["ids"] == struct.pack("<q", 7)
    shown = msgspec.msgpack.decode(client.get(wanted, headers=PACKED).content)
    assert (shown["max_neighbors"], shown["position"]) == (struct.pack("<d", 3.0), struct.pack("<2d", 1.0, 2.0))
    for precision in ("float32", "float64"):
        assert client.get(f"{wanted}&precision={precision}").json()["max_neighbors"] == [3]
