"""A socket to the process of a world, for one client: opened with what his own handshake said.

Unreached   nobody answered
Refused     the process refused the handshake: its status, head and body are the client's answer
"""

from __future__ import annotations

from typing import Any, Final

import msgspec
from fastapi.websockets import WebSocket
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import InvalidHandshake, InvalidStatus
from websockets.typing import Subprotocol

from orca_crowd.cluster.upstream import EPOCH_HEADER, Upstream
from orca_crowd.streaming.admission import Admission

__all__ = ["Refused", "Unreached", "dial"]

OPEN_SECONDS: Final = 5.0
# frames that wait between the two connections: as few as there can be, so that it is the process that knows who is slow
WAITING_FRAMES: Final = 1
PASSED_ON: Final = ("orca-crowd-lease", "orca-crowd-client")


class Unreached(Exception):
    """Nobody answered."""


class Refused(Exception):
    """The handshake was refused with a problem document."""

    def __init__(self, status: int, body: bytes) -> None:
        """Keep both."""
        try:
            found: Any = msgspec.json.decode(body)
            self.code, self.detail = str(found["code"]), str(found["detail"])
        except (msgspec.DecodeError, KeyError, TypeError):
            self.code, self.detail = "internal", f"the process of the world answered {status}"
        super().__init__(self.detail)
        self.status = status
        self.body = body


async def dial(upstream: Upstream, websocket: WebSocket, subprotocol: str, admission: Admission) -> ClientConnection:
    """Open a socket to the process of a world."""
    path = websocket.scope.get("raw_path") or websocket.scope["path"].encode()
    headers = [("Authorization", upstream.bearer(admission.scope)), *upstream.asked]
    headers += [(name, websocket.headers[name]) for name in PASSED_ON if name in websocket.headers]
    try:
        connection = await connect(
            f"ws://{upstream.place.address}{path.decode()}",
            subprotocols=[Subprotocol(subprotocol)],
            additional_headers=headers,
            # everything is compressed for the client or not at all
            compression=None,
            max_size=None,
            max_queue=WAITING_FRAMES,
            open_timeout=OPEN_SECONDS,
            close_timeout=1.0,
            # signs of life are asked for by the front end, once for all sockets of a process
            ping_interval=None,
            proxy=None,
        )
    except InvalidStatus as refused:
        raise Refused(refused.response.status_code, bytes(refused.response.body or b"")) from None
    except (OSError, TimeoutError, InvalidHandshake, EOFError) as error:
        raise Unreached(f"the process of world {upstream.world!r} takes no socket: {error}") from None
    told = connection.response.headers.get(EPOCH_HEADER) if connection.response is not None else None
    if told != str(upstream.place.epoch):
        await connection.close()
        raise Unreached(f"life {told} of world {upstream.world!r} answered, and {upstream.place.epoch} was asked")
    return connection
