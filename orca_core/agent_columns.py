"""Columns of agent values at the door: shapes, ranges and finiteness, all faults named, before anything changes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from orca_core.errors import InvalidInput, Notice, Problem

__all__ = [
    "COLUMNS",
    "FLAG",
    "LARGEST",
    "LONGEST",
    "MOST_NEIGHBORS",
    "SHORTEST",
    "Rule",
    "capped",
    "check_columns",
    "check_masks",
    "check_value",
    "choice",
    "code_of",
    "identifier_column",
]

# bounds that keep every square and product of the solver finite
LARGEST = 1e9
LONGEST = 1e19
SHORTEST = 1e-6
MOST_NEIGHBORS = 1_000_000
# how many faults or warnings one answer names
NAMED = 100


@dataclass(frozen=True)
class Rule:
    """What a column may hold: `width` numbers a row, each from `low` to `high`; or one of the words of `choices`.

    A word is kept as its place in `choices`, true and false as 1 and 0 (`flag`), uint8 both. `unset` is what is kept
    where there is no value, for a column that may be without one.
    """

    width: int
    low: float
    high: float
    whole: bool = False
    choices: tuple[str, ...] = ()
    flag: bool = False
    unset: float | None = None

    @property
    def coded(self) -> bool:
        """Whether values are kept as small codes."""
        return self.flag or bool(self.choices)

    def shown(self, code: int) -> bool | str:
        """The value that a code stands for."""
        return bool(code) if self.flag else self.choices[code]

    def wanted(self) -> str:
        """The rule in words."""
        if self.flag:
            return "true or false"
        if self.choices:
            return f"one of {', '.join(self.choices)}"
        kind = "an integer" if self.whole else "a finite number"
        if self.low == -np.inf:
            return kind
        if self.low == -self.high:
            return f"{kind} of magnitude at most {self.high:g}"
        return f"{kind} from {self.low:g} to {self.high:g}"


def choice(*words: str) -> Rule:
    """A column that holds one of these words, of which the first changes nothing."""
    return Rule(1, 0, len(words) - 1, choices=words)


FLAG = Rule(1, 0, 1, flag=True)

COLUMNS: dict[str, Rule] = {
    "position": Rule(2, -LARGEST, LARGEST),
    "velocity": Rule(2, -LARGEST, LARGEST),
    "preferred_velocity": Rule(2, -np.inf, np.inf),
    "goal": Rule(2, -LARGEST, LARGEST),
    "preferred_speed": Rule(1, 0.0, LARGEST, unset=-1.0),
    "goal_tolerance": Rule(1, 0.0, LARGEST),
    "radius": Rule(1, 0.0, LARGEST),
    "max_speed": Rule(1, 0.0, LARGEST),
    "time_horizon": Rule(1, SHORTEST, LARGEST),
    "obstacle_horizon": Rule(1, SHORTEST, LARGEST),
    "neighbor_distance": Rule(1, 0.0, LONGEST),
    "max_neighbors": Rule(1, 0, MOST_NEIGHBORS, whole=True),
    "weight": Rule(1, 0.0, LARGEST),
    "priority": Rule(1, -LARGEST, LARGEST, whole=True),
    "locked": FLAG,
    "avoidance": FLAG,
    "layer": Rule(1, 0, 2**32 - 1, whole=True),
    "mask": Rule(1, 0, 2**32 - 1, whole=True),
    "elevation": Rule(1, -LARGEST, LARGEST),
    "height": Rule(1, 0.0, LARGEST),
    "group": Rule(1, 0, 2**53 - 1, whole=True),
    "group_mode": choice("none", "ignore", "together"),
    "quality": choice("all", "few", "none"),
    "max_acceleration": Rule(1, 0.0, LARGEST, unset=-1.0),
    "max_turning_rate": Rule(1, 0.0, LARGEST, unset=-1.0),
    "forward_preference": Rule(1, 0.0, 1.0),
    "heading": Rule(2, -LARGEST, LARGEST),
    "guidance": choice("straight", "path", "flow", "cooperative"),
}


def check_value(name: str, value: object) -> str | None:
    """Why one value may not stand in a column of width 1, or None."""
    rule = COLUMNS[name]
    if rule.coded:
        return None if _code_of(rule, value) is not None else f"must be {rule.wanted()}, not {value!r}"
    if isinstance(value, bool) or not isinstance(value, int | float):
        return f"must be a number, not {value!r}"
    number = float(value)
    if not np.isfinite(number) or not rule.low <= number <= rule.high or (rule.whole and number != int(number)):
        return f"must be {rule.wanted()}, not {value!r}"
    return None


def check_columns(
    columns: Mapping[str, ArrayLike], count: int, given: Mapping[str, NDArray[np.bool_]] | None = None
) -> dict[str, NDArray[Any]]:
    """Return the columns as contiguous float64 (count,) or (count, 2) arrays; int64 for whole numbers, uint8 for codes.

    `given[name]` (count,) tells the rows in which a value stands; others are not looked at. Raises InvalidInput
    naming item and field of
    every fault: an unknown column, a wrong shape, a value that is not finite or out of range.
    """
    problems: list[Problem] = []
    checked: dict[str, NDArray[Any]] = {}
    for name, values in columns.items():
        rule = COLUMNS.get(name)
        if rule is None:
            problems.append(Problem(None, name, f"is not a column of agents; there are {', '.join(COLUMNS)}"))
            continue
        if rule.coded:
            codes, wrong = _codes(rule, name, values, count, None if given is None else given.get(name))
            problems += wrong
            checked[name] = codes
            continue
        try:
            array = np.ascontiguousarray(values, np.float64)
        except (TypeError, ValueError):
            problems.append(Problem(None, name, f"must hold {rule.wanted()} in each row"))
            continue
        shape = (count,) if rule.width == 1 else (count, rule.width)
        if array.shape != shape:
            problems.append(Problem(None, name, f"must have shape {shape}, not {array.shape}"))
            continue
        if not rule.whole and _all_within(array, rule):
            checked[name] = array
            continue
        with np.errstate(invalid="ignore"):
            good: NDArray[np.bool_] = np.isfinite(array) & (array >= rule.low) & (array <= rule.high)
            if rule.whole:
                good &= array == np.floor(array)
        if rule.width > 1:
            good = np.asarray(good.all(axis=1), np.bool_)
        if given is not None and name in given:
            good |= ~given[name]
        for item in np.flatnonzero(~good)[: NAMED + 1]:
            problems.append(Problem(int(item), name, f"must be {rule.wanted()}, not {array[item].tolist()!r}"))
        if rule.whole and good.all():
            held = array if given is None or name not in given else np.where(given[name], array, 0.0)
            checked[name] = held.astype(np.int64)
        else:
            checked[name] = array
    if problems:
        raise InvalidInput(
            sorted(problems, key=lambda problem: -1 if problem.item is None else problem.item)[: NAMED + 1]
        )
    return checked


def code_of(name: str, value: object) -> int:
    """How a checked word or flag is kept."""
    code = _code_of(COLUMNS[name], value)
    assert code is not None
    return code


def _code_of(rule: Rule, value: object) -> int | None:
    """How a word or a flag is kept, or None where it is none."""
    if rule.flag:
        return int(value) if isinstance(value, bool | np.bool_) else None
    return rule.choices.index(value) if isinstance(value, str) and value in rule.choices else None


def _codes(
    rule: Rule, name: str, values: ArrayLike, count: int, held: NDArray[np.bool_] | None
) -> tuple[NDArray[np.uint8], list[Problem]]:
    """Codes (count,) of words or flags; what is uint8 already is taken as codes. Rows without a value are zero."""
    array = np.asarray(values, None if isinstance(values, np.ndarray) else object)
    if array.shape != (count,):
        return np.empty(0, np.uint8), [Problem(None, name, f"must have shape {(count,)}, not {array.shape}")]
    if held is not None:
        array = np.where(held, array, array.dtype.type(0) if array.dtype != object else 0)
    if array.dtype == np.bool_ and rule.flag:
        return array.astype(np.uint8), []
    if array.dtype == np.uint8:
        good = array <= rule.high
        codes = array
    else:
        found = [_code_of(rule, value) for value in array.tolist()]
        good = np.fromiter((code is not None for code in found), np.bool_, count)
        codes = np.fromiter((code or 0 for code in found), np.uint8, count)
    if held is not None:
        good = good | ~held
    return codes, [
        Problem(int(item), name, f"must be {rule.wanted()}, not {array[item]!r}")
        for item in np.flatnonzero(~good)[: NAMED + 1]
    ]


def _all_within(array: NDArray[np.float64], rule: Rule) -> bool:
    """Whether every number of a column is right, rows without a value included: the usual case, found in two passes."""
    if not array.size:
        return True
    # NaN passes into both, and compares as false
    lowest, highest = array.min(), array.max()
    return bool(rule.low <= lowest and highest <= rule.high and -np.inf < lowest and highest < np.inf)


def check_masks(masks: Mapping[str, NDArray[np.bool_]], count: int) -> None:
    """Refuse masks that are not bool (count,): one that is shorter would leave the last rows as they are, in silence.

    Raises InvalidInput naming each.
    """
    problems = []
    for name, mask in masks.items():
        held = np.asarray(mask)
        if held.dtype != np.bool_ or held.shape != (count,):
            problems.append(
                Problem(None, name, f"has a mask of {held.dtype} {held.shape}; it must be bool ({count},), one a row")
            )
    if problems:
        raise InvalidInput(problems)


def identifier_column(values: ArrayLike) -> NDArray[np.int64]:
    """Ids as contiguous int64 (n,); raises InvalidInput where they are not integers."""
    array = np.asarray(values)
    if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
        raise InvalidInput(
            [Problem(None, "id", f"must be a list of integers from 0 to 2^53 - 1, not {array.dtype} {array.shape}")]
        )
    return np.ascontiguousarray(array, np.int64)


def capped(notices: list[Notice]) -> list[Notice]:
    """At most a hundred warnings; a last one says how many more there were."""
    if len(notices) <= NAMED:
        return notices
    more = len(notices) - NAMED
    return [*notices[:NAMED], Notice("more", None, None, f"and {more} more warnings")]
