"""Reading the parts that answers and messages have in common. No I/O."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from orca_crowd_client.columns import read_column, read_identifiers
from orca_crowd_client.results import (
    Acknowledged,
    Added,
    Agents,
    Changed,
    Event,
    Notice,
    Obstacle,
    PathFound,
    PathsFound,
    Removed,
    Stepped,
    WalkableArea,
)

__all__ = [
    "read_acknowledged",
    "read_added",
    "read_agents",
    "read_area",
    "read_changed",
    "read_columns",
    "read_event",
    "read_obstacle",
    "read_path",
    "read_paths",
    "read_removed",
    "read_stepped",
]

# what stands beside the columns in an answer or a message
NOT_COLUMNS = frozenset({"type", "key", "step", "time", "since", "ids", "entered", "left", "keyframe", "based"})

# ids in the answer to a command
RESULT_IDENTIFIERS = frozenset({"ids", "removed", "owned"})


def read_notices(body: Mapping[str, Any]) -> tuple[Notice, ...]:
    """Read `warnings`; an answer without them has none."""
    return tuple(
        Notice(entry["code"], entry.get("item"), entry.get("field"), entry["message"])
        for entry in body.get("warnings") or ()
    )


def read_added(body: Mapping[str, Any]) -> Added:
    """Read `{ids, step, sequence, warnings}`."""
    return Added(read_identifiers(body["ids"]), body["step"], read_notices(body), body.get("sequence"))


def read_removed(body: Mapping[str, Any]) -> Removed:
    """Read `{removed, step, sequence}`."""
    return Removed(read_identifiers(body["removed"]), body["step"], body.get("sequence"))


def read_changed(body: Mapping[str, Any]) -> Changed:
    """Read `{step, sequence, warnings}`."""
    return Changed(body["step"], read_notices(body), body.get("sequence"))


def read_columns(body: Mapping[str, Any], count: int, item_size: int) -> dict[str, Any]:
    """Read every column of `count` agents: whatever is a bin or an array and not one of the fixed names.

    A column that has a `scale` is one of integers, and for `orca_crowd_client.protocol.keyframe` to read.
    """
    integers = body.get("scale") or {}
    return {
        name: read_column(name, value, count, item_size)
        for name, value in body.items()
        if name not in NOT_COLUMNS and name not in integers and isinstance(value, bytes | list)
    }


def read_agents(body: Mapping[str, Any], item_size: int = 8) -> Agents:
    """Read `{step, time, ids, …columns}`."""
    ids = read_identifiers(body["ids"])
    return Agents(body["step"], body["time"], ids, read_columns(body, len(ids), item_size))


def read_event(body: Mapping[str, Any]) -> Event:
    """Read `{kind, step, …}`; columns come as arrays or as bins, and are the same tuples either way."""
    ids = read_identifiers_of(body.get("ids"))
    data = {name: value for name, value in body.items() if name not in ("type", "kind", "step", "ids")}
    if "other" in data:
        data["other"] = read_identifiers_of(data["other"])
    for name in ("depth", "waited"):
        if name in data:
            data[name] = tuple(float(value) for value in read_column(name, data[name], len(ids)))
    return Event(body["kind"], body["step"], ids, data)


def read_identifiers_of(value: bytes | list[int] | None) -> tuple[int, ...]:
    """Read the ids of an event, none where it has none."""
    return tuple(int(agent) for agent in read_identifiers(value or []))


def read_events(entries: Iterable[Mapping[str, Any]] | None) -> tuple[Event, ...]:
    """Read a list of events."""
    return tuple(read_event(entry) for entry in entries or ())


def read_stepped(body: Mapping[str, Any]) -> Stepped:
    """Read `{step, time, sequence?, digest?, agents?, events, events_left_out?, results?}`."""
    agents = body.get("agents")
    return Stepped(
        body["step"],
        body["time"],
        body.get("digest"),
        # step and time stand in the answer itself, and may be left out of the agents in it
        None if agents is None else read_agents({"step": body["step"], "time": body["time"], **agents}),
        read_events(body.get("events")),
        bool(body.get("events_left_out")),
        read_results(body.get("results")),
        body.get("sequence"),
    )


def read_acknowledged(body: Mapping[str, Any]) -> Acknowledged:
    """Read `{step, sequence?, results}`."""
    return Acknowledged(body["step"], read_results(body["results"]), body.get("sequence"))


def read_results(results: Iterable[Mapping[str, Any]] | None) -> tuple[dict[str, Any], ...]:
    """Read the answers to commands; ids in them are read as ids wherever they came as a bin."""
    return tuple(
        {name: read_identifiers(value) if name in RESULT_IDENTIFIERS else value for name, value in result.items()}
        for result in results or ()
    )


def read_obstacle(body: Mapping[str, Any]) -> Obstacle:
    """Read one obstacle; points have shape (k, 2), as an array or a bin."""
    points = body["points"]
    count = len(points) // 16 if isinstance(points, bytes) else len(points)
    # points are as wide as positions and travel like them
    low_high = body.get("z_range")
    z_range = None if low_high is None else (low_high[0], low_high[1])
    # servers before there were doors do not say
    is_open = body.get("open", False)
    return Obstacle(read_column("position", points, count), body["closed"], body["id"], z_range, is_open)


def read_paths(body: Mapping[str, Any]) -> PathsFound:
    """Read `{step, paths}`."""
    return PathsFound(body["step"], tuple(read_path(row) for row in body["paths"]))


def read_path(row: Mapping[str, Any]) -> PathFound:
    """Read one way; waypoints have shape (k, 2), as an array or a bin."""
    points, nearest = row.get("waypoints"), row.get("nearest")
    if points is not None:
        # points are as wide as positions and travel like them
        points = read_column("position", points, len(points) // 16 if isinstance(points, bytes) else len(points))
    return PathFound(
        points, row.get("length"), row.get("reason"), None if nearest is None else (nearest[0], nearest[1])
    )


def read_area(body: Mapping[str, Any]) -> WalkableArea:
    """Read one walkable area."""
    return WalkableArea(body["geometry"], body["clearance"], body.get("horizon"), body["shrunk"], body["id"])
