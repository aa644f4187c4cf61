"""All sockets of the server: who may open one, which hub it belongs to, and how all of them end."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from weakref import WeakKeyDictionary

from fastapi.responses import JSONResponse
from fastapi.websockets import WebSocket

from orca_crowd.clock import Clock
from orca_crowd.errors import ApiError, document
from orca_crowd.protocol.frames import SUBPROTOCOLS, choose_subprotocol
from orca_crowd.settings import Settings
from orca_crowd.streaming.admission import Admission
from orca_crowd.streaming.hub import Hub
from orca_crowd.streaming.open_sockets import LOOKS, OpenSockets
from orca_crowd.streaming.shared import Offload, Shared
from orca_crowd.streaming.socket import Socket
from orca_crowd.streaming.statistics import StreamStatistics
from orca_crowd.streaming.transport import StreamProtocol, transport_of
from orca_crowd.worlds.runner import Runner

__all__ = ["Streams", "chosen_subprotocol", "deny"]

# When the server stops, a client has so long to read on to the close frame, on top of what it has for the messages that
# wait for it (CLOSE_SECONDS of socket.py); together less than a supervisor waits before it kills.
FAREWELL_SECONDS = 2.0


class Streams:
    """Made once by the application; every socket passes through `serve`."""

    def __init__(self, *, clock: Clock, settings: Settings, offload: Offload) -> None:
        """`offload` runs a call in a helper thread, as the engine's `serve` does."""
        self._shared = Shared(clock, settings, offload)
        self._hubs: dict[Runner, Hub] = {}
        # the step at which the last hub of a world ceased to listen
        self._shown: WeakKeyDictionary[Runner, int] = WeakKeyDictionary()
        self._changed = asyncio.Event()
        self._connections: set[StreamProtocol] = set()
        self._sockets: OpenSockets[Socket] = OpenSockets(clock, settings.heartbeat_seconds, self._beat)
        # one task for each hub that nobody watches any more
        self._resting: dict[Hub, asyncio.Task[None]] = {}
        self._closing = False

    @property
    def statistics(self) -> StreamStatistics:
        """Counts for /metrics and for tests."""
        return self._shared.statistics

    def waiting(self) -> tuple[int, int]:
        """Replies and frames that wait for sockets; may be asked from any thread."""
        queued = [socket.queued for socket in self._sockets]
        return sum(replies for replies, _ in queued), sum(frames for _, frames in queued)

    async def serve(self, websocket: WebSocket, runner: Runner, admission: Admission) -> None:
        """Accept a connection to a world and serve it to its end; ApiError when it is not to be accepted."""
        subprotocol = self._check(websocket, runner)
        self.statistics.sockets += 1
        try:
            await websocket.accept(subprotocol)
            connection = transport_of(websocket.scope)
            if connection is not None:
                connection.forget_handshake()
                self._connections.add(connection)
                connection.on_lost = self._lost
            hub = self._hub_of(runner)
            try:
                await self._sockets.run(Socket(websocket, hub, subprotocol, self._shared, admission))
            finally:
                if not hub.watchers:
                    self._rest(hub)
        finally:
            self.statistics.sockets -= 1
            self._changed.set()

    def _hub_of(self, runner: Runner) -> Hub:
        """The hub of a world, woken or made."""
        hub = self._hubs.get(runner)
        if hub is None:
            hub = self._hubs[runner] = Hub(runner, self._shared, shown_before=self._shown.get(runner, -1))
        hub.rest(False)
        return hub

    def _rest(self, hub: Hub) -> None:
        """Nobody watches: close the hub when nobody has come back in time."""
        if self._hubs.get(hub.runner) is not hub or hub in self._resting:
            return
        seconds = self._shared.settings.resume_seconds
        if self._closing or hub.ended or seconds <= 0.0:
            self._drop(hub)
        else:
            hub.rest(True)
            self._resting[hub] = asyncio.create_task(self._wait_for_somebody(hub, seconds), name="resting hub")

    async def _wait_for_somebody(self, hub: Hub, seconds: float) -> None:
        while not hub.watchers:
            # again, where somebody came and went while this was not looking
            hub.rest(True)
            hub.stirred.clear()
            await self._shared.clock.wait(hub.stirred, self._shared.clock.now() + seconds)
            if hub.ended or not hub.stirred.is_set():
                break
        del self._resting[hub]
        self._drop(hub)

    def _drop(self, hub: Hub) -> None:
        if self._hubs.get(hub.runner) is hub and not hub.watchers:
            del self._hubs[hub.runner]
            self._shown[hub.runner] = hub.runner.facts.step
            hub.close()

    def _beat(self, socket: Socket) -> None:
        """A heartbeat for who has heard of nothing since the last."""
        seconds = self._shared.settings.heartbeat_seconds
        socket.beat(seconds - seconds / LOOKS)

    async def close(self, reason: str = "the server is restarting") -> None:
        """Tell every client, close with 1012, and return when all have read it or had the time to; take no new ones."""
        self._closing = True
        self._sockets.close()
        # those who were closed for not reading, and still do not, have had their time
        self._connections = {each for each in self._connections if not each.close_sent}
        for hub in list(self._hubs.values()):
            hub.end("restarting", reason)
        # each socket ends by itself within a bounded time, whether or not its client reads
        while self.statistics.sockets:
            self._changed.clear()
            await self._changed.wait()
        with suppress(TimeoutError):
            async with asyncio.timeout(FAREWELL_SECONDS):
                while self._connections:
                    self._changed.clear()
                    await self._changed.wait()
        if self._shared.orders:
            await asyncio.wait(self._shared.orders, timeout=self._shared.settings.drain_seconds)
        ending = list(self._resting.values())
        for task in ending:
            task.cancel()
        if ending:
            await asyncio.wait(ending)
        for hub in list(self._hubs.values()):
            self._drop(hub)

    def _lost(self, connection: StreamProtocol) -> None:
        """A connection can outlive its socket by what its client has not read yet."""
        self._connections.discard(connection)
        self._changed.set()

    def _check(self, websocket: WebSocket, runner: Runner) -> str:
        if self._closing:
            raise ApiError("draining", "the server is stopping and takes no more connections")
        subprotocol = chosen_subprotocol(websocket)
        if runner.state == "failed":
            raise ApiError("world-failed", f"world {runner.name!r}: {runner.reason}")
        if self.statistics.sockets >= self._shared.settings.sockets:
            raise ApiError("limit", f"{self._shared.settings.sockets} connections are open, which is the limit")
        return subprotocol


def chosen_subprotocol(websocket: WebSocket) -> str:
    """The subprotocol that both sides speak; 400 where there is none."""
    subprotocol = choose_subprotocol(websocket.scope.get("subprotocols", ()))
    if subprotocol is None:
        raise ApiError("subprotocol", f"Sec-WebSocket-Protocol must name one of {', '.join(SUBPROTOCOLS)}")
    return subprotocol


async def deny(websocket: WebSocket, error: ApiError, statistics: StreamStatistics) -> None:
    """Refuse a handshake with the status and the problem document of the error."""
    statistics.handshakes_refused[error.code] = statistics.handshakes_refused.get(error.code, 0) + 1
    response = JSONResponse(
        document(error), status_code=error.status, headers=error.headers, media_type="application/problem+json"
    )
    if "websocket.http.response" in websocket.scope.get("extensions", {}):
        await websocket.send_denial_response(response)
    else:
        await websocket.close(1008, error.detail[:100])
