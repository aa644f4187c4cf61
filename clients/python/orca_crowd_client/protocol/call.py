"""One REST call: what is sent, whether it may be sent twice, and how its answer is read. No I/O."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar
from urllib.parse import quote

from orca_crowd_client.encoding import JSON, MESSAGE_PACK, Encoding
from orca_crowd_client.errors import ApiError, Problem, ProtocolError, api_error

__all__ = [
    "BYTES",
    "Answer",
    "Call",
    "Request",
    "build_request",
    "problem_document",
    "problem_error",
    "read_answer",
    "world_path",
]

Result = TypeVar("Result")

BYTES = "application/octet-stream"
# of an error page that is no problem document this much is shown
SHOWN_PAGE = 200


@dataclass(frozen=True)
class Answer:
    """A good answer: `body` decoded, or the bytes as they are where they are not a document."""

    status: int
    body: Any


@dataclass(frozen=True)
class Call(Generic[Result]):
    """One call.

    `body` is encoded in the client's encoding; `content` goes as it is, with its `media_type`. `read` makes the result
    of a good answer. `repeatable` says that sending it twice has one effect: it only reads, or carries a key.
    """

    method: str
    path: str
    read: Callable[[Answer], Result]
    body: Any = None
    content: bytes | None = None
    media_type: str | None = None
    query: Mapping[str, str] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    accept: str | None = None
    repeatable: bool = False


@dataclass(frozen=True)
class Request:
    """What an HTTP client needs to send a call."""

    method: str
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    content: bytes | None


def world_path(world: str, *parts: str | int) -> str:
    """Build the path of a world's resource; every part is escaped, so an id may hold any character."""
    return "/".join(["/v1/worlds", *(quote(str(part), safe="") for part in (world, *parts))])


def build_request(call: Call[Any], encoding: Encoding) -> Request:
    """Turn a call into a request; raises `CannotEncode`."""
    # a problem document is JSON whatever was asked for
    headers = {"Accept": f"{call.accept or encoding.media_type}, application/problem+json", **call.headers}
    content = call.content
    if content is not None:
        headers["Content-Type"] = call.media_type or BYTES
    elif call.body is not None:
        content = encoding.encode(call.body)
        headers["Content-Type"] = encoding.media_type
    return Request(call.method, call.path, call.query, headers, content)


def read_answer(call: Call[Result], status: int, media_type: str, content: bytes) -> Result:
    """Read the answer to a call; raises `ApiError` for a refusal and `ProtocolError` for what is no answer at all."""
    if status >= 400:
        raise problem_error(status, media_type, content)
    if not 200 <= status < 300:
        raise ProtocolError(f"{call.method} {call.path} was answered with {status}, which the protocol does not have")
    body = decode_body(media_type, content)
    try:
        return call.read(Answer(status, body))
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        # a field that is missing or of another kind: not our caller's fault, so not his ValueError
        raise ProtocolError(f"the answer to {call.method} {call.path} is not as documented: {error!r}") from error


def decode_body(media_type: str, content: bytes) -> Any:
    """Decode by the media type of the answer, not by what was asked for."""
    if not content:
        return None
    if "msgpack" in media_type:
        return MESSAGE_PACK.decode(content)
    if "json" in media_type:
        return JSON.decode(content)
    return content


def problem_error(status: int, media_type: str, content: bytes) -> ApiError:
    """Make the error of a problem document; a page that is none gives one with code `unknown` and its beginning."""
    try:
        document = decode_body(media_type, content)
    except ProtocolError:
        document = content
    if isinstance(document, Mapping):
        return problem_document(document, status)
    text = (document or b"").decode(errors="replace")[:SHOWN_PAGE] if isinstance(document, bytes | None) else ""
    return api_error(status, "unknown", f"HTTP {status} without a problem document", text)


def problem_document(document: Mapping[str, Any], status: int = 0) -> ApiError:
    """Make the error of a decoded problem document, as REST and the socket's `error` message both carry it."""
    found = document.get("status")
    errors = document.get("errors")
    return api_error(
        found if isinstance(found, int) else status,
        str(document.get("code") or "unknown"),
        str(document.get("title") or "refused"),
        str(document.get("detail") or ""),
        [read_problem(entry) for entry in errors if isinstance(entry, Mapping)] if isinstance(errors, list) else [],
    )


def read_problem(entry: Mapping[str, Any]) -> Problem:
    """Read one entry of `errors`."""
    item, where = entry.get("item"), entry.get("field")
    message = str(entry.get("message") or "refused")
    return Problem(item if isinstance(item, int) else None, None if where is None else str(where), message)
