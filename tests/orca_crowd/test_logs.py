"""Lines of the log: their shape, their ids, and that no key is ever in one."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect
from websockets.typing import Subprotocol

from orca_crowd.logs import ConsoleLines, JsonLines, identifier, request_id, without_keys, world_id
from tests.orca_crowd.durability.test_drain import rest
from tests.support.guarded import WORLD, Guarded, guarded_server

KEY = "orca_ab12cd34_" + "S3cret-_" * 5 + "abc"


def record(message: str, *values: Any, **members: Any) -> logging.LogRecord:
    """A record as `logging` makes it."""
    made = logging.getLogger("orca_crowd").makeRecord(
        "orca_crowd", logging.WARNING, __file__, 1, message, values, members.pop("exc_info", None), extra=members
    )
    made.created = 1_767_225_600.25
    return made


@pytest.fixture
def ids() -> Iterator[None]:
    """A request and a world."""
    tokens = request_id.set("r-1"), world_id.set("hall")
    yield
    request_id.reset(tokens[0])
    world_id.reset(tokens[1])


def test_a_line_for_people(ids: None) -> None:
    line = ConsoleLines().format(record("worker %d died", 7))
    assert line == "2026-01-01T00:00:00.250Z warning orca_crowd: worker 7 died [request=r-1 world=hall]"


def test_a_line_for_machines(ids: None) -> None:
    assert json.loads(JsonLines().format(record("worker %d died", 7, pid=7))) == {
        "time": "2026-01-01T00:00:00.250Z",
        "level": "warning",
        "logger": "orca_crowd",
        "message": "worker 7 died",
        "request": "r-1",
        "world": "hall",
        "pid": 7,
    }


def test_without_ids_there_are_none() -> None:
    assert ConsoleLines().format(record("up")).endswith("orca_crowd: up")
    assert set(json.loads(JsonLines().format(record("up")))) == {"time", "level", "logger", "message"}


@pytest.mark.parametrize("lines", [ConsoleLines(), JsonLines()])
def test_a_fault_is_one_record_with_where_it_was(lines: logging.Formatter) -> None:
    try:
        raise ValueError(f"bad {KEY}")
    except ValueError as error:
        line = lines.format(record("failed\nhere", exc_info=(type(error), error, error.__traceback__)))
    assert "test_logs.py" in line
    assert "S3cret" not in line
    if isinstance(lines, JsonLines):
        assert len(line.splitlines()) == 1


@pytest.mark.parametrize(
    "text",
    [
        KEY,
        f"Authorization: Bearer {KEY}",
        "authorization: bearer S3cret-thing",
        "b'authorization', b'Basic S3cret:x'",
        f"Sec-WebSocket-Protocol: orca-crowd.v1.json, orca-crowd.key.{KEY}",
        "orca-crowd.key.S3cret",
        f"/v1/worlds/w?key={KEY}&x=1",
        f"{KEY[:-8]}",
    ],
)
def test_whatever_looks_like_a_key_is_taken_out(text: str) -> None:
    assert "S3cret" not in without_keys(f"before {text} behind")
    assert without_keys(f"before {text} behind").startswith("before ")


def test_what_is_no_key_stays() -> None:
    text = "orca_crowd_event_loop_lag_seconds orca_core.world orca-crowd keys world orca_7 the bearer of it"
    assert without_keys(text).split()[:4] == text.split()[:4]


@pytest.mark.parametrize("given", ["a", "A-b.c_9", "x" * 64])
def test_an_id_that_is_well_formed_is_kept(given: str) -> None:
    assert identifier(given) == given


@pytest.mark.parametrize("given", [None, "", "x" * 65, "a b", "a\nb", "é", 'a"b', "<script>"])
def test_any_other_is_given_anew(given: str | None) -> None:
    made = identifier(given)
    assert made != given
    assert re.fullmatch(r"[0-9a-f]{16}", made)
    assert made != identifier(given)


# a whole session on a server with JSON lines, at the level that tells most


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Guarded]:
    """A server that wants keys and logs everything."""
    with guarded_server(tmp_path_factory.mktemp("logged"), log_format="json", log_level="debug") as made:
        yield made


def lines(guarded: Guarded) -> list[dict[str, Any]]:
    """What has been logged; every line is an object."""
    return [json.loads(line) for line in guarded.server.log.splitlines()]


def test_the_first_line_says_what_runs(guarded: Guarded) -> None:
    first = lines(guarded)[0]
    assert first["message"].startswith("serving on http://127.0.0.1:")
    told = {name: first[name] for name in ("engine", "data", "open", "level")}
    assert told == {"engine": "inline", "data": str(guarded.server.data), "open": False, "level": "info"}
    assert first["address"] == str(guarded.server.client.base_url).rstrip("/")
    assert first["workers"] >= 1
    assert first["version"] == guarded.ask("read", "GET", "/v1/info").json()["version"]


def test_an_answer_names_its_request_and_so_do_its_lines(guarded: Guarded) -> None:
    path = f"/v1/worlds/{WORLD}/steps"
    answer = guarded.ask("control", "POST", path, json={}, headers={"X-Request-Id": "step-1"})
    assert answer.headers["x-request-id"] == "step-1"
    refused = guarded.ask("read", "POST", path, json={}, headers={"X-Request-Id": "not-this"})
    assert (refused.status_code, refused.headers["x-request-id"]) == (403, "not-this")
    nowhere = guarded.ask("read", "GET", "/nowhere", headers={"X-Request-Id": "a b"})
    assert nowhere.status_code == 404
    found = {line.get("request"): line for line in lines(guarded)}
    assert found["step-1"]["world"] == WORLD
    assert re.fullmatch(rf"POST {path}: 200 after [0-9.]+ ms", found["step-1"]["message"])
    assert re.fullmatch(r"[0-9a-f]{16}", nowhere.headers["x-request-id"])
    assert nowhere.headers["x-request-id"] in found
    levels = [line["level"] for line in lines(guarded) if line.get("request") == "not-this"]
    assert levels == ["info", "debug"]


def test_a_handshake_has_an_id_too(guarded: Guarded) -> None:
    headers = {**guarded.headers("read"), "X-Request-Id": "watching"}
    with connect(
        guarded.address, subprotocols=[Subprotocol("orca-crowd.v1.json")], additional_headers=headers
    ) as socket:
        assert socket.response is not None
        assert socket.response.headers["X-Request-Id"] == "watching"
    assert any(line.get("request") == "watching" and line["world"] == WORLD for line in lines(guarded))


def test_no_key_gets_into_the_log_or_an_answer(guarded: Guarded) -> None:
    """Last in this file: right and wrong keys, wherever a client might put one, and then the whole log."""
    answers = []
    for kind, key in guarded.keys.items():
        if key is None:
            continue
        answers.append(guarded.ask(kind, "GET", "/v1/worlds").text)
        answers.append(
            guarded.ask(kind, "POST", f"/v1/worlds/{WORLD}/agents", json={"agents": [{"position": []}]}).text
        )
        # where no key belongs
        guarded.ask(kind, "GET", f"/v1/worlds?key={key}")
        if key.startswith("orca_"):
            guarded.ask(kind, "GET", f"/v1/worlds/{key}")
        guarded.ask(kind, "GET", "/v1/worlds", headers={"X-Request-Id": f"Bearer {key}"})
        answers.append(guarded.ask(kind, "GET", "/v1/worlds", headers={"Authorization": f"Basic {key}"}).text)
        answers.append(guarded.ask(kind, "GET", "/v1/worlds", headers={"Authorization": key}).text)
        for offered in ([f"orca-crowd.key.{key}"], ["orca-crowd.v1.json", f"orca-crowd.key.{key}"]):
            protocols = [Subprotocol(name) for name in offered]
            with suppress(InvalidStatus), connect(guarded.address, subprotocols=protocols) as socket:
                socket.send("not json")
                socket.send(json.dumps({"type": "ping", "data": 1}))
                socket.close()
                answers.append(str(rest(socket)))
    assert guarded.server.stop() == 0
    log = guarded.server.log
    assert len(log.splitlines()) > 50
    for key in guarded.keys.values():
        if key is not None:
            secret = key[14:] if key.startswith("orca_") else key
            assert secret not in log
            assert not any(secret in answer for answer in answers)
            assert f"orca_{key[5:13]}_…" in log or not key.startswith("orca_")
    # and into no file
    for path in (guarded.server.data / "keys.sqlite", *guarded.folder.iterdir()):
        kept = path.read_bytes()
        assert not any(key[14:].encode() in kept for key in guarded.keys.values() if key and key.startswith("orca_"))
