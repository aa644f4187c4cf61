"""Columns of agents: from what the caller has to what travels, and back.

On the wire a number column in MessagePack is a bin of little-endian float64 (float32 where asked for), an id column a
bin of int64, a vector column x0 y0 x1 y1 …, a column of strings an array; in JSON every column is an array. Here a
column read is a numpy array where numpy is installed (read-only, on the bytes that came); where it is not, numbers and
ids are an `array.array` and vectors a list of (x, y). Bits survive both ways, the sign of zero and subnormals included.

What is not plainly a column of numbers (a boolean, a string, a row of three) is not coerced but sent as it is, so that
the server refuses it with item and field: one judge of input, not two.
"""

from __future__ import annotations

import sys
from array import array
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, TypeAlias

from orca_crowd_client.errors import ProtocolError

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    # where numpy is not installed these become Any for a type checker, which is what they then are
    Numbers: TypeAlias = NDArray[numpy.floating[Any]]
    Identifiers: TypeAlias = NDArray[numpy.int64]
else:
    Numbers = Identifiers = Any
    try:
        import numpy
    except ImportError:
        numpy = None

__all__ = [
    "ITEM_SIZES",
    "Identifiers",
    "Numbers",
    "column_length",
    "is_single",
    "pack_identifiers",
    "pack_numbers",
    "plain",
    "read_column",
    "read_identifiers",
    "spread",
]

# how many numbers one agent has in a column; a field that is not here is taken for as wide as its bytes say
WIDTHS = {
    "position": 2,
    "velocity": 2,
    "preferred_velocity": 2,
    "goal": 2,
    "radius": 1,
    "max_speed": 1,
    "time_horizon": 1,
    "obstacle_horizon": 1,
    "neighbor_distance": 1,
    "max_neighbors": 1,
    "preferred_speed": 1,
    "goal_tolerance": 1,
    "weight": 1,
    "priority": 1,
    "layer": 1,
    "mask": 1,
    "elevation": 1,
    "height": 1,
    "group": 1,
    "max_acceleration": 1,
    "max_turning_rate": 1,
    "forward_preference": 1,
    "heading": 2,
}
IDENTIFIER_FIELDS = frozenset({"id", "ids", "entered", "left"})
# bytes of one number for each precision a caller can ask for
ITEM_SIZES = {"float64": 8, "float32": 4}
TYPE_CODES = {8: "d", 4: "f"}
NAN = float("nan")


def plain(value: Any) -> Any:
    """Turn numpy scalars and arrays, tuples and `array.array` into what both encodings know; leave the rest alone."""
    if isinstance(value, float | int | str | bytes | bool | None):
        # a numpy float64 is a float too; float() of it keeps the bits
        return float(value) if isinstance(value, float) else value
    if isinstance(value, Mapping):
        return {key: plain(inner) for key, inner in value.items()}
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, Sequence):
        return [plain(inner) for inner in value]
    return value


def is_single(name: str, value: Any) -> bool:
    """Whether `value` stands for one agent (a number, null, or one vector of a vector field) rather than a column."""
    if value is None or isinstance(value, str | Real) or getattr(value, "ndim", None) == 0:
        return True
    if WIDTHS.get(name) != 2 or len(value) != 2:
        return False
    # a vector field holds pairs, so two bare numbers are one pair and not two rows
    return all(isinstance(part, Real) for part in value)


def spread(name: str, value: Any, count: int) -> Any:
    """Give the column of `count` rows in which every row is `value`, if `value` is a single one; else the column."""
    return [value] * count if is_single(name, value) else value


def column_length(columns: Mapping[str, Any]) -> int:
    """Count the rows: the length of the first real column, 1 where each value is a single one, 0 without any."""
    for name, value in columns.items():
        if not is_single(name, value):
            return len(value)
    return 1 if columns else 0


def pack_numbers(name: str, values: Any) -> bytes | None:
    """Pack a number column to little-endian float64, or return None where it is not plainly one.

    `values` is a numpy array of any float or integer type, shape (n,) or (n, width), an `array.array`, or a sequence
    of numbers or of rows of numbers.
    """
    width = WIDTHS.get(name)
    # an array of numbers goes as a block
    if numpy is not None and isinstance(values, numpy.ndarray):
        found = values.shape[1] if values.ndim == 2 else 1
        if values.dtype.kind not in "fiu" or values.ndim not in (1, 2) or found != (width or found):
            return None
        return numpy.ascontiguousarray(values, "<f8").tobytes()
    # anything else is looked at number by number, since array('d', …) would take True for 1.0
    rows = list(values)
    if width is None:
        width = len(rows[0]) if rows and isinstance(rows[0], Sequence) and not isinstance(rows[0], str) else 1
    if width == 1:
        return pack_flat("d", rows, Real)
    try:
        if any(len(row) != width for row in rows):
            return None
        return pack_flat("d", list(chain.from_iterable(rows)), Real)
    except TypeError:
        return None


def pack_identifiers(values: Any) -> bytes | None:
    """Pack ids to little-endian int64, or return None where they are not plainly integers of that size."""
    if numpy is not None and isinstance(values, numpy.ndarray):
        if values.dtype.kind not in "iu" or values.ndim != 1 or (values.size and values.max() > 2**63 - 1):
            return None
        return numpy.ascontiguousarray(values, "<i8").tobytes()
    return pack_flat("q", list(values), Integral)


def pack_flat(code: str, values: list[Any], kind: type) -> bytes | None:
    """Pack numbers, none of them a boolean and all of them of the abstract `kind`; else None."""
    types = set(map(type, values))
    if not all(issubclass(found, kind) and found is not bool for found in types):
        return None
    try:
        packed = array(code, values)
    except OverflowError:
        return None
    if sys.byteorder == "big":
        packed.byteswap()
    return packed.tobytes()


def read_identifiers(value: Any) -> Identifiers:
    """Read an id column, a bin of int64 or an array: int64 numpy array (n,), or `array.array('q')`."""
    if isinstance(value, bytes):
        if len(value) % 8:
            raise ProtocolError(f"an id column of {len(value)} bytes is not a whole number of int64")
        ids: Identifiers = block(value, "q", 1)
        return ids
    if numpy is not None:
        return numpy.array(value, dtype=numpy.int64).reshape(-1)
    return array("q", value)


def read_column(name: str, value: Any, count: int, item_size: int = 8) -> Any:
    """Read one column of `count` agents as it came.

    `item_size` (bytes a number) is what the caller asked for; it counts only for a field whose width is not known
    here, since bytes / (count * width) says it otherwise. Strings and booleans
    stay a list. A null in an array of numbers reads
    as NaN, in a vector as (NaN, NaN).
    """
    if name in IDENTIFIER_FIELDS:
        column = read_identifiers(value)
    elif isinstance(value, bytes):
        column = read_block(name, value, count, item_size)
    else:
        column = read_list(name, value)
    if len(column) != count:
        raise ProtocolError(f"column {name} has {len(column)} rows for {count} agents")
    return column


def read_block(name: str, value: bytes, count: int, item_size: int) -> Any:
    """Read a bin of float64 or float32; see `read_column`."""
    width = WIDTHS.get(name)
    if count == 0:
        return block(value, "d", width or 1)
    if width is None:
        width = len(value) // (count * item_size)
    else:
        item_size = len(value) // (count * width)
    if item_size not in TYPE_CODES or width == 0 or len(value) != count * width * item_size:
        raise ProtocolError(f"column {name} has {len(value)} bytes, which is no float64 or float32 for {count} agents")
    return block(value, TYPE_CODES[item_size], width)


def read_list(name: str, value: Iterable[Any]) -> Any:
    """Read an array of numbers, vectors, strings or booleans; see `read_column`."""
    rows = list(value)
    if any(isinstance(row, str | bool) for row in rows):
        return rows
    if WIDTHS.get(name) == 2 or any(isinstance(row, list) for row in rows):
        if any(row is not None and len(row) != (WIDTHS.get(name) or len(row)) for row in rows):
            raise ProtocolError(f"column {name} has a row that is no pair")
        vectors = [(NAN, NAN) if row is None else tuple(NAN if v is None else float(v) for v in row) for row in rows]
        if numpy is None:
            return vectors
        return numpy.array(vectors, dtype=numpy.float64).reshape(len(vectors), len(vectors[0]) if vectors else 2)
    numbers = array("d", [NAN if row is None else row for row in rows])
    return numbers if numpy is None else numpy.frombuffer(numbers, dtype=numpy.float64)


def block(data: bytes, code: str, width: int) -> Any:
    """Lay bytes out as a column: shape (n,) for width 1, (n, width) or a list of tuples for more."""
    if numpy is not None:
        flat = numpy.frombuffer(data, dtype=f"<{'i' if code == 'q' else 'f'}{8 if code in 'dq' else 4}")
        return flat if width == 1 else flat.reshape(-1, width)
    numbers: array[Any] = array(code)
    numbers.frombytes(data)
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers if width == 1 else list(zip(*[iter(numbers)] * width, strict=True))
