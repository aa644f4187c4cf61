"""Paths for somebody who steers himself: what is asked, and how an answer travels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from pydantic import Field

from orca_core.geometry.rings import LIMIT
from orca_core.guidance.planner import Answer, Path, Unreachable
from orca_core.guidance.storeys import EVERY_HEIGHT, Heights
from orca_crowd.errors import ApiError, Fault, InvalidRequest
from orca_crowd.protocol.models import Number, Strict, Vector, validate
from orca_crowd.settings import Settings

__all__ = ["PathQuery", "PathsBody", "parse_paths", "shown_path"]


class PathQueryRow(Strict):
    """From where to where, for a disc of which radius."""

    from_: Vector = Field(alias="from", description="Where the centre is.")
    to: Vector = Field(description="Where it wants to be.")
    radius: Number | None = Field(
        None, ge=0.0, le=LIMIT, description="Left out: what agents of this world have by default."
    )
    z_range: Vector | None = Field(
        None,
        description="From the lower to the upper height at which who asks stands: nothing at other heights is in its "
        "way; null or left out: what stands at any height is.",
    )


class PathsBody(Strict):
    """Questions that are answered in order from one budget."""

    queries: list[PathQueryRow] = Field(description="At most `paths_per_request`.")


@dataclass(frozen=True)
class PathQuery:
    """One question; `radius` None is the world's, `heights` are from where to where who asks stands."""

    start: tuple[float, float]
    goal: tuple[float, float]
    radius: float | None
    heights: Heights = EVERY_HEIGHT


def parse_paths(body: object, settings: Settings) -> list[PathQuery]:
    """The decoded body of POST …/paths; refuses what is over a limit before it looks at all of it."""
    asked = body.get("queries") if isinstance(body, dict) else None
    if isinstance(asked, list) and len(asked) > settings.paths_per_request:
        raise ApiError(
            "limit", f"{len(asked)} queries, the limit paths_per_request is {settings.paths_per_request} in a request"
        )
    rows = validate(PathsBody, body, ["queries"]).queries
    faults = [
        Fault(item, field, f"coordinates must lie within ±{LIMIT:g}")
        for item, row in enumerate(rows)
        for field, point in (("from", row.from_), ("to", row.to))
        if max(abs(point[0]), abs(point[1])) > LIMIT
    ] + [
        Fault(item, "z_range", f"must be [low, high] with low <= high, both of magnitude at most {LIMIT:g}")
        for item, row in enumerate(rows)
        if row.z_range is not None and not -LIMIT <= row.z_range[0] <= row.z_range[1] <= LIMIT
    ]
    if faults:
        raise InvalidRequest(faults)
    return [
        PathQuery(
            (row.from_[0], row.from_[1]), (row.to[0], row.to[1]), row.radius,
            EVERY_HEIGHT if row.z_range is None else (row.z_range[0], row.z_range[1]),
        )
        for row in rows
    ]  # fmt: skip


def shown_path(found: Answer) -> dict[str, Any]:
    """An answer of a planner as it travels."""
    if isinstance(found, Path):
        return {"waypoints": np.array(found.waypoints, np.float64), "length": found.length}
    if isinstance(found, Unreachable):
        nearest = None if found.nearest is None else list(found.nearest)
        return {"unreachable": True, "nearest": nearest, "reason": found.reason}
    return {"unfinished": True}
