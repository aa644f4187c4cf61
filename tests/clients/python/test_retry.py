"""What is sent again when the connection breaks, and what is not."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import httpx
import msgpack
import pytest

from orca_crowd_client import AsyncClient, Backoff, Client, ConnectionFailed
from orca_crowd_client.retry import RECONNECTING, REQUESTING, Attempts

AT_ONCE = Backoff(attempts=3, first=0.0)


class BreakingServer:
    """Breaks the connection `failures` times with `error`, then answers."""

    def __init__(self, failures: int, error: type[httpx.TransportError] = httpx.ReadError) -> None:
        self.failures = failures
        self.error = error
        self.bodies: list[bytes] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.bodies.append(request.content)
        if len(self.bodies) <= self.failures:
            raise self.error("broken", request=request)
        body = {"id": "w", "step": 1, "time": 0.1, "events": [], "results": [], "ids": [], "removed": []}
        return httpx.Response(200, content=msgpack.packb(body), headers={"Content-Type": "application/msgpack"})


def run(server: BreakingServer, do: Callable[[Any], Any]) -> Any:
    """Do one thing with a client for threads."""
    with Client(transport=httpx.MockTransport(server), retry=AT_ONCE) as client:
        return do(client.world("w"))


async def run_async(server: BreakingServer, do: Callable[[Any], Any]) -> Any:
    """Do the same with a client for asyncio."""
    async with AsyncClient(transport=httpx.MockTransport(server), retry=AT_ONCE) as client:
        return await do(client.world("w"))


async def run_either(runner: Callable[..., Any], server: BreakingServer, do: Callable[[Any], Any]) -> Any:
    """Do it with one of the two."""
    result = runner(server, do)
    return await result if inspect.isawaitable(result) else result


REPEATED = {
    "a read": lambda world: world.describe(),
    "a step": lambda world: world.step(),
    "commands": lambda world: world.commands([]),
    "a step with a key": lambda world: world.step(key="mine"),
}


@pytest.mark.parametrize("do", REPEATED.values(), ids=REPEATED)
async def test_reads_and_keyed_requests_are_sent_again(do: Callable[[Any], Any]) -> None:
    for runner in (run, run_async):
        server = BreakingServer(3)
        await run_either(runner, server, do)
        # every try is the same request to the byte, its key included
        assert len(server.bodies) == 4
        assert len(set(server.bodies)) == 1


async def test_the_tries_are_bounded() -> None:
    for runner in (run, run_async):
        server = BreakingServer(100)
        with pytest.raises(ConnectionFailed, match=r"GET http://127\.0\.0\.1:8000/v1/worlds/w failed: broken"):
            await run_either(runner, server, REPEATED["a read"])
        assert len(server.bodies) == 4


def test_two_steps_have_two_keys() -> None:
    server = BreakingServer(0)
    with Client(transport=httpx.MockTransport(server)) as client:
        client.world("w").step()
        client.world("w").step()
    keys = [msgpack.unpackb(body)["key"] for body in server.bodies]
    assert len(set(keys)) == 2


NOT_REPEATED = {
    "agents": lambda world: world.add_agents(position=(0, 0)),
    "one agent": lambda world: world.set_agent(1, radius=1),
    "a removal": lambda world: world.remove_agents([1]),
    "a deletion": lambda world: world.delete(),
}


@pytest.mark.parametrize("do", NOT_REPEATED.values(), ids=NOT_REPEATED)
def test_what_may_have_had_its_effect_is_not_sent_again(do: Callable[[Any], Any]) -> None:
    server = BreakingServer(1)
    with pytest.raises(ConnectionFailed, match="may have taken effect"):
        run(server, do)
    assert len(server.bodies) == 1


@pytest.mark.parametrize("do", NOT_REPEATED.values(), ids=NOT_REPEATED)
@pytest.mark.parametrize("error", [httpx.ConnectError, httpx.ConnectTimeout])
def test_what_never_reached_the_server_is(do: Callable[[Any], Any], error: type[httpx.TransportError]) -> None:
    server = BreakingServer(2, error)
    run(server, do)
    assert len(server.bodies) == 3


def test_an_address_of_another_kind_is_not_tried_twice() -> None:
    server = BreakingServer(5, httpx.UnsupportedProtocol)
    with pytest.raises(ConnectionFailed, match="broken"):
        run(server, REPEATED["a read"])
    assert len(server.bodies) == 1


def test_a_server_that_is_not_there() -> None:
    # port 9 (discard) is closed on any machine that serves anything else
    with (
        Client("http://127.0.0.1:9", retry=Backoff(attempts=1, first=0.0)) as client,
        pytest.raises(ConnectionFailed, match=r"GET http://127\.0\.0\.1:9/v1/info failed"),
    ):
        client.info()


@pytest.mark.parametrize("backoff", [REQUESTING, RECONNECTING, Backoff(attempts=6, first=1.0, factor=3.0, longest=5.0)])
def test_delays_grow_are_scattered_and_end(backoff: Backoff) -> None:
    delays = list(backoff.delays())
    assert len(delays) == backoff.attempts
    for number, delay in enumerate(delays):
        whole = min(backoff.first * backoff.factor**number, backoff.longest)
        assert whole / 2 <= delay <= whole
    assert delays != list(backoff.delays())


def test_attempts_begin_anew_when_told() -> None:
    attempts = Attempts(Backoff(attempts=2, first=0.0))
    assert [attempts.next_delay() for _ in range(3)] == [0.0, 0.0, None]
    attempts.renew()
    assert [attempts.next_delay() for _ in range(3)] == [0.0, 0.0, None]
