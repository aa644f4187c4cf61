"""The process of a world as a front end calls it: over a socket of its own, so that nothing large passes Ray.

UpstreamError      root of the tree
├── NotSent        nobody took the request: it has had no effect, and may be sent again
├── Lost           the process ended, or fell silent, after it may have had the request
└── Outdated       the answer is of an older life of the world than is known already; it is not believed
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from typing import Final

import httpx

from orca_crowd.keys.scopes import Scope

__all__ = [
    "EPOCH_HEADER",
    "WORLD_HEADER",
    "Answer",
    "Lost",
    "NotSent",
    "Outdated",
    "Place",
    "Upstream",
    "UpstreamError",
]

# the life of a world that a request is for and an answer is of, and the world itself
EPOCH_HEADER: Final = "orca-crowd-epoch"
WORLD_HEADER: Final = "orca-crowd-world"
CONNECT_SECONDS: Final = 2.0
KEPT_CONNECTIONS: Final = 32

# methods that need not say that there is no body
BODILESS: Final = frozenset({"GET", "HEAD", "DELETE"})

Headers = list[tuple[bytes, bytes]]
# of one connection and not of what is passed on over it (RFC 9110, 7.6.1); the others are ours to say
HOP_BY_HOP: Final = frozenset(
    {
        *(b"connection", b"keep-alive", b"proxy-authenticate", b"proxy-authorization", b"proxy-connection"),
        *(b"te", b"trailer", b"transfer-encoding", b"upgrade", b"expect"),
    }
)
OURS: Final = frozenset(
    {
        *(b"host", b"authorization", b"origin", b"x-request-id", b"date"),
        *(EPOCH_HEADER.encode(), WORLD_HEADER.encode()),
    }
)


class UpstreamError(Exception):
    """Root of the tree."""


class NotSent(UpstreamError):
    """Nobody took the request."""


class Lost(UpstreamError):
    """The process may have had the request, and gave no answer."""


class Outdated(UpstreamError):
    """An older life of the world answered."""


@dataclass(frozen=True)
class Place:
    """Where a world is served: the actor's name, host and port, the word that lets in, the life, when the world began,
    the node and the process.
    """

    actor: str
    address: str
    token: str
    epoch: int
    created: int
    node: str
    process: int


@dataclass(frozen=True)
class Answer:
    """The head of an answer, and its body as it comes."""

    status: int
    headers: Headers
    body: AsyncIterator[bytes]


class Upstream:
    """One world in one process. It is used until `lose` is called, and never again."""

    def __init__(self, world: str, place: Place) -> None:
        """Connections are made when they are needed."""
        self.world = world
        self.place = place
        self.lost: str | None = None
        self._waiting: set[asyncio.Task[object]] = set()
        # not the client of httpx, which follows, keeps and decodes: bodies pass as they are
        self._transport = httpx.AsyncHTTPTransport(
            limits=httpx.Limits(max_connections=None, max_keepalive_connections=KEPT_CONNECTIONS, keepalive_expiry=30.0)
        )

    @property
    def busy(self) -> bool:
        """Whether somebody waits for it."""
        return bool(self._waiting)

    def bearer(self, scope: Scope) -> str:
        """What lets a caller in who may do so much."""
        return f"Bearer {self.place.token}.{scope}"

    @property
    def asked(self) -> list[tuple[str, str]]:
        """What a request says of the world that it is about: another life of it does not take it."""
        return [(WORLD_HEADER, self.world), (EPOCH_HEADER, str(self.place.epoch))]

    def lose(self, reason: str) -> None:
        """It is gone: whoever waits for it learns now."""
        if self.lost is None:
            self.lost = reason
            for task in self._waiting:
                task.cancel()

    async def close(self) -> None:
        """Let go of the connections."""
        await self._transport.aclose()

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """Be told by Lost when the process is found to be gone, for the time of the block."""
        task = asyncio.current_task()
        if self.lost is not None or task is None:
            raise Lost(self.lost or "")
        entered = task not in self._waiting
        self._waiting.add(task)
        try:
            yield
        except asyncio.CancelledError:
            if self.lost is not None and task.uncancel() <= 0:
                raise Lost(self.lost) from None
            raise
        finally:
            if entered:
                self._waiting.discard(task)

    @asynccontextmanager
    async def call(
        self,
        method: str,
        target: bytes,
        *,
        scope: Scope,
        headers: Iterable[tuple[bytes, bytes]] = (),
        body: bytes | AsyncIterator[bytes] = b"",
        seconds: float | None = None,
    ) -> AsyncIterator[Answer]:
        """Send a request; its answer, as long as the block lasts. UpstreamError where there is none to be believed.

        `target` is path and query. `seconds` is the longest silence, None for a call that may compute for long.
        """
        whole = isinstance(body, bytes)
        passed = [
            (name, value)
            for name, value in headers
            if name.lower() not in HOP_BY_HOP | OURS and not (whole and name.lower() == b"content-length")
        ]
        passed.append((b"authorization", self.bearer(scope).encode()))
        passed += [(name.encode(), value.encode()) for name, value in self.asked]
        passed.append((b"host", self.place.address.encode()))
        if isinstance(body, bytes) and (body or method not in BODILESS):
            passed.append((b"content-length", str(len(body)).encode()))
        host, _, port = self.place.address.rpartition(":")
        url = httpx.URL(scheme="http", host=host.strip("[]"), port=int(port), raw_path=target)
        timeout = {"connect": CONNECT_SECONDS, "read": seconds, "write": seconds, "pool": None}
        request = httpx.Request(method, url, headers=passed, content=body or None, extensions={"timeout": timeout})
        with self.waiting():
            try:
                response = await self._transport.handle_async_request(request)
            except (httpx.ConnectError, httpx.ConnectTimeout) as error:
                raise NotSent(f"the process of world {self.world!r} is not there: {error}") from None
            except httpx.HTTPError as error:
                raise Lost(
                    f"the process of world {self.world!r} gave no answer: {error or type(error).__name__}"
                ) from None
            try:
                told = response.headers.get(EPOCH_HEADER)
                if told is not None and int(told) != self.place.epoch:
                    raise Outdated(f"life {told} of world {self.world!r} answered, and {self.place.epoch} was asked")
                kept = [
                    (name.lower(), value)
                    for name, value in response.headers.raw
                    if name.lower() not in HOP_BY_HOP | OURS
                ]
                yield Answer(response.status_code, kept, self._pieces(response))
            finally:
                await response.aclose()

    async def _pieces(self, response: httpx.Response) -> AsyncIterator[bytes]:
        assert isinstance(response.stream, httpx.AsyncByteStream)
        try:
            async for piece in response.stream:
                yield piece
        except httpx.HTTPError as error:
            raise Lost(f"the answer of world {self.world!r} was cut off: {error or type(error).__name__}") from None
