"""All sockets of a front end: who may open one, and how all of them end."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Final

from fastapi import Response
from fastapi.websockets import WebSocket

from orca_crowd.clock import Clock
from orca_crowd.cluster.front import Front
from orca_crowd.errors import ApiError
from orca_crowd.settings import Settings
from orca_crowd.streaming.admission import Admission
from orca_crowd.streaming.dialling import Refused, Unreached, dial
from orca_crowd.streaming.open_sockets import OpenSockets
from orca_crowd.streaming.relay import RelayedSocket
from orca_crowd.streaming.statistics import StreamStatistics
from orca_crowd.streaming.streams import chosen_subprotocol
from orca_crowd.streaming.transport import transport_of

__all__ = ["Relays"]

ATTEMPTS: Final = 20
FAREWELL_SECONDS: Final = 2.0


class Relays:
    """Made once by the application of a front end."""

    def __init__(self, front: Front, *, clock: Clock, settings: Settings, statistics: StreamStatistics) -> None:
        """`statistics` are those of the streams of this server."""
        self._front = front
        self._settings = settings
        self._statistics = statistics
        # heartbeats come from the worlds
        self._sockets: OpenSockets[RelayedSocket] = OpenSockets(clock, settings.heartbeat_seconds, lambda _: None)
        self._changed = asyncio.Event()
        self._closing = False

    async def serve(self, websocket: WebSocket, world: str, admission: Admission) -> None:
        """Accept a connection to a world and pass it on to its end; ApiError where it is not to be accepted."""
        subprotocol = chosen_subprotocol(websocket)
        if self._closing:
            raise ApiError("draining", "the server is stopping and takes no more connections")
        if self._statistics.sockets >= self._settings.sockets:
            raise ApiError("limit", f"{self._settings.sockets} connections are open, which is the limit")
        self._statistics.sockets += 1
        try:
            await self._serve(websocket, world, subprotocol, admission)
        finally:
            self._statistics.sockets -= 1
            self._changed.set()

    async def _serve(self, websocket: WebSocket, world: str, subprotocol: str, admission: Admission) -> None:
        directory = self._front.directory
        for _ in range(ATTEMPTS):
            upstream = await directory.find(world)
            try:
                connection = await dial(upstream, websocket, subprotocol, admission)
                break
            except Unreached as error:
                directory.lose(upstream, str(error))
            except Refused as refused:
                if refused.code != "draining":
                    await websocket.send_denial_response(
                        Response(refused.body, refused.status, media_type="application/problem+json")
                    )
                    return
                directory.lose(upstream, refused.detail)
        else:
            raise ApiError("not-ready", f"world {world!r} is handed from process to process; try again in a second")
        try:
            await websocket.accept(subprotocol)
        except BaseException:
            # the client has gone meanwhile
            await connection.close()
            raise
        if (transport := transport_of(websocket.scope)) is not None:
            transport.forget_handshake()
        socket = RelayedSocket(
            websocket,
            subprotocol,
            directory=directory,
            upstream=upstream,
            connection=connection,
            admission=admission,
            settings=self._settings,
            statistics=self._statistics,
        )
        await self._sockets.run(socket)

    async def close(self) -> None:
        """Tell every client, and close with 1012; take no new ones."""
        self._closing = True
        self._sockets.close()
        for socket in self._sockets:
            socket.end(1012, "the server is restarting")
        with suppress(TimeoutError):
            async with asyncio.timeout(FAREWELL_SECONDS):
                while self._statistics.sockets:
                    self._changed.clear()
                    await self._changed.wait()
