"""One step for a caller who keeps the world himself."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from pydantic import Field

from orca_core.geometry.obstacles import Obstacle
from orca_core.geometry.walkable import WalkableArea
from orca_core.options import Options
from orca_crowd.errors import Fault, InvalidRequest
from orca_crowd.protocol.agents import Agents, parse_new_agents
from orca_crowd.protocol.geometry import AreaRow, ObstacleRow, parse_areas, parse_obstacles
from orca_crowd.protocol.models import Identifier, Number, Strict, validate
from orca_crowd.protocol.worlds import OptionsBody

__all__ = ["STEER_ROWS", "SteerBody", "SteerRequest", "parse_steer"]

Parsed = TypeVar("Parsed")


class SteerBody(Strict):
    """Agents and what is around them; nothing of it is kept."""

    time_step: Number = Field(description="Seconds; at least 1e-6.")
    agents: list[Any] | None = Field(None, description="As in POST …/agents, a map each.")
    columns: dict[str, Any] | None = Field(None, description="As in POST …/agents, in the place of `agents`.")
    obstacles: list[Any] = Field(default_factory=list, description="As in POST …/obstacles.")
    walkable: list[Any] = Field(default_factory=list, description="As `areas` in POST …/walkable.")
    options: OptionsBody = Field(default_factory=OptionsBody)
    seed: Identifier = 0


# the rows of `obstacles` and `walkable` have these schemas
STEER_ROWS = (ObstacleRow, AreaRow)


@dataclass(frozen=True)
class SteerRequest:
    """The same with everything parsed."""

    time_step: float
    agents: Agents
    obstacles: list[Obstacle]
    areas: list[WalkableArea]
    options: Options
    seed: int


def parse_steer(body: object) -> SteerRequest:
    """The decoded body of POST /v1/steer."""
    parts = validate(SteerBody, body, ["agents", "obstacles", "walkable"])
    given = {name: getattr(parts, name) for name in ("agents", "columns") if getattr(parts, name) is not None}
    return SteerRequest(
        time_step=parts.time_step,
        agents=parse_new_agents(given),
        obstacles=_under("obstacles", lambda: parse_obstacles({"obstacles": parts.obstacles})),
        areas=_under("walkable", lambda: parse_areas({"areas": parts.walkable}).areas),
        options=Options.from_mapping(parts.options.model_dump(exclude_unset=True)),
        seed=parts.seed,
    )


def _under(name: str, parse: Callable[[], Parsed]) -> Parsed:
    """Parse one list of the body; its items are counted from its own beginning, so the list is named in the field."""
    try:
        return parse()
    except InvalidRequest as error:
        faults = [
            Fault(fault.item, f"{name}.{fault.field}" if fault.field else name, fault.message) for fault in error.errors
        ]
        raise InvalidRequest(faults or error.detail) from None
