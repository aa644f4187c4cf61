"""Maps that are uploaded whole: a MovingAI grid or GeoJSON, as obstacles or as a walkable area, or a grid as the grid
map of the world.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from orca_core.errors import InvalidInput, Notice
from orca_core.formats import contours, geojson, movingai
from orca_core.geometry.obstacles import Obstacle
from orca_core.geometry.placed_grid import PlacedGrid
from orca_core.geometry.walkable import WalkableArea
from orca_crowd.errors import ApiError, Fault, InvalidRequest, problem_of
from orca_crowd.protocol.bodies import decode, media_type
from orca_crowd.protocol.commands import AddObstacles, AddWalkable, SetGridMap
from orca_crowd.protocol.grid_maps import check_cells
from orca_crowd.settings import Settings

__all__ = ["MAP_TYPES", "Kind", "MapUpload", "check_map_type", "parse_map_upload"]

Kind = Literal["obstacles", "walkable", "grid"]
MAP_TYPES = ("text/plain", "application/geo+json", "application/json")


@dataclass(frozen=True)
class MapUpload:
    """The command that a map comes down to, where in the map each of its shapes stands, and warnings of the reader."""

    command: AddObstacles | AddWalkable | SetGridMap
    places: list[geojson.Place]
    notices: list[Notice]

    def located(self, error: ApiError) -> ApiError:
        """A refusal of the world with its items named as they stand in the map."""
        if not self.places or not error.errors:
            return error
        faults = []
        for fault in error.errors:
            place = self.places[fault.item] if fault.item is not None and fault.item < len(self.places) else None
            if place is not None:
                path = ".".join(part for part in (place.path, fault.field or "") if part)
                fault = Fault(place.item, path or None, fault.message)
            faults.append(fault)
        return (
            InvalidRequest(faults) if isinstance(error, InvalidRequest) else ApiError(error.code, error.detail, faults)
        )


def check_map_type(header: str | None) -> str:
    """The content type of a map, or 415."""
    kind, _ = media_type(header)
    if kind not in MAP_TYPES:
        raise ApiError("unsupported-type", f"a map is text/plain (MovingAI) or application/geo+json, not {kind!r}")
    return kind


def parse_map_upload(
    data: bytes,
    media: str,
    kind: Kind,
    settings: Settings,
    *,
    cell_size: float | None = None,
    x: float | None = None,
    y: float | None = None,
) -> MapUpload:
    """The body of POST …/map; its lower left corner comes to lie at `x`, `y`."""
    try:
        if media == "text/plain":
            return _grid(data, kind, 1.0 if cell_size is None else cell_size, (x or 0.0, y or 0.0), settings)
        for name, value in (("cell_size", cell_size), ("x", x), ("y", y)):
            if value is not None:
                raise InvalidRequest([Fault(None, name, "goes with a grid map in text/plain")])
        if kind == "grid":
            raise InvalidRequest([Fault(None, "as", "grid goes with a grid map in text/plain")])
        return _geojson(decode(data, "json"), kind)
    except InvalidInput as error:
        raise problem_of(error) from None


def _grid(data: bytes, kind: Kind, cell_size: float, origin: tuple[float, float], settings: Settings) -> MapUpload:
    # bytes beyond ASCII come through, so that the reader can name their line
    grid = movingai.parse_map(data.decode("utf-8", "surrogateescape"))
    check_cells(grid.width * grid.height, settings)
    placed = PlacedGrid(grid, cell_size, origin)
    if kind == "grid":
        return MapUpload(SetGridMap(placed), [], [])
    if kind == "obstacles":
        return MapUpload(AddObstacles(contours.obstacles(grid, cell_size, origin)), [], [])
    return MapUpload(AddWalkable(contours.walkable_areas(grid, cell_size, origin)), [], [])


def _geojson(value: object, kind: Kind) -> MapUpload:
    if kind == "obstacles":
        walls: geojson.Reading[Obstacle] = geojson.obstacles(value)
        return MapUpload(AddObstacles(walls.shapes), walls.places, walls.notices)
    areas: geojson.Reading[WalkableArea] = geojson.walkable(value)
    return MapUpload(AddWalkable(areas.shapes), areas.places, areas.notices)
