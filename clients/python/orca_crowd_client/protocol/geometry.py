"""Calls about obstacles, walkable areas and maps. No I/O."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, TypeAlias

from orca_crowd_client.columns import plain
from orca_crowd_client.commands import AreaLike, ObstacleLike, area_body, obstacle_body
from orca_crowd_client.protocol.call import Call, world_path
from orca_crowd_client.protocol.reading import read_added, read_area, read_changed, read_obstacle, read_paths
from orca_crowd_client.protocol.worlds import nothing
from orca_crowd_client.results import Added, Changed, Obstacle, PathsFound, WalkableArea

__all__ = [
    "MapKind",
    "MapSource",
    "PathQuery",
    "add_obstacles",
    "add_walkable",
    "get_area",
    "get_obstacle",
    "list_obstacles",
    "list_walkable",
    "load_map",
    "paths",
    "remove_area",
    "remove_obstacle",
    "set_area",
    "set_door",
    "set_obstacle",
]

MapKind: TypeAlias = Literal["obstacles", "walkable", "grid"]
# a file, or what is in one: the text of a MovingAI map, or GeoJSON as text or as a mapping
MapSource: TypeAlias = Path | str | bytes | Mapping[str, Any]

# `{"from": (x, y), "to": (x, y), "radius": r, "z_range": (low, high)}`; the radius left out is the world's, and without
# heights all is in the way
PathQuery: TypeAlias = Mapping[str, Any]

MOVING_AI = "text/plain"
GEO_JSON = "application/geo+json"


def add_obstacles(world: str, obstacles: Sequence[ObstacleLike]) -> Call[Added]:
    """POST /v1/worlds/{w}/obstacles."""
    body = {"obstacles": [obstacle_body(obstacle) for obstacle in obstacles]}
    return Call("POST", world_path(world, "obstacles"), lambda answer: read_added(answer.body), body=body)


def list_obstacles(world: str) -> Call[list[Obstacle]]:
    """GET /v1/worlds/{w}/obstacles."""
    return Call(
        "GET",
        world_path(world, "obstacles"),
        lambda answer: [read_obstacle(entry) for entry in answer.body["obstacles"]],
        repeatable=True,
    )


def get_obstacle(world: str, obstacle: int) -> Call[Obstacle]:
    """GET /v1/worlds/{w}/obstacles/{id}."""
    path = world_path(world, "obstacles", obstacle)
    return Call("GET", path, lambda answer: read_obstacle(answer.body), repeatable=True)


def set_obstacle(world: str, obstacle: int, value: ObstacleLike) -> Call[Changed]:
    """PUT /v1/worlds/{w}/obstacles/{id}; the id stands in the path."""
    body = {name: part for name, part in obstacle_body(value).items() if name != "id"}
    return Call("PUT", world_path(world, "obstacles", obstacle), lambda answer: read_changed(answer.body), body=body)


def set_door(world: str, obstacle: int, is_open: bool) -> Call[Changed]:
    """PATCH /v1/worlds/{w}/obstacles/{id}."""
    path = world_path(world, "obstacles", obstacle)
    return Call("PATCH", path, lambda answer: read_changed(answer.body), body={"open": is_open})


def remove_obstacle(world: str, obstacle: int) -> Call[None]:
    """DELETE /v1/worlds/{w}/obstacles/{id}."""
    return Call("DELETE", world_path(world, "obstacles", obstacle), nothing)


def add_walkable(world: str, areas: Sequence[AreaLike]) -> Call[Added]:
    """POST /v1/worlds/{w}/walkable."""
    body = {"areas": [area_body(area) for area in areas]}
    return Call("POST", world_path(world, "walkable"), lambda answer: read_added(answer.body), body=body)


def list_walkable(world: str) -> Call[list[WalkableArea]]:
    """GET /v1/worlds/{w}/walkable."""
    return Call(
        "GET",
        world_path(world, "walkable"),
        lambda answer: [read_area(entry) for entry in answer.body["areas"]],
        repeatable=True,
    )


def get_area(world: str, area: int) -> Call[WalkableArea]:
    """GET /v1/worlds/{w}/walkable/{id}."""
    path = world_path(world, "walkable", area)
    return Call("GET", path, lambda answer: read_area(answer.body), repeatable=True)


def set_area(world: str, area: int, value: AreaLike) -> Call[Changed]:
    """PUT /v1/worlds/{w}/walkable/{id}; the id stands in the path."""
    body = {name: part for name, part in area_body(value).items() if name != "id"}
    return Call("PUT", world_path(world, "walkable", area), lambda answer: read_changed(answer.body), body=body)


def paths(world: str, queries: Sequence[PathQuery]) -> Call[PathsFound]:
    """POST /v1/worlds/{w}/paths, which changes nothing."""
    body = {"queries": [plain(query) for query in queries]}
    path = world_path(world, "paths")
    return Call("POST", path, lambda answer: read_paths(answer.body), body=body, repeatable=True)


def remove_area(world: str, area: int) -> Call[None]:
    """DELETE /v1/worlds/{w}/walkable/{id}."""
    return Call("DELETE", world_path(world, "walkable", area), nothing)


def load_map(world: str, source: MapSource, as_: MapKind, cell_size: float | None) -> Call[Added]:
    """POST /v1/worlds/{w}/map?as=&cell_size=, with the media type that the content shows."""
    content = map_content(source)
    return Call(
        "POST",
        world_path(world, "map"),
        lambda answer: read_added(answer.body),
        content=content,
        # GeoJSON is an object, and no MovingAI map begins with a brace
        media_type=GEO_JSON if content.lstrip().startswith(b"{") else MOVING_AI,
        query={"as": as_} if cell_size is None else {"as": as_, "cell_size": repr(float(cell_size))},
    )


def map_content(source: MapSource) -> bytes:
    """Read a map from a file, or take the text; a string of one line that is no GeoJSON is the name of a file."""
    if isinstance(source, Mapping):
        return json.dumps(plain(source)).encode()
    if isinstance(source, bytes):
        return source
    if isinstance(source, str) and ("\n" in source or source.lstrip().startswith("{")):
        return source.encode()
    return Path(source).read_bytes()
