"""Commands and steps: the bodies that REST and the socket share, and the calls. No I/O."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, TypeAlias
from uuid import uuid4

from orca_crowd_client.columns import Identifiers
from orca_crowd_client.commands import Command, encode_commands
from orca_crowd_client.encoding import Encoding
from orca_crowd_client.protocol.call import Call, world_path
from orca_crowd_client.protocol.reading import read_acknowledged, read_stepped
from orca_crowd_client.protocol.worlds import LEASE_HEADER
from orca_crowd_client.results import Acknowledged, Stepped

__all__ = [
    "Return",
    "commands_body",
    "controller_body",
    "fresh_key",
    "ready_body",
    "run_commands",
    "step_body",
    "step_world",
]

Return: TypeAlias = Literal["none", "digest", "agents"]


def fresh_key() -> str:
    """Make an idempotency key that nobody else has."""
    return uuid4().hex


def commands_body(encoding: Encoding, commands: Sequence[Command], key: str | None) -> dict[str, Any]:
    """Write `{commands, key}`; without a key one is made, so that a repeated request has one effect."""
    return {"commands": encode_commands(encoding, commands), "key": fresh_key() if key is None else key}


def step_body(
    encoding: Encoding,
    count: int,
    *,
    expected_step: int | None,
    commands: Sequence[Command] | None,
    key: str | None,
    return_: Return,
    fields: Sequence[str] | None,
    ids: Sequence[int] | Identifiers | None,
) -> dict[str, Any]:
    """Write the body of a step; without a key one is made, so that a repeated request steps once."""
    body = ordered_body(encoding, commands, key, return_, fields, ids)
    return {"count": count, **({} if expected_step is None else {"expected_step": expected_step}), **body}


def ready_body(
    encoding: Encoding,
    for_step: int | None,
    *,
    commands: Sequence[Command] | None,
    key: str | None,
    return_: Return,
    fields: Sequence[str] | None,
    ids: Sequence[int] | Identifiers | None,
) -> dict[str, Any]:
    """Write the body of `ready`; without a key one is made."""
    body = ordered_body(encoding, commands, key, return_, fields, ids)
    return body if for_step is None else {"for_step": for_step, **body}


def ordered_body(
    encoding: Encoding,
    commands: Sequence[Command] | None,
    key: str | None,
    return_: Return,
    fields: Sequence[str] | None,
    ids: Sequence[int] | Identifiers | None,
) -> dict[str, Any]:
    """Write what a step and a `ready` have in common: orders in, a choice of the state out."""
    body: dict[str, Any] = {"return": return_, "key": fresh_key() if key is None else key}
    if commands is not None:
        body["commands"] = encode_commands(encoding, commands)
    if fields is not None:
        body["fields"] = list(fields)
    if ids is not None:
        body["ids"] = encoding.identifier_column(ids)
    return body


def controller_body(
    encoding: Encoding,
    key: str | None,
    *,
    controller: str | None = None,
    ids: Sequence[int] | Identifiers | None = None,
) -> dict[str, Any]:
    """Write the body of `register`, `unregister`, `own` or `disown`; without a key one is made."""
    body: dict[str, Any] = {"key": fresh_key() if key is None else key}
    if controller is not None:
        body["controller"] = controller
    if ids is not None:
        body["ids"] = encoding.identifier_column(ids)
    return body


def run_commands(world: str, body: dict[str, Any]) -> Call[Acknowledged]:
    """POST /v1/worlds/{w}/commands: all or nothing."""
    return Call(
        "POST",
        world_path(world, "commands"),
        lambda answer: read_acknowledged(answer.body),
        body=body,
        repeatable=True,
    )


def step_world(world: str, body: dict[str, Any], holder: str | None) -> Call[Stepped]:
    """POST /v1/worlds/{w}/steps, as the holder of the lease if there is one."""
    return Call(
        "POST",
        world_path(world, "steps"),
        lambda answer: read_stepped(answer.body),
        body=body,
        headers={} if holder is None else {LEASE_HEADER: holder},
        repeatable=True,
    )
