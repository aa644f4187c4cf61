"""A server, a client of it that says what is right, and Godot."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from orca_crowd_client import Client
from tests.support.find_godot import Godot, find_godot
from tests.support.live_server import live_server


@pytest.fixture(scope="session")
def godot() -> Godot:
    """Debian's godot3-server."""
    return find_godot()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Base URL of a server with the default settings."""
    with live_server(tmp_path_factory.mktemp("server")) as address:
        yield f"http://{address}"


@pytest.fixture
def client(server: str) -> Iterator[Client]:
    """A client of the server, which has no world before and none after."""
    with Client(server) as client:
        yield client
        for world in client.worlds():
            world.delete()
