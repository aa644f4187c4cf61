"""What a controller says over its socket, as models: who it is, which agents are its own, and that it is ready.

A controller has a name, which it registers; a name has one socket. Ownership is by name and outlives the socket, so
that a controller that comes back finds its agents. Registration ends with the socket, so that no barrier waits for
the dead.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, TypeAdapter, ValidationError

from orca_crowd.errors import Fault, InvalidRequest, faults_of
from orca_crowd.protocol.columns import read_identifiers
from orca_crowd.protocol.models import IDENTIFIER_LIMIT, Key, Strict, WorldName, digest_of
from orca_crowd.protocol.steps import OrderedSteps

__all__ = [
    "CONTROLLER_HEADER",
    "Disown",
    "Own",
    "OwnRequest",
    "Ready",
    "Register",
    "Unregister",
    "check_controller",
    "parse_own",
]

# how a call over REST says whose orders it brings
CONTROLLER_HEADER = "Orca-Crowd-Controller"

# the rule is that of worlds: both stand in headers, logs and file names
ControllerName = WorldName


class Register(Strict):
    """Be the controller of this name, answered with `ack`; whoever was it on another socket is `replaced`."""

    type: Literal["register"]
    controller: ControllerName
    key: Key | None = None


class Unregister(Strict):
    """Be a controller no longer, answered with `ack`; what it owns stays its own."""

    type: Literal["unregister"]
    key: Key | None = None


class Own(Strict):
    """Let nobody else order these agents, all of them or none, answered with `ack`; needs `register` first."""

    type: Literal["own"]
    ids: Any = Field(description="A list of ids, in MessagePack also a bin of int64.")
    key: Key | None = None


class Disown(Strict):
    """Give these agents back, all of them or none, answered with `ack`; needs `register` first."""

    type: Literal["disown"]
    ids: Any = Field(description="A list of ids, in MessagePack also a bin of int64.")
    key: Key | None = None


class Ready(OrderedSteps):
    """Orders for the next step of a barrier world are in, answered with `stepped` once that step was taken."""

    type: Literal["ready"]
    for_step: Annotated[int, Field(ge=1, le=IDENTIFIER_LIMIT)] | None = Field(
        None, description="Refuse with 409 `wrong-step` unless the next step is the one of this number."
    )


_name = TypeAdapter(ControllerName)


def check_controller(name: str) -> str:
    """The name of a controller as a header gives it, or 422."""
    try:
        return _name.validate_python(name, strict=True)
    except ValidationError as error:
        raise InvalidRequest([Fault(None, CONTROLLER_HEADER, fault.message) for fault in faults_of(error)]) from None


@dataclass(frozen=True)
class OwnRequest:
    """Agents, int64 (n,), to own or to give back; `digest` tells a repetition under the same key from another one."""

    ids: NDArray[np.int64]
    give: bool
    key: str | None
    digest: bytes


def parse_own(message: Own | Disown) -> OwnRequest:
    """What `own` or `disown` asks for, or 422."""
    ids, faults = read_identifiers(message.ids, "ids")
    if faults:
        raise InvalidRequest(faults)
    digest = digest_of(message.type, message.ids) if message.key is not None else b""
    return OwnRequest(ids, message.type == "own", message.key, digest)
