"""Walkable areas: polygons with holes in which centres are kept; several are a union.

The polygons as given are the true walls. For each distinct radius in use their union is shrunk once by it, and joined
with the areas that the client has shrunk already. `clearance` comes on top of the radius and is the boundary
constraint's business.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import shapely
from numpy.typing import NDArray

from orca_core.errors import InvalidInput, Problem, SnapshotError
from orca_core.geometry.boundaries import Boundaries, contains
from orca_core.geometry.registry import Registry
from orca_core.geometry.rings import Polygon, normalised_polygon, tidy_ring
from orca_core.geometry.union import RadiusClass, Shrinker, SourceArea
from orca_core.kernels.clearance import kept_clear

__all__ = ["MAX_RADII", "MIN_HORIZON", "Boundaries", "WalkableArea", "WalkableSet", "contains"]

Floats = NDArray[np.float64]

# each distinct radius costs one shrinking of the whole area and its edges
MAX_RADII = 64
MIN_HORIZON = 1e-6


@dataclass(frozen=True, eq=False)
class WalkableArea:
    """Polygons, each a tuple of rings (k, 2) with the outer one first, in any sense, closed or open.

    `clearance` is kept beyond the radius; `horizon` None is the agent's obstacle horizon; `shrunk` says that the client
    has already taken the radius off; `id` None is given one.
    """

    polygons: tuple[tuple[Any, ...], ...]
    clearance: float = 0.0
    horizon: float | None = None
    shrunk: bool = False
    id: int | None = None


def checked_area(area: WalkableArea, item: int | None, problems: list[Problem]) -> WalkableArea:
    """The area with its polygons normalised; faults go to `problems`."""
    polygons: list[Polygon] = []
    if len(area.polygons) == 0:
        problems.append(Problem(item, "geometry", "must have at least one polygon"))
    for k, rings in enumerate(area.polygons):
        where = f"polygon {k}: " if len(area.polygons) > 1 else ""
        polygons += normalised_polygon(rings, item, "geometry", where, problems)
    for polygon in polygons:
        for ring in polygon:
            ring.flags.writeable = False
    if not (math.isfinite(area.clearance) and area.clearance >= 0.0):
        problems.append(Problem(item, "clearance", f"must be finite and not below 0, not {area.clearance!r}"))
    if area.horizon is not None and not (math.isfinite(area.horizon) and area.horizon >= MIN_HORIZON):
        problems.append(
            Problem(item, "horizon", f"must be finite and at least {MIN_HORIZON:g}, or left out, not {area.horizon!r}")
        )
    return replace(area, polygons=tuple(polygons))


class WalkableSet:
    """The walkable areas of a world in order of insertion. Whatever raises has changed nothing."""

    def __init__(self) -> None:
        """Start empty."""
        self._registry: Registry[WalkableArea] = Registry("walkable area")
        # classes already shrunk, by (radius, merged or not); replaced, never changed in place, when an area changes
        self._classes: dict[tuple[float, bool], RadiusClass] = {}

    def __len__(self) -> int:
        """Number of areas."""
        return len(self._registry)

    def copy(self) -> WalkableSet:
        """Another set with the same areas, at no cost until one of the two is changed."""
        other = WalkableSet()
        other._registry = self._registry.copy()
        other._classes = dict(self._classes)
        return other

    @property
    def ids(self) -> list[int]:
        """Ids in order of insertion."""
        return self._registry.ids

    def items(self) -> list[WalkableArea]:
        """Areas in order of insertion, normalised, each with its id."""
        return self._registry.values()

    def get(self, identifier: int) -> WalkableArea:
        """One area; raises NotFound or Gone."""
        return self._registry.get(identifier)

    def add(self, areas: Sequence[WalkableArea]) -> list[int]:
        """Append areas and return their ids; raises InvalidInput with every fault, or AlreadyExists."""
        problems: list[Problem] = []
        checked = [checked_area(area, item, problems) for item, area in enumerate(areas)]
        try:
            ids = self._registry.claim([area.id for area in areas])
        except InvalidInput as error:
            raise InvalidInput(sorted(problems + error.problems, key=lambda problem: problem.item or 0)) from None
        if problems:
            raise InvalidInput(problems)
        self._registry.insert(ids, [replace(one, id=identifier) for one, identifier in zip(checked, ids, strict=True)])
        self._classes = {}
        return ids

    def set(self, identifier: int, area: WalkableArea) -> None:
        """Replace an area in its place; raises InvalidInput, NotFound or Gone."""
        self._registry.get(identifier)
        problems: list[Problem] = []
        checked = checked_area(area, None, problems)
        if area.id is not None and area.id != identifier:
            problems.append(Problem(None, "id", f"must be {identifier} or left out, not {area.id}"))
        if problems:
            raise InvalidInput(problems)
        self._registry.replace(identifier, replace(checked, id=identifier))
        self._classes = {}

    def remove(self, identifier: int) -> None:
        """Take an area out; raises NotFound or Gone."""
        self._registry.remove(identifier)
        self._classes = {}

    def compile(self, radii: Floats, merge_collinear: bool, max_radii: int = MAX_RADII) -> Boundaries:
        """Boundaries for the distinct ascending `radii`; none at all where there is no area.

        Classes that were compiled for the same areas before keep their bits and cost nothing. Raises InvalidInput for
        more than `max_radii` radii.
        """
        if len(self) == 0:
            return Boundaries.empty()
        if len(radii) > max_radii:
            message = f"{len(radii)} distinct radii are in use; with walkable areas there may be {max_radii}"
            raise InvalidInput([Problem(None, "radius", message)])
        shrinker: Shrinker | None = None
        classes: dict[tuple[float, bool], RadiusClass] = {}
        for radius in np.asarray(radii, np.float64).tolist():
            key = (radius, merge_collinear)
            found = self._classes.get(key)
            if found is None:
                shrinker = shrinker or Shrinker(self._sources(merge_collinear), merge_collinear)
                found = shrinker.compile(kept_clear(radius))
            classes[key] = found
        self._classes = classes
        return _joined(np.asarray(radii, np.float64), list(classes.values()))

    def adopt(self, boundaries: Boundaries, merge_collinear: bool) -> None:
        """Take compiled boundaries of these very areas, as a snapshot has them, for what a later `compile` returns."""
        starts = boundaries.class_start.tolist()
        self._classes = {
            (radius, merge_collinear): RadiusClass(
                *(getattr(boundaries, name)[starts[k] : starts[k + 1]] for name in RadiusClass.__dataclass_fields__)
            )
            for k, radius in enumerate(boundaries.class_radius.tolist())
        }

    def _sources(self, merge_collinear: bool) -> list[SourceArea]:
        """The areas as shapely geometries, without collinear vertices where they are merged."""
        sources: list[SourceArea] = []
        for identifier, area in zip(self.ids, self.items(), strict=True):
            shapes = []
            for polygon in area.polygons:
                rings = [tidy_ring(ring, drop_collinear=True) for ring in polygon] if merge_collinear else polygon
                shapes.append(shapely.Polygon(rings[0], rings[1:]))
            horizon = -1.0 if area.horizon is None else area.horizon
            sources.append(SourceArea(identifier, shapes, area.shrunk, area.clearance, horizon))
        return sources

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Everything that a snapshot must keep beside the boundaries, as plain arrays."""
        items = self.items()
        polygons = [polygon for area in items for polygon in area.polygons]
        rings = [ring for polygon in polygons for ring in polygon]
        return {
            "id": np.array(self.ids, np.int64),
            "clearance": np.array([area.clearance for area in items], np.float64),
            "horizon": np.array([-1.0 if area.horizon is None else area.horizon for area in items], np.float64),
            "shrunk": np.array([area.shrunk for area in items], np.uint8),
            "polygons": np.array([len(area.polygons) for area in items], np.int64),
            "rings": np.array([len(polygon) for polygon in polygons], np.int64),
            "length": np.array([len(ring) for ring in rings], np.int64),
            "points": np.concatenate([np.empty((0, 2)), *rings]),
            "gone": np.array(self._registry.gone, np.int64),
            "next_id": np.array([self._registry.next_id], np.int64),
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> WalkableSet:
        """The set that `to_arrays` described, to the same bits; raises SnapshotError where the arrays do not agree."""
        try:
            points = iter(np.array(arrays["points"], np.float64).reshape(-1, 2))
            lengths, sizes = iter(arrays["length"].tolist()), iter(arrays["rings"].tolist())
            ids = [int(identifier) for identifier in arrays["id"]]
            items: list[WalkableArea] = []
            for k, identifier in enumerate(ids):
                polygons = tuple(
                    tuple(np.array([next(points) for _ in range(next(lengths))]) for _ in range(next(sizes)))
                    for _ in range(int(arrays["polygons"][k]))
                )
                horizon = float(arrays["horizon"][k])
                items.append(
                    WalkableArea(
                        polygons,
                        float(arrays["clearance"][k]),
                        None if horizon < 0.0 else horizon,
                        bool(arrays["shrunk"][k]),
                        identifier,
                    )
                )
            if any(next(rest, None) is not None for rest in (points, lengths, sizes)):
                raise ValueError("there are more points than areas")
            other = cls()
            other._registry.restore(ids, items, [int(k) for k in arrays["gone"]], int(arrays["next_id"][0]))
        except (KeyError, IndexError, ValueError, RuntimeError, StopIteration) as error:
            raise SnapshotError(f"the walkable areas of this snapshot do not agree with each other: {error}") from None
        return other


def _joined(radii: Floats, classes: list[RadiusClass]) -> Boundaries:
    """The classes of ascending radii one after the other."""
    counts = [len(one.edges) for one in classes]
    none = Boundaries.empty()
    columns = {
        name: np.concatenate([getattr(none, name), *(getattr(one, name) for one in classes)])
        for name in RadiusClass.__dataclass_fields__
    }
    return Boundaries(class_radius=radii.copy(), class_start=np.cumsum([0, *counts], dtype=np.int64), **columns)
