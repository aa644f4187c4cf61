"""Obstacles and walkable areas on the wire; shapes and types are checked here, what they enclose by the library."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from pydantic import Field

from orca_core.errors import InvalidInput, Notice, Problem
from orca_core.formats import geojson
from orca_core.geometry.obstacles import Obstacle, checked_obstacle
from orca_core.geometry.walkable import WalkableArea, checked_area
from orca_crowd.errors import Fault, InvalidRequest, in_order, problem_of
from orca_crowd.protocol.models import Identifier, Number, Strict, Vector, as_map, validate, validate_rows

__all__ = [
    "AreaRow",
    "Areas",
    "AreasBody",
    "DoorBody",
    "Geometry",
    "ObstacleRow",
    "ObstaclesBody",
    "area_map",
    "count_edges",
    "count_vertices",
    "obstacle_map",
    "parse_area",
    "parse_areas",
    "parse_door",
    "parse_obstacle",
    "parse_obstacles",
]


class ObstacleRow(Strict):
    """Two-sided segments from point to point, and back to the first where closed."""

    id: Identifier | None = Field(None, description="Left out: given by the server.")
    points: list[Vector]
    closed: bool = False
    z_range: Vector | None = Field(
        None, description="From the lower to the upper height at which it stands; null or left out: at all heights."
    )
    open: bool = Field(False, description="A door that stands open: it does not act until it is closed.")


class DoorBody(Strict):
    """Whether an obstacle stands open as a door."""

    open: bool


class ObstaclesBody(Strict):
    """Obstacles to add."""

    obstacles: list[ObstacleRow]


class Geometry(Strict):
    """A GeoJSON Polygon or MultiPolygon: each polygon an outer ring and its holes."""

    type: Literal["Polygon", "MultiPolygon"]
    coordinates: list[Any] = Field(description="Rings of [x, y]; the closing vertex may be left out.")


class AreaRow(Strict):
    """A walkable area: centres stay inside, radius and clearance away from its boundary. Several areas are a union."""

    id: Identifier | None = Field(None, description="Left out: given by the server.")
    geometry: Geometry
    clearance: Number = Field(0.0, description="Beyond the radius.")
    horizon: Number | None = Field(None, description="Left out: the agent's obstacle_horizon.")
    shrunk: bool = Field(False, description="Whether the geometry is shrunk by the radius already.")


class AreasBody(Strict):
    """Walkable areas to add."""

    areas: list[AreaRow]


@dataclass(frozen=True)
class Areas:
    """Walkable areas as they were read, and what was left out in reading."""

    areas: list[WalkableArea]
    notices: list[Notice]


def parse_obstacles(body: object) -> list[Obstacle]:
    """The body of POST …/obstacles."""
    rows, faults = validate_rows(ObstaclesBody, body, "obstacles")
    obstacles = {item: _obstacle(row) for item, row in rows.items()}
    if faults:
        # what the world would refuse in the others belongs to what is wrong
        problems: list[Problem] = []
        for item, obstacle in obstacles.items():
            checked_obstacle(obstacle, item, problems)
        raise InvalidRequest(in_order([*faults, *(Fault(p.item, p.field, p.message) for p in problems)]))
    return list(obstacles.values())


def parse_obstacle(body: object, identifier: int) -> Obstacle:
    """The body of PUT …/obstacles/{id}."""
    return _obstacle(validate(ObstacleRow, _with_id(body, identifier)))


def parse_door(body: object) -> bool:
    """The body of PATCH …/obstacles/{id}."""
    return validate(DoorBody, body).open


def parse_areas(body: object) -> Areas:
    """The body of POST …/walkable; every fault of every area is named."""
    rows, faults = validate_rows(AreasBody, body, "areas")
    areas: list[WalkableArea] = []
    notices: list[Notice] = []
    for item, row in rows.items():
        try:
            area, told = _area(row, item)
        except InvalidRequest as error:
            faults += error.errors
            continue
        areas.append(area)
        notices += told
        if faults:
            problems: list[Problem] = []
            checked_area(area, item, problems)
            faults += [Fault(problem.item, problem.field, problem.message) for problem in problems]
    if faults:
        raise InvalidRequest(in_order(faults))
    return Areas(areas, notices)


def parse_area(body: object, identifier: int) -> Areas:
    """The body of PUT …/walkable/{id}: one area."""
    area, notices = _area(validate(AreaRow, _with_id(body, identifier)), None)
    return Areas([area], notices)


def obstacle_map(obstacle: Obstacle) -> dict[str, Any]:
    """An obstacle as it travels."""
    return {
        "id": obstacle.id,
        "points": obstacle.points.tolist(),
        "closed": obstacle.closed,
        "z_range": None if obstacle.z_range is None else list(obstacle.z_range),
        "open": obstacle.open,
    }


def area_map(area: WalkableArea) -> dict[str, Any]:
    """A walkable area as it travels: rings closed by a copy of their first vertex, as GeoJSON wants them."""
    polygons = [[_closed(ring.tolist()) for ring in polygon] for polygon in area.polygons]
    geometry: dict[str, Any] = {"type": "MultiPolygon", "coordinates": polygons}
    if len(polygons) == 1:
        geometry = {"type": "Polygon", "coordinates": polygons[0]}
    return {
        "id": area.id,
        "geometry": geometry,
        "clearance": area.clearance,
        "horizon": area.horizon,
        "shrunk": area.shrunk,
    }


def count_edges(obstacles: Sequence[Obstacle]) -> int:
    """Segments of obstacles, before any merging."""
    return sum(len(obstacle.points) if obstacle.closed else max(1, len(obstacle.points) - 1) for obstacle in obstacles)


def count_vertices(areas: Sequence[WalkableArea]) -> int:
    """Vertices of walkable areas, before any merging."""
    return sum(len(ring) for area in areas for polygon in area.polygons for ring in polygon)


def _with_id(body: object, identifier: int) -> dict[str, Any]:
    row = dict(as_map(body))
    if "id" in row and (type(row["id"]) is not int or row["id"] != identifier):
        raise InvalidRequest([Fault(None, "id", f"must be {identifier}, as in the path, or left out")])
    row["id"] = identifier
    return row


def _obstacle(row: ObstacleRow) -> Obstacle:
    points = np.array(row.points, np.float64).reshape(-1, 2)
    points = np.array(row.points, np.float64).reshape(-1, 2)
    z_range = None if row.z_range is None else (float(row.z_range[0]), float(row.z_range[1]))
    return Obstacle(points=points, closed=row.closed, id=row.id, z_range=z_range, open=row.open)


def _area(row: AreaRow, item: int | None) -> tuple[WalkableArea, list[Notice]]:
    # the library's reader checks rings and names the path of each fault
    try:
        read = geojson.walkable(row.geometry.model_dump(), place=geojson.Place(item, "geometry"))
    except InvalidInput as error:
        refusal = problem_of(error)
        raise InvalidRequest(refusal.errors or refusal.detail) from None
    area = WalkableArea(
        polygons=tuple(polygon for shape in read.shapes for polygon in shape.polygons),
        clearance=row.clearance,
        horizon=row.horizon,
        shrunk=row.shrunk,
        id=row.id,
    )
    return area, read.notices


def _closed(ring: list[Any]) -> list[Any]:
    return ring if ring[:1] == ring[-1:] else [*ring, ring[0]]
