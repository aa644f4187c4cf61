"""Commands: what can change a world. One class an operation, and how a decoded batch becomes a list of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from orca_core.errors import Notice
from orca_core.geometry.obstacles import Obstacle
from orca_core.geometry.placed_grid import PlacedGrid
from orca_core.geometry.walkable import WalkableArea
from orca_crowd.errors import ApiError, Fault, InvalidRequest
from orca_crowd.protocol.agents import Agents, AgentsBody, parse_changes, parse_new_agents
from orca_crowd.protocol.columns import read_identifiers
from orca_crowd.protocol.detail import LevelOfDetailBody, level_of_detail_of
from orca_crowd.protocol.geometry import (
    AreaRow,
    AreasBody,
    ObstacleRow,
    ObstaclesBody,
    parse_area,
    parse_areas,
    parse_obstacle,
    parse_obstacles,
)
from orca_crowd.protocol.grid_maps import GridMapBody, grid_map_of
from orca_crowd.protocol.models import Identifier, Key, Strict, as_map, digest_of, validate
from orca_crowd.settings import Settings

__all__ = [
    "COMMAND_BODIES",
    "AddAgents",
    "AddObstacles",
    "AddWalkable",
    "Command",
    "CommandRequest",
    "CommandsBody",
    "RemoveAgents",
    "RemoveObstacle",
    "RemoveWalkable",
    "SetAgents",
    "SetDefaults",
    "SetDoors",
    "SetGridMap",
    "SetLevelOfDetail",
    "SetObstacle",
    "SetWalkable",
    "add_walkable",
    "parse_batch",
    "parse_commands",
    "set_walkable",
]


@dataclass(frozen=True)
class AddAgents:
    """New agents."""

    agents: Agents


@dataclass(frozen=True)
class SetAgents:
    """Changes of agents; `agents.ids` names them."""

    agents: Agents


@dataclass(frozen=True)
class RemoveAgents:
    """Agents to remove, int64 (n,)."""

    ids: NDArray[np.int64]


@dataclass(frozen=True)
class AddObstacles:
    """New obstacles."""

    obstacles: list[Obstacle]


@dataclass(frozen=True)
class SetObstacle:
    """Another obstacle in the place of one."""

    id: int
    obstacle: Obstacle


@dataclass(frozen=True)
class RemoveObstacle:
    """An obstacle to remove."""

    id: int


@dataclass(frozen=True)
class SetDoors:
    """Obstacles, int64 (n,), to open as doors, or to close."""

    ids: NDArray[np.int64]
    open: bool


@dataclass(frozen=True)
class AddWalkable:
    """New walkable areas; `notices` tell what of them was not read."""

    areas: list[WalkableArea]
    notices: list[Notice] = field(default_factory=list)


@dataclass(frozen=True)
class SetWalkable:
    """Another walkable area in the place of one; `notices` tell what of it was not read."""

    id: int
    area: WalkableArea
    notices: list[Notice] = field(default_factory=list)


@dataclass(frozen=True)
class RemoveWalkable:
    """A walkable area to remove."""

    id: int


@dataclass(frozen=True)
class SetDefaults:
    """Other defaults for what later agents leave out."""

    defaults: Mapping[str, float | int]


@dataclass(frozen=True)
class SetLevelOfDetail:
    """Where detail matters from now on, as `LevelOfDetail.as_mapping` has it; None: everywhere."""

    level_of_detail: Mapping[str, Any] | None


@dataclass(frozen=True)
class SetGridMap:
    """The grid map of the world from now on; None: it has none."""

    grid_map: PlacedGrid | None


Command = (
    AddAgents
    | SetAgents
    | RemoveAgents
    | AddObstacles
    | SetObstacle
    | RemoveObstacle
    | SetDoors
    | AddWalkable
    | SetWalkable
    | RemoveWalkable
    | SetDefaults
    | SetLevelOfDetail
    | SetGridMap
)


@dataclass(frozen=True)
class CommandRequest:
    """A batch of commands; with a key, the digest of its body tells a repetition from another request."""

    commands: list[Command]
    key: str | None
    digest: bytes


class CommandsBody(Strict):
    """A batch: all of it takes effect between two steps, or none."""

    commands: list[dict[str, Any]] = Field(description="Each a map with `op` and the body of its REST call.")
    key: Key | None = None


class AddAgentsCommand(AgentsBody):
    """As POST …/agents."""

    op: Literal["add_agents"]


class SetAgentsCommand(AgentsBody):
    """As PATCH …/agents."""

    op: Literal["set_agents"]


class RemoveAgentsCommand(Strict):
    """As DELETE …/agents."""

    op: Literal["remove_agents"]
    ids: Any = Field(description="A list of ids, in MessagePack also a bin of int64.")


class AddObstaclesCommand(ObstaclesBody):
    """As POST …/obstacles."""

    op: Literal["add_obstacles"]


class SetObstacleCommand(ObstacleRow):
    """As PUT …/obstacles/{id}."""

    op: Literal["set_obstacle"]
    id: Identifier


class RemoveObstacleCommand(Strict):
    """As DELETE …/obstacles/{id}."""

    op: Literal["remove_obstacle"]
    id: Identifier


class OpenDoorCommand(Strict):
    """As PATCH …/obstacles/{id} with `open` true, for several at once."""

    op: Literal["open_door"]
    ids: Any = Field(description="A list of ids, in MessagePack also a bin of int64.")


class CloseDoorCommand(Strict):
    """As PATCH …/obstacles/{id} with `open` false, for several at once."""

    op: Literal["close_door"]
    ids: Any = Field(description="A list of ids, in MessagePack also a bin of int64.")


class AddWalkableCommand(AreasBody):
    """As POST …/walkable."""

    op: Literal["add_walkable"]


class SetWalkableCommand(AreaRow):
    """As PUT …/walkable/{id}."""

    op: Literal["set_walkable"]
    id: Identifier


class RemoveWalkableCommand(Strict):
    """As DELETE …/walkable/{id}."""

    op: Literal["remove_walkable"]
    id: Identifier


class SetLevelOfDetailCommand(Strict):
    """As PATCH of a world with nothing but its `level_of_detail`."""

    op: Literal["set_level_of_detail"]
    level_of_detail: LevelOfDetailBody | None = Field(description="Null: detail matters everywhere.")


class SetGridMapCommand(Strict):
    """As POST …/map with `as=grid`, in rows."""

    op: Literal["set_grid_map"]
    grid_map: GridMapBody | None = Field(description="Null: the world has none any more.")


def _identifier(body: Mapping[str, Any]) -> int:
    value = body.get("id")
    if type(value) is not int or not 0 <= value < 2**53:
        raise InvalidRequest([Fault(None, "id", "must be a whole number from 0 to 2^53 - 1")])
    return value


def _ids(
    model: type[RemoveAgentsCommand | OpenDoorCommand | CloseDoorCommand], op: str, body: dict[str, Any]
) -> NDArray[np.int64]:
    ids, faults = read_identifiers(validate(model, {**body, "op": op}).ids, "ids")
    if faults:
        raise InvalidRequest(faults)
    return ids


def _remove(model: type[RemoveObstacleCommand | RemoveWalkableCommand], op: str, body: dict[str, Any]) -> int:
    return validate(model, {**body, "op": op}).id


def _set_level_of_detail(body: dict[str, Any]) -> Command:
    parts = validate(SetLevelOfDetailCommand, {**body, "op": "set_level_of_detail"})
    return SetLevelOfDetail(level_of_detail_of(parts.level_of_detail))


def _set_grid_map(body: dict[str, Any]) -> Command:
    parts = validate(SetGridMapCommand, {**body, "op": "set_grid_map"})
    return SetGridMap(grid_map_of(parts.grid_map))


def add_walkable(body: object) -> AddWalkable:
    """The body of POST …/walkable as a command."""
    read = parse_areas(body)
    return AddWalkable(read.areas, read.notices)


def set_walkable(body: object, identifier: int) -> SetWalkable:
    """The body of PUT …/walkable/{id} as a command."""
    read = parse_area(body, identifier)
    return SetWalkable(identifier, read.areas[0], read.notices)


# per operation its schema and how its body, without `op`, becomes a command
COMMAND_BODIES: dict[str, tuple[type[Strict], Callable[[dict[str, Any]], Command]]] = {
    "add_agents": (AddAgentsCommand, lambda body: AddAgents(parse_new_agents(body))),
    "set_agents": (SetAgentsCommand, lambda body: SetAgents(parse_changes(body))),
    "remove_agents": (
        RemoveAgentsCommand,
        lambda body: RemoveAgents(_ids(RemoveAgentsCommand, "remove_agents", body)),
    ),
    "add_obstacles": (AddObstaclesCommand, lambda body: AddObstacles(parse_obstacles(body))),
    "set_obstacle": (
        SetObstacleCommand,
        lambda body: SetObstacle(_identifier(body), parse_obstacle(body, _identifier(body))),
    ),
    "remove_obstacle": (
        RemoveObstacleCommand,
        lambda body: RemoveObstacle(_remove(RemoveObstacleCommand, "remove_obstacle", body)),
    ),
    "open_door": (OpenDoorCommand, lambda body: SetDoors(_ids(OpenDoorCommand, "open_door", body), True)),
    "close_door": (CloseDoorCommand, lambda body: SetDoors(_ids(CloseDoorCommand, "close_door", body), False)),
    "add_walkable": (AddWalkableCommand, add_walkable),
    "set_walkable": (SetWalkableCommand, lambda body: set_walkable(body, _identifier(body))),
    "remove_walkable": (
        RemoveWalkableCommand,
        lambda body: RemoveWalkable(_remove(RemoveWalkableCommand, "remove_walkable", body)),
    ),
    "set_level_of_detail": (SetLevelOfDetailCommand, _set_level_of_detail),
    "set_grid_map": (SetGridMapCommand, _set_grid_map),
}


def parse_commands(body: object, settings: Settings, key: str | None = None) -> CommandRequest:
    """`{commands: […], key?}`; the key may stand in the body or come beside it."""
    parts = validate(CommandsBody, body, ["commands"])
    key = key if key is not None else parts.key
    commands = parse_batch(parts.commands, settings)
    return CommandRequest(commands, key, digest_of("commands", parts.commands) if key is not None else b"")


def parse_batch(entries: list[Any], settings: Settings) -> list[Command]:
    """The commands of a batch; a fault names the command by its place and the field by its path in the command."""
    if len(entries) > settings.commands_per_request:
        raise ApiError("limit", f"{len(entries)} commands in one request, the limit is {settings.commands_per_request}")
    commands: list[Command] = []
    faults: list[Fault] = []
    for index, entry in enumerate(entries):
        try:
            commands.append(_parse(entry))
        except InvalidRequest as error:
            faults += error.inside(index).errors
    if faults:
        raise InvalidRequest(faults)
    return commands


def _parse(entry: object) -> Command:
    body = dict(as_map(entry, "a command"))
    if "op" not in body:
        raise InvalidRequest([Fault(None, "op", "is missing")])
    op = body.pop("op")
    if not isinstance(op, str) or op not in COMMAND_BODIES:
        raise InvalidRequest([Fault(None, "op", f"must be one of {', '.join(COMMAND_BODIES)}")])
    return COMMAND_BODIES[op][1](body)
