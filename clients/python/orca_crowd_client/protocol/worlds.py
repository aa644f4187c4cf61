"""Calls about the server and about a world as a whole. No I/O."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from orca_crowd_client.columns import Numbers, column_length, plain, read_column, spread
from orca_crowd_client.commands import AreaLike, ObstacleLike, Rows, area_body, obstacle_body
from orca_crowd_client.protocol.call import BYTES, Answer, Call, world_path
from orca_crowd_client.results import Digest, Lease

__all__ = [
    "CONTROLLER_HEADER",
    "LEASE_HEADER",
    "create_world",
    "delete_world",
    "describe_world",
    "digest",
    "info",
    "lease",
    "list_worlds",
    "release",
    "restore",
    "snapshot",
    "steer",
    "update_world",
]

LEASE_HEADER = "Orca-Crowd-Lease"
CONTROLLER_HEADER = "Orca-Crowd-Controller"

Document = dict[str, Any]


def document(answer: Answer) -> Document:
    """Take the body as it is; raises TypeError where it is no map."""
    if not isinstance(answer.body, dict):
        raise TypeError(f"expected a map, got {type(answer.body).__name__}")
    return answer.body


def nothing(answer: Answer) -> None:
    """Take no notice of the body: that the answer is good says all."""


def given(**fields: Any) -> dict[str, Any]:
    """Keep the fields that are given, so that what is left out takes the server's default."""
    return {name: plain(value) for name, value in fields.items() if value is not None}


def info() -> Call[Document]:
    """GET /v1/info."""
    return Call("GET", "/v1/info", document, repeatable=True)


def create_world(**fields: Any) -> Call[Document]:
    """POST /v1/worlds."""
    return Call("POST", "/v1/worlds", document, body=given(**fields))


def list_worlds() -> Call[list[Document]]:
    """GET /v1/worlds."""

    def read(answer: Answer) -> list[Document]:
        worlds: list[Document] = answer.body["worlds"]
        return worlds

    return Call("GET", "/v1/worlds", read, repeatable=True)


def describe_world(world: str) -> Call[Document]:
    """GET /v1/worlds/{w}."""
    return Call("GET", world_path(world), document, repeatable=True)


def update_world(world: str, **fields: Any) -> Call[Document]:
    """PATCH /v1/worlds/{w}."""
    return Call("PATCH", world_path(world), document, body=given(**fields))


def delete_world(world: str) -> Call[None]:
    """DELETE /v1/worlds/{w}."""
    return Call("DELETE", world_path(world), nothing)


def digest(world: str) -> Call[Digest]:
    """GET /v1/worlds/{w}/digest."""

    def read(answer: Answer) -> Digest:
        return Digest(answer.body["step"], answer.body["sha256"])

    return Call("GET", world_path(world, "digest"), read, repeatable=True)


def snapshot(world: str) -> Call[bytes]:
    """GET /v1/worlds/{w}/snapshot."""

    def read(answer: Answer) -> bytes:
        if not isinstance(answer.body, bytes):
            raise TypeError("a snapshot is bytes")
        return answer.body

    return Call("GET", world_path(world, "snapshot"), read, accept=BYTES, repeatable=True)


def restore(data: bytes, world: str | None) -> Call[Document]:
    """POST /v1/worlds/restore?id=."""
    query = {} if world is None else {"id": world}
    return Call("POST", "/v1/worlds/restore", document, content=bytes(data), media_type=BYTES, query=query)


def lease(world: str, holder: str, ttl: float) -> Call[Lease]:
    """POST /v1/worlds/{w}/lease; asking again as the same holder renews, so it can be repeated."""

    def read(answer: Answer) -> Lease:
        return Lease(answer.body["holder"], answer.body["expires"])

    body = {"holder": holder, "ttl": ttl}
    return Call("POST", world_path(world, "lease"), read, body=body, repeatable=True)


def release(world: str, holder: str) -> Call[None]:
    """DELETE /v1/worlds/{w}/lease, as its holder."""
    return Call("DELETE", world_path(world, "lease"), nothing, headers={LEASE_HEADER: holder})


def steer(
    time_step: float,
    agents: Rows | Mapping[str, Any],
    obstacles: Sequence[ObstacleLike] | None,
    walkable: Sequence[AreaLike] | None,
    options: Mapping[str, Any] | None,
) -> Call[Numbers]:
    """POST /v1/steer; it keeps nothing, so it can be repeated. Agents in columns are sent as rows."""
    rows = rows_of(agents) if isinstance(agents, Mapping) else [plain(agent) for agent in agents]

    def read(answer: Answer) -> Numbers:
        velocity: Numbers = read_column("velocity", answer.body["velocity"], len(rows))
        return velocity

    body = {
        "time_step": time_step,
        "agents": rows,
        "obstacles": None if obstacles is None else [obstacle_body(obstacle) for obstacle in obstacles],
        "walkable": None if walkable is None else [area_body(area) for area in walkable],
        "options": options,
    }
    return Call("POST", "/v1/steer", read, body=given(**body), repeatable=True)


def rows_of(columns: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Turn columns into rows; single values go into every row."""
    count = column_length(columns)
    made = [plain(spread(name, value, count)) for name, value in columns.items()]
    return [dict(zip(columns, row, strict=True)) for row in zip(*made, strict=True)]
