"""What the key of a socket allows, at the handshake and as long as it is open."""

from __future__ import annotations

from fastapi.websockets import WebSocket

from orca_crowd.clock import Clock
from orca_crowd.keys.doorkeeper import Doorkeeper, key_of_header, key_of_subprotocols
from orca_crowd.keys.scopes import Grant, Scope

__all__ = ["Admission"]


class Admission:
    """Of one socket. A key that is revoked or expires while it is open is worthless from then on."""

    def __init__(self, websocket: WebSocket, door: Doorkeeper, clock: Clock, world: str) -> None:
        """Let the handshake pass that may at least watch the world, or refuse it with 401, 403 or 429."""
        offered = websocket.scope.get("subprotocols", ())
        self._door = door
        self._clock = clock
        self._world = world
        self._key = key_of_header(websocket.headers.get("authorization")) or key_of_subprotocols(offered)
        self._address = websocket.client.host if websocket.client is not None else ""
        grant = self._admit()
        door.check(grant, "read", world)
        self.scope: Scope = grant.scope

    def check(self, scope: Scope) -> None:
        """Refuse a message with 401, 403 or 429."""
        grant = self._admit()
        self._door.charge(grant, self._clock.now())
        self._door.check(grant, scope, self._world)

    def charge(self) -> None:
        """Count a message that changes nothing; 429 where there are too many."""
        if not self._door.open:
            self._door.charge(self._admit(), self._clock.now())

    def valid(self) -> bool:
        """Whether the key would still be let in."""
        return self._door.knows(self._key, self._clock.wall())

    def _admit(self) -> Grant:
        return self._door.admit(self._key, self._address, self._clock.now(), self._clock.wall())
