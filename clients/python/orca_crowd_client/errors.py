"""The error tree of the client.

    OrcaCrowdError
    ├── CannotEncode            a value that no encoding carries; nothing was sent (also a ValueError)
    ├── ProtocolError           an answer or a message that is not the wire's
    ├── TimedOut                nothing came within the time given (also a TimeoutError)
    ├── BufferFull              frames and events were not read while answers were waited for
    ├── ConnectionFailed        the server was not reached, or the connection broke and retries did not help
    ├── StreamClosed            the server ended the stream; code and reason
    │   ├── StreamRefused       1008: the key or the lease does not allow it
    │   ├── MessageTooLarge     1009: a message over the limit of one of the two sides
    │   ├── WorldGone           4004: the world was deleted
    │   └── WorldFailed         4009: the world failed
    └── ApiError                the server refused: status, code, title, detail, errors
        ├── BadRequest          400: neither JSON nor MessagePack
        ├── Unauthorized        401: no key
        ├── Forbidden           403: not allowed, or another controller owns the agent
        ├── NotFound            404: never existed
        ├── Conflict            409: exists, or conflicts
        ├── Gone                410: existed and was removed
        ├── TooLarge            413: over a limit on size
        ├── WrongKind           415: a media type the server does not read
        ├── InvalidRequest      422: invalid values; `errors` names item and field of each
        ├── RateLimited         429: over a limit on number
        ├── Unavailable         503: not ready, or the world failed
        └── NoRoom              507: no room to keep it

A refused request has changed nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

__all__ = [
    "ApiError",
    "BadRequest",
    "BufferFull",
    "CannotEncode",
    "Conflict",
    "ConnectionFailed",
    "Forbidden",
    "Gone",
    "InvalidRequest",
    "MessageTooLarge",
    "NoRoom",
    "NotFound",
    "OrcaCrowdError",
    "Problem",
    "ProtocolError",
    "RateLimited",
    "StreamClosed",
    "StreamRefused",
    "TimedOut",
    "TooLarge",
    "Unauthorized",
    "Unavailable",
    "WorldFailed",
    "WorldGone",
    "WrongKind",
    "api_error",
    "stream_closed",
]

# this many of a problem's errors are spelled out in its message; `errors` holds all of them
SHOWN_ERRORS = 3


class OrcaCrowdError(Exception):
    """Root of the tree: everything this package raises on purpose."""


class CannotEncode(OrcaCrowdError, ValueError):
    """A value that neither encoding can carry; nothing was sent."""


class ProtocolError(OrcaCrowdError):
    """What came is not an answer or a message of the protocol: another server, or a proxy's page."""


class TimedOut(OrcaCrowdError, TimeoutError):
    """Nothing came within the time given; the stream is as it was and can be read on."""


class BufferFull(OrcaCrowdError):
    """Too many frames and events wait unread in a stream that is used for commands and steps as well."""


class ConnectionFailed(OrcaCrowdError):
    """The server was not reached, or the connection broke and bounded retries did not mend it."""


@dataclass(frozen=True)
class Problem:
    """One fault in a request: the position of the item in it, the item's field, and what would be right."""

    item: int | None
    field: str | None
    message: str

    def __str__(self) -> str:
        """Render as `item 3, radius: must be …`."""
        where = ", ".join(part for part in ("" if self.item is None else f"item {self.item}", self.field or "") if part)
        return f"{where}: {self.message}" if where else self.message


class ApiError(OrcaCrowdError):
    """The server refused: `status` (HTTP), stable `code`, `title`, `detail` and `errors` of the problem document."""

    def __init__(self, status: int, code: str, title: str, detail: str = "", errors: Sequence[Problem] = ()) -> None:
        """Keep the document's parts and make a message of them that shows the first errors."""
        self.status = status
        self.code = code
        self.title = title
        self.detail = detail
        self.errors = tuple(errors)
        shown = "; ".join(str(problem) for problem in self.errors[:SHOWN_ERRORS])
        more = len(self.errors) - SHOWN_ERRORS
        text = f"{status} {code}: {detail or title}"
        # a detail that tells the only error already is not followed by the same
        if shown and not (len(self.errors) == 1 and self.errors[0].message in detail):
            text = f"{text} [{shown}; and {more} more]" if more > 0 else f"{text} [{shown}]"
        super().__init__(text)

    def __reduce__(self) -> tuple[type[ApiError], tuple[int, str, str, str, tuple[Problem, ...]]]:
        """Let the error cross a process boundary with all its parts."""
        return type(self), (self.status, self.code, self.title, self.detail, self.errors)


class BadRequest(ApiError):
    """400: the body is neither JSON nor MessagePack."""


class Unauthorized(ApiError):
    """401: the server wants a key."""


class Forbidden(ApiError):
    """403: the key does not allow it, or another controller owns the agent (`owned`)."""


class NotFound(ApiError):
    """404: no such world, agent, obstacle or area ever existed."""


class Conflict(ApiError):
    """409: the id exists, the step is not the expected one, another holds the lease, the key had another body, …"""


class Gone(ApiError):
    """410: the id existed and was removed; ids are never given twice."""


class TooLarge(ApiError):
    """413: over a limit on size."""


class WrongKind(ApiError):
    """415: a media type that the server does not read."""


class InvalidRequest(ApiError):
    """422: invalid values; `errors` names item and field of each."""


class RateLimited(ApiError):
    """429: over a limit on number."""


class Unavailable(ApiError):
    """503: the server is not ready, or the world failed."""


class NoRoom(ApiError):
    """507: no room to keep it."""


class StreamClosed(OrcaCrowdError):
    """The server ended the stream with WebSocket close `code` and `reason`."""

    def __init__(self, code: int, reason: str = "") -> None:
        """Keep both and say what the code means."""
        self.code = code
        self.reason = reason
        text = f"stream closed by the server with {code} ({CLOSE_CODES.get(code, 'not a documented code')})"
        super().__init__(f"{text}: {reason}" if reason else text)

    def __reduce__(self) -> tuple[type[StreamClosed], tuple[int, str]]:
        """Let the error cross a process boundary with both parts."""
        return type(self), (self.code, self.reason)


class StreamRefused(StreamClosed):
    """1008: not allowed."""


class MessageTooLarge(StreamClosed):
    """1009: a message over the limit of one of the two sides; see `max_size` of `stream`."""


class WorldGone(StreamClosed):
    """4004: the world was deleted or its time to live ran out."""


class WorldFailed(StreamClosed):
    """4009: the world failed; its owner finds more in the server's log."""


CLOSE_CODES = {
    1000: "done",
    1001: "going away",
    1006: "no close frame",
    1008: "not allowed",
    1009: "too large",
    1012: "restarting",
    4001: "queue overflow",
    4004: "world gone",
    4009: "world failed",
}
STREAM_ERRORS = {1008: StreamRefused, 1009: MessageTooLarge, 4004: WorldGone, 4009: WorldFailed}
STATUS_ERRORS = {
    400: BadRequest,
    401: Unauthorized,
    403: Forbidden,
    404: NotFound,
    409: Conflict,
    410: Gone,
    413: TooLarge,
    415: WrongKind,
    422: InvalidRequest,
    429: RateLimited,
    503: Unavailable,
    507: NoRoom,
}


def api_error(status: int, code: str, title: str, detail: str = "", errors: Sequence[Problem] = ()) -> ApiError:
    """Make the error of the class that stands for `status`; a status without one gives a plain `ApiError`."""
    return STATUS_ERRORS.get(status, ApiError)(status, code, title, detail, errors)


def stream_closed(code: int, reason: str = "") -> StreamClosed:
    """Make the error of the class that stands for the close `code`."""
    return STREAM_ERRORS.get(code, StreamClosed)(code, reason)
