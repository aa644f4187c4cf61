"""A server as a user starts it, once for all tests of this folder, and worlds on it that are gone after each test."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import httpx
import pytest

from tests.support.live_server import live_server

MakeWorld = Callable[..., str]

# small enough to be met by a test, large enough for what a test does otherwise
SMALL_LIMITS = {
    "worlds": 4,
    "agents_per_world": 20,
    "edges_per_world": 12,
    "vertices_per_world": 12,
    "distinct_radii": 3,
    "map_cells": 16,
    "body_bytes": 4096,
    "commands_per_request": 5,
    "steps_per_request": 50,
    "errors_per_answer": 3,
    "lease_seconds": 60,
    "rate_limit": 100,
}


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Base URL of a server with the default settings."""
    with live_server(tmp_path_factory.mktemp("server")) as address:
        yield f"http://{address}"


@pytest.fixture(scope="session")
def small_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Base URL of a server with SMALL_LIMITS."""
    with ExitStack() as stack:
        # the environment of the child alone, which has it from its start
        with pytest.MonkeyPatch.context() as patch:
            for name, value in SMALL_LIMITS.items():
                patch.setenv(f"ORCA_CROWD_{name.upper()}", str(value))
            address = stack.enter_context(live_server(tmp_path_factory.mktemp("small-server")))
        yield f"http://{address}"


@pytest.fixture
def client(server: str) -> Iterator[httpx.Client]:
    """A client of the server with the default settings."""
    with httpx.Client(base_url=server, timeout=30) as client:
        yield client


@pytest.fixture
def small(small_server: str) -> Iterator[httpx.Client]:
    """A client of the server with the small limits, which has no world before and none after."""
    with httpx.Client(base_url=small_server, timeout=30) as client:
        yield client
        for world in client.get("/v1/worlds").json()["worlds"]:
            client.delete(f"/v1/worlds/{world['id']}")


@pytest.fixture
def make_world(client: httpx.Client) -> Iterator[MakeWorld]:
    """Makes worlds with time step 0.25 and the given members; returns the path of each; deletes them in the end."""
    made: list[str] = []
    numbers = itertools.count()

    def make(**members: Any) -> str:
        answer = client.post("/v1/worlds", json={"id": f"w{next(numbers)}", "time_step": 0.25, **members})
        assert answer.status_code == 201, answer.text
        made.append(f"/v1/worlds/{answer.json()['id']}")
        return made[-1]

    yield make
    for path in made:
        client.delete(path)


@pytest.fixture
def world(make_world: MakeWorld) -> str:
    """Path of an empty world."""
    return make_world()
