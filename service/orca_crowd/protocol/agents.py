"""Agents on the wire, rows or columns, turned into arrays and masks; types are checked here, values by the world."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, Required

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, TypeAdapter, ValidationError, with_config
from typing_extensions import TypedDict

from orca_core.agent_columns import check_columns
from orca_core.errors import InvalidInput, Notice
from orca_crowd.errors import Fault, InvalidRequest, faults_of, in_order, moved, problem_of
from orca_crowd.protocol.columns import (
    CLEARABLE,
    CODED,
    INPUTS,
    INTEGERS,
    READ_ONLY,
    SAID,
    VECTORS,
    codes_of,
    read_column,
    read_identifiers,
)
from orca_crowd.protocol.models import STRICT, Identifier, Number, Strict, Vector, as_map, validate

__all__ = [
    *("AgentChange", "Agents", "AgentsBody", "Bits", "GroupMode", "Guidance", "NewAgent", "Whole"),
    *("parse_change", "parse_changes", "parse_new_agents"),
]

Guidance = Literal["straight", "path", "flow", "cooperative"]
GroupMode = Literal["none", "ignore", "together"]
Whole = Annotated[int, Field(ge=-(10**9), le=10**9)]
Bits = Annotated[int, Field(ge=0, le=2**32 - 1)]
Quality = Literal["all", "few", "none"]

# rows that one call of the validator gets: it holds the interpreter's lock for a whole call
ROWS_A_PIECE = 256


class Traits(TypedDict, total=False):
    """What an agent is and how it behaves; what holds for a new one where it is left out ends each description."""

    preferred_speed: Annotated[Number | None, Field(description="Toward the goal; null or left out: max_speed.")]
    goal_tolerance: Annotated[Number, Field(description="Distance at which the goal is reached; 1e-9.")]
    radius: Annotated[Number, Field(description="0.5")]
    max_speed: Annotated[Number, Field(description="1.5")]
    time_horizon: Annotated[Number, Field(description="For other agents; 2.")]
    obstacle_horizon: Annotated[Number, Field(description="For walls and boundaries; 2.")]
    neighbor_distance: Annotated[
        Number, Field(description="Left out: 2 radius + 2 max_speed max(time_horizon, time_step), fixed at insertion.")
    ]
    max_neighbors: Annotated[int, Field(ge=0, le=2**53 - 1, description="10")]
    weight: Annotated[Number, Field(description="Its part of the avoidance is weight / (weight + the other's); 1.")]
    priority: Annotated[Whole, Field(description="The higher does not yield to the lower, which takes the whole; 0.")]
    locked: Annotated[bool, Field(description="Moves on at its velocity; others take the whole; false.")]
    avoidance: Annotated[bool, Field(description="Whether it avoids agents and is avoided; true.")]
    layer: Annotated[Bits, Field(description="By which it is seen; 1.")]
    mask: Annotated[Bits, Field(description="Layers that it sees; 4294967295, which is all.")]
    elevation: Annotated[Number, Field(description="Height at which it begins; 0.")]
    height: Annotated[Number, Field(description="From its elevation up; what is at other heights is not met; 0.")]
    group: Annotated[Identifier, Field(description="Whom it belongs to; 0 is nobody.")]
    group_mode: Annotated[GroupMode, Field(description="Among members of its group; none.")]
    quality: Annotated[
        Quality, Field(description="How many neighbours count: max_neighbors, at most four of them, or none; all.")
    ]
    max_acceleration: Annotated[Number | None, Field(description="m/s² of its velocity; null or left out: no limit.")]
    max_turning_rate: Annotated[Number | None, Field(description="rad/s of its heading; null or left out: no limit.")]
    forward_preference: Annotated[
        Number, Field(description="0 to 1: how much slower it goes where it does not want to, aside and back; 0.")
    ]
    heading: Annotated[
        Vector | None,
        Field(
            description="Where it faces while it stands; moving it faces where it goes. Null or left out: nowhere yet."
        ),
    ]
    guidance: Annotated[Guidance, Field(description="How it finds the way to its goal; straight.")]


@with_config(STRICT)
class AgentChange(Traits, total=False):
    """Fields of an agent; those left out stay as they are, null clears."""

    id: Identifier
    position: Vector
    velocity: Vector
    preferred_velocity: Annotated[
        Vector | None, Field(description="Takes the goal's place; null clears, which leaves zero.")
    ]
    goal: Annotated[
        Vector | None, Field(description="Takes the preferred velocity's place; null clears, which leaves zero.")
    ]
    status: Annotated[
        str, Field(description="Read-only: may be sent back as it was read, and is ignored with a warning.")
    ]
    waiting: Annotated[Any, Field(description="Read-only: may be sent back, and is ignored.")]
    blocked_by: Annotated[Any, Field(description="Read-only: may be sent back, and is ignored.")]
    yields_to: Annotated[Any, Field(description="Read-only: may be sent back, and is ignored.")]
    cooperation: Annotated[str, Field(description="Read-only: may be sent back, and is ignored.")]
    waits_for: Annotated[Any, Field(description="Read-only: may be sent back, and is ignored.")]
    waypoint: Annotated[Any, Field(description="Read-only: may be sent back, and is ignored.")]
    corridor: Annotated[Any, Field(description="Read-only: may be sent back, and is ignored.")]
    path: Annotated[Any, Field(description="Read-only: may be sent back, and is ignored.")]
    unreachable: Annotated[Any, Field(description="Read-only: may be sent back, and is ignored.")]


@with_config(STRICT)
class NewAgent(Traits, total=False):
    """An agent; all but the position may be left out."""

    id: Annotated[
        Identifier, Field(description="0 to 2^53 - 1, never used in this world before; left out: given by the server.")
    ]
    position: Required[Vector]
    velocity: Annotated[Vector, Field(description="[0, 0]")]
    preferred_velocity: Annotated[
        Vector | None, Field(description="[0, 0]; of goal and preferred velocity the goal holds.")
    ]
    goal: Vector | None


class AgentsBody(Strict):
    """Agents, either as `agents`, a list of maps, or as `columns`, a map of lists (in MessagePack also bins)."""

    agents: list[Any] | None = Field(None, description="A map each.")
    ids: Any = Field(None, description="With `columns`: the id of each row.")
    columns: dict[str, Any] | None = Field(
        None,
        description="A list per field, all of one length; in MessagePack also bins of float64, x0 y0 x1 …",
    )


_new_agents = TypeAdapter(list[NewAgent])
_changes = TypeAdapter(list[AgentChange])


@dataclass(frozen=True)
class Agents:
    """Agents as arrays: per field the values, the rows in which it was given, and those in which null cleared it.

    `columns[name]` float64 (n,) or (n, 2), int64 (n,) for whole numbers, uint8 (n,) for codes;
    `given[name]` and `cleared[name]` bool (n,).
    `ids` int64 (n,), or None where the world gives them; `chosen` bool (n,) tells which rows name one, None for all.
    """

    count: int
    ids: NDArray[np.int64] | None
    chosen: NDArray[np.bool_] | None
    columns: dict[str, NDArray[Any]]
    given: dict[str, NDArray[np.bool_]]
    cleared: dict[str, NDArray[np.bool_]] = field(default_factory=dict)
    notices: list[Notice] = field(default_factory=list)


def parse_new_agents(body: object) -> Agents:
    """The body of POST …/agents."""
    return _parse(body, _new_agents, new=True)


def parse_changes(body: object) -> Agents:
    """The body of PATCH …/agents: every row names its agent."""
    return _parse(body, _changes, new=False)


def parse_change(body: object, identifier: int) -> Agents:
    """The body of PATCH …/agents/{id}: one row, its id in the path."""
    row = dict(as_map(body))
    if "id" in row and (type(row["id"]) is not int or row["id"] != identifier):
        raise InvalidRequest([Fault(None, "id", f"must be {identifier}, as in the path, or left out")])
    try:
        return _from_rows([{**row, "id": identifier}], _changes, new=False)
    except InvalidRequest as error:
        raise error.alone() from None


def _parse(body: object, adapter: TypeAdapter[Any], *, new: bool) -> Agents:
    parts = validate(AgentsBody, body, ["agents"])
    if (parts.agents is None) == (parts.columns is None):
        raise InvalidRequest("either `agents` or `columns` must be given, and not both")
    if parts.agents is not None:
        if parts.ids is not None:
            raise InvalidRequest([Fault(None, "ids", "goes with `columns`; in `agents` each map has its `id`")])
        return _from_rows(parts.agents, adapter, new=new)
    return _from_columns(parts.columns or {}, parts.ids, new=new)


def _from_rows(rows: list[Any], adapter: TypeAdapter[Any], *, new: bool) -> Agents:
    faults: list[Fault] = []
    for start in range(0, len(rows), ROWS_A_PIECE):
        try:
            adapter.validate_python(rows[start : start + ROWS_A_PIECE])
        except ValidationError as error:
            faults += faults_of(error, offset=start)
    if not faults and not new:
        faults = [Fault(item, "id", "is missing") for item, row in enumerate(rows) if "id" not in row]
    if faults:
        raise InvalidRequest(in_order(faults + _values_of_others(rows, faults, adapter, new=new)))
    count = len(rows)
    columns: dict[str, NDArray[Any]] = {}
    given: dict[str, NDArray[np.bool_]] = {}
    cleared: dict[str, NDArray[np.bool_]] = {}
    names = {name for row in rows for name in row}
    for name in INPUTS:
        if name not in names:
            continue
        # rows without a value hold a zero that nobody reads
        blank: Any = [0.0, 0.0] if name in VECTORS else 0
        values = [row.get(name) for row in rows]
        if name in CODED:
            columns[name], wrong = codes_of(name, values)
            faults += wrong
            given[name] = np.fromiter((value is not None for value in values), np.bool_, count)
            continue
        held = np.fromiter((value is not None for value in values), np.bool_, count)
        columns[name] = np.array(
            [blank if value is None else value for value in values], np.int64 if name in INTEGERS else np.float64
        ).reshape((count, 2) if name in VECTORS else (count,))
        given[name] = held
        if name in CLEARABLE and not new:
            cleared[name] = np.fromiter((name in row for row in rows), np.bool_, count) & ~held
    if faults:
        raise InvalidRequest(faults)
    ids = chosen = None
    if "id" in names:
        ids = np.fromiter((row.get("id", 0) for row in rows), np.int64, count)
        chosen = np.fromiter(("id" in row for row in rows), np.bool_, count)
    told = [(item, name, row[name]) for item, row in enumerate(rows) for name in READ_ONLY if name in row]
    return _settle(count, ids, chosen, columns, given, cleared, _read_only_notices(told))


def _values_of_others(rows: list[Any], faults: Sequence[Fault], adapter: TypeAdapter[Any], *, new: bool) -> list[Fault]:
    """What the world would refuse in the rows that have no fault yet, so that a refusal names all that is wrong."""
    wrong = {fault.item for fault in faults}
    others = [item for item in range(len(rows)) if item not in wrong]
    try:
        agents = _from_rows([rows[item] for item in others], adapter, new=new)
        check_columns(agents.columns, agents.count, agents.given)
    except (InvalidInput, InvalidRequest) as error:
        return moved(problem_of(error).errors, others)
    return []


def _from_columns(given_columns: dict[str, Any], ids: Any, *, new: bool) -> Agents:
    faults: list[Fault] = []
    parsed: dict[str, tuple[NDArray[Any], NDArray[np.bool_]]] = {}
    identifiers: NDArray[np.int64] | None = None
    if ids is not None and "id" in given_columns:
        raise InvalidRequest([Fault(None, "ids", "is given twice: here and as `columns.id`")])
    ids = given_columns.get("id", ids)
    if ids is not None:
        identifiers, wrong = read_identifiers(ids, "id")
        faults += wrong
    for name, values in given_columns.items():
        if name == "id" or name in READ_ONLY:
            continue
        if name not in INPUTS:
            faults.append(Fault(None, name, "unknown field"))
            continue
        column, held, wrong = read_column(name, values, nullable=name in CLEARABLE)
        faults += wrong
        parsed[name] = (column, held)
    sent_back = [name for name in READ_ONLY if name in given_columns]
    if new:
        faults += [Fault(None, name, "unknown field") for name in sent_back]
    if new and "position" not in given_columns:
        faults.append(Fault(None, "position", "is missing"))
    if not new and ids is None:
        faults.append(Fault(None, "ids", "is missing"))
    if faults:
        raise InvalidRequest(faults)
    lengths = {name: len(column) for name, (column, _) in parsed.items()}
    if identifiers is not None:
        lengths["ids"] = len(identifiers)
    count = max(lengths.values(), default=0)
    uneven = [
        Fault(None, name, f"has {length} rows, others have {count}")
        for name, length in lengths.items()
        if length != count
    ]
    if uneven:
        raise InvalidRequest(uneven)
    columns = {name: column for name, (column, _) in parsed.items()}
    given = {name: held for name, (_, held) in parsed.items()}
    cleared = {} if new else {name: ~held for name, held in given.items() if name in CLEARABLE and not held.all()}
    heads = {name: given_columns[name] for name in sent_back}
    notices = _read_only_notices(
        [
            (0, name, value)
            for name, values in heads.items()
            for value in (values[:1] if type(values) is list else [values])
        ]
    )
    return _settle(count, identifiers, None, columns, given, cleared, notices)


def _read_only_notices(told: Sequence[tuple[int, str, Any]]) -> list[Notice]:
    """One warning for what was sent back as it was read, of item, name and value; a refusal where it is none."""
    wrong = [
        Fault(item, name, f"is read-only and one of {', '.join(SAID[name])}")
        for item, name, value in told
        if name in SAID and value not in SAID[name]
    ]
    if wrong:
        raise InvalidRequest(wrong)
    # of one of them a word is enough
    first = next((item for item, name, _ in told if name == "status"), None)
    return [] if first is None else [Notice("read-only", first, "status", "status is read-only and was ignored")]


def _settle(
    count: int,
    ids: NDArray[np.int64] | None,
    chosen: NDArray[np.bool_] | None,
    columns: dict[str, NDArray[Any]],
    given: dict[str, NDArray[np.bool_]],
    cleared: dict[str, NDArray[np.bool_]],
    notices: list[Notice],
) -> Agents:
    """Within a row a value outdoes a null: a goal beside a null preferred velocity is a goal, and vice versa."""
    for name, other in (("goal", "preferred_velocity"), ("preferred_velocity", "goal")):
        if name in cleared and other in given:
            cleared[name] &= ~given[other]
    return Agents(count, ids, chosen, columns, given, cleared, notices)
