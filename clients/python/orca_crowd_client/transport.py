"""What the sync and the async adapters share about connections: addresses, limits, and what a failure means."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit, urlunsplit

import httpx
from websockets.exceptions import ConnectionClosed, InvalidStatus, NegotiationError
from websockets.typing import Subprotocol

from orca_crowd_client.encoding import Encoding
from orca_crowd_client.errors import ConnectionFailed, OrcaCrowdError, ProtocolError
from orca_crowd_client.protocol.call import Call, problem_error, world_path

__all__ = [
    "CLIENT",
    "CLIENT_HEADER",
    "CONNECT_TIMEOUT",
    "KEEPALIVE",
    "LARGEST_MESSAGE",
    "close_of",
    "handshake_failure",
    "http_failure",
    "may_repeat",
    "socket_options",
    "stream_url",
]

# what a server is told with every call and handshake, so that it can say when this client is too old for it
CLIENT_HEADER = "Orca-Crowd-Client"
CLIENT = "python/0.1.0"
# seconds; a server that is there answers at once
CONNECT_TIMEOUT = 5.0
# an idle connection is dropped before common servers drop theirs (5 s), so that no request meets one that just closed
KEEPALIVE = httpx.Limits(max_connections=100, max_keepalive_connections=20, keepalive_expiry=4.0)
# 50,000 agents with every field take 8 MB in MessagePack and 20 MB in JSON
LARGEST_MESSAGE = 64 * 2**20
# messages that wait in the socket's own queue before it stops reading; with credit there are never many
QUEUED_MESSAGES = 64
# a proxy in front of a server that restarts
TRANSIENT_STATUS = frozenset({429, 502, 503, 504})


def stream_url(base: str, world: str) -> str:
    """Write the address of a world's stream; http becomes ws, https wss."""
    parts = urlsplit(base)
    scheme = {"http": "ws", "https": "wss"}.get(parts.scheme, parts.scheme)
    return urlunsplit((scheme, parts.netloc, parts.path.rstrip("/") + world_path(world, "stream"), "", ""))


def socket_options(encoding: Encoding, headers: dict[str, str], max_size: int) -> dict[str, Any]:
    """Collect what both connects take. Compression is off: frames are numbers and hardly shrink."""
    return {
        "subprotocols": [Subprotocol(encoding.subprotocol)],
        "additional_headers": headers,
        "compression": None,
        "max_size": max_size,
        "max_queue": QUEUED_MESSAGES,
        "open_timeout": CONNECT_TIMEOUT,
    }


def may_repeat(call: Call[Any], error: httpx.TransportError) -> bool:
    """Whether a failed request may be sent again: it has one effect however often, or it never reached the server."""
    if isinstance(error, httpx.UnsupportedProtocol):
        return False
    return call.repeatable or isinstance(error, httpx.ConnectError | httpx.ConnectTimeout)


def http_failure(url: str, call: Call[Any], error: httpx.TransportError) -> ConnectionFailed:
    """Say what failed, and what the caller must know: whether the request may have had its effect."""
    what = str(error) or type(error).__name__
    if may_repeat(call, error) or isinstance(error, httpx.UnsupportedProtocol):
        return ConnectionFailed(f"{call.method} {url}{call.path} failed: {what}")
    return ConnectionFailed(f"the connection broke, {call.method} {url}{call.path} may have taken effect: {what}")


def handshake_failure(url: str, error: Exception) -> tuple[OrcaCrowdError, bool]:
    """Make the error of a handshake that failed or a connection that broke; say whether another try may help."""
    if isinstance(error, InvalidStatus):
        response = error.response
        media_type = response.headers.get("Content-Type", "")
        problem = problem_error(response.status_code, media_type, bytes(response.body or b""))
        return problem, problem.status in TRANSIENT_STATUS and problem.code != "world-failed"
    if isinstance(error, NegotiationError):
        return ProtocolError(f"{url} speaks another subprotocol: {error}"), False
    return ConnectionFailed(f"the stream {url} failed: {str(error) or type(error).__name__}"), True


def close_of(error: ConnectionClosed) -> tuple[int, str]:
    """Find the close code and reason: the server's, or 1009 where this side refused a message, or 1006 for none."""
    if error.sent is not None and error.sent.code == 1009 and not error.rcvd_then_sent:
        return 1009, "a message is larger than max_size of this stream"
    if error.rcvd is not None:
        return error.rcvd.code, error.rcvd.reason
    return 1006, ""
