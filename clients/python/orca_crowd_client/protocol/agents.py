"""Calls about the agents of a world. No I/O."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeAlias

from orca_crowd_client.columns import ITEM_SIZES, Identifiers, plain
from orca_crowd_client.commands import Rows, agents_body, encode_command, remove_agents
from orca_crowd_client.encoding import Encoding, encode_columns
from orca_crowd_client.errors import CannotEncode
from orca_crowd_client.protocol.call import Answer, Call, world_path
from orca_crowd_client.protocol.reading import read_added, read_agents, read_changed, read_removed
from orca_crowd_client.protocol.stepping import fresh_key
from orca_crowd_client.protocol.worlds import Document, document, nothing
from orca_crowd_client.results import Added, Agents, Changed, Removed

__all__ = [
    "Precision",
    "add_agents",
    "describe_agent",
    "explain",
    "get_agents",
    "remove_agent",
    "remove_many",
    "set_agent",
    "set_agents",
]

Precision: TypeAlias = Literal["float64", "float32"]

# ids in a URL end somewhere: servers and proxies take 8 KB of one, and not much more
LONGEST_QUERY = 6000


def add_agents(encoding: Encoding, world: str, agents: Rows | None, columns: Mapping[str, Any]) -> Call[Added]:
    """POST /v1/worlds/{w}/agents, as rows or in columns."""
    body = encode_command(encoding, agents_body(agents, columns))
    return Call("POST", world_path(world, "agents"), lambda answer: read_added(answer.body), body=body)


def get_agents(
    world: str,
    fields: Sequence[str] | None,
    ids: Sequence[int] | Identifiers | None,
    offset: int | None,
    limit: int | None,
    precision: Precision | None,
) -> Call[Agents]:
    """GET /v1/worlds/{w}/agents; raises `CannotEncode` for more ids than a URL holds."""
    chosen = None if ids is None else joined(ids)
    query = {
        "fields": None if fields is None else ",".join(fields),
        "ids": chosen,
        "offset": offset,
        "limit": limit,
        "precision": precision,
    }
    if len(chosen or "") > LONGEST_QUERY:
        raise CannotEncode(
            f"{len(ids or ())} ids are too many for the URL of one request: leave ids out and choose from the answer, "
            "or take the agents with a step: step(return_='agents', ids=...)"
        )
    return Call(
        "GET",
        world_path(world, "agents"),
        lambda answer: read_agents(answer.body, ITEM_SIZES.get(precision or "float64", 8)),
        query={name: str(value) for name, value in query.items() if value is not None},
        repeatable=True,
    )


def set_agents(
    encoding: Encoding, world: str, ids: Sequence[int] | Identifiers, columns: Mapping[str, Any]
) -> Call[Changed]:
    """PATCH /v1/worlds/{w}/agents; single values go to every agent."""
    body = {"ids": encoding.identifier_column(ids), "columns": encode_columns(encoding, columns, len(ids))}
    return Call("PATCH", world_path(world, "agents"), lambda answer: read_changed(answer.body), body=body)


def remove_many(encoding: Encoding, world: str, ids: Sequence[int] | Identifiers) -> Call[Removed]:
    """DELETE /v1/worlds/{w}/agents?ids=, or the command of the same name where the ids do not fit a URL."""
    text = joined(ids)
    if len(text) <= LONGEST_QUERY:
        return Call(
            "DELETE",
            world_path(world, "agents"),
            lambda answer: read_removed(answer.body),
            query={"ids": text},
        )
    # split over several requests the removal would no longer be all or nothing
    body = {"commands": [encode_command(encoding, remove_agents(ids))], "key": fresh_key()}
    return Call(
        "POST",
        world_path(world, "commands"),
        lambda answer: read_removed({**answer.body, **answer.body["results"][0]}),
        body=body,
        repeatable=True,
    )


def describe_agent(world: str, agent: int) -> Call[Document]:
    """GET /v1/worlds/{w}/agents/{id}."""
    return Call("GET", world_path(world, "agents", agent), document, repeatable=True)


def set_agent(world: str, agent: int, fields: Mapping[str, Any]) -> Call[Document]:
    """PATCH /v1/worlds/{w}/agents/{id}; None clears."""
    return Call("PATCH", world_path(world, "agents", agent), document, body=plain(fields))


def remove_agent(world: str, agent: int) -> Call[None]:
    """DELETE /v1/worlds/{w}/agents/{id}."""
    return Call("DELETE", world_path(world, "agents", agent), nothing)


def explain(world: str, agent: int) -> Call[Document]:
    """GET /v1/worlds/{w}/agents/{id}/explain."""

    def read(answer: Answer) -> Document:
        return document(answer)

    return Call("GET", world_path(world, "agents", agent, "explain"), read, repeatable=True)


def joined(ids: Sequence[int] | Identifiers) -> str:
    """Write ids for a query."""
    return ",".join(str(agent) for agent in plain(ids))
