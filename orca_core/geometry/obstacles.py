"""Obstacles: polylines that block from both sides, flattened to the segments that the solver takes.

The segments are the points as given, in order (a closed obstacle adds last -> first), obstacles in order of insertion,
so that the index that breaks ties is the order in which walls came. An obstacle that is set again keeps its place. One
that is open is a door that stands open: it keeps its place too, and has no segments until it is closed.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from orca_core.errors import InvalidInput, Problem, SnapshotError
from orca_core.geometry.pieces import Pieces
from orca_core.geometry.registry import Registry
from orca_core.geometry.rings import LIMIT, checked_points, crossing, distinct_count, signed_area

__all__ = ["Obstacle", "ObstacleSet", "stands_at"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

# at every height
EVERYWHERE = (-np.inf, np.inf)
# where more than one of so many obstacles has changed, all are flattened anew
PIECEWISE = 8


@dataclass(frozen=True, eq=False)
class Obstacle:
    """A wall of at least two points (k, 2), or a ring of at least three where `closed`; `id` None is given one.

    `z_range` (low, high) in metres says at which heights it stands, ends included; None: at all. `open` says that it
    does not act now: a door. `closed` is about its shape and has nothing to do with it.
    """

    points: Any
    closed: bool = False
    id: int | None = None
    z_range: tuple[float, float] | None = None
    open: bool = False

    def segments(self) -> Floats:
        """Segments (m, 4) of a x, a y, b x, b y."""
        points = np.asarray(self.points, np.float64)
        if self.closed:
            return np.hstack([points, np.roll(points, -1, axis=0)])
        return np.hstack([points[:-1], points[1:]])


def stands_at(obstacle: Obstacle, low: float, high: float) -> bool:
    """Whether an obstacle stands at some height from `low` to `high`, ends included."""
    return obstacle.z_range is None or (obstacle.z_range[0] <= high and low <= obstacle.z_range[1])


def checked_obstacle(obstacle: Obstacle, item: int | None, problems: list[Problem]) -> Obstacle:
    """The obstacle without repeated points and, where closed, without a closing one; faults go to `problems`."""
    obstacle = replace(obstacle, z_range=_checked_range(obstacle.z_range, item, problems))
    points = checked_points(obstacle.points, item, "points", "", problems)
    if points is None:
        return obstacle
    keep = np.ones(len(points), bool)
    keep[1:] = (points[1:] != points[:-1]).any(axis=1)
    points = points[keep]
    if obstacle.closed and len(points) > 1 and (points[0] == points[-1]).all():
        points = points[:-1]
    distinct = distinct_count(points)
    if obstacle.closed:
        if distinct < 3:
            problems.append(Problem(item, "points", f"has {distinct} distinct points; a closed obstacle needs three"))
        elif (at := crossing(points)) is not None:
            problems.append(Problem(item, "points", f"crosses itself near {at}; a closed obstacle must be simple"))
        # what rounding of the corners alone could enclose is nothing
        elif abs(signed_area(points)) <= 1e-12 * float(np.ptp(points, axis=0).max()) ** 2:
            problems.append(Problem(item, "points", "encloses no area; leave closed out for a wall"))
    elif distinct < 2:
        problems.append(Problem(item, "points", f"has {distinct} distinct points; an obstacle needs two"))
    points.flags.writeable = False
    return replace(obstacle, points=points)


def _checked_range(given: Any, item: int | None, problems: list[Problem]) -> tuple[float, float] | None:
    """The heights at which an obstacle stands; faults go to `problems`."""
    if given is None:
        return None
    try:
        low, high = (float(value) for value in given)
        if not any(isinstance(value, bool | str) for value in given) and -LIMIT <= low <= high <= LIMIT:
            return low, high
    except (TypeError, ValueError):
        pass
    wanted = f"[low, high] with low <= high, both of magnitude at most {LIMIT:g}, or nothing for every height"
    problems.append(Problem(item, "z_range", f"must be {wanted}, not {given!r}"))
    return None


class ObstacleSet:
    """The obstacles of a world in order of insertion. Whatever raises has changed nothing."""

    def __init__(self) -> None:
        """Start empty."""
        self._registry: Registry[Obstacle] = Registry("obstacle")
        # flattened last, and whose pieces are others since then; both are replaced, never changed in place
        self._pieces: Pieces | None = None
        self._stale: frozenset[int] = frozenset()

    def __len__(self) -> int:
        """Number of obstacles."""
        return len(self._registry)

    def __contains__(self, identifier: int) -> bool:
        """Whether there is an obstacle of this id."""
        return identifier in self._registry

    def copy(self) -> ObstacleSet:
        """Another set with the same obstacles, at no cost until one of the two is changed."""
        other = ObstacleSet()
        other._registry = self._registry.copy()
        other._pieces, other._stale = self._pieces, self._stale
        return other

    @property
    def ids(self) -> list[int]:
        """Ids in order of insertion."""
        return self._registry.ids

    def items(self) -> list[Obstacle]:
        """Obstacles in order of insertion, each with its id."""
        return self._registry.values()

    def acting(self) -> list[Obstacle]:
        """Those that block: all but open doors."""
        return [obstacle for obstacle in self._registry.values() if not obstacle.open]

    def get(self, identifier: int) -> Obstacle:
        """One obstacle; raises NotFound or Gone."""
        return self._registry.get(identifier)

    def add(self, obstacles: Sequence[Obstacle]) -> list[int]:
        """Append obstacles and return their ids; raises InvalidInput with every fault, or AlreadyExists."""
        problems: list[Problem] = []
        checked = [checked_obstacle(obstacle, item, problems) for item, obstacle in enumerate(obstacles)]
        ids = self._claim([obstacle.id for obstacle in obstacles], problems)
        self._registry.insert(ids, [replace(one, id=identifier) for one, identifier in zip(checked, ids, strict=True)])
        self._stale |= set(ids)
        return ids

    def set(self, identifier: int, obstacle: Obstacle) -> None:
        """Replace an obstacle in its place; raises InvalidInput, NotFound or Gone."""
        self._registry.get(identifier)
        problems: list[Problem] = []
        checked = checked_obstacle(obstacle, None, problems)
        if obstacle.id is not None and obstacle.id != identifier:
            problems.append(Problem(None, "id", f"must be {identifier} or left out, not {obstacle.id}"))
        if problems:
            raise InvalidInput(problems)
        self._registry.replace(identifier, replace(checked, id=identifier))
        self._stale |= {identifier}

    def set_open(self, ids: Sequence[int], is_open: bool) -> list[int]:
        """Open obstacles, or close them; returns the ids of those that were not so before. Raises NotFound or Gone."""
        changed = {one: kept for one in ids if (kept := self._registry.get(one)).open != is_open}
        for identifier, obstacle in changed.items():
            self._registry.replace(identifier, replace(obstacle, open=is_open))
        self._stale |= set(changed)
        return list(changed)

    def remove(self, identifier: int) -> None:
        """Take an obstacle out; raises NotFound or Gone."""
        self._registry.remove(identifier)
        self._stale |= {identifier}

    def _claim(self, wanted: Sequence[int | None], problems: list[Problem]) -> list[int]:
        """Ids for new obstacles, the faults of the ids reported together with `problems`."""
        try:
            ids = self._registry.claim(wanted)
        except InvalidInput as error:
            raise InvalidInput(sorted(problems + error.problems, key=lambda problem: problem.item or 0)) from None
        if problems:
            raise InvalidInput(problems)
        return ids

    def segments(self, merge: bool) -> tuple[Floats, Integers, int]:
        """Segments (m, 4), the id of the obstacle each came from (m,), and how many pieces merging has saved.

        With `merge` collinear touching pieces are one segment, which belongs to the obstacle of its first piece; pieces
        that stand at other heights stay apart. Open doors have none. What has changed since the last time costs what it
        touches, and comes out as if all were new.
        """
        return self.pieces(merge).walls

    def pieces(self, merge: bool) -> Pieces:
        """The pieces of what acts, brought up to date."""
        pieces, stale = self._pieces, self._stale
        if pieces is None or pieces.merge != merge:
            pieces, stale = Pieces.none(merge), frozenset(self.ids)
        if stale:
            pieces = self._up_to_date(pieces, stale)
        self._pieces, self._stale = pieces, frozenset()
        return pieces

    def _up_to_date(self, pieces: Pieces, stale: Collection[int]) -> Pieces:
        """The pieces, with those of the obstacles `stale` as they are now."""
        if PIECEWISE * len(stale) > len(self) and len(pieces.rows):
            # more is new than old
            pieces, stale = Pieces.none(pieces.merge), self.ids
        ranked = sorted((self._registry.rank(one), one) for one in stale if one in self._registry)
        acting = [(rank, self.get(one)) for rank, one in ranked if not self.get(one).open]
        rows = [one.segments() for _, one in acting]
        sizes = [len(part) for part in rows]
        return pieces.changed(
            stale if len(pieces.rows) else (),
            rank=np.repeat(np.array([rank for rank, _ in acting], np.int64), sizes),
            source=np.repeat(np.array([one.id for _, one in acting], np.int64), sizes),
            rows=np.concatenate([np.empty((0, 4)), *rows]),
            heights=np.repeat(np.array([one.z_range or EVERYWHERE for _, one in acting]).reshape(-1, 2), sizes, axis=0),
        )

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Everything that a snapshot must keep, as plain arrays."""
        items = self.items()
        points = [np.asarray(obstacle.points, np.float64) for obstacle in items]
        # where no door is open nothing is said of doors, so that a world without any has the bytes it always had
        doors = {"open": np.array([obstacle.open for obstacle in items], np.uint8)}
        return {
            **(doors if any(obstacle.open for obstacle in items) else {}),
            "id": np.array(self.ids, np.int64),
            "closed": np.array([obstacle.closed for obstacle in items], np.uint8),
            "points": np.concatenate(points) if points else np.empty((0, 2)),
            "length": np.array([len(part) for part in points], np.int64),
            **self._ranges_to_arrays(),
            "gone": np.array(self._registry.gone, np.int64),
            "next_id": np.array([self._registry.next_id], np.int64),
        }

    def _ranges_to_arrays(self) -> dict[str, NDArray[Any]]:
        """Heights, where some obstacle has any: a world that knows none has the snapshot it always had."""
        ranges = [obstacle.z_range for obstacle in self.items()]
        if all(one is None for one in ranges):
            return {}
        return {
            "has_range": np.array([one is not None for one in ranges], np.uint8),
            "range": np.array([one or (0.0, 0.0) for one in ranges], np.float64),
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> ObstacleSet:
        """The set that `to_arrays` described, to the same bits; raises SnapshotError where the arrays do not agree."""
        try:
            lengths = arrays["length"].astype(np.int64)
            if int(lengths.sum()) != len(arrays["points"]) or len(arrays["closed"]) != len(lengths):
                raise ValueError("lengths differ")
            parts = np.split(np.array(arrays["points"], np.float64).reshape(-1, 2), np.cumsum(lengths)[:-1])
            ids = [int(identifier) for identifier in arrays["id"]]
            has_range = arrays.get("has_range", np.zeros(len(ids), np.uint8))
            ranges = arrays.get("range", np.zeros((len(ids), 2))).tolist()
            doors = arrays.get("open", np.zeros(len(ids), np.uint8))
            if has_range.any() and not all(-LIMIT <= low <= high <= LIMIT for low, high in ranges):
                raise ValueError("a range of heights is none")
            items = [
                Obstacle(points, bool(closed), identifier, (low, high) if held else None, bool(is_open))
                for points, closed, identifier, held, (low, high), is_open in zip(
                    parts if ids else [], arrays["closed"], ids, has_range, ranges, doors, strict=True
                )
            ]
            other = cls()
            other._registry.restore(ids, items, [int(k) for k in arrays["gone"]], int(arrays["next_id"][0]))
        except (KeyError, IndexError, ValueError) as error:
            raise SnapshotError(f"the obstacles of this snapshot do not agree with each other: {error}") from None
        return other
