"""Columns survive the wire to the bit, with numpy and without, and nothing is coerced on the way."""

from __future__ import annotations

import math
import struct
from array import array
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from orca_crowd_client import columns
from orca_crowd_client.encoding import JSON, MESSAGE_PACK, Encoding, encode_columns
from orca_crowd_client.errors import ProtocolError

# every finite binary64: both zeros and subnormals included, and named so that they come up in every run
AWKWARD = [0.1 + 0.2, 5572094.155411, 1e-310, 5e-324, -0.0, 0.0, 1.7976931348623157e308, 1.0 - 2**-53]
finite = st.one_of(st.sampled_from(AWKWARD), st.floats(allow_nan=False, allow_infinity=False))
pairs = st.tuples(finite, finite)
ids = st.integers(min_value=0, max_value=2**53 - 1)
ENCODINGS = pytest.mark.parametrize("encoding", [MESSAGE_PACK, JSON], ids=["msgpack", "json"])


@pytest.fixture(params=["with numpy", "without numpy"])
def numbers(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Run a test twice, the second time as on a machine without numpy."""
    if request.param == "without numpy":
        monkeypatch.setattr(columns, "numpy", None)
    return str(request.param)


def bits(values: Any) -> list[int]:
    """The bits of every number in a column or in rows of it."""
    flat: list[float] = []
    for row in values:
        flat.extend(row) if isinstance(row, tuple | list | np.ndarray) else flat.append(row)
    return [struct.unpack("<q", struct.pack("<d", value))[0] for value in flat]


def there_and_back(encoding: Encoding, name: str, values: Any) -> Any:
    """Encode a body with one column as a client does, and read it as a client does."""
    body = encoding.decode(encoding.encode(encode_columns(encoding, {name: values}, len(values))))
    return columns.read_column(name, body[name], len(values))


@ENCODINGS
@pytest.mark.parametrize("with_numpy", [True, False])
@given(rows=st.lists(pairs))
def test_vectors_keep_their_bits(encoding: Encoding, with_numpy: bool, rows: list[tuple[float, float]]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        if not with_numpy:
            patch.setattr(columns, "numpy", None)
        assert bits(there_and_back(encoding, "position", rows)) == bits(rows)


@ENCODINGS
@pytest.mark.parametrize("with_numpy", [True, False])
@given(values=st.lists(finite))
def test_numbers_keep_their_bits(encoding: Encoding, with_numpy: bool, values: list[float]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        if not with_numpy:
            patch.setattr(columns, "numpy", None)
        assert bits(there_and_back(encoding, "radius", values)) == bits(values)


@ENCODINGS
@pytest.mark.parametrize("with_numpy", [True, False])
@given(values=st.lists(ids, unique=True))
def test_ids_keep_every_digit(encoding: Encoding, with_numpy: bool, values: list[int]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        if not with_numpy:
            patch.setattr(columns, "numpy", None)
        assert list(there_and_back(encoding, "id", values)) == values


@given(values=st.lists(pairs, min_size=1))
def test_an_array_and_a_list_are_the_same_bytes(values: list[tuple[float, float]]) -> None:
    packed = columns.pack_numbers("velocity", values)
    assert packed == columns.pack_numbers("velocity", np.array(values))
    # x0 y0 x1 y1 …, little-endian, written here by hand
    assert packed == b"".join(struct.pack("<dd", x, y) for x, y in values)


@pytest.mark.parametrize(
    "values",
    [
        np.array([[1, 2], [3, 4]], dtype=np.int32),
        np.array([[1, 2], [3, 4]], dtype=">f8"),
        np.array([[1, 9, 2], [3, 9, 4]], dtype=float)[:, ::2],
        np.array([[1, 3], [2, 4]], dtype=np.float32).T,
        [np.array([1.0, 2.0]), np.array([3, 4])],
        ((1, 2), [np.float32(3), Fraction(4)]),
    ],
    ids=["integers", "big-endian", "strided", "transposed", "rows of arrays", "mixed rows"],
)
def test_whatever_holds_numbers_is_a_column(values: Any) -> None:
    assert columns.pack_numbers("position", values) == struct.pack("<4d", 1, 2, 3, 4)


@pytest.mark.parametrize(
    "values",
    [
        [True, 0.5],
        ["0.5", 0.5],
        [None, 0.5],
        [[0.5], [0.5]],
        [10**400, 1],
        np.array([True, False]),
        np.array(["1", "2"]),
        np.array([[1.0, 2.0], [3.0, 4.0]]),
        [1j, 1],
    ],
    ids=["boolean", "string", "null", "rows", "huge", "boolean array", "string array", "two wide", "complex"],
)
def test_what_is_no_number_is_not_coerced(numbers: str, values: Any) -> None:
    if isinstance(values, np.ndarray) and numbers == "without numpy":
        values = values.tolist()
    assert columns.pack_numbers("radius", values) is None


@pytest.mark.parametrize("values", [[(1, 2, 3)], [(1,)], [(1, 2), 3], ["ab"], [{"x": 1, "y": 2}], [(1, True)]])
def test_a_row_that_is_no_pair_is_not_bent_into_one(numbers: str, values: Any) -> None:
    assert columns.pack_numbers("position", values) is None
    # and travels as it is, so that the server can name it
    assert MESSAGE_PACK.number_column("position", values) == columns.plain(values)


@pytest.mark.parametrize("values", [[1.0], [True], ["1"], [2**63], np.array([1.0]), np.array([2**63], dtype=np.uint64)])
def test_what_is_no_id_is_not_coerced(values: Any) -> None:
    assert columns.pack_identifiers(values) is None


def test_ids_of_any_integer_type(numbers: str) -> None:
    expected = struct.pack("<3q", 3, 2**53 - 1, 0)
    assert columns.pack_identifiers([3, 2**53 - 1, 0]) == expected
    assert columns.pack_identifiers(array("q", [3, 2**53 - 1, 0])) == expected
    if numbers == "with numpy":
        assert columns.pack_identifiers(np.array([3, 2**53 - 1, 0], dtype=np.uint64)) == expected
        assert columns.pack_identifiers([np.int64(3), 2**53 - 1, np.int32(0)]) == expected


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("radius", 0.4, [0.4, 0.4]),
        ("goal", (1, 2), [(1, 2), (1, 2)]),
        ("goal", None, [None, None]),
        ("radius", [0.4, 0.5], [0.4, 0.5]),
        ("goal", [(1, 2), (3, 4)], [(1, 2), (3, 4)]),
        ("max_neighbors", 3, [3, 3]),
    ],
)
def test_a_single_value_stands_for_all(name: str, value: Any, expected: Any) -> None:
    assert columns.spread(name, value, 2) == expected


def test_a_single_vector_may_be_an_array() -> None:
    assert [row.tolist() for row in columns.spread("goal", np.array([1.0, 2.0]), 2)] == [[1.0, 2.0], [1.0, 2.0]]
    assert columns.column_length({"radius": np.float64(0.5), "goal": np.array([1.0, 2.0])}) == 1
    assert columns.column_length({"radius": 0.5, "goal": [(1, 2), (3, 4), (5, 6)]}) == 3


def test_float32_is_read_as_such(numbers: str) -> None:
    vectors = columns.read_column("velocity", struct.pack("<4f", 1, -0.0, 0.1, 2), 2, 4)
    assert [tuple(float(v) for v in row) for row in vectors] == [(1.0, -0.0), (float(np.float32(0.1)), 2.0)]
    assert math.copysign(1, vectors[0][1]) == -1
    # the precision of a known field shows in its length, whatever was asked for: an earlier frame may still come
    assert bits(columns.read_column("velocity", struct.pack("<4d", 1, 2, 3, 4), 2, 4)) == bits([1, 2, 3, 4])


def test_a_field_of_later_servers_is_as_wide_as_its_bytes_say(numbers: str) -> None:
    assert [tuple(row) for row in columns.read_column("force", struct.pack("<4d", 1, 2, 3, 4), 2)] == [(1, 2), (3, 4)]
    assert list(columns.read_column("weight", struct.pack("<2f", 1, 2), 2, 4)) == [1, 2]


def test_strings_and_nulls_in_arrays(numbers: str) -> None:
    assert columns.read_column("status", ["no-goal", "moving"], 2) == ["no-goal", "moving"]
    goals = columns.read_column("goal", [None, [1, 2]], 2)
    assert math.isnan(goals[0][0])
    assert math.isnan(goals[0][1])
    assert tuple(goals[1]) == (1.0, 2.0)
    assert math.isnan(columns.read_column("preferred_speed", [None], 1)[0])


def test_what_without_numpy_looks_like(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(columns, "numpy", None)
    assert columns.read_column("position", struct.pack("<2d", 1, 2), 1) == [(1.0, 2.0)]
    assert columns.read_column("radius", struct.pack("<2d", 1, 2), 2) == array("d", [1, 2])
    assert columns.read_column("radius", struct.pack("<2f", 1, 2), 2, 4) == array("f", [1, 2])
    assert columns.read_identifiers(struct.pack("<2q", 1, 2)) == array("q", [1, 2])


def test_an_array_lies_on_the_bytes_that_came() -> None:
    data = struct.pack("<4d", 1, 2, 3, 4)
    column = columns.read_column("position", data, 2)
    assert np.shares_memory(column, np.frombuffer(data))
    assert not column.flags.writeable


@pytest.mark.parametrize(("name", "width"), [("position", 2), ("radius", 1), ("ids", 1), ("unknown", 1)])
def test_no_agents_is_an_empty_column(numbers: str, name: str, width: int) -> None:
    for value in (b"", []):
        column = columns.read_column(name, value, 0)
        assert len(column) == 0
        if numbers == "with numpy" and width == 2:
            assert column.shape == (0, 2)


@pytest.mark.parametrize(
    ("name", "value", "count"),
    [
        ("position", b"\0" * 15, 1),
        ("position", b"\0" * 20, 2),
        ("radius", b"\0" * 7, 1),
        ("radius", b"", 1),
        ("radius", [1.0], 2),
        ("ids", b"\0" * 9, 1),
        ("ids", b"\0" * 8, 2),
    ],
)
def test_a_column_of_the_wrong_length_is_refused(numbers: str, name: str, value: Any, count: int) -> None:
    with pytest.raises(ProtocolError):
        columns.read_column(name, value, count)
