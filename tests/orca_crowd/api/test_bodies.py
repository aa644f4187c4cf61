"""Bodies whatever they carry: encodings, sizes, content types, paths and methods that are not there."""

from __future__ import annotations

import socket

import httpx
import msgspec
import pytest

from tests.orca_crowd.api.checks import digest, problem

JSON = {"content-type": "application/json"}
MSGPACK = {"content-type": "application/msgpack"}


@pytest.mark.parametrize(
    "data",
    [
        b"{",
        b"",
        b"{'agents': []}",
        b"\xff\xfe",
        b"[" * 10_000,
        b"nonsense",
        b'{"agents": []} {}',
        b"9" * 5000,
        b'"\\ud800"',
        b"\0",
    ],
)
def test_what_is_not_json_is_400(client: httpx.Client, world: str, data: bytes) -> None:
    before = digest(client, world)
    problem(client.post(f"{world}/agents", content=data, headers=JSON), 400, "malformed")
    problem(client.post(f"{world}/commands", content=data, headers=JSON), 400, "malformed")
    if data:
        problem(client.post(f"{world}/steps", content=data, headers=JSON), 400, "malformed")
    assert digest(client, world) == before
    assert client.get(world).json()["step"] == 0


@pytest.mark.parametrize(
    "data",
    [b"\xc1", b"", b"\x91" * 100_000, msgspec.msgpack.encode({"agents": []})[:-1], msgspec.msgpack.encode({}) + b"\0"],
)
def test_what_is_not_messagepack_is_400(client: httpx.Client, world: str, data: bytes) -> None:
    problem(client.post(f"{world}/agents", content=data, headers=MSGPACK), 400, "malformed")


@pytest.mark.parametrize(
    "body",
    [{1: 2}, {"agents": [{1: 2}]}, {"agents": msgspec.msgpack.Ext(1, b"x")}, {"agents": [b"bytes"]}, {b"agents": []}],
)
def test_messagepack_that_json_could_not_say_is_422(client: httpx.Client, world: str, body: object) -> None:
    data = msgspec.msgpack.encode(body)
    problem(client.post(f"{world}/agents", content=data, headers=MSGPACK), 422, "invalid")


@pytest.mark.parametrize(
    "kind",
    [
        "text/plain",
        "application/x-www-form-urlencoded",
        "application/octet-stream",
        "application/json; charset=latin-1",
        None,
    ],
)
def test_another_kind_of_body_is_415(client: httpx.Client, world: str, kind: str | None) -> None:
    headers = {"content-type": kind} if kind else {}
    for path in ("agents", "commands", "steps", "obstacles", "walkable", "lease"):
        problem(client.post(f"{world}/{path}", content=b'{"agents": []}', headers=headers), 415, "unsupported-type")


@pytest.mark.parametrize(
    ("accept", "sent", "expected"),
    [
        (None, "application/json", "application/json"),
        ("*/*", "application/json", "application/json"),
        ("*/*", "application/msgpack", "application/msgpack"),
        ("application/msgpack", "application/json", "application/msgpack"),
        ("application/json", "application/msgpack", "application/json"),
        ("application/x-msgpack", "application/json", "application/msgpack"),
        ("application/json;q=0.5, application/msgpack", "application/json", "application/msgpack"),
        ("text/html, */*;q=0.1", "application/msgpack", "application/msgpack"),
        ("application/msgpack;q=0, application/json;q=0.1", "application/msgpack", "application/json"),
    ],
)
def test_the_answer_is_in_the_encoding_asked_for(
    client: httpx.Client, world: str, accept: str | None, sent: str, expected: str
) -> None:
    encode = msgspec.json.encode if sent == "application/json" else msgspec.msgpack.encode
    headers = {"content-type": sent, "accept": accept or ""}
    answer = client.post(f"{world}/agents", content=encode({"agents": [{"position": [0, 0]}]}), headers=headers)
    assert answer.status_code == 201
    assert answer.headers["content-type"] == expected
    value = (msgspec.json.decode if expected == "application/json" else msgspec.msgpack.decode)(answer.content)
    assert value["ids"] == ([0] if expected == "application/json" else b"\0" * 8)


def test_refusals_are_json_whatever_was_asked_for(client: httpx.Client) -> None:
    problem(client.get("/v1/worlds/nobody", headers={"accept": "application/msgpack"}), 404, "not-found")


def test_a_body_over_the_limit_is_413_and_the_connection_goes_on(small: httpx.Client) -> None:
    small.post("/v1/worlds", json={"id": "w", "time_step": 0.25})
    over = b'{"agents": [' + b" " * 4096 + b"]}"
    document = problem(small.post("/v1/worlds/w/agents", content=over, headers=JSON), 413, "too-large")
    assert "4096" in document["detail"]

    def pieces() -> object:
        for _ in range(200):
            yield b" " * 1000

    problem(small.post("/v1/worlds/w/agents", content=pieces(), headers=JSON), 413, "too-large")  # type: ignore[arg-type]
    problem(
        small.post("/v1/worlds/w/map?as=obstacles", content=over, headers={"content-type": "text/plain"}),
        413,
        "too-large",
    )
    problem(
        small.post("/v1/worlds/restore", content=over, headers={"content-type": "application/octet-stream"}),
        413,
        "too-large",
    )
    exact = b'{"agents": []' + b" " * (4096 - 14) + b"}"
    assert len(exact) == 4096
    assert small.post("/v1/worlds/w/agents", content=exact, headers=JSON).status_code == 201


def test_a_body_that_is_announced_too_large_is_refused_unread(small_server: str, small: httpx.Client) -> None:
    small.post("/v1/worlds", json={"id": "w", "time_step": 0.25})
    host, port = small_server.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=20) as raw:
        raw.sendall(
            b"POST /v1/worlds/w/agents HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
            b"Content-Length: 1073741824\r\n\r\n"
        )
        assert raw.recv(65536).startswith(b"HTTP/1.1 413")


def test_a_client_who_goes_away_in_the_middle_leaves_the_world_alone(small_server: str, small: httpx.Client) -> None:
    small.post("/v1/worlds", json={"id": "w", "time_step": 0.25})
    host, port = small_server.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=20) as raw:
        raw.sendall(
            b"POST /v1/worlds/w/agents HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
            b'Content-Length: 100\r\n\r\n{"agents": [{"posi'
        )
    assert small.post("/v1/worlds/w/steps").json()["step"] == 1
    assert small.get("/v1/worlds/w").json()["agents"] == 0


def test_paths_and_methods_that_are_not_there(client: httpx.Client, world: str) -> None:
    for path in ("/nothing", "/v1", "/v1/worlds/", f"{world}/nothing", f"{world}/agents/1/nothing", "/v2/worlds"):
        problem(client.get(path), 404, "no-route")
    for method, path in (("PUT", "/v1/worlds"), ("POST", world), ("POST", "/healthz"), ("PATCH", f"{world}/steps")):
        answer = client.request(method, path)
        problem(answer, 405, "method")
        assert answer.headers["allow"]


@pytest.mark.parametrize(
    ("path", "methods"),
    [
        ("/", "GET, HEAD"),
        ("/healthz", "GET, HEAD"),
        ("/v1/worlds", "GET, HEAD, POST"),
        ("/v1/worlds/w/agents", "DELETE, GET, HEAD, PATCH, POST"),
        ("/v1/worlds/w/agents/1", "DELETE, GET, HEAD, PATCH, PUT"),
        ("/v1/steer", "POST"),
    ],
)
def test_all_methods_of_a_path_are_named(client: httpx.Client, path: str, methods: str) -> None:
    answer = client.request("OPTIONS", path)
    problem(answer, 405, "method")
    assert answer.headers["allow"] == methods


def test_head_answers_as_get_without_the_body(client: httpx.Client, world: str) -> None:
    for path in ("/", "/healthz", "/v1/info", world, f"{world}/agents", f"{world}/nothing", f"{world}/agents/5"):
        get, head = client.get(path), client.head(path)
        assert head.status_code == get.status_code
        assert head.content == b""
        for name in ("content-type", "content-length"):
            assert head.headers[name] == get.headers[name]
    assert client.head("/v1/steer").status_code == 405


@pytest.mark.parametrize("text", ["abc", "-1", "1.0", "9007199254740992", "1e3", "%20", "0x1", "٣"])
def test_an_id_in_the_path_that_is_no_id_is_422(client: httpx.Client, world: str, text: str) -> None:
    for kind in ("agents", "obstacles", "walkable"):
        assert problem(client.get(f"{world}/{kind}/{text}"), 422, "invalid")["errors"][0]["field"] == "id"
