"""Step requests, and the choice of agents and fields that an answer shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from orca_crowd.errors import ApiError, Fault, InvalidRequest
from orca_crowd.protocol.columns import FIELDS, read_identifiers
from orca_crowd.protocol.commands import Command, parse_batch
from orca_crowd.protocol.models import Key, Strict, digest_of, validate
from orca_crowd.settings import Settings

__all__ = ["OrderedSteps", "Selection", "StepBody", "StepRequest", "check_fields", "parse_ready", "parse_step"]

DEFAULT_FIELDS = ("position", "velocity")


class OrderedSteps(Strict):
    """What a step request and the `ready` of a controller have in common: orders in, a choice of the state out."""

    commands: list[dict[str, Any]] | None = Field(
        None, description="As in POST …/commands; they and the steps are one."
    )
    key: Key | None = None
    returns: Literal["none", "digest", "agents"] = Field(
        "none", alias="return", description="What the answer shows beside the events."
    )
    fields: list[str] | None = Field(
        None, description="With `return: agents`: columns beside the ids; position and velocity."
    )
    ids: Any = Field(None, description="With `return: agents`: only these; in MessagePack also a bin of int64.")


class StepBody(OrderedSteps):
    """Steps to take, with commands before the first if there are any."""

    count: int = Field(1, ge=1, le=2**53 - 1, description="How many steps.")
    expected_step: int | None = Field(
        None, ge=0, le=2**53 - 1, description="Refuse with 409 unless this many steps were taken."
    )


@dataclass(frozen=True)
class Selection:
    """Which agents and fields an answer shows: those of `ids` in that order, or from `offset` on at most `limit`.

    `packed` says that the answer is MessagePack, where whole numbers too have the precision that was asked for.
    """

    fields: tuple[str, ...] = DEFAULT_FIELDS
    ids: NDArray[np.int64] | None = None
    offset: int = 0
    limit: int | None = None
    precision: Literal["float64", "float32"] = "float64"
    packed: bool = False


@dataclass(frozen=True)
class StepRequest:
    """A step request with its commands parsed; `digest` tells a repetition under the same key from another request."""

    count: int
    expected_step: int | None
    commands: list[Command] | None
    key: str | None
    digest: bytes
    returns: Literal["none", "digest", "agents"]
    selection: Selection


def parse_step(body: object, settings: Settings) -> StepRequest:
    """The decoded body of POST …/steps."""
    parts = validate(StepBody, body)
    if parts.count > settings.steps_per_request:
        raise ApiError("limit", f"{parts.count} steps in one request, the limit is {settings.steps_per_request}")
    digest = digest_of("steps", body) if parts.key is not None else b""
    return _request(parts, parts.count, parts.expected_step, digest, settings)


def parse_ready(parts: OrderedSteps, for_step: int | None, settings: Settings) -> StepRequest:
    """The `ready` of a controller, for the step of that number or the next: a request for one step."""
    digest = b""
    if parts.key is not None:
        # by value, so that a repetition over another socket is one too
        values = {name: getattr(parts, name) for name in sorted(parts.model_fields_set - {"type"})}
        digest = digest_of("ready", values)
    return _request(parts, 1, None if for_step is None else for_step - 1, digest, settings)


def _request(
    parts: OrderedSteps, count: int, expected_step: int | None, digest: bytes, settings: Settings
) -> StepRequest:
    """A request of checked members; what they hold is checked here."""
    if parts.returns != "agents" and (parts.fields is not None or parts.ids is not None):
        name = "fields" if parts.fields is not None else "ids"
        raise InvalidRequest([Fault(None, name, "goes with `return: agents`")])
    ids = None
    if parts.ids is not None:
        ids, faults = read_identifiers(parts.ids, "ids")
        if faults:
            raise InvalidRequest(faults)
    return StepRequest(
        count=count,
        expected_step=expected_step,
        commands=parse_batch(parts.commands, settings) if parts.commands is not None else None,
        key=parts.key,
        digest=digest,
        returns=parts.returns,
        selection=Selection(check_fields(parts.fields) if parts.fields is not None else DEFAULT_FIELDS, ids),
    )


def check_fields(names: Sequence[str]) -> tuple[str, ...]:
    """Names of columns, each once; an unknown one is refused with those that there are."""
    faults = []
    for item, name in enumerate(names):
        if name not in FIELDS:
            faults.append(Fault(item, "fields", f"{name!r} is no field of an agent; there are {', '.join(FIELDS)}"))
        elif name in names[:item]:
            faults.append(Fault(item, "fields", f"{name!r} is named twice"))
    if faults:
        raise InvalidRequest(faults)
    return tuple(names)
