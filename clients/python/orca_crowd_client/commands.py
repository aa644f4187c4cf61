"""Commands by name: what `World.commands`, `World.step(commands=…)` and a stream's `command` take.

Each function gives a mapping `{op, …}` with the body of the REST call of the same name; a mapping written by hand does
as well. Agents are given in columns, where a single value stands for all (`radius=0.4`), or as a list of rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from orca_crowd_client.columns import Identifiers, plain
from orca_crowd_client.encoding import Encoding, encode_columns
from orca_crowd_client.results import Obstacle, WalkableArea

__all__ = [
    "AreaLike",
    "Command",
    "ObstacleLike",
    "Rows",
    "add_agents",
    "add_obstacles",
    "add_walkable",
    "close_door",
    "open_door",
    "remove_agents",
    "remove_obstacle",
    "remove_walkable",
    "set_agents",
    "set_grid_map",
    "set_level_of_detail",
    "set_obstacle",
    "set_walkable",
]

Command: TypeAlias = Mapping[str, Any]
Rows: TypeAlias = Sequence[Mapping[str, Any]]
# an obstacle, the same as a mapping, or its bare points
ObstacleLike: TypeAlias = Obstacle | Mapping[str, Any] | Sequence[Sequence[float]]
# an area, the same as a mapping, or its bare GeoJSON geometry
AreaLike: TypeAlias = WalkableArea | Mapping[str, Any]


def add_agents(agents: Rows | None = None, /, **columns: Any) -> Command:
    """Add agents, as rows or in columns; `id=` chooses ids, left out the server gives them."""
    return {"op": "add_agents", **agents_body(agents, columns)}


def set_agents(ids: Sequence[int] | Identifiers, /, **columns: Any) -> Command:
    """Change fields of agents; None clears a goal, a preferred velocity or a preferred speed."""
    return {"op": "set_agents", "ids": ids, "columns": columns}


def remove_agents(ids: Sequence[int] | Identifiers, /) -> Command:
    """Remove agents; their ids are never given again."""
    return {"op": "remove_agents", "ids": ids}


def add_obstacles(obstacles: Sequence[ObstacleLike], /) -> Command:
    """Add obstacles."""
    return {"op": "add_obstacles", "obstacles": [obstacle_body(obstacle) for obstacle in obstacles]}


def set_obstacle(id: int, obstacle: ObstacleLike, /) -> Command:  # noqa: A002 - the wire's own name
    """Replace an obstacle."""
    return {"op": "set_obstacle", **obstacle_body(obstacle), "id": id}


def remove_obstacle(id: int, /) -> Command:  # noqa: A002
    """Remove an obstacle."""
    return {"op": "remove_obstacle", "id": id}


def open_door(ids: Sequence[int] | Identifiers, /) -> Command:
    """Let obstacles stand open: they do not act until they are closed."""
    return {"op": "open_door", "ids": ids}


def close_door(ids: Sequence[int] | Identifiers, /) -> Command:
    """Let obstacles that stood open act again."""
    return {"op": "close_door", "ids": ids}


def add_walkable(areas: Sequence[AreaLike], /) -> Command:
    """Add walkable areas; several are a union."""
    return {"op": "add_walkable", "areas": [area_body(area) for area in areas]}


def set_walkable(id: int, area: AreaLike, /) -> Command:  # noqa: A002
    """Replace a walkable area."""
    return {"op": "set_walkable", **area_body(area), "id": id}


def remove_walkable(id: int, /) -> Command:  # noqa: A002
    """Remove a walkable area."""
    return {"op": "remove_walkable", "id": id}


def set_grid_map(grid_map: Mapping[str, Any] | None, /) -> Command:
    """Give the world a grid map, `{rows, cell_size, origin}`, or with None take it away."""
    return {"op": "set_grid_map", "grid_map": grid_map}


def set_level_of_detail(level_of_detail: Mapping[str, Any] | None, /) -> Command:
    """Say where detail matters: `{distance, every, neighbors, points, boxes}`, or None for everywhere."""
    return {"op": "set_level_of_detail", "level_of_detail": level_of_detail}


def agents_body(agents: Rows | None, columns: Mapping[str, Any]) -> dict[str, Any]:
    """Choose between rows and columns; raises TypeError where both or neither are given."""
    if (agents is None) == (not columns):
        raise TypeError("give agents either as a list of rows or in columns: add_agents(position=[(0, 0), (1, 0)])")
    if agents is not None:
        return {"agents": agents}
    # `ids` reads better in a call, `id` is the agent's field
    return {"columns": {"id" if name == "ids" else name: value for name, value in columns.items()}}


def obstacle_body(obstacle: ObstacleLike) -> dict[str, Any]:
    """Write an obstacle as the wire has it."""
    if isinstance(obstacle, Obstacle):
        body = {"points": plain(obstacle.points), "closed": obstacle.closed}
        optional = {"id": obstacle.id, "z_range": plain(obstacle.z_range), "open": obstacle.open or None}
        return {**{name: value for name, value in optional.items() if value is not None}, **body}
    if isinstance(obstacle, Mapping):
        return {name: plain(value) for name, value in obstacle.items()}
    return {"points": plain(obstacle)}


def area_body(area: AreaLike) -> dict[str, Any]:
    """Write a walkable area as the wire has it."""
    if isinstance(area, WalkableArea):
        body = {"geometry": plain(area.geometry), "clearance": area.clearance, "shrunk": area.shrunk}
        optional = {"id": area.id, "horizon": area.horizon}
        return {**{name: value for name, value in optional.items() if value is not None}, **body}
    # a geometry has a type, an area has a geometry
    return {name: plain(value) for name, value in area.items()} if "geometry" in area else {"geometry": plain(area)}


def encode_command(encoding: Encoding, command: Command) -> dict[str, Any]:
    """Make one command travel: columns and ids as columns, the rest as plain values."""
    made: dict[str, Any] = {}
    ids = command.get("ids")
    for name, value in command.items():
        if name == "columns" and isinstance(value, Mapping):
            made[name] = encode_columns(encoding, value, None if ids is None else len(ids))
        elif name == "ids":
            made[name] = encoding.identifier_column(value)
        else:
            made[name] = plain(value)
    return made


def encode_commands(encoding: Encoding, commands: Sequence[Command]) -> list[dict[str, Any]]:
    """Make commands travel."""
    return [encode_command(encoding, command) for command in commands]
