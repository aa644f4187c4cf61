"""Positions and velocities in int16 and int8: steps of a power of two from a base that many frames share. No I/O.

With such a precision a message says `keyframe` (the step of the base), `scale` and the columns as integers; the value
is base + scale · integer, off by at most half of `scale` and the rounding of the base to float32. The base comes once
for every agent: for all of them with a new `keyframe`, in between for those in `based`.
"""

from __future__ import annotations

import sys
from array import array
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from orca_crowd_client.columns import Identifiers, read_column, read_identifiers
from orca_crowd_client.errors import ProtocolError
from orca_crowd_client.rows import RowIndex, joined, overwritten, taken, unknown

if TYPE_CHECKING:
    import numpy
else:
    try:
        import numpy
    except ImportError:
        numpy = None

__all__ = ["Keyframe"]

# bytes of one number, as `numpy` and `array` name it
INTEGERS = {2: "h", 1: "b"}


class Keyframe:
    """The base by agent, as it was told by the messages of one subscription."""

    def __init__(self) -> None:
        """Know no base."""
        self._step: int | None = None
        self._ids: Identifiers = read_identifiers([])
        self._base: dict[str, Any] = {}
        self._index = RowIndex(self._ids)

    def read(self, message: Mapping[str, Any], ids: Identifiers) -> dict[str, Any]:
        """Read the columns of `ids` that travelled as integers: float64, shape (n, 2); none in another precision.

        Raises `ProtocolError` for an agent without a base, or a column that is no whole number of integers.
        """
        scale: Mapping[str, float] = message.get("scale") or {}
        if "keyframe" in message:
            self._learn(message["keyframe"], message)
        named = [name for name in scale if isinstance(message.get(name), bytes | list)]
        if not named or len(ids) == 0:
            return {name: read_column(name, [], 0) for name in named}
        rows = self._index.rows(ids)
        without = unknown(rows)
        if len(without):
            raise ProtocolError(f"no base of agent {int(ids[without[0]])} has come with keyframe {self._step}")
        return {
            name: raised(taken(self._base[name], rows), scale[name], read_integers(name, message[name], len(ids)))
            for name in named
        }

    def _learn(self, step: int, message: Mapping[str, Any]) -> None:
        """Take the base of `based`; one of a new keyframe takes the place of all that was told before."""
        if step != self._step:
            self._step, self._ids, self._base = step, read_identifiers([]), {}
            self._index = RowIndex(self._ids)
        ids = read_identifiers(message.get("based") or [])
        if len(ids) == 0:
            return
        told = {name: read_column(name, values, len(ids), 4) for name, values in message["base"].items()}
        # an agent that left and came back is told again, with the same base
        rows = self._index.rows(ids)
        fresh = unknown(rows)
        if len(fresh):
            self._ids = joined(self._ids, taken(ids, fresh))
            self._index = RowIndex(self._ids)
            rows = self._index.rows(ids)
        for name, values in told.items():
            longer = joined(self._base[name], taken(values, fresh)) if name in self._base else taken(values, fresh)
            self._base[name] = overwritten(longer, rows, values)


def read_integers(name: str, value: bytes | list[Any], count: int) -> Any:
    """Read a vector column, a bin of int16 or int8 or an array of pairs: numpy (n, 2) or a list of pairs."""
    if isinstance(value, list):
        column = value if numpy is None else numpy.array(value)
    else:
        size = len(value) // (2 * count)
        if size not in INTEGERS or len(value) != 2 * count * size:
            raise ProtocolError(f"column {name} has {len(value)} bytes, which is no int16 or int8 for {count} agents")
        column = pairs(value, INTEGERS[size])
    if len(column) != count:
        raise ProtocolError(f"column {name} has {len(column)} rows for {count} agents")
    return column


def pairs(value: bytes, code: str) -> Any:
    """Lay little-endian integers out as pairs."""
    if numpy is not None:
        return numpy.frombuffer(value, dtype=numpy.dtype(code).newbyteorder("<")).reshape(-1, 2)
    numbers: array[int] = array(code, value)
    if sys.byteorder == "big":
        numbers.byteswap()
    return list(zip(*[iter(numbers)] * 2, strict=True))


def raised(base: Any, scale: float, integers: Any) -> Any:
    """Give base + scale · integer in float64, where neither product nor sum loses a bit of either."""
    if numpy is not None:
        return base.astype(numpy.float64) + scale * integers
    return [(x + scale * dx, y + scale * dy) for (x, y), (dx, dy) in zip(base, integers, strict=True)]
