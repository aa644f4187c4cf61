"""A server that wants keys, as both clients meet it: calls, streams, too little scope, and no key at all."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

import pytest

from orca_crowd.keys.store import KeyStore
from orca_crowd_client import Client, Forbidden, Unauthorized
from orca_crowd_client.async_client import AsyncClient
from tests.support.live_server import live_server


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, dict[str, str]]]:
    """Address of a server with keys, and a key of each scope."""
    folder = tmp_path_factory.mktemp("guarded")
    with closing(KeyStore(folder / "keys.sqlite", make=True)) as store:
        keys = {scope: store.create(scope=scope, now=0.0).text() for scope in ("read", "control", "admin")}  # type: ignore[arg-type]
    with live_server(folder, "--engine", "inline", "--data", str(folder)) as address:
        yield f"http://{address}", keys


def test_a_key_opens_calls_and_streams(guarded: tuple[str, dict[str, str]]) -> None:
    url, keys = guarded
    with Client(url, key=keys["admin"]) as admin:
        world = admin.create_world(time_step=0.25, id="w")
        world.add_agents([{"position": [0.0, 0.0]}, {"position": [5.0, 0.0]}])
        with Client(url, key=keys["read"]) as reader, reader.world("w").stream() as stream:
            assert len(next(stream.frames()).ids) == 2
            with pytest.raises(Forbidden, match="scope control"):
                stream.step()
            with pytest.raises(Forbidden, match="scope control"):
                reader.world("w").step()
        with Client(url, key=keys["control"]) as control:
            assert control.world("w").step().step == 1
            with pytest.raises(Forbidden, match="scope admin"):
                control.create_world(time_step=0.25)
        world.delete()


async def test_a_key_opens_the_asynchronous_client(guarded: tuple[str, dict[str, str]]) -> None:
    url, keys = guarded
    async with AsyncClient(url, key=keys["read"]) as reader:
        assert await reader.worlds() == []


@pytest.mark.parametrize("scope", ["read", "control", "admin"])
def test_a_server_tells_what_the_key_allows(guarded: tuple[str, dict[str, str]], scope: str) -> None:
    url, keys = guarded
    with Client(url, key=keys[scope]) as somebody:
        assert somebody.info()["scope"] == scope


@pytest.mark.parametrize("key", [None, "orca_aaaaaaaa_" + "x" * 43])
def test_without_a_right_key_nothing_opens(guarded: tuple[str, dict[str, str]], key: str | None) -> None:
    url, _ = guarded
    with Client(url, key=key) as nobody:
        with pytest.raises(Unauthorized):
            nobody.info()
        with pytest.raises(Unauthorized):
            nobody.world("w").stream().receive()
