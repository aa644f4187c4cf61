"""GeoJSON, already decoded, as walls or as walkable areas; strict, every fault named by item and path.

Source: RFC 7946. Coordinates are taken as they are, in the units of the world: nothing is projected, so longitude and
latitude have to be projected before. Read are Polygon, MultiPolygon, LineString and MultiLineString, alone or within
Feature, FeatureCollection and GeometryCollection. Foreign members (`properties`, `bbox`, `crs`, …) mean nothing here,
and neither does a feature's `id`, since ids belong to the world.

More lenient than the RFC in one thing: a ring may lack its closing vertex, because many writers leave it out and
nothing else can be meant. Stricter in one: a feature without a geometry is refused, because it would add nothing.

What is checked here is the shape of the input (types, finite numbers, enough distinct points). What the points enclose
(zero area, crossing rings, the largest coordinate) is checked where every ring is, in `orca_core.geometry`;
`Reading.places` tells which part of the input each result came from.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from math import isfinite
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from orca_core.errors import InvalidInput, Notice, Problem
from orca_core.geometry.obstacles import Obstacle
from orca_core.geometry.walkable import WalkableArea

__all__ = ["MAX_DEPTH", "Place", "Reading", "obstacles", "walkable"]

Shape = TypeVar("Shape")
Points = NDArray[np.float64]

# collections within collections; RFC 7946 advises against any, and a recursion without end is an attack
MAX_DEPTH = 8

# after so many faults the rest tells nobody more
MAX_PROBLEMS = 100

AREAL = ("Polygon", "MultiPolygon")
LINEAR = ("LineString", "MultiLineString")
UNREAD = ("Point", "MultiPoint")
COLLECTIONS = ("GeometryCollection", "Feature", "FeatureCollection")


@dataclass(frozen=True)
class Place:
    """Where in the input something stands: the item of the outermost collection, if there is one, and the path."""

    item: int | None
    path: str


@dataclass(frozen=True)
class Reading(Generic[Shape]):
    """What was read: the shapes, the place of each, and warnings."""

    shapes: list[Shape]
    places: list[Place]
    notices: list[Notice]


def walkable(geojson: object, *, place: Place | None = None) -> Reading[WalkableArea]:
    """One walkable area per Polygon or MultiPolygon, rings (k, 2) float64 without a closing vertex.

    `place` is where `geojson` itself stands in a greater input. Raises InvalidInput naming every fault, also for points
    and lines: they enclose nothing to walk on.
    """
    reader = _Reader()
    shapes: list[WalkableArea] = []
    places: list[Place] = []
    for geometry, where in reader.geometries(geojson, place or Place(None, ""), AREAL):
        shapes.append(WalkableArea(polygons=tuple(reader.polygons(geometry, where))))
        places.append(where)
    return reader.finish(shapes, places)


def obstacles(geojson: object, *, place: Place | None = None) -> Reading[Obstacle]:
    """One closed wall per ring of the polygons and one open wall per line, points (k, 2) float64.

    `place` is where `geojson` itself stands in a greater input. Raises InvalidInput naming every fault.
    """
    reader = _Reader()
    shapes: list[Obstacle] = []
    places: list[Place] = []
    for geometry, where in reader.geometries(geojson, place or Place(None, ""), AREAL + LINEAR):
        if geometry["type"] in AREAL:
            found = [(ring, True) for polygon in reader.polygons(geometry, where) for ring in polygon]
        else:
            found = [(line, False) for line in reader.lines(geometry, where)]
        shapes += [Obstacle(points=points, closed=closed) for points, closed in found]
        places += [where] * len(found)
    return reader.finish(shapes, places)


@dataclass
class _Reader:
    """Walks one input, keeps its faults and counts what it leaves out."""

    problems: list[Problem] = field(default_factory=list)
    extra_ordinates: dict[int | None, tuple[str, int]] = field(default_factory=dict)

    def finish(self, shapes: list[Shape], places: list[Place]) -> Reading[Shape]:
        """The reading, or all faults at once."""
        if self.problems:
            raise InvalidInput(self.problems)
        notices = [
            Notice(
                "extra-ordinates-ignored",
                item,
                path,
                f"{count} positions have more than two numbers; the world is flat, the first two were taken",
            )
            for item, (path, count) in self.extra_ordinates.items()
        ]
        return Reading(shapes, places, notices)

    def geometries(
        self, value: object, place: Place, shapes: tuple[str, ...], holder: str | None = None, depth: int = 0
    ) -> Iterator[tuple[dict[str, Any], Place]]:
        """Every geometry of the types `shapes` within `value`, in order; faults are kept and their parts left out."""
        if len(self.problems) >= MAX_PROBLEMS:
            return
        if not isinstance(value, dict):
            self._fault(place, f"must be a GeoJSON object, not {_kind(value)}")
            return
        # what may stand here depends on what holds it: features hold geometries, their collection holds features
        accepted = shapes + COLLECTIONS if holder is None else (*shapes, "GeometryCollection")
        if holder == "FeatureCollection":
            accepted = ("Feature",)
        kind = value.get("type")
        if not isinstance(kind, str) or kind not in accepted:
            encloses_nothing = shapes == AREAL and kind in LINEAR + UNREAD
            why = "; it encloses nothing to walk on" if encloses_nothing else ""
            self._fault(_inside(place, "type"), f"must be one of {', '.join(accepted)}, not {_kind(kind)}{why}")
        elif kind in shapes:
            yield value, place
        elif depth >= MAX_DEPTH:
            self._fault(place, f"collections may stand {MAX_DEPTH} deep in each other, not deeper")
        elif kind == "Feature":
            inside = _inside(place, "geometry")
            yield from self.geometries(value.get("geometry"), inside, shapes, kind, depth + 1)
        else:
            name = "features" if kind == "FeatureCollection" else "geometries"
            inside = _inside(place, name)
            for index, member in enumerate(self._list(value.get(name), inside, 1, name)):
                # the item is the index within the outermost collection
                item = index if place.item is None else place.item
                member_place = Place(item, _at(inside, index).path)
                yield from self.geometries(member, member_place, shapes, kind, depth + 1)

    def polygons(self, geometry: dict[str, Any], place: Place) -> list[tuple[Points, ...]]:
        """Polygons of a Polygon or MultiPolygon as rings without a closing vertex, the outer one first."""
        return self._single_or_many(geometry, place, "Polygon", self._polygon)

    def lines(self, geometry: dict[str, Any], place: Place) -> list[Points]:
        """Lines of a LineString or MultiLineString."""
        return self._single_or_many(geometry, place, "LineString", self._line)

    def _single_or_many(
        self, geometry: dict[str, Any], place: Place, single: str, read: Callable[[object, Place], Shape]
    ) -> list[Shape]:
        """Read the coordinates as one part, or as a list of them for the Multi kind."""
        inside = _inside(place, "coordinates")
        coordinates = geometry.get("coordinates")
        if geometry["type"] == single:
            return [read(coordinates, inside)]
        parts = self._list(coordinates, inside, 1, f"{single} coordinates")
        return [read(part, _at(inside, index)) for index, part in enumerate(parts)]

    def _polygon(self, value: object, place: Place) -> tuple[Points, ...]:
        rings = self._list(value, place, 1, "rings")
        return tuple(self._ring(ring, _at(place, index)) for index, ring in enumerate(rings))

    def _ring(self, value: object, place: Place) -> Points:
        """Positions of a ring; the closing vertex, a copy of the first, is taken away."""
        before = len(self.problems)
        points = self._positions(value, place, 3)
        if len(points) > 1 and (points[0] == points[-1]).all():
            points = points[:-1]
        distinct = len(set(map(tuple, points.tolist())))
        if len(self.problems) == before and distinct < 3:
            self._fault(place, f"must have at least 3 distinct points, not {distinct}")
        return points

    def _line(self, value: object, place: Place) -> Points:
        before = len(self.problems)
        points = self._positions(value, place, 2)
        if len(self.problems) == before and (points == points[0]).all():
            self._fault(place, "must have at least 2 distinct points, not 1")
        return points

    def _positions(self, value: object, place: Place, least: int) -> Points:
        """A list of positions as (k, 2) float64; a faulty position is kept as a fault and left out."""
        points: list[tuple[float, float]] = []
        extra = 0
        for index, position in enumerate(self._list(value, place, least, "positions")):
            if not isinstance(position, (list, tuple)) or len(position) < 2:
                self._fault(_at(place, index), f"must be a position [x, y], not {_kind(position)}")
                continue
            # exact types: bool is an int to isinstance, and a number in a string is a string
            wrong = [axis for axis, number in enumerate(position) if type(number) not in (int, float)]
            wrong = wrong or [axis for axis in (0, 1) if not _finite(position[axis])]
            for axis in wrong:
                self._fault(_at(_at(place, index), axis), f"must be a finite number, not {_kind(position[axis])}")
            if not wrong:
                points.append((float(position[0]), float(position[1])))
                extra += len(position) > 2
        if extra:
            path, count = self.extra_ordinates.get(place.item, (place.path, 0))
            self.extra_ordinates[place.item] = (path, count + extra)
        return np.array(points, dtype=np.float64).reshape(-1, 2)

    def _list(self, value: object, place: Place, least: int, what: str) -> Sequence[Any]:
        """A list of at least so many entries; else an empty one, and a fault."""
        if not isinstance(value, (list, tuple)):
            self._fault(place, f"must be a list of {what}, not {_kind(value)}")
            return []
        if value and type(value[0]) in (int, float):
            self._fault(place, f"must be a list of {what}, not a list of numbers: a level of brackets is missing")
            return []
        if len(value) < least:
            self._fault(place, f"must have at least {least} {what}, not {len(value)}")
            return []
        return value

    def _fault(self, place: Place, message: str) -> None:
        if len(self.problems) < MAX_PROBLEMS:
            self.problems.append(Problem(place.item, place.path or None, message))


def _inside(place: Place, name: str) -> Place:
    """The place of a member of an object."""
    return Place(place.item, f"{place.path}.{name}" if place.path else name)


def _at(place: Place, index: int) -> Place:
    """The place of an entry of a list."""
    return Place(place.item, f"{place.path}[{index}]")


def _finite(number: float) -> bool:
    """Is it a number that binary64 holds? An integer beyond its range has no float at all."""
    try:
        return isfinite(number)
    except OverflowError:
        return False


def _kind(value: object) -> str:
    """A value as a message shows it, long ones by their kind."""
    if value is None:
        return "null or left out"
    if isinstance(value, (bool, str)):
        return f"{str(value).lower()} (a boolean)" if isinstance(value, bool) else repr(value[:40])
    if isinstance(value, (list, tuple)):
        return f"a list of {len(value)}"
    if isinstance(value, dict):
        return "an object"
    # digits of an integer without end are nobody's help, and Python refuses to print some
    return f"{value}" if not isinstance(value, int) or -(10**20) < value < 10**20 else "an integer beyond the range"
