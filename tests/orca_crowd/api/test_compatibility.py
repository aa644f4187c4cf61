"""Versions are negotiated with a real server: our client is let in, an old one is told so and changes nothing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect
from websockets.typing import Subprotocol

from orca_crowd_client import AsyncClient, Client
from orca_crowd_client.errors import BadRequest
from tests.support.live_server import live_server

OLD = {"Orca-Crowd-Client": "python/0.0.9"}


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server in a process of its own."""
    folder: Path = tmp_path_factory.mktemp("server")
    with live_server(folder, "--engine", "inline", "--workers", "1") as found:
        yield found


def test_the_client_says_its_version_and_is_let_in(address: str) -> None:
    with Client(f"http://{address}") as client:
        assert client.info()["clients"] == dict.fromkeys(("godot3", "godot4", "python", "typescript"), "0.1.0")
        world = client.create_world(time_step=0.1)
        with world.stream() as stream:
            assert stream.ping("here") == "here"
            assert stream.hello["world"] == world.id
        world.delete()


def test_a_client_that_is_too_old_is_told_by_every_call(address: str) -> None:
    with Client(f"http://{address}", headers=OLD) as client:
        # what it needs to know, and what no client asks for
        assert client.info()["clients"]["python"] == "0.1.0"
        assert httpx.get(f"http://{address}/healthz", headers=OLD).status_code == 200
        with pytest.raises(BadRequest, match=r"from version 0\.1\.0 on, not 0\.0\.9") as refusal:
            client.create_world(time_step=0.1, id="old")
        assert refusal.value.code == "client-too-old"
        with pytest.raises(BadRequest, match="client-too-old"):
            client.worlds()
    # nothing was made
    assert httpx.get(f"http://{address}/v1/worlds/old").status_code == 404


async def test_the_asynchronous_client_too(address: str) -> None:
    async with AsyncClient(f"http://{address}", headers=OLD) as client:
        with pytest.raises(BadRequest, match="client-too-old"):
            await client.worlds()


def test_a_handshake_of_one_that_is_too_old_is_denied(address: str) -> None:
    with Client(f"http://{address}") as client:
        world = client.create_world(time_step=0.1)
        url, protocols = f"ws://{address}/v1/worlds/{world.id}/stream", [Subprotocol("orca-crowd.v1.json")]
        with pytest.raises(InvalidStatus) as refusal:
            connect(url, subprotocols=protocols, additional_headers=OLD)
        assert refusal.value.response.status_code == 400
        assert b"client-too-old" in bytes(refusal.value.response.body or b"")
        # a page's WebSocket says nothing, and is let in
        with connect(url, subprotocols=protocols) as socket:
            assert '"hello"' in str(socket.recv())
        world.delete()


def test_a_header_of_another_form_is_refused(address: str) -> None:
    answer = httpx.get(f"http://{address}/v1/worlds", headers={"Orca-Crowd-Client": "python"})
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["field"] == "Orca-Crowd-Client"
