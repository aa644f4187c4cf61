"""Columns of agent values at the door: shapes, ranges and finiteness, all faults named, before anything changes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from orca_core.errors import InvalidInput, Notice, Problem
from orca_core.state import GROUP_MODES

__all__ = [
    "COLUMNS",
    "LARGEST",
    "LONGEST",
    "MOST_NEIGHBORS",
    "SHORTEST",
    "capped",
    "check_columns",
    "check_masks",
    "check_value",
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
    """What a column may hold: `width` numbers a row, each from `low` to `high`."""

    width: int
    low: float
    high: float
    whole: bool = False

    def wanted(self) -> str:
        """The rule in words."""
        kind = "an integer" if self.whole else "a finite number"
        if self.low == -np.inf:
            return kind
        if self.low == -self.high:
            return f"{kind} of magnitude at most {self.high:g}"
        return f"{kind} from {self.low:g} to {self.high:g}"


COLUMNS: dict[str, Rule] = {
    "position": Rule(2, -LARGEST, LARGEST),
    "velocity": Rule(2, -LARGEST, LARGEST),
    "preferred_velocity": Rule(2, -np.inf, np.inf),
    "goal": Rule(2, -LARGEST, LARGEST),
    "preferred_speed": Rule(1, 0.0, LARGEST),
    "goal_tolerance": Rule(1, 0.0, LARGEST),
    "radius": Rule(1, 0.0, LARGEST),
    "max_speed": Rule(1, 0.0, LARGEST),
    "time_horizon": Rule(1, SHORTEST, LARGEST),
    "obstacle_horizon": Rule(1, SHORTEST, LARGEST),
    "neighbor_distance": Rule(1, 0.0, LONGEST),
    "max_neighbors": Rule(1, 0, MOST_NEIGHBORS, whole=True),
    "weight": Rule(1, 0.0, LARGEST),
    "priority": Rule(1, -LARGEST, LARGEST, whole=True),
    "locked": Rule(1, 0, 1, whole=True),
    "avoidance": Rule(1, 0, 1, whole=True),
    "layer": Rule(1, 0, 2**32 - 1, whole=True),
    "mask": Rule(1, 0, 2**32 - 1, whole=True),
    "elevation": Rule(1, -LARGEST, LARGEST),
    "height": Rule(1, 0.0, LARGEST),
    "group": Rule(1, 0, 2**53 - 1, whole=True),
    "group_mode": Rule(1, 0, len(GROUP_MODES) - 1, whole=True),
}


def check_value(name: str, value: float | int) -> str | None:
    """Why one number may not stand in a column of width 1, or None."""
    rule = COLUMNS[name]
    number = float(value)
    if not np.isfinite(number) or not rule.low <= number <= rule.high or (rule.whole and number != int(number)):
        return f"must be {rule.wanted()}, not {value!r}"
    return None


def check_columns(
    columns: Mapping[str, ArrayLike], count: int, given: Mapping[str, NDArray[np.bool_]] | None = None
) -> dict[str, NDArray[Any]]:
    """Return the columns as contiguous float64 (count,) or (count, 2) arrays (int64 for whole numbers).

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
