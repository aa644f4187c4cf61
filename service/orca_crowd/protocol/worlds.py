"""Worlds on the wire: how one is made and changed, and how it is shown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from pydantic import Field, TypeAdapter, ValidationError

from orca_crowd.errors import ApiError, Fault, InvalidRequest, faults_of
from orca_crowd.protocol.agents import Bits, GroupMode, Guidance, Whole
from orca_crowd.protocol.detail import LevelOfDetailBody
from orca_crowd.protocol.guidance import GuidanceBody
from orca_crowd.protocol.models import Identifier, Key, Number, Strict, WorldName, as_map, validate
from orca_crowd.settings import Settings

__all__ = [
    "ClockBody",
    "DefaultsBody",
    "ForkBody",
    "LeaseBody",
    "NewWorld",
    "OptionsBody",
    "WorldChange",
    "check_name",
    "parse_change",
    "parse_lease",
    "parse_world",
]


class ClockBody(Strict):
    """Who decides when a step happens: whoever asks (`manual`), the server at a rate (`realtime`), or the controllers
    together (`barrier`).
    """

    mode: Literal["manual", "realtime", "barrier"] = "manual"
    rate: Number | None = Field(None, gt=0, description="With `realtime`, and only there: steps a second.")
    timeout: Number | None = Field(
        None, gt=0, description="With `barrier`, and only there: seconds after which a step waits for nobody."
    )

    def shown(self) -> dict[str, Any]:
        """As it travels."""
        members = {"mode": self.mode, "rate": self.rate, "timeout": self.timeout}
        return {name: value for name, value in members.items() if value is not None}


class DefaultsBody(Strict):
    """Values for what agents of this world leave out."""

    radius: Number = 0.5
    max_speed: Number = 1.5
    preferred_speed: Number = Field(1.5, description="Left out: max_speed.")
    time_horizon: Number = 2.0
    obstacle_horizon: Number = 2.0
    neighbor_distance: Number = Field(9.0, description="Left out: 2 radius + 2 max_speed max(time_horizon, time_step).")
    max_neighbors: int = Field(10, ge=0, le=2**53 - 1)
    goal_tolerance: Number = 1e-9
    weight: Number = 1.0
    priority: Whole = 0
    locked: bool = False
    avoidance: bool = True
    layer: Bits = 1
    mask: Bits = 2**32 - 1
    elevation: Number = 0.0
    height: Number = 0.0
    group: Identifier = 0
    group_mode: GroupMode = "none"
    quality: Literal["all", "few", "none"] = "all"
    max_acceleration: Number = Field(1e9, description="Left out: no limit.")
    max_turning_rate: Number = Field(1e9, description="Left out: no limit.")
    forward_preference: Number = 0.0
    guidance: Guidance = "straight"


class OptionsBody(Strict):
    """What the world does beyond the normative text; single options override the profile."""

    profile: Literal["service", "text"] = "service"
    part_coincident: bool = True
    break_symmetry: bool = True
    stop_at_walls: bool = True
    clamp_preferred_velocity: bool = True
    stop_non_finite: bool = True
    merge_collinear: bool = True
    walkable_surface: bool = True
    leave_obstacles: bool = True
    one_side_of_walls: bool = True
    settle_crowds: bool = True
    detect_blocked: bool = True
    bias_blocked: bool = True
    courtesy: bool = True
    back_out: bool = True
    replan_jams: bool = True
    corridor_turns: bool = False
    corridor_margin: Number = 0.0
    stall_time: Number = 3.0
    avoidance_model: Literal["orca", "rvo", "vo"] = "orca"
    slow_when_dense: bool = False
    level_of_detail: LevelOfDetailBody | None = None
    planner: Literal["mesh", "grid"] = "mesh"
    unreachable_goals: Literal["stop", "nearest"] = "stop"
    plan_delay_steps: int = Field(0, ge=0, le=1000)
    plan_expansions: int = Field(20_000, ge=1, le=1_000_000)
    flow_cell_size: Number | None = None
    flow_cells: int = Field(262_144, ge=256, le=4_194_304)
    flow_fields: int = Field(32, ge=1, le=256)


class NewWorld(Strict):
    """A world to make."""

    id: WorldName | None = Field(None, description="Left out: given by the server.")
    name: str | None = Field(None, max_length=200, description="For people.")
    time_step: Number = Field(description="Seconds of the world that a step takes; at least 1e-6.")
    clock: ClockBody = ClockBody(mode="manual")
    defaults: DefaultsBody = Field(default_factory=DefaultsBody)
    options: OptionsBody = Field(default_factory=OptionsBody)
    guidance: GuidanceBody | None = Field(
        None, description="Agents follow plans made for all of them on the grid map of the world; null: each by itself."
    )
    seed: Identifier = Field(0, description="Decides what the options decide by chance; the same seed, the same bits.")
    durability: Literal["none", "process", "power"] | None = Field(
        None,
        description="What an acknowledged change survives: nothing, the death of the process, or the loss of power. "
        "Left out: process, and none on a server that keeps no data.",
    )
    ttl: Number | None = Field(
        None,
        gt=0,
        description="Seconds without a request or a watcher after which the world is put away until it is asked for "
        "again, or deleted where its durability is none.",
    )


class WorldChange(Strict):
    """What may change in a world; what is left out stays."""

    name: str | None = Field(None, max_length=200)
    clock: ClockBody = ClockBody(mode="manual")
    defaults: DefaultsBody = Field(default_factory=DefaultsBody, description="They replace all earlier ones.")
    level_of_detail: LevelOfDetailBody | None = Field(None, description="Null: detail matters everywhere.")


class ForkBody(Strict):
    """A moment of a world's past to make a new world of."""

    step: int = Field(ge=0, le=2**53 - 1, description="Steps taken at that moment.")
    id: WorldName | None = Field(None, description="Of the new world; left out: given by the server.")
    name: str | None = Field(None, max_length=200, description="For people.")


class LeaseBody(Strict):
    """The right to step, for a time."""

    holder: Key = Field(description="Named again in the header Orca-Crowd-Lease of each step request.")
    ttl: Number = Field(gt=0, description="Seconds.")


_name = TypeAdapter(WorldName)


def check_name(name: str) -> str:
    """The id of a world, or 422."""
    try:
        return _name.validate_python(name, strict=True)
    except ValidationError as error:
        raise InvalidRequest([Fault(None, "id", fault.message) for fault in faults_of(error)]) from None


def parse_world(body: object, settings: Settings) -> NewWorld:
    """The body of POST /v1/worlds; the values of time_step, defaults and options are checked by the library."""
    _check_durability(as_map(body), settings.durabilities)
    world = validate(NewWorld, body)
    _check_clock(world.clock, settings)
    return world


def parse_change(body: object, settings: Settings) -> WorldChange:
    """The body of PATCH /v1/worlds/{w}."""
    change = validate(WorldChange, body)
    if "clock" in change.model_fields_set:
        _check_clock(change.clock, settings)
    return change


def parse_lease(body: object, settings: Settings) -> LeaseBody:
    """The body of POST …/lease."""
    lease = validate(LeaseBody, body)
    if lease.ttl > settings.lease_seconds:
        raise InvalidRequest(
            [Fault(None, "ttl", f"must be at most {settings.lease_seconds:g} seconds, not {lease.ttl:g}")]
        )
    return lease


def _check_durability(body: dict[str, Any], available: Sequence[str]) -> None:
    asked = body.get("durability")
    if asked in ("none", "process", "power") and asked not in available:
        message = f"{asked!r} is not available on this server, which keeps no data; available: {', '.join(available)}"
        raise ApiError("not-available", message, [Fault(None, "durability", message)])


# per mode the member that it needs and what that is; no other goes with it
CLOCK_MEMBERS = {"manual": None, "realtime": ("rate", "steps a second"), "barrier": ("timeout", "seconds")}


def _check_clock(clock: ClockBody, settings: Settings) -> None:
    needed = CLOCK_MEMBERS[clock.mode]
    limits = {"rate": settings.rate_limit, "timeout": settings.barrier_seconds}
    for mode, member in CLOCK_MEMBERS.items():
        if member is None:
            continue
        (name, unit), value = member, getattr(clock, member[0])
        field = f"clock.{name}"
        if member == needed and value is None:
            raise InvalidRequest([Fault(None, field, f"is missing: {unit}")])
        if member != needed and value is not None:
            raise InvalidRequest([Fault(None, field, f"goes with mode {mode}, not with {clock.mode}")])
        if value is not None and value > limits[name]:
            raise InvalidRequest([Fault(None, field, f"must be at most {limits[name]:g} {unit}, not {value:g}")])
