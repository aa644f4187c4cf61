"""Every error code once: its HTTP status, its title, and what it means.

The documentation is checked against this table.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["CLOSE_CODES", "CODES", "Code"]


@dataclass(frozen=True)
class Code:
    """One stable error code of the interface."""

    status: int
    title: str
    meaning: str


CODES: dict[str, Code] = {
    "malformed": Code(400, "Malformed", "The body or message is not JSON or MessagePack, or is nested too deeply."),
    "subprotocol": Code(400, "No subprotocol", "The handshake names none of the subprotocols of the stream."),
    "client-too-old": Code(
        400, "Client too old", "The client is older than this server takes; `GET /v1/info` names the oldest of each."
    ),
    "unauthorized": Code(401, "No key", "The server wants a key, and the request has none that is valid here."),
    "forbidden": Code(
        403, "Forbidden", "The key does not allow this or is not for this world, or a page from elsewhere asks."
    ),
    "owned": Code(403, "Owned", "Another controller owns an agent that the order is for."),
    "not-found": Code(404, "Not found", "No such world, agent, obstacle or area was ever here."),
    "no-route": Code(404, "No such route", "No resource has this path."),
    "method": Code(
        405, "Method not allowed", "The resource is there but not for this method; `Allow` names those it has."
    ),
    "exists": Code(409, "Exists", "The id is in use, or was used before in this world."),
    "wrong-step": Code(
        409, "Wrong step", "The step is not the one that was expected; `step` says how many were taken."
    ),
    "key-reused": Code(409, "Key reused", "The key was used before in this world with another body."),
    "leased": Code(409, "Leased", "Somebody else holds the right to step this world."),
    "wrong-clock": Code(409, "Wrong clock", "The call does not go with the clock of this world."),
    "replaced": Code(409, "Replaced", "The name of this controller was registered anew on another socket."),
    "not-registered": Code(409, "Not registered", "The message needs a controller, and none is registered here."),
    "gone": Code(410, "Gone", "The id was here and has been removed; ids are never used again."),
    "too-large": Code(413, "Too large", "The body or message is larger than the limit."),
    "unsupported-type": Code(415, "Unsupported media type", "The content type is none of those that the call takes."),
    "invalid": Code(422, "Invalid", "The input is refused; `errors` names each item and field. Nothing was changed."),
    "bad-snapshot": Code(
        422, "Bad snapshot", "The bytes are not a whole snapshot of a version that this server reads."
    ),
    "not-available": Code(422, "Not available", "The value is part of the interface, but this server cannot do it."),
    "limit": Code(429, "Over a limit", "The request would go over a limit of the server; `detail` names it."),
    "busy": Code(429, "Too many requests", "The queue of this world is full; try again."),
    "internal": Code(
        500, "Internal error", "The server failed to answer; its log tells more under the id in `detail`."
    ),
    "not-ready": Code(
        503, "Not ready", "Kernels are still being compiled, or worlds brought back; try again in a few seconds."
    ),
    "world-failed": Code(
        503, "World failed", "A step or command of this world failed inside; it stands until restored from its journal."
    ),
    "interrupted": Code(
        503,
        "Interrupted",
        "The process of the world ended, or fell silent, before it answered: whether the call has taken effect is not "
        "known. The world comes back; send the call again, a step or command with the same `key`.",
    ),
    "draining": Code(503, "Shutting down", "The server is stopping and takes no more work."),
    "no-room": Code(
        507, "No room", "The memory or the disk that it needs cannot be had; `detail` says if anything was changed."
    ),
}

# how a socket ends: the code, when it is sent
CLOSE_CODES: dict[int, str] = {
    1000: "Done: the client closed, or asked to.",
    1001: "Going away.",
    1007: "A text message was not UTF-8.",
    1008: "Not allowed.",
    1009: "A message was larger than the limit `message_bytes`.",
    1011: "A ping was not answered in time, or the server failed on this connection.",
    1012: "The server is restarting.",
    4001: "The client did not read fast enough and its queue was full.",
    4004: "The world was deleted.",
    4009: "The world failed.",
}
