"""Rings: checked, tidied and brought into one form, so that the same polygon has the same bits however it was written.

Tidy: no closing vertex, no duplicates, no edge shorter than MERGE_DISTANCE, on request no collinear vertices. One form:
outer rings counter-clockwise, holes clockwise, each from its smallest vertex (by x, then y), -0.0 as 0.0, holes in
order of their vertices. A ring may touch itself and is then cut into rings that do not; one that crosses itself is
refused.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from typing import Any

import numpy as np
import shapely
from numpy.typing import NDArray

from orca_core.errors import Problem
from orca_core.geometry.overlay import common, less, united

__all__ = [
    "COLLINEAR_TOLERANCE",
    "LIMIT",
    "MERGE_DISTANCE",
    "Polygon",
    "canonical",
    "checked_points",
    "crossing",
    "distinct_count",
    "normalised_polygon",
    "polygonal",
    "polygons_of",
    "signed_area",
    "tidy_ring",
    "without_slivers",
]

Floats = NDArray[np.float64]
# an outer ring and its holes, each float64 (k, 2), open
Polygon = tuple[Floats, ...]

# coordinates beyond this leave too few bits for distances between agents
LIMIT = 1e9
# vertices nearer than this are one: a tenth of the margin by which a boundary stretch is silent beside its own ends
MERGE_DISTANCE = 1e-7
# vertices that computing put nearer than this, and than rounding, are one
COMPUTED_NOISE = 1e-9
# rounds of merging that noise and cutting off what it leaves crossed
REPAIRS = 4
# a vertex is collinear when it lies nearer to the line of its neighbours than this part of their distance ...
COLLINEAR_TOLERANCE = 1e-9
# ... or than rounding: this part of the largest coordinate
ROUNDING = 4.0 * 2.0**-52


def checked_points(points: Any, item: int | None, field: str, where: str, problems: list[Problem]) -> Floats | None:
    """Points as float64 (k, 2), or None with a problem appended where they are not finite pairs within LIMIT."""
    try:
        array = np.array(points, dtype=np.float64)
    except (TypeError, ValueError):
        problems.append(Problem(item, field, f"{where}must be a list of [x, y] pairs of numbers"))
        return None
    if array.ndim != 2 or array.shape[1] != 2:
        shape = "an empty list" if array.size == 0 else f"shape {array.shape}"
        problems.append(Problem(item, field, f"{where}must be a list of [x, y] pairs, not {shape}"))
        return None
    bad = ~np.isfinite(array).all(axis=1)
    if bad.any():
        k = int(np.argmax(bad))
        problems.append(Problem(item, field, f"{where}point {k} is {array[k].tolist()}; coordinates must be finite"))
        return None
    far = (np.abs(array) > LIMIT).any(axis=1)
    if far.any():
        k = int(np.argmax(far))
        problems.append(
            Problem(item, field, f"{where}point {k} is {array[k].tolist()}; coordinates must lie within ±{LIMIT:g}")
        )
        return None
    return array


def distinct_count(points: Floats) -> int:
    """Number of different points among (k, 2); -0.0 equals 0.0."""
    return len(np.unique(points + 0.0, axis=0))


def signed_area(ring: Floats) -> float:
    """Area of an open ring (k, 2), positive where it runs counter-clockwise."""
    x, y = (ring - ring[0]).T
    # put together by hand: rolling takes ten times as long as the sum
    after_x, after_y = np.concatenate([x[1:], x[:1]]), np.concatenate([y[1:], y[:1]])
    return 0.5 * float(np.sum(x * after_y - after_x * y))


def canonical(ring: Floats, counter_clockwise: bool) -> Floats:
    """The open ring in the wanted sense, starting from its smallest vertex (by x, then y)."""
    if (signed_area(ring) > 0.0) != counter_clockwise:
        ring = ring[::-1]
    order = np.lexsort((ring[:, 1], ring[:, 0]))
    starts = order[(ring[order] == ring[order[0]]).all(axis=1)].tolist()
    # a ring that touches itself at its smallest vertex: the start with the smallest continuation
    start = min(starts, key=lambda k: np.roll(ring, -k, axis=0).tolist()) if len(starts) > 1 else starts[0]
    return np.concatenate([ring[start:], ring[:start]])


def tidy_ring(points: Floats, drop_collinear: bool, merge: float = MERGE_DISTANCE) -> Floats:
    """The ring (k, 2) counter-clockwise in canonical form, tidied; fewer than three rows where nothing is left.

    Vertices nearer than `merge` become one.
    """
    ring = _without_repeats(points + 0.0)
    # each step may bring forth work for the other: a merged pair can straighten a corner, and the reverse
    while len(ring) >= 3:
        before = len(ring)
        ring = _without_short_edges(canonical(ring, counter_clockwise=True), merge)
        if drop_collinear and len(ring) >= 3:
            ring = _without_collinear(canonical(ring, counter_clockwise=True))
        ring = _without_repeats(ring)
        if len(ring) == before:
            break
    return canonical(ring, counter_clockwise=True) if len(ring) >= 3 else ring


def _without_repeats(ring: Floats) -> Floats:
    """Drop vertices equal to the one before them, the closing one included."""
    keep = (ring != np.roll(ring, 1, axis=0)).any(axis=1)
    return np.ascontiguousarray(ring[keep])


def _written_length(point: list[float]) -> tuple[int, float, float]:
    """Rank of a vertex among near ones: the shortest to write is the one that was meant, not its noise."""
    x, y = point
    return len(repr(x)) + len(repr(y)), x, y


def _without_short_edges(ring: Floats, merge: float) -> Floats:
    """Merge vertices nearer than `merge`, shortest edge first; of two the one that is shorter to write stays."""
    lengths = np.sqrt(((np.roll(ring, -1, axis=0) - ring) ** 2).sum(axis=1))
    if not (lengths < merge).any():
        return ring
    points = ring.tolist()
    following = {k: (k + 1) % len(points) for k in range(len(points))}
    preceding = {b: a for a, b in following.items()}

    def entry(a: int) -> tuple[float, list[float], list[float], int, int]:
        b = following[a]
        ends = sorted([points[a], points[b]])
        squared = (points[a][0] - points[b][0]) ** 2 + (points[a][1] - points[b][1]) ** 2
        return squared, ends[0], ends[1], a, b

    queue = [entry(a) for a in following if lengths[a] < merge]
    heapq.heapify(queue)
    while queue and len(following) > 2:
        squared, _, _, a, b = heapq.heappop(queue)
        if squared >= merge * merge or following.get(a) != b:
            continue
        out = max(a, b, key=lambda k: _written_length(points[k]))
        before, after = preceding.pop(out), following.pop(out)
        following[before], preceding[after] = after, before
        heapq.heappush(queue, entry(before))
    return ring[sorted(following)]


def _without_collinear(ring: Floats) -> Floats:
    """Drop vertices between their neighbours on a straight line; the ring starts at a vertex of its hull."""
    rounding = ROUNDING * float(np.abs(ring).max())
    before, after = np.roll(ring, 1, axis=0), np.roll(ring, -1, axis=0)
    if not any(map(_between, before.tolist(), ring.tolist(), after.tolist(), [rounding] * len(ring))):
        return ring
    kept: list[list[float]] = []
    for point in [*ring.tolist(), ring[0].tolist()]:
        while len(kept) >= 2 and _between(kept[-2], kept[-1], point, rounding):
            kept.pop()
        kept.append(point)
    kept.pop()
    # the start itself, where the smallest vertex is noise on a straight side
    if len(kept) > 3 and _between(kept[-1], kept[0], kept[1], rounding):
        kept = kept[1:]
    return np.array(kept)


def _between(a: list[float], b: list[float], c: list[float], rounding: float) -> bool:
    """Whether b lies on the way from a to c."""
    ex, ey = c[0] - a[0], c[1] - a[1]
    dx, dy = b[0] - a[0], b[1] - a[1]
    squared = ex * ex + ey * ey
    along = dx * ex + dy * ey
    if not 0.0 < along < squared:
        return False
    length = float(np.sqrt(squared))
    return abs(ex * dy - ey * dx) <= (COLLINEAR_TOLERANCE * length + rounding) * length


def crossing(ring: Floats) -> tuple[float, float] | None:
    """Where the open ring crosses itself, or None; touching itself, in points or along edges, is no crossing."""
    shape = shapely.Polygon(ring)
    if shape.is_valid:
        return None
    # parts that a crossing turns over count against the rest in the signed area, and double ones twice
    true_area = shapely.make_valid(shape).area
    if abs(abs(signed_area(ring)) - true_area) <= 1e-9 * max(true_area, shapely.Polygon(ring).envelope.area * 1e-3):
        return None
    reason = shapely.is_valid_reason(shape)
    place = reason[reason.find("[") + 1 : reason.rfind("]")].split()
    return float(place[0]), float(place[1])


def polygonal(shape: Any) -> Any:
    """The polygons of a shapely geometry as one MultiPolygon, without points and lines."""
    parts = shapely.get_parts(shapely.get_parts(shape))
    return shapely.MultiPolygon([part for part in parts if part.geom_type == "Polygon" and not part.is_empty])


def polygons_of(shape: Any, drop_collinear: bool) -> list[Polygon]:
    """Polygons of a shapely geometry in canonical form and a fixed order; only the noise of computing is merged.

    Where the merging makes a ring touch or cross itself, along a hair thinner than the noise, the hair is cut off.
    """
    polygons: list[Polygon] = []
    if shape.is_empty:
        return polygons
    noise = COMPUTED_NOISE + 4.0 * ROUNDING * float(np.abs(shapely.bounds(shape)).max())
    pending = list(shapely.get_parts(polygonal(shape)))
    for last in [False] * REPAIRS + [True]:
        hairy = []
        for part in pending:
            outer = tidy_ring(shapely.get_coordinates(part.exterior), drop_collinear, noise)
            if len(outer) < 3:
                continue
            rings = [shapely.get_coordinates(hole) for hole in part.interiors]
            holes = _ordered_holes([tidy_ring(ring, drop_collinear, noise) for ring in rings])
            tidied = shapely.Polygon(outer, holes)
            if last or tidied.is_valid:
                polygons.append((outer, *holes))
            else:
                faces = _faces_of(part, [outer, *holes], noise)
                # rather a hair than a loss
                lost = part.area - sum(face.area for face in faces) > noise * part.length
                hairy += [] if lost else faces
                if lost:
                    polygons.append(
                        (
                            canonical(shapely.get_coordinates(part.exterior)[:-1], True),
                            *_ordered_holes([shapely.get_coordinates(hole)[:-1] for hole in part.interiors]),
                        )
                    )
        pending = hairy
    return sorted(polygons, key=lambda polygon: polygon[0].tolist())


def _faces_of(part: Any, rings: list[Floats], width: float) -> list[Any]:
    """The polygons that rings, which cross each other, cut out of what was `part` before they were tidied.

    The library's repairs were tried: one has been seen to lose a hole that crosses its outer ring, the other to lose a
    lobe.
    """
    lines = united([shapely.LinearRing(ring) for ring in rings])
    faces = shapely.get_parts(shapely.polygonize(shapely.get_parts(lines)))
    inside = shapely.contains_properly(part, shapely.point_on_surface(faces))
    thick = shapely.area(faces) > width * shapely.length(faces)
    return list(shapely.get_parts(polygonal(united(faces[inside & thick]))))


def without_slivers(shape: Any, width: float) -> Any:
    """The MultiPolygon without parts and holes that are thinner than `width` on average."""
    parts = []
    for part in shapely.get_parts(shape):
        if part.area <= width * part.length:
            continue
        holes = [ring for ring in part.interiors if shapely.Polygon(ring).area > width * ring.length]
        parts.append(part if len(holes) == len(part.interiors) else shapely.Polygon(part.exterior, holes))
    return shapely.MultiPolygon(parts)


def _ordered_holes(rings: Sequence[Floats]) -> list[Floats]:
    """Holes that tidying has left something of, clockwise, in order of their vertices."""
    holes = [canonical(ring, counter_clockwise=False) for ring in rings if len(ring) >= 3]
    return sorted(holes, key=lambda ring: ring.tolist())


def normalised_polygon(
    rings: Sequence[Any],
    item: int | None,
    field: str,
    where: str,
    problems: list[Problem],
    drop_collinear: bool = False,
) -> list[Polygon]:
    """Check and normalise one polygon: its outer ring first, then its holes, closed or open, in any sense.

    Returns one polygon, or several where a ring touches itself so that the inside falls apart; none where a fault was
    appended to `problems`.
    """
    found = len(problems)
    tidied: list[Floats] = []
    if len(rings) == 0:
        problems.append(Problem(item, field, f"{where}must have an outer ring"))
    for k, points in enumerate(rings):
        place = f"{where}ring {k}: " if len(rings) > 1 else where
        given = checked_points(points, item, field, place, problems)
        if given is None:
            continue
        if distinct_count(given) < 3:
            problems.append(
                Problem(item, field, f"{place}has {distinct_count(given)} distinct points; a ring needs three")
            )
            continue
        ring = tidy_ring(given, drop_collinear)
        if len(ring) < 3 or len(tidy_ring(ring, drop_collinear=True)) < 3:
            problems.append(
                Problem(item, field, f"{place}encloses no area (vertices nearer than {MERGE_DISTANCE:g} count as one)")
            )
            continue
        at = crossing(ring)
        if at is not None:
            problems.append(Problem(item, field, f"{place}crosses itself near {at}; a ring must be simple"))
            continue
        tidied.append(ring)
    if len(problems) > found:
        return []
    return _assembled(tidied, item, field, where, problems, drop_collinear)


def _assembled(
    rings: list[Floats], item: int | None, field: str, where: str, problems: list[Problem], drop_collinear: bool
) -> list[Polygon]:
    """One polygon from tidied rings, each simple or touching itself; faults between the rings go to `problems`."""
    outer = rings[0]
    plain = shapely.Polygon(outer, rings[1:])
    if plain.is_valid:
        return [(outer, *_ordered_holes(rings[1:]))]
    shapes = [polygonal(shapely.make_valid(shapely.Polygon(ring))) for ring in rings]
    found = len(problems)
    # a hole may touch the outer ring, not reach beyond it: what sticks out must be no more than rounding
    for k, hole in enumerate(shapes[1:], start=1):
        if less(hole, shapes[0]).area > 1e-9 * hole.area:
            problems.append(Problem(item, field, f"{where}ring {k} is a hole and must lie inside the outer ring"))
    holes = np.array(shapes[1:], dtype=object)
    for a, b in sorted(shapely.STRtree(holes).query(holes, predicate="intersects").T.tolist()):
        first, second = shapes[1 + a], shapes[1 + b]
        if a < b and common(first, second).area > 1e-9 * min(first.area, second.area):
            problems.append(Problem(item, field, f"{where}rings {a + 1} and {b + 1} are holes and must not overlap"))
    if len(problems) > found:
        return []
    polygons = polygons_of(less(shapes[0], united(holes)), drop_collinear)
    if not polygons:
        problems.append(Problem(item, field, f"{where}encloses no area: its holes take it all"))
    return polygons
