"""What a front end tells of all worlds together: each process is asked over its own socket, some at a time."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Final, Protocol, TypeVar

import msgspec

from orca_crowd.cluster.directory import Directory
from orca_crowd.cluster.front import Front
from orca_crowd.cluster.gathering import gathered
from orca_crowd.cluster.upstream import Upstream, UpstreamError
from orca_crowd.errors import ApiError

__all__ = ["metrics_of_all", "shown_worlds"]

log = logging.getLogger("orca_crowd")
Result = TypeVar("Result")

AT_ONCE: Final = 32
SECONDS: Final = 5.0


class Serve(Protocol):
    """Runs a call in a helper thread."""

    def __call__(self, call: Callable[[], Result], /) -> Awaitable[Result]:
        """What the call returns."""
        ...


async def shown_worlds(directory: Directory, names: Sequence[str]) -> list[dict[str, Any]]:
    """The worlds as they are shown, the oldest first; one that does not answer now is left out.

    Processes are asked for all that they have, which no world takes for being used.
    """
    created: dict[str, int] = {}
    processes: dict[str, Upstream] = {}

    async def look(upstream: Upstream) -> None:
        created[upstream.world] = upstream.place.created
        processes.setdefault(upstream.place.actor, upstream)

    async def show(upstream: Upstream) -> list[dict[str, Any]] | None:
        data = await _asked(upstream, b"/v1/worlds")
        return None if data is None else msgspec.json.decode(data)["worlds"]

    await _of_all(directory, names, look)
    told = await _of_all(directory, [upstream.world for upstream in processes.values()], show)
    found = [world for worlds in told for world in worlds if world["id"] in created]
    return sorted(found, key=lambda world: (created[world["id"]], world["id"]))


async def metrics_of_all(front: Front, own: bytes, serve: Serve) -> bytes:
    """The metrics of every process, put together with those of this one."""
    try:
        names = await front.worlds()
    except ApiError:
        # what is known of the front end itself is told all the same
        names = []

    asked: set[str] = set()

    async def text(upstream: Upstream) -> bytes | None:
        # of a process that several worlds share they are those of all
        if upstream.place.actor in asked:
            return None
        asked.add(upstream.place.actor)
        return await _asked(upstream, b"/metrics")

    texts = await _of_all(front.directory, names, text)
    return await serve(lambda: gathered(own, texts))


async def _of_all(
    directory: Directory, names: Sequence[str], ask: Callable[[Upstream], Awaitable[Result | None]]
) -> list[Result]:
    room = asyncio.Semaphore(AT_ONCE)

    async def one(name: str) -> Result | None:
        async with room:
            try:
                async with asyncio.timeout(SECONDS):
                    return await ask(await directory.find(name))
            except (ApiError, UpstreamError, TimeoutError) as error:
                log.debug("world %s tells nothing of itself: %s", name, error)
                return None

    return [found for found in await asyncio.gather(*(one(name) for name in names)) if found is not None]


async def _asked(upstream: Upstream, target: bytes) -> bytes | None:
    async with upstream.call("GET", target, scope="admin", seconds=SECONDS) as answer:
        data = b"".join([piece async for piece in answer.body])
        return data if answer.status == 200 else None
