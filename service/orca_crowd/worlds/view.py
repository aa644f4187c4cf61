"""What is seen of a world's agents: copies of its columns as they travel.

The stream and the answers show the same values.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from orca_core.agent_columns import COLUMNS
from orca_core.heading import headings
from orca_core.identifiers import rows_of
from orca_core.state import BY_NAME
from orca_core.world import World
from orca_crowd.protocol.columns import FIELDS, words_of
from orca_crowd.protocol.steps import Selection

__all__ = ["AgentView", "column_of", "select"]

# what a step writes; all other columns change only by commands
MOVING = tuple(name for name in FIELDS if BY_NAME[name].role == "state" and name != "heading")

# numbers that an agent may be without, and what stands for that
UNSET = {name: rule.unset for name, rule in COLUMNS.items() if rule.unset is not None} | {"waits_for": -1}

# what else shows another value when a column changes
FOLLOWING = {"goal": ("preferred_velocity",), "preferred_velocity": ("goal",), "max_speed": ("preferred_speed",)}

Rows = slice | NDArray[np.int64]
EVERYBODY = slice(None)


def column_of(world: World, name: str, rows: Rows = EVERYBODY) -> NDArray[Any]:
    """A copy of one column with effective values, in index order: no goal is a row of NaN, which JSON shows as null.

    float64 (n, 2) for vectors, float64 (n,) for numbers, int64 (n,) for whole ones, uint8 (n,) codes for words,
    flags and `status`; a number that an agent is without is NaN. Where all are alike one row is repeated, read-only.
    """
    column: NDArray[Any] = world.column(name)[rows]
    if isinstance(rows, slice):
        # rows picked one by one are a copy already
        column = _copied(column)
    if name == "goal":
        column[world.column("has_goal")[rows] == 0] = np.nan
    elif name == "preferred_speed":
        column = np.where(column < 0.0, world.column("max_speed")[rows], column)
    elif name == "heading":
        column = shown_headings(world.column("velocity")[rows], column)
    elif name in UNSET:
        one = column[:1] if _repeats(column) else column
        column = np.broadcast_to(np.where(one == UNSET[name], np.nan, one), column.shape)
    return column


def _repeats(column: NDArray[Any]) -> bool:
    """Whether a column is one row that all agents share."""
    return len(column) > 1 and column.strides[0] == 0


def _copied(column: NDArray[Any]) -> NDArray[Any]:
    """A copy that the world does not change any more; of one row where all share it."""
    return np.broadcast_to(column[:1].copy(), column.shape) if _repeats(column) else column.copy()


def shown_headings(velocity: NDArray[Any], kept: NDArray[Any]) -> NDArray[Any]:
    """Where agents face (n, 2): NaN for those that have not faced anywhere yet."""
    facing = headings(velocity, kept)
    facing[(facing == 0.0).all(axis=1)] = np.nan
    return facing


def select(world: World, selection: Selection) -> dict[str, Any]:
    """`{step, time, ids, …columns}` of the chosen agents, all copies.

    Raises NotFound, Gone, or InvalidInput for an id named twice.
    """
    end = None if selection.limit is None else selection.offset + selection.limit
    rows: Rows = slice(selection.offset, end)
    if selection.ids is not None:
        rows = rows_of(world.index_of(selection.ids)[rows])
    answer: dict[str, Any] = {"step": world.step_count, "time": world.time, "ids": world.ids[rows].copy()}
    for name in selection.fields:
        answer[name] = _travelling(name, column_of(world, name, rows), selection)
    return answer


def _travelling(name: str, column: NDArray[Any], selection: Selection) -> Any:
    """A column as the encoder wants it: status by name, numbers in the precision that was asked for."""
    words = words_of(name, column)
    if words is not None:
        return words
    narrowed = selection.precision == "float32" and (column.dtype.kind == "f" or selection.packed)
    return column.astype(np.float32) if narrowed else column


class Columns(dict[str, NDArray[Any]]):
    """Columns of a publication. Headings follow from velocities, and are made when somebody first asks for them."""

    def __init__(self, held: Mapping[str, NDArray[Any]], kept: NDArray[Any]) -> None:
        """All columns but `heading`, and what is kept of headings for those that stand."""
        super().__init__(held)
        self._kept = kept

    def __missing__(self, name: str) -> NDArray[Any]:
        if name != "heading":
            raise KeyError(name)
        column = self[name] = _frozen(shown_headings(self["velocity"], self._kept))
        return column


class AgentView:
    """Columns for publications. What commands alone change is copied once after a command and shared until the next."""

    def __init__(self) -> None:
        """Hold nothing yet."""
        self._steady: dict[str, NDArray[Any]] = {}
        self._ids: NDArray[np.int64] | None = None

    def forget(self, columns: Iterable[str] | None = None) -> None:
        """A command has changed these columns of agents, None: also who is there; copy them anew the next time."""
        if columns is None:
            self._steady = {}
            self._ids = None
            return
        for column in columns:
            for name in (column, *FOLLOWING.get(column, ())):
                self._steady.pop(name, None)

    def take(self, world: World) -> tuple[NDArray[np.int64], Mapping[str, NDArray[Any]]]:
        """Ids and columns of this moment, read-only."""
        if self._ids is None:
            self._ids = _frozen(world.ids.copy())
        # a step keeps headings only where somebody has limits
        if world.limited or "heading" not in self._steady:
            self._steady["heading"] = _frozen(_copied(world.column("heading")))
        self._steady |= _columns(world, (name for name in FIELDS if name not in MOVING and name not in self._steady))
        held = {**self._steady, **_columns(world, MOVING)}
        return self._ids, Columns(held, held.pop("heading"))


def _columns(world: World, names: Iterable[str]) -> dict[str, NDArray[Any]]:
    return {name: _frozen(column_of(world, name)) for name in names}


def _frozen(array: NDArray[Any]) -> NDArray[Any]:
    array.flags.writeable = False
    return array
