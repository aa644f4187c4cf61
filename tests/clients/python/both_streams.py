"""Both kinds of stream with one face, opened on a scripted server, so that a test is written once for both."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from orca_crowd_client import AsyncClient, Backoff, Client
from tests.clients.python.messages import hello, state
from tests.clients.python.scripted import Peer, ScriptedServer

AT_ONCE = Backoff(attempts=3, first=0.0)


class Awaited:
    """The stream for threads with the methods of the one for asyncio; they block, which the server's thread allows."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> Callable[..., Any]:
        async def method(*arguments: Any, **named: Any) -> Any:
            return getattr(self._stream, name)(*arguments, **named)

        return method

    async def __aenter__(self) -> Awaited:
        self._stream.__enter__()
        return self

    async def __aexit__(self, *error: Any) -> None:
        self._stream.__exit__(*error)

    async def __aiter__(self) -> AsyncIterator[Any]:
        for item in self._stream:
            yield item

    async def frames(self) -> AsyncIterator[Any]:
        for frame in self._stream.frames():
            yield frame


@asynccontextmanager
async def stream_of(kind: str, server: ScriptedServer, encoding: Any = "msgpack", **options: Any) -> AsyncIterator[Any]:
    """Open a stream of the kind `threads` or `asyncio`."""
    options = {"reconnect": AT_ONCE, **options}
    if kind == "threads":
        with Client(server.url, encoding=encoding, retry=AT_ONCE, headers={"X-Who": "me"}) as client:
            async with Awaited(client.world("w").stream(**options)) as stream:
                yield stream
    else:
        async with (
            AsyncClient(server.url, encoding=encoding, retry=AT_ONCE, headers={"X-Who": "me"}) as other,
            other.world("w").stream(**options) as stream,
        ):
            yield stream


def watched(peer: Peer, step: int = 5, *, after: int | None = None) -> None:
    """Greet, take the subscription, or a `resume` after a step that is not kept, and send the whole state."""
    peer.send(hello(step))
    if after is None:
        peer.expect("subscribe")
    else:
        assert peer.expect("resume")["after_step"] == after
    peer.send(state("full", step))
