"""What calls and streams give back: small frozen records, and agents in columns.

Arrays are numpy's where numpy is installed, else `array.array` and lists of (x, y); see `orca_crowd_client.columns`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from orca_crowd_client.columns import Identifiers, Numbers

__all__ = [
    "Acknowledged",
    "Added",
    "Agents",
    "Changed",
    "Digest",
    "Event",
    "Frame",
    "Lease",
    "Notice",
    "Obstacle",
    "PathFound",
    "PathsFound",
    "Removed",
    "Stepped",
    "WalkableArea",
]


@dataclass(frozen=True)
class Notice:
    """A warning that goes with an accepted request: stable `code`, item and field it is about, what to look at."""

    code: str
    item: int | None
    field: str | None
    message: str


@dataclass(frozen=True)
class Added:
    """Ids given to what was added, in the order sent; the number of steps taken so far; warnings."""

    ids: Identifiers
    step: int
    warnings: tuple[Notice, ...] = ()
    sequence: int | None = None


@dataclass(frozen=True)
class Changed:
    """A change was taken at `step`, the number of steps taken so far; the next step sees it.

    `sequence`, here and elsewhere, is its place in the one order of all changes of the world: 1, 2, 3, …
    """

    step: int
    warnings: tuple[Notice, ...] = ()
    sequence: int | None = None


@dataclass(frozen=True)
class Removed:
    """The ids of the agents that were removed, at `step`."""

    removed: Identifiers
    step: int
    sequence: int | None = None


@dataclass(frozen=True)
class Digest:
    """`sha256` in hex over the little-endian float64 position x, y, velocity x, y of every agent in index order."""

    step: int
    sha256: str


@dataclass(frozen=True)
class Lease:
    """Until `expires` (as the server writes it) only `holder` may step the world."""

    holder: str
    expires: Any


@dataclass(frozen=True)
class Obstacle:
    """A polyline of two-sided segments, points (x, y); `closed` joins the last point to the first. `id` None: new.

    `z_range` (low, high) says at which heights it stands; None: at all. `open` says that it is a door that stands open:
    it does not act.
    """

    points: Any
    closed: bool = False
    id: int | None = None
    z_range: tuple[float, float] | None = None
    open: bool = False


@dataclass(frozen=True)
class WalkableArea:
    """A GeoJSON Polygon or MultiPolygon in which agents walk.

    `clearance` is kept beyond the radius; `horizon` None is each agent's obstacle_horizon; `shrunk` says that the
    polygon is already shrunk by the radius. `id` None: new.
    """

    geometry: Mapping[str, Any]
    clearance: float = 0.0
    horizon: float | None = None
    shrunk: bool = False
    id: int | None = None


@dataclass(frozen=True)
class PathFound:
    """A way: `waypoints` of shape (k, 2) from where it begins to where it ends, both included, and its `length`.

    Where there is none `waypoints` is None, and either `reason` says why it is unreachable (`start-off-surface`,
    `goal-off-surface` or `disconnected`), with `nearest`, the point nearest to the goal that can be reached, or there
    is no reason, and the server's budget for one request ran out.
    """

    waypoints: Any = None
    length: float | None = None
    reason: str | None = None
    nearest: tuple[float, float] | None = None

    @property
    def unfinished(self) -> bool:
        """Whether nothing is known of this way, since the budget ran out before it was found."""
        return self.waypoints is None and self.reason is None


@dataclass(frozen=True)
class PathsFound:
    """Ways in the order in which they were asked for, over the geometry as it was after `step` steps."""

    step: int
    paths: tuple[PathFound, ...]


@dataclass(frozen=True)
class Event:
    """Something that happened in `step`: `arrived`, `stalled`, `blocked`, `overlap`, `removed`, `non-finite`, `late`, …

    `ids` are the agents it is about, `data` whatever else the event says.
    """

    kind: str
    step: int
    ids: tuple[int, ...] = ()
    data: Mapping[str, Any] = field(default_factory=dict)


class Columns:
    """Agents in columns: row i of every column belongs to `ids[i]`.

    `columns` maps each field that was asked for to its column; each is an attribute too (`agents.position`).
    Vectors have shape (n, 2), all else (n,); columns of words are lists of strings, of flags lists of bool.
    """

    # only annotated, so that an attribute that was not asked for falls through to __getattr__
    position: Numbers
    velocity: Numbers
    preferred_velocity: Numbers
    goal: Numbers
    radius: Numbers
    max_speed: Numbers
    time_horizon: Numbers
    obstacle_horizon: Numbers
    neighbor_distance: Numbers
    max_neighbors: Numbers
    weight: Numbers
    priority: Numbers
    locked: list[bool]
    avoidance: list[bool]
    layer: Numbers
    mask: Numbers
    elevation: Numbers
    height: Numbers
    group: Numbers
    group_mode: list[str]
    preferred_speed: Numbers
    goal_tolerance: Numbers
    quality: list[str]
    max_acceleration: Numbers
    max_turning_rate: Numbers
    forward_preference: Numbers
    heading: Numbers
    guidance: list[str]
    status: list[str]

    def __init__(self, step: int, time: float, ids: Identifiers, columns: Mapping[str, Any]) -> None:
        """Hold the columns of `ids` (int64, (n,)) as they were after `step` steps, at `time`."""
        self.step = step
        self.time = time
        self.ids = ids
        self.columns = columns

    def __getattr__(self, name: str) -> Any:
        """Find a column by its name; raises AttributeError naming the fields that there are."""
        # __dict__ and not self.columns: unpickling asks before anything is set
        columns = self.__dict__.get("columns", {})
        if name in columns:
            return columns[name]
        raise AttributeError(f"no column {name!r} but {', '.join(columns) or 'none'}: ask for it with fields=")

    def __getitem__(self, name: str) -> Any:
        """Find a column by its name; raises KeyError."""
        return self.columns[name]

    def __len__(self) -> int:
        """Count the agents."""
        return len(self.ids)

    def __repr__(self) -> str:
        """Say what is in it, not all of it."""
        kind, fields = type(self).__name__, ", ".join(self.columns)
        return f"{kind}(step={self.step}, time={self.time}, {len(self)} agents, fields={fields})"


class Agents(Columns):
    """Agents as they were after `step` steps, in the server's order: by creation."""


class Frame(Columns):
    """One frame of a stream: every agent of the subscription, whatever part of them travelled.

    `full` tells a whole state from a frame that builds on the one before, step `since`; `changed` are the ids of those
    whose values came with this one, all others are bit for bit as before. `gap` is true where steps that
    the subscription covers were left out before this frame: newer ones replaced them, or the connection was made anew.
    `entered` and `left` are the ids that came into and went out of the area of interest.
    """

    def __init__(
        self,
        step: int,
        time: float,
        ids: Identifiers,
        columns: Mapping[str, Any],
        *,
        full: bool,
        since: int | None,
        gap: bool,
        changed: Identifiers,
        entered: Identifiers,
        left: Identifiers,
    ) -> None:
        """Hold the frame's parts; `since` is None in a full frame."""
        super().__init__(step, time, ids, columns)
        self.full = full
        self.since = since
        self.gap = gap
        self.changed = changed
        self.entered = entered
        self.left = left


@dataclass(frozen=True)
class Acknowledged:
    """Commands took effect at `step`; `results` holds one answer for each, in order.

    What a controller says (`register`, `own`, …) is answered with one result, `{controller, owned}`: the ids that are
    its own now. A registration has no `sequence`.
    """

    step: int
    results: tuple[Mapping[str, Any], ...]
    sequence: int | None = None


@dataclass(frozen=True)
class Stepped:
    """After the steps: their number so far, the time, and what `return_` asked for; events of these steps.

    With commands there are their `results`, one for each, and their `sequence`. `events_left_out` tells that there were
    more events than the server keeps.
    """

    step: int
    time: float
    digest: str | None = None
    agents: Agents | None = None
    events: tuple[Event, ...] = ()
    events_left_out: bool = False
    results: tuple[Mapping[str, Any], ...] = ()
    sequence: int | None = None
