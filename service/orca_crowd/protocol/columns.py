"""Columns of agents on the wire: which fields there are, and how a list or a bin becomes an array."""

from __future__ import annotations

from itertools import chain
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from orca_core.agent_columns import COLUMNS
from orca_core.cooperation import COOPERATION_STATES
from orca_core.state import STATUS_NAMES
from orca_crowd.errors import Fault
from orca_crowd.protocol.models import IDENTIFIER_LIMIT, kind_of

__all__ = [
    "CLEARABLE",
    "CODED",
    "FIELDS",
    "INPUTS",
    "INTEGERS",
    "READ_ONLY",
    "SAID",
    "VECTORS",
    "codes_of",
    "read_column",
    "read_identifiers",
    "words_of",
]

VECTORS: Final = tuple(name for name, rule in COLUMNS.items() if rule.width == 2)
INTEGERS: Final = tuple(name for name, rule in COLUMNS.items() if rule.whole)
# words, and true or false: kept as uint8 codes
CODED: Final = tuple(name for name, rule in COLUMNS.items() if rule.coded)
# what a client may give
INPUTS: Final = tuple(COLUMNS)
# what the world alone says
READ_ONLY: Final = ("status", "cooperation", "waits_for")
# what a client may ask for
FIELDS: Final = (*INPUTS, *READ_ONLY)
# words that the world alone says
SAID: Final = {"status": STATUS_NAMES, "cooperation": COOPERATION_STATES}
# what null takes away
CLEARABLE: Final = (
    *("preferred_velocity", "goal", "heading"),
    *(name for name, rule in COLUMNS.items() if rule.unset is not None),
)


def words_of(name: str, codes: NDArray[np.uint8]) -> list[str] | list[bool] | None:
    """What the codes of a column stand for, a status by its name; None for a column of numbers."""
    if name in SAID:
        said = SAID[name]
        return [said[code] for code in codes.tolist()]
    if name not in CODED:
        return None
    rule = COLUMNS[name]
    return [bool(code) for code in codes] if rule.flag else [rule.choices[code] for code in codes.tolist()]


def read_column(name: str, values: Any, *, nullable: bool) -> tuple[NDArray[Any], NDArray[np.bool_], list[Fault]]:
    """Array, mask of the rows that hold a value, and faults of one column; the array is useless where there are faults.

    Rows with null hold zero. Vectors are (n, 2), numbers (n,), whole ones int64, words and flags uint8 codes.
    Non-finite numbers pass: the
    world names them.
    """
    column: NDArray[Any]
    if name in CODED and isinstance(values, bytes):
        return np.empty(0), np.empty(0, np.bool_), [Fault(None, name, f"must be a list: {COLUMNS[name].wanted()} each")]
    if isinstance(values, bytes):
        column, faults = _from_bin(name, values, 2 if name in VECTORS else 1)
        return column, np.ones(len(column), np.bool_), faults
    if not isinstance(values, list):
        return (
            np.empty(0),
            np.empty(0, np.bool_),
            [Fault(None, name, f"must be a list, or a bin in MessagePack, not {kind_of(values)}")],
        )
    held = np.fromiter((value is not None for value in values), np.bool_, len(values))
    if not held.all() and not nullable:
        return np.empty(0), held, [Fault(int(item), name, "must not be null") for item in np.flatnonzero(~held)]
    if name in CODED:
        column, faults = codes_of(name, values)
    elif name in VECTORS:
        column, faults = _vectors(name, values, held)
    elif name in INTEGERS:
        column, faults = _integers(name, values, _least(name))
    else:
        column, faults = _numbers(
            name, values if held.all() else [0.0 if value is None else value for value in values], None
        )
    return column, held, faults


def codes_of(name: str, values: list[Any]) -> tuple[NDArray[np.uint8], list[Fault]]:
    """uint8 codes (n,) of a list of words or of true and false; null is code 0."""
    rule = COLUMNS[name]
    kinds: list[Any] = [False, True] if rule.flag else list(rule.choices)
    known = {value: code for code, value in enumerate(kinds)}
    wanted = bool if rule.flag else str
    faults = [
        Fault(item, name, f"must be {rule.wanted()}, not {value!r}")
        for item, value in enumerate(values)
        if value is not None and (type(value) is not wanted or value not in known)
    ]
    if faults:
        return np.empty(0, np.uint8), faults
    return np.fromiter((0 if value is None else known[value] for value in values), np.uint8, len(values)), []


def read_identifiers(values: Any, name: str) -> tuple[NDArray[np.int64], list[Fault]]:
    """Ids from a list or a bin of little-endian int64; whether they exist and are distinct is for the world to say."""
    if isinstance(values, bytes):
        if len(values) % 8:
            return np.empty(0, np.int64), [Fault(None, name, f"has {len(values)} bytes, which is no number of int64")]
        ids = np.frombuffer(values, "<i8").astype(np.int64)
        wrong = np.flatnonzero((ids < 0) | (ids > IDENTIFIER_LIMIT))
        return ids, [Fault(int(item), name, f"must be 0 to 2^53 - 1, not {ids[item]}") for item in wrong]
    if not isinstance(values, list):
        return np.empty(0, np.int64), [
            Fault(None, name, f"must be a list, or a bin in MessagePack, not {kind_of(values)}")
        ]
    return _integers(name, values, 0)


def _least(name: str) -> int:
    """The smallest whole number that a column may hold."""
    return int(COLUMNS[name].low)


def _from_bin(name: str, data: bytes, width: int) -> tuple[NDArray[Any], list[Fault]]:
    if len(data) % (8 * width):
        unit = "pairs of float64" if width == 2 else "float64"
        return np.empty(0), [Fault(None, name, f"has {len(data)} bytes, which is no number of {unit}")]
    column: NDArray[Any] = np.frombuffer(data, "<f8").astype(np.float64)
    if width == 2:
        return column.reshape(-1, 2), []
    if name in INTEGERS:
        least = _least(name)
        wrong = np.flatnonzero(~((column >= least) & (column <= IDENTIFIER_LIMIT) & (column == np.floor(column))))
        if len(wrong):
            return column, [
                Fault(int(item), name, f"must be a whole number from {least}, not {column[item]}") for item in wrong
            ]
        return column.astype(np.int64), []
    return column, []


def _vectors(name: str, values: list[Any], held: NDArray[np.bool_]) -> tuple[NDArray[np.float64], list[Fault]]:
    wrong = [
        Fault(item, name, "must be a list of two numbers")
        for item, value in enumerate(values)
        if value is not None and (type(value) is not list or len(value) != 2)
    ]
    if wrong:
        return np.empty((0, 2)), wrong
    blank = [0.0, 0.0]
    flat = list(chain.from_iterable(values if held.all() else (blank if value is None else value for value in values)))
    column, faults = _numbers(name, flat, 2)
    return column.reshape(-1, 2) if not faults else column, faults


def _numbers(name: str, values: list[Any], width: int | None) -> tuple[NDArray[np.float64], list[Fault]]:
    """float64 of a list of numbers; a boolean is none, and neither is an integer beyond float64."""
    # the set of types is found without a line of Python per value
    if set(map(type, values)) <= {float, int}:
        try:
            return np.array(values, np.float64), []
        except OverflowError:
            pass
    faults = []
    for place, value in enumerate(values):
        item = place // width if width else place
        if type(value) not in (float, int):
            faults.append(Fault(item, name, f"must be a number, not {kind_of(value)}"))
        elif type(value) is int and not -(2**1023) <= value <= 2**1023:
            faults.append(Fault(item, name, "must be a finite number"))
    return np.empty(0), faults


def _integers(name: str, values: list[Any], least: int) -> tuple[NDArray[np.int64], list[Fault]]:
    if set(map(type, values)) <= {int} and (not values or (min(values) >= least and max(values) <= IDENTIFIER_LIMIT)):
        return np.array(values, np.int64), []
    faults = []
    for item, value in enumerate(values):
        if type(value) is not int:
            faults.append(
                Fault(
                    item,
                    name,
                    f"must be a whole number, not {'a fraction' if type(value) is float else kind_of(value)}",
                )
            )
        elif not least <= value <= IDENTIFIER_LIMIT:
            faults.append(Fault(item, name, f"must be a whole number from {least} to 2^53 - 1"))
    return np.empty(0, np.int64), faults
