"""Python client of orca-crowd: worlds of agents, steered with ORCA, over REST and WebSocket.

`Client` and `AsyncClient` have the same names; `World` and `AsyncWorld`, `Stream` and `AsyncStream` too. Agents come as
numpy arrays where numpy is installed and as lists where it is not.
"""

from __future__ import annotations

from orca_crowd_client import commands, errors
from orca_crowd_client.async_client import AsyncClient
from orca_crowd_client.async_stream import AsyncStream
from orca_crowd_client.async_world import AsyncWorld
from orca_crowd_client.client import Client
from orca_crowd_client.errors import (
    ApiError,
    BadRequest,
    BufferFull,
    CannotEncode,
    Conflict,
    ConnectionFailed,
    Forbidden,
    Gone,
    InvalidRequest,
    MessageTooLarge,
    NoRoom,
    NotFound,
    OrcaCrowdError,
    Problem,
    ProtocolError,
    RateLimited,
    StreamClosed,
    StreamRefused,
    TimedOut,
    TooLarge,
    Unauthorized,
    Unavailable,
    WorldFailed,
    WorldGone,
    WrongKind,
)
from orca_crowd_client.results import (
    Acknowledged,
    Added,
    Agents,
    Changed,
    Digest,
    Event,
    Frame,
    Lease,
    Notice,
    Obstacle,
    PathFound,
    PathsFound,
    Removed,
    Stepped,
    WalkableArea,
)
from orca_crowd_client.retry import Backoff
from orca_crowd_client.stream import Stream
from orca_crowd_client.world import World

__all__ = [
    "Acknowledged",
    "Added",
    "Agents",
    "ApiError",
    "AsyncClient",
    "AsyncStream",
    "AsyncWorld",
    "Backoff",
    "BadRequest",
    "BufferFull",
    "CannotEncode",
    "Changed",
    "Client",
    "Conflict",
    "ConnectionFailed",
    "Digest",
    "Event",
    "Forbidden",
    "Frame",
    "Gone",
    "InvalidRequest",
    "Lease",
    "MessageTooLarge",
    "NoRoom",
    "NotFound",
    "Notice",
    "Obstacle",
    "OrcaCrowdError",
    "PathFound",
    "PathsFound",
    "Problem",
    "ProtocolError",
    "RateLimited",
    "Removed",
    "Stepped",
    "Stream",
    "StreamClosed",
    "StreamRefused",
    "TimedOut",
    "TooLarge",
    "Unauthorized",
    "Unavailable",
    "WalkableArea",
    "World",
    "WorldFailed",
    "WorldGone",
    "WrongKind",
    "commands",
    "errors",
]
