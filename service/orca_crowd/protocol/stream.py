"""Every message of the stream, both directions, as models: they check what comes in and write the AsyncAPI document.

From the client: what it wants to see (subscribing.py), what a controller says (controllers.py), command, step, ping.
From the server: hello, full, frame, ack, stepped, event, heartbeat, pong, error, closing. Each is a map with `type`.
reading.py turns what arrived into one of them.
"""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, ValidatorFunctionWrapHandler, WrapValidator
from pydantic_core import PydanticCustomError

from orca_crowd.protocol.commands import CommandsBody
from orca_crowd.protocol.controllers import Disown, Own, Ready, Register, Unregister
from orca_crowd.protocol.models import STRICT
from orca_crowd.protocol.steps import StepBody
from orca_crowd.protocol.subscribing import Got, Resume, StepNumber, Subscribe, Unsubscribe

__all__ = [
    "CLIENT_MESSAGES",
    "SERVER_MESSAGES",
    "Ack",
    "AgentColumns",
    "ClientMessage",
    "Closing",
    "Command",
    "ErrorMessage",
    "EventMessage",
    "FrameMessage",
    "Full",
    "Got",
    "Heartbeat",
    "Hello",
    "Ping",
    "Pong",
    "Problem",
    "Resume",
    "Step",
    "Stepped",
    "Subscribe",
    "Unsubscribe",
]

Vector = Annotated[list[float | None], Field(min_length=2, max_length=2)]


class Incoming(BaseModel):
    """What all messages of the client share: no unknown field, no value of another type than its own."""

    model_config = STRICT


class Outgoing(BaseModel):
    """What all messages of the server share."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


# ---- from the client


class Command(CommandsBody):
    """Change the world: all of it or nothing, in one step, answered with `ack`; as POST …/commands."""

    type: Literal["command"]


class Step(StepBody):
    """Advance a manual world, answered with `stepped`; as POST …/steps."""

    type: Literal["step"]


def _checked_data(value: object, check: ValidatorFunctionWrapHandler) -> object:
    """One fault and not one for each kind that it might have been."""
    try:
        return check(value)
    except ValidationError:
        wanted = "must be a string of at most 1024 characters, a finite number, true, false or null"
        raise PydanticCustomError("ping_data", wanted) from None


class Ping(Incoming):
    """Ask for a `pong` with the same `data`."""

    type: Literal["ping"]
    data: Annotated[
        Annotated[str, Field(max_length=1024)] | bool | int | float | None, WrapValidator(_checked_data)
    ] = None


ClientMessage = (
    Subscribe | Resume | Unsubscribe | Got | Command | Step | Register | Unregister | Own | Disown | Ready | Ping
)
CLIENT_MESSAGES: Final[tuple[type[BaseModel], ...]] = (
    Subscribe,
    Resume,
    Unsubscribe,
    Got,
    Command,
    Step,
    Register,
    Unregister,
    Own,
    Disown,
    Ready,
    Ping,
)


# ---- from the server


class Hello(Outgoing):
    """The first message of every socket."""

    type: Literal["hello"] = "hello"
    world: str
    step: StepNumber = Field(description="Steps taken so far.")
    time: float
    time_step: float
    profile: str = Field(description="Profile of the world's options.")
    limits: dict[str, float | int] = Field(description="Limits of this server that a client can meet.")


class AgentColumns(Outgoing):
    """Columns of agents, row by row the agents of `ids`; those that were asked for. In MessagePack they are bins."""

    position: list[Vector] | None = None
    velocity: list[Vector] | None = None
    preferred_velocity: list[Vector | None] | None = None
    goal: list[Vector | None] | None = None
    preferred_speed: list[float | None] | None = None
    goal_tolerance: list[float] | None = None
    radius: list[float] | None = None
    max_speed: list[float] | None = None
    time_horizon: list[float] | None = None
    obstacle_horizon: list[float] | None = None
    neighbor_distance: list[float] | None = None
    max_neighbors: list[int] | None = None
    weight: list[float] | None = None
    priority: list[int] | None = None
    locked: list[bool] | None = None
    avoidance: list[bool] | None = None
    layer: list[int] | None = None
    mask: list[int] | None = None
    elevation: list[float] | None = None
    height: list[float] | None = None
    group: list[int] | None = None
    group_mode: list[str] | None = None
    quality: list[str] | None = None
    max_acceleration: list[float | None] | None = None
    max_turning_rate: list[float | None] | None = None
    forward_preference: list[float] | None = None
    heading: list[Vector | None] | None = None
    guidance: list[str] | None = None
    status: list[str] | None = None
    cooperation: list[str] | None = None
    waits_for: list[int | None] | None = None


class Scale(Outgoing):
    """What the whole numbers of a column are multiplied by, a power of two."""

    position: float | None = None
    velocity: float | None = None


class Base(Outgoing):
    """Values of the keyframe, row by row the agents of `based`; float32."""

    position: list[Vector] | None = None
    velocity: list[Vector] | None = None


class StateColumns(AgentColumns):
    """Columns, and with int16 and int8 what is needed to read position and velocity: base + scale · whole number."""

    keyframe: StepNumber | None = Field(None, description="Which keyframe the whole numbers stand beside.")
    scale: Scale | None = Field(None, description="Of this message alone.")
    based: list[int] | None = Field(None, description="Agents whose base is in this message; the client keeps it.")
    base: Base | None = None


class Full(StateColumns):
    """The whole state within the interest: the answer to `subscribe`, equal to GET …/agents at that step."""

    type: Literal["full"] = "full"
    step: StepNumber
    time: float
    ids: list[int]


class FrameMessage(StateColumns):
    """What differs from the state at `since`: those who left, those who entered, and the rows of `ids`."""

    type: Literal["frame"] = "frame"
    step: StepNumber
    time: float
    since: StepNumber = Field(description="Step of the full or frame that this socket was sent before this one.")
    ids: list[int] | None = Field(
        None,
        description="Whose the rows are. Left out: every agent that the client knows, in the order of the last list.",
    )
    entered: list[int] = Field(
        description="Ids that are of the interest now and were not at `since`; their rows follow."
    )
    left: list[int] = Field(description="Ids that were of the interest at `since` and are not now.")


class Ack(Outgoing):
    """A command, a registration or a change of owners has taken effect."""

    type: Literal["ack"] = "ack"
    key: str | None = None
    step: StepNumber = Field(description="Steps taken when it took effect; the next step sees it.")
    sequence: int | None = Field(
        None, description="Its place in the one order of all changes of the world; a registration has none."
    )
    results: list[dict[str, Any]] = Field(
        description="One for each command, as its REST call answers; to a controller `{controller, owned}`."
    )


class Stepped(Outgoing):
    """The steps that were asked for, or the one that a controller was ready for, have been taken."""

    type: Literal["stepped"] = "stepped"
    key: str | None = None
    step: StepNumber
    time: float
    sequence: int | None = Field(None, description="With `commands`: their place in the order of all changes.")
    digest: str | None = None
    agents: dict[str, Any] | None = Field(None, description="With `return: agents`: `ids` and the columns.")
    events: list[dict[str, Any]]
    events_left_out: bool | None = Field(None, description="True where there were more events than the limit.")
    results: list[dict[str, Any]] | None = Field(None, description="With `commands`: one for each, as in `ack`.")


class EventMessage(BaseModel):
    """Something happened in a step; every socket of the world is told, subscribed or not. More fields by kind."""

    model_config = ConfigDict(extra="allow", strict=True, frozen=True)

    type: Literal["event"] = "event"
    kind: str = Field(
        description="`arrived`, `arrived-crowded`, `stalled`, `blocked`, `overlap`, `removed`, `non-finite`, `late`, "
        "`barrier-timeout`, `large-frame`, `gap`, …"
    )
    step: StepNumber


class Heartbeat(Outgoing):
    """Sent when nothing else has been for a while, so that proxies keep the connection."""

    type: Literal["heartbeat"] = "heartbeat"
    step: StepNumber


class Pong(Outgoing):
    """The answer to `ping`, with its `data`."""

    type: Literal["pong"] = "pong"
    data: str | bool | int | float | None = None


class ProblemEntry(Outgoing):
    """One fault: which item, which field, what would be right."""

    item: int | None
    field: str | None
    message: str


class Problem(BaseModel):
    """A problem document (RFC 9457), as REST answers; more members by code."""

    model_config = ConfigDict(extra="allow", strict=True, frozen=True)

    type: str
    title: str
    status: int
    code: str
    detail: str
    errors: list[ProblemEntry]


class ErrorMessage(Outgoing):
    """A message of the client was refused and changed nothing, or the world failed."""

    type: Literal["error"] = "error"
    problem: Problem
    key: str | None = Field(None, description="The key of the message that was refused, if it had one.")


class Closing(Outgoing):
    """The server closes the socket after this message, with a code that says the same."""

    type: Literal["closing"] = "closing"
    reason: str


SERVER_MESSAGES: Final[tuple[type[BaseModel], ...]] = (
    Hello,
    Full,
    FrameMessage,
    Ack,
    Stepped,
    EventMessage,
    Heartbeat,
    Pong,
    ErrorMessage,
    Closing,
)
