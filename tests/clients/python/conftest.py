"""A server as a user starts it, once for all tests of this folder, and clients and worlds on it."""

from __future__ import annotations

import gc
from collections.abc import AsyncIterator, Callable, Iterator
from functools import partial
from typing import Any

import pytest

from orca_crowd_client import AsyncClient, Client, World
from tests.clients.python.both_streams import stream_of
from tests.support.live_server import live_server

MakeWorld = Callable[..., World]


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Base URL of a server with the default settings."""
    with live_server(tmp_path_factory.mktemp("server")) as address:
        yield f"http://{address}"


@pytest.fixture(autouse=True, scope="module")
def quick_collections() -> Iterator[None]:
    """Leave what is there before out of collections, which tests of sockets ask for by the dozen."""
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.fixture
def sockets_collected() -> Iterator[None]:
    """Collect after a test: the sockets library's pollers lie in reference cycles and hold a descriptor each."""
    yield
    gc.collect()


@pytest.fixture
def client(server: str) -> Iterator[Client]:
    """A client of the server, which has no world before and none after."""
    with Client(server) as client:
        yield client
        for world in client.worlds():
            world.delete()


@pytest.fixture
async def async_client(server: str, client: Client) -> AsyncIterator[AsyncClient]:
    """The same for asyncio."""
    async with AsyncClient(server) as other:
        yield other


@pytest.fixture
def make_world(client: Client) -> MakeWorld:
    """Makes worlds with time step 0.1 and the given members."""

    def make(**members: Any) -> World:
        return client.create_world(**{"time_step": 0.1, **members})

    return make


@pytest.fixture(params=["threads", "asyncio"])
def opened(request: pytest.FixtureRequest) -> Callable[..., Any]:
    """Opens a stream of one of the two kinds on a scripted server: `async with opened(server) as stream`."""
    return partial(stream_of, request.param)
