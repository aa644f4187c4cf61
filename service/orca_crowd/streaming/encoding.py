"""A `full` or a `frame` as bytes, from a state and what the client knows. No I/O; from any thread."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from orca_crowd.protocol.columns import VECTORS, words_of
from orca_crowd.protocol.frames import JSON_SUBPROTOCOL, Column, encode_columns, encode_entries
from orca_crowd.streaming.delta import NOBODY, Delta, delta_of
from orca_crowd.streaming.interest import EVERYBODY
from orca_crowd.streaming.keyframe import BASED, Keyframe, Keyframes, quantised
from orca_crowd.streaming.packed import Packed
from orca_crowd.streaming.state import Known, Members, State
from orca_crowd.streaming.subscription import FrameKey

__all__ = ["SMALL_ALIGNMENT", "effort", "encode"]

# what is encoded on the event loop: about a quarter of a millisecond in either subprotocol
SMALL_JSON_NUMBERS = 2_000
SMALL_BINARY_BYTES = 500_000
# agents whose ids are put beside other ids on the event loop
SMALL_ALIGNMENT = 3_000

QUANTISED = ("int16", "int8")

Rows = NDArray[np.intp] | None


def encode(state: State, key: FrameKey, known: Known | None, keyframes: Keyframes) -> tuple[Packed, Known]:
    """The message that brings a client from `known` to a state, and what it knows then; None: it knows nothing."""
    members = state.members(key.interest)
    head: dict[str, Any] = {"type": "full" if known is None else "frame", "step": state.step, "time": state.time}
    if known is None:
        delta = Delta(members.rows, members.ids, True, NOBODY, NOBODY)
    else:
        delta = delta_of(state, members, known, key.fields, all_rows=key.rows == "all")
        head["since"] = known.step
    if delta.ids is not None:
        head["ids"] = delta.ids
    if known is not None:
        head |= {"entered": delta.entered, "left": delta.left}

    # position and velocity as whole numbers beside a base, where they are asked for so
    columns = {name: state.columns[name] for name in key.fields}
    keyframe: Keyframe | None = None
    exact = key.precision
    if key.precision in QUANTISED:
        exact = "float32"
        told = [name for name in BASED if name in columns]
        if told:
            keyframe, based = _beside_keyframe(state, key, members, delta, known, keyframes, told)
            head |= based
            columns = {name: column for name, column in columns.items() if name not in told}
    rest = {name: _travelling(name, _rows(column, delta.rows)) for name, column in columns.items()}
    parts = [encode_entries(head, key.subprotocol), encode_columns(rest, exact, key.subprotocol)]
    # the list of all still holds where nobody came or went, and anew where there is a row for everybody
    listed = delta.whole or (known is not None and known.listed and delta.same_members)
    return Packed(parts, key.subprotocol), Known((members,), listed, keyframe)


def _beside_keyframe(
    state: State,
    key: FrameKey,
    members: Members,
    delta: Delta,
    known: Known | None,
    keyframes: Keyframes,
    names: list[str],
) -> tuple[Keyframe, dict[str, Any]]:
    """The keyframe, and the members of the message that go with it: all that is told of the columns `names`."""
    keyframe, base = keyframes.of(state)
    values: dict[str, Any] = {}
    scales: dict[str, float] = {}
    for name in names:
        numbers, scales[name] = quantised(
            _rows(state.columns[name], delta.rows), _rows(base[name], delta.rows), key.precision
        )
        values[name] = numbers
    told: dict[str, Any] = {"keyframe": keyframe.step, "scale": scales}
    # a client has the base of everybody it knows, from the same keyframe or from none
    ids, rows = members.ids, members.rows
    if known is not None and known.keyframe is keyframe:
        ids = delta.entered
        rows = None if not len(ids) else _places(ids, members)
    if len(ids):
        told |= {"based": ids, "base": {name: _rows(base[name], rows) for name in names}}
    return keyframe, told | values


def _places(ids: NDArray[np.int64], members: Members) -> NDArray[np.intp]:
    """Rows of the state in which some of the members stand."""
    places = np.flatnonzero(np.isin(members.ids, ids))
    return places if members.rows is None else members.rows[places]


def effort(state: State, key: FrameKey, known: Known | None) -> float:
    """About how long encoding takes, in units of what the event loop may be held for at once."""
    agents = len(state.ids)
    numbers = agents * (1 + sum(2 if name in VECTORS else 1 for name in key.fields))
    # choosing rows, and whole numbers beside a base, take about as long again
    numbers *= 1 + (key.interest != EVERYBODY) + (key.precision in QUANTISED)
    found = numbers / SMALL_JSON_NUMBERS if key.subprotocol == JSON_SUBPROTOCOL else 8 * numbers / SMALL_BINARY_BYTES
    if known is not None and not _same_agents(state, known):
        found += agents / SMALL_ALIGNMENT
    return found


def _same_agents(state: State, known: Known) -> bool:
    """Whether the world has the same agents as in the states that the client may have."""
    return all(each.state is not None and each.state.ids is state.ids for each in known.possible)


def _rows(column: NDArray[Any], rows: Rows) -> NDArray[Any]:
    return column if rows is None else column[rows]


def _travelling(name: str, column: NDArray[Any]) -> Column:
    """A column as the encoder wants it: words for codes."""
    words = words_of(name, column)
    return column if words is None else words
