"""Columns: an array for each field of agents, of which a column in which all are alike is one row, not one an agent.

Most worlds leave most fields as they are, and a million rows that say the same cost as much as rows that do not. So the
columns of some fields (`Field.alike`) begin as one row, which is read as if everybody had it:

- `columns[name]` is what everybody reads: `count` rows, of a column alike a view of stride zero that nobody can write;
- `told` is the same without repeating it: the rows that there are, so one or `count`; for questions about all;
- `dense` is for a kernel that reads every row: a copy of `count` rows where there is only one;
- `put` writes, and makes rows if somebody differs by it; whoever writes in place asks `own` for them first.

A column that was given rows keeps them. Rows are made for all that ask at once or for nobody, and before anything is
written: where memory cannot be had nothing has changed. `arrays.generation` tells workers that there are other arrays.
Kernels take `told` where they look at a row only if somebody has used the field, and rows are there by then; a view of
stride zero is not an array that a kernel takes, so nothing is read by mistake.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from orca_core.arrays import Allocate, Arrays, Wanted

if TYPE_CHECKING:
    from orca_core.state import Field

__all__ = ["Columns", "same_bits"]

Rows = slice | NDArray[np.int64]
NOBODY = slice(0, 0)
NOTHING: Mapping[str, NDArray[Any]] = {}
# rows that there is room for at the least, so that a column of one row is one that all share
LEAST = 16


def same_bits(values: NDArray[Any], one: NDArray[Any] | float) -> bool:
    """Whether all of `values` are one value to the bit: zeros of different signs differ."""
    whole = np.dtype(f"u{values.dtype.itemsize}")
    return bool((values.view(whole) == np.asarray(one, values.dtype).view(whole)).all())


class Columns:
    """The columns of some fields for `count` agents in index order, with room to grow; see the module.

    What a step writes stands twice (`Field.twice`): `self[name]` is the state, `following(name)` what becomes it.
    """

    def __init__(self, fields: Mapping[str, Field], allocate: Allocate) -> None:
        """Nobody yet; `allocate` lends the memory."""
        self.fields = fields
        self.count = self.side = 0
        self.arrays = Arrays(allocate)
        self._capacity = LEAST
        self._look_at_rows({name for name, field in fields.items() if field.alike})
        made = [self._wanted([name], 1 if name in self._shared else LEAST) for name in fields]
        self.arrays.make(wanted for column in made for wanted in column)

    def _look_at_rows(self, shared: AbstractSet[str]) -> None:
        """Know in which columns all share a row, and in which of these it holds something else than the empty value."""
        self._shared = set(shared)
        self._varied: set[str] = set()

    def _wanted(self, names: Iterable[str], rows: int) -> Iterator[Wanted]:
        """So many rows of each of these columns, of the field's empty value."""
        for name in names:
            field = self.fields[name]
            shape = (rows,) if field.width == 1 else (rows, field.width)
            for key in (f"{name}.0", f"{name}.1") if field.twice else (name,):
                yield key, shape, field.dtype, field.empty

    # reading

    def __getitem__(self, name: str) -> NDArray[Any]:
        """The live rows of a field: writable, but where all are alike."""
        rows = self.arrays.table[f"{name}.{self.side}" if self.fields[name].twice else name]
        if name not in self._shared:
            return rows[: self.count]
        view: NDArray[Any] = np.ndarray((self.count, *rows.shape[1:]), rows.dtype, rows, 0, (0, *rows.strides[1:]))
        view.flags.writeable = False
        return view

    def following(self, name: str) -> NDArray[Any]:
        """The rows that become the state of a field at the end of the step; for some they are the state already."""
        if not self.fields[name].twice:
            return self.told(name)
        return self.arrays.table[f"{name}.{1 - self.side}"][: self.count]

    def owns(self, name: str) -> bool:
        """Whether everybody has a row of a field, and they do not share one."""
        return name not in self._shared

    def told(self, name: str) -> NDArray[Any]:
        """The rows of a field that there are: `count`, or one (none for nobody) where all are alike."""
        return self.arrays.table[name][: self.count] if name in self._shared else self[name]

    def dense(self, name: str) -> NDArray[Any]:
        """The live rows of a field one behind another, for a kernel that reads them all."""
        rows = self.told(name)
        return rows if len(rows) == self.count else rows.repeat(self.count, axis=0)

    # writing

    def own(self, *names: str) -> None:
        """Give everybody rows of these fields, and of those that go with them; all of them, or none without memory."""
        if not all(map(self.owns, names)):
            self._make(self._capacity, names)

    def put(self, name: str, rows: Rows, values: NDArray[Any] | float) -> None:
        """Write to some rows of a field, each named once; rows are made where somebody would differ."""
        if self.lacks(name, rows, values):
            self.own(name)
        if self.owns(name):
            self[name][rows] = values
        elif self._everybody(rows):
            self._share(name, values)

    def lacks(self, name: str, rows: Rows, values: NDArray[Any] | float) -> bool:
        """Whether `put` would have to make rows of a field."""
        if self.owns(name) or (self._everybody(rows) and self._one(name, values) is not None):
            return False
        return not same_bits(np.asarray(values, self.fields[name].dtype), self.arrays.table[name].ravel()[0])

    def clear(self, *names: str) -> None:
        """Write the empty value for everybody, where there are rows; for fields that a step writes."""
        for name in names:
            if self.owns(name):
                self[name][:] = self.fields[name].empty

    def _everybody(self, rows: Rows) -> bool:
        return isinstance(rows, slice) and self.count > 0 and rows.indices(self.count) == (0, self.count, 1)

    def _one(self, name: str, values: NDArray[Any] | float) -> NDArray[Any] | None:
        """The value that everybody may share who has one of `values`, or None where rows are needed.

        Any for what commands write; what steps write is shared only while it says nothing.
        """
        field = self.fields[name]
        kept, one = np.asarray(values, field.dtype).ravel(), np.full(1, field.empty, field.dtype)
        if kept.size and field.role == "input" and field.width == 1:
            one = kept[:1]
        return one if same_bits(kept, one) else None

    def _share(self, name: str, values: NDArray[Any] | float) -> None:
        """Let everybody have another value; whoever holds a copy of the old one has to look again."""
        row, value = self.arrays.table[name], self._one(name, values)
        if value is None or same_bits(row, value):
            return
        row[:] = value
        self.arrays.generation += 1
        self._say_whether_empty(name)

    def _say_whether_empty(self, name: str) -> None:
        empty = same_bits(self.arrays.table[name], self.fields[name].empty)
        (self._varied.discard if empty else self._varied.add)(name)

    # coming and going

    def _make(self, capacity: int, names: Iterable[str] = ()) -> None:
        """Have at least `capacity` rows, in these columns too; where memory cannot be had nothing has changed."""
        made = {other for name in names for other in self.fields[name].group} & self._shared
        if capacity > self._capacity:
            capacity = max(capacity, 2 * self._capacity)
            made |= self.fields.keys() - self._shared
        else:
            capacity = self._capacity
        if not made:
            return
        before = {name: self[name] for name in made} if self.count else {}
        # every array is there before the first one is replaced
        self.arrays.make(self._wanted([name for name in self.fields if name in made], capacity))
        self._shared -= made
        self._varied -= made
        for name, rows in before.items():
            self[name][:] = rows
        self._capacity = capacity

    def extend(self, count: int, coming: Mapping[str, NDArray[Any]] = NOTHING, needed: Sequence[str] = ()) -> slice:
        """Add `count` rows of empty values; returns where they stand. Nothing has changed where it raises.

        `coming[name]` (count,) is what will be put there, so that no `put` of it needs memory any more; fields that are
        `needed` get rows in any case. Who comes first decides what all share.
        """
        first = self.count
        told = {name: coming[name] for name in coming if name in self._shared}
        if first:
            lacking = [name for name, values in told.items() if self.lacks(name, NOBODY, values)]
            # who is given nothing has the empty value
            lacking += self._varied - told.keys() if count else ()
        else:
            lacking = [name for name, values in told.items() if self._one(name, values) is None]
        self._make(first + count, [*lacking, *needed])
        self.count = first + count
        if not first:
            for name in (self._varied | told.keys()) & self._shared:
                self._share(name, told.get(name, self.fields[name].empty))
        rows = slice(first, self.count)
        for name, field in self.fields.items():
            if name not in self._shared:
                self[name][rows] = field.empty
        return rows

    def shrink(self, keep: NDArray[np.bool_]) -> None:
        """Leave only the rows where `keep` (count,) is set; they keep their order."""
        left = int(keep.sum())
        for name in self.fields:
            if self.owns(name):
                rows = self[name]
                rows[:left] = rows[keep]
        self.count = left

    def keep(self) -> tuple[int, Mapping[str, NDArray[Any]]]:
        """A copy of all, for `put_back`."""
        return self.count, {name: self.told(name).copy() for name in self.fields}

    def put_back(self, kept: tuple[int, Mapping[str, NDArray[Any]]]) -> None:
        """Be again what `keep` saw, in the arrays that are there: columns that have got rows since then keep them."""
        self.count = 0
        self.extend(kept[0])
        for name, rows in kept[1].items():
            self.told(name)[:] = rows
        for name in self._shared if self.count else ():
            self._say_whether_empty(name)
        self.arrays.generation += 1
