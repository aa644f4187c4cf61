"""Requests drawn from the OpenAPI document, fit and unfit: no answer is a fault of the server, no refusal a change."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from typing import Any

import httpx
import msgspec
import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis.errors import Unsatisfiable
from schemathesis import Case, GenerationMode

from tests.support.mortal_server import mortal_server

# each request is one of a server's whole life, so what one leaves behind must not take minutes
LIMITS = {
    "ORCA_CROWD_STEPS_PER_REQUEST": "20",
    "ORCA_CROWD_AGENTS_PER_WORLD": "500",
    "ORCA_CROWD_RATE_LIMIT": "50",
    "ORCA_CROWD_LEASE_SECONDS": "1",
    "ORCA_CROWD_BODY_BYTES": "65536",
}
MSGPACK = "application/msgpack"
# what a server says when it is asked for more than it has
FULL = frozenset({"limit", "busy", "no-room"})


@schemathesis.serializer(MSGPACK)
def _packed(_: Any, value: Any) -> bytes | None:
    """A body in MessagePack; nothing where it has no such form, as integers beyond 64 bits."""
    try:
        return msgspec.msgpack.encode(value)
    except (OverflowError, TypeError, UnicodeEncodeError):
        return None


class World:
    """One world that every request is about, and what it is at the moment."""

    def __init__(self, client: httpx.Client) -> None:
        """Make it."""
        self.client = client
        self.path = "/v1/worlds/w"
        self.make()

    def make(self) -> None:
        """Some of everything."""
        client = self.client
        client.post("/v1/worlds", json={"id": "w", "time_step": 0.25}).raise_for_status()
        rows = [{"position": [2.0 * n, 0.0], "goal": [0.0, 5.0]} for n in range(6)]
        client.post(f"{self.path}/agents", json={"agents": rows}).raise_for_status()
        client.post(f"{self.path}/obstacles", json={"obstacles": [{"points": [[0, 9], [9, 9]]}]}).raise_for_status()
        client.post(f"{self.path}/steps").raise_for_status()

    def state(self) -> dict[str, Any]:
        """What it is, with its place in the order of all changes and its counts, and its digest."""
        return {end: self.client.get(f"{self.path}{end}").raise_for_status().json() for end in ("", "/digest")}

    def settle(self) -> None:
        """Be there, stand still, and be nobody's, whatever the last request did."""
        client = self.client
        shown = client.get(self.path)
        if shown.status_code == 404:
            self.make()
        elif shown.json()["clock"]["mode"] != "manual":
            client.patch(self.path, json={"clock": {"mode": "manual"}}).raise_for_status()
        if shown.status_code == 200 and shown.json()["agents"] > 200:
            client.delete(self.path)
            self.make()
        for world in client.get("/v1/worlds").json()["worlds"]:
            if world["id"] != "w":
                client.delete(httpx.URL("/v1/worlds/").join(httpx.URL(path=f"/v1/worlds/{world['id']}")))


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """The world on a real server with a journal."""
    with ExitStack() as stack:
        with pytest.MonkeyPatch.context() as patch:
            for name, value in LIMITS.items():
                patch.setenv(name, value)
            running = stack.enter_context(mortal_server(tmp_path_factory.mktemp("fuzz"), "--engine", "inline"))
        yield World(running.client)
        assert "Traceback" not in running.log


def sent(client: httpx.Client, case: Case) -> httpx.Response:
    """The answer to a case."""
    made = case.as_transport_kwargs(base_url=str(client.base_url))
    headers = {name: value for name, value in made["headers"].items() if value is not None}
    body = {"content": made["data"]} if made.get("data") is not None else {}
    if "json" in made:
        body = {"json": made["json"]}
    return client.request(made["method"], made["url"], params=made.get("params"), headers=headers, **body)


def fuzzed(world: World, examples: int) -> Counter[int]:
    """So many fit and so many unfit requests to every operation; how often each status came."""
    document = world.client.get("/openapi.json").json()
    schema = schemathesis.openapi.from_dict(document)
    seen: Counter[int] = Counter()
    for found in schema.get_all_operations():
        operation = found.ok()
        for mode in (GenerationMode.POSITIVE, GenerationMode.NEGATIVE):
            strategy = operation.as_strategy(generation_mode=mode)

            @seed(7)
            @settings(
                max_examples=examples,
                deadline=None,
                database=None,
                phases=[Phase.generate],
                suppress_health_check=list(HealthCheck),
            )
            @given(case=strategy)
            def ask(case: Case) -> None:
                if "world" in case.path_parameters:
                    case.path_parameters["world"] = "w"
                if "id" in case.path_parameters and seen.total() % 2:
                    case.path_parameters["id"] = seen.total() % 5
                world.settle()
                before = world.state()
                answer = sent(world.client, case)
                seen[answer.status_code] += 1
                told = f"{case.method} {case.formatted_path} {case.body!r}: {answer.text[:500]}"
                if answer.status_code >= 400:
                    assert answer.headers["content-type"] == "application/problem+json", told
                    assert answer.status_code < 500 or answer.json()["code"] in FULL, told
                    assert world.state() == before, told

            # an operation without parameters or body has no unfit request
            with suppress(Unsatisfiable):
                ask()
    return seen


def test_no_request_is_a_fault_of_the_server_and_no_refusal_a_change(world: World) -> None:
    seen = fuzzed(world, 2)
    # both kinds got through to where they should
    assert seen[200] + seen[201] > 10, seen
    assert seen[422] > 10, seen


@pytest.mark.soak
def test_the_same_for_longer(world: World) -> None:
    print(fuzzed(world, 100))
