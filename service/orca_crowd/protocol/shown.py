"""Answers as models, for the OpenAPI document alone: answers are plain maps, and tests hold them against these."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from orca_crowd.protocol.agents import GroupMode, Guidance, Quality
from orca_crowd.protocol.geometry import Geometry
from orca_crowd.protocol.guidance import GuidanceBody
from orca_crowd.protocol.models import Warnings
from orca_crowd.protocol.shown_paths import PathsAnswer, UnreachableShown

__all__ = [
    "AddedAnswer",
    "AgentAnswer",
    "AgentShown",
    "AgentsAnswer",
    "AreaShown",
    "AreasAnswer",
    "ChangedAnswer",
    "CommandsAnswer",
    "DigestAnswer",
    "ExplainAnswer",
    "GridMapAnswer",
    "HealthAnswer",
    "InfoAnswer",
    "LeaseAnswer",
    "ObstacleShown",
    "ObstaclesAnswer",
    "PathsAnswer",
    "Problem",
    "RemovedAnswer",
    "SteerAnswer",
    "StepAnswer",
    "WorldShown",
    "WorldsAnswer",
]

Pair = list[float]
Status = Literal[
    "no-goal", "moving", "arrived", "stalled", "arrived-crowded", "blocked", "unreachable", "inside-obstacle"
]
CooperationState = Literal["none", "orca", "drift", "mapf", "yield"]
SEQUENCE: Any = Field(description="Place in the one order of all changes of the world.")


class Shown(BaseModel):
    """Part of an answer."""

    model_config = ConfigDict(extra="forbid")


class ProblemFault(Shown):
    """One thing wrong."""

    item: int | None = Field(description="Position in the request's list of agents, obstacles, areas or commands.")
    field: str | None = Field(description="Field of the item; in a batch the path inside the command.")
    message: str


class Problem(BaseModel):
    """A problem document (RFC 9457)."""

    model_config = ConfigDict(extra="allow")

    type: str
    title: str
    status: int
    code: str
    detail: str
    errors: list[ProblemFault]


class ClockShown(Shown):
    """Who decides when a step happens."""

    mode: Literal["manual", "realtime", "barrier"]
    rate: float | None = None
    timeout: float | None = None


class WorldShown(Shown):
    """A world."""

    id: str
    name: str | None
    state: Literal["ready", "failed", "ended"]
    reason: str | None = Field(description="Why it failed.")
    time_step: float
    time: float = Field(description="step × time_step")
    step: int = Field(description="Steps taken so far.")
    sequence: int = Field(description="Changes accepted so far.")
    clock: ClockShown
    agents: int
    obstacles: int
    walkable: int
    geometry: int = Field(description="Grows with every change of obstacles and walkable areas.")
    profile: str
    options: dict[str, Any]
    guidance: GuidanceBody | None = Field(description="How its agents are planned for together; null: not at all.")
    defaults: dict[str, float | int | bool | str] = Field(description="Those that differ from the library's.")
    seed: int
    durability: str
    ttl: float | None


class WorldsAnswer(Shown):
    """All worlds, the oldest first."""

    worlds: list[WorldShown]


class AddedAnswer(Shown):
    """What was added, in the order of the request."""

    ids: list[int] = Field(description="In MessagePack a bin of int64.")
    step: int
    sequence: int = SEQUENCE
    warnings: Warnings


class ChangedAnswer(Shown):
    """A change has taken effect."""

    step: int
    sequence: int = SEQUENCE
    warnings: Warnings


class RemovedAnswer(Shown):
    """Agents are gone."""

    removed: list[int] = Field(description="In MessagePack a bin of int64.")
    step: int
    sequence: int = SEQUENCE


class AgentShown(Shown):
    """An agent with its effective values."""

    id: int
    position: Pair
    velocity: Pair
    preferred_velocity: Pair
    goal: Pair | None
    preferred_speed: float
    goal_tolerance: float
    radius: float
    max_speed: float
    time_horizon: float
    obstacle_horizon: float
    neighbor_distance: float
    max_neighbors: int
    weight: float
    priority: int
    locked: bool
    avoidance: bool
    layer: int
    mask: int
    elevation: float
    height: float
    group: int
    group_mode: GroupMode
    quality: Quality
    max_acceleration: float | None
    max_turning_rate: float | None
    forward_preference: float
    heading: Pair | None = Field(description="Unit vector, where it faces; null: nowhere yet.")
    guidance: Guidance
    status: Status
    waiting: float = Field(description="s for which it has got next to nothing of what it wants.")
    blocked_by: int | None = Field(description="The agent that it waits for in vain.")
    yields_to: int | None = Field(description="The agent that it lets pass.")
    cooperation: CooperationState = Field(
        description="What it does by a plan for all; with corridor_turns drift of who waits, else none."
    )
    waits_for: int | None = Field(
        description="The agent that it waits for in front of a narrow place, or makes way for."
    )
    waypoint: Pair | None = Field(None, description="With guidance `cooperative`, and only there: where it goes next.")
    corridor: int | None = Field(
        None,
        description="With guidance `cooperative`: the narrow place that it waits for, in the order of the grid map; "
        "null where it waits for none.",
    )
    path: list[Pair] | None = Field(
        None,
        description="With guidance `path`, and only there: the waypoints that are left before its goal; null while its "
        "way is being planned.",
    )
    unreachable: UnreachableShown | None = Field(
        None, description="With guidance `path`, `flow` or `cooperative`: null where there is a way."
    )


class AgentAnswer(AgentShown):
    """An agent after a change."""

    step: int
    sequence: int = SEQUENCE
    warnings: Warnings


class AgentsAnswer(Shown):
    """Agents in index order, or in the order of `ids`; the columns that were asked for.

    In MessagePack number columns are bins of little-endian float64 or float32, x0 y0 x1 y1 … for vectors; a goal that
    an agent does not have is null in JSON and a pair of NaN in a bin.
    """

    step: int
    time: float
    ids: list[int] = Field(description="In MessagePack a bin of int64.")
    position: list[Pair] | None = None
    velocity: list[Pair] | None = None
    preferred_velocity: list[Pair] | None = None
    goal: list[Pair | None] | None = None
    preferred_speed: list[float] | None = None
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
    group_mode: list[GroupMode] | None = None
    quality: list[Quality] | None = None
    max_acceleration: list[float | None] | None = None
    max_turning_rate: list[float | None] | None = None
    forward_preference: list[float] | None = None
    heading: list[Pair | None] | None = None
    guidance: list[Guidance] | None = None
    status: list[Status] | None = None
    cooperation: list[CooperationState] | None = None
    waits_for: list[int | None] | None = None


class ExplainAnswer(BaseModel):
    """Why an agent will move as it will: neighbours, constraints, program, status."""

    model_config = ConfigDict(extra="allow")


class ObstacleShown(Shown):
    """Two-sided segments."""

    id: int
    points: list[Pair]
    closed: bool
    open: bool
    z_range: Pair | None = Field(description="From the lower to the upper height at which it stands; null: at all.")


class ObstaclesAnswer(Shown):
    """All obstacles in the order of their creation."""

    step: int
    obstacles: list[ObstacleShown]


class AreaShown(Shown):
    """A walkable area as it was given."""

    id: int
    geometry: Geometry
    clearance: float
    horizon: float | None
    shrunk: bool


class AreasAnswer(Shown):
    """All walkable areas in the order of their creation."""

    step: int
    areas: list[AreaShown]


class GridMapShown(Shown):
    """A map of free and blocked cells."""

    rows: list[str] = Field(description="From the top; `.` is free, `@` is blocked.")
    cell_size: float
    origin: Pair = Field(description="Where the lower left corner of the map lies.")


class GridMapAnswer(Shown):
    """The grid map of the world."""

    step: int
    grid_map: GridMapShown | None


class CommandsAnswer(Shown):
    """A batch has taken effect."""

    step: int
    sequence: int = SEQUENCE
    results: list[dict[str, Any]] = Field(
        description="One a command: its REST call's answer without `step` and `sequence`."
    )


class EventShown(BaseModel):
    """Something that happened in a step; more members by kind.

    `overlap`: `other`, `depth`; `blocked`: `other`, `waited`; `no-way-past`: `other`.
    """

    model_config = ConfigDict(extra="allow")

    kind: str
    step: int
    ids: list[int] = Field(description="In MessagePack a bin of int64.")


class StepAnswer(Shown):
    """Steps were taken."""

    step: int
    time: float
    sequence: int | None = Field(None, description="With `commands`: their place in the order of all changes.")
    digest: str | None = Field(None, description="With `return: digest`.")
    agents: dict[str, Any] | None = Field(None, description="With `return: agents`: ids and columns.")
    events: list[EventShown]
    events_left_out: bool | None = Field(None, description="There were more events than `events_per_answer`.")
    results: list[dict[str, Any]] | None = Field(None, description="With `commands`: one each.")


class LeaseAnswer(Shown):
    """Who may step."""

    holder: str
    expires: float = Field(description="Seconds since 1970-01-01 UTC by the server's clock.")


class DigestAnswer(Shown):
    """sha256 over little-endian float64 position x, y, velocity x, y of every agent in index order."""

    step: int
    sha256: str


class SteerAnswer(Shown):
    """Velocities in the order of the request."""

    velocity: list[Pair] = Field(description="In MessagePack a bin of float64.")
    warnings: Warnings


class InfoAnswer(Shown):
    """What this server is."""

    version: str
    clients: dict[str, str] = Field(description="By name of a client the oldest version that is taken.")
    kernels: str = Field(description="Digest of the kernels and of the compiler: equal on two servers, equal bits.")
    engine: str
    durability: list[str]
    limits: dict[str, float | int]
    options: dict[str, dict[str, Any]] = Field(description="Per profile the value of every option.")
    scope: Literal["read", "control", "admin"] = Field(
        description="What the key of the request allows; `admin` where the server wants no key."
    )


class HealthAnswer(Shown):
    """How the server is."""

    status: str
